// A short message at the edge, which goes by itself; with an action, there is a button for it.

const SECONDS = 8;

export function toast(text, { bad = false, label = null, action = null } = {}) {
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
  setTimeout(() => box.remove(), SECONDS * 1000);
}
