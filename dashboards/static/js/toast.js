// A short message at the edge, which goes by itself unless it stays; with an action, there is a button for it.

const SECONDS = 8;

export function toast(text, { bad = false, stays = false, label = null, action = null } = {}) {
  const box = document.createElement("div");
  box.className = bad ? "toast bad" : "toast";
  box.append(text);
  if (label) {
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = label;
    button.addEventListener("click", () => {
      box.remove();
      action();
    });
    box.append(button);
  }
  document.getElementById("toasts").append(box);
  if (!stays) setTimeout(() => box.remove(), SECONDS * 1000);
  return box;
}
