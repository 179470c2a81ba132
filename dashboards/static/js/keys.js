// Keys of a page: keys({ j: next, Enter: open }). Not while somebody types, a dialog is open or a modifier is held.

const TYPING = 'input:not([type="checkbox"], [type="radio"]), textarea, select, [contenteditable]';

export function keys(actions) {
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
    if (event.target.closest(TYPING) || document.querySelector("dialog[open]")) return;
    const onControl = event.target.closest("a, button, summary, [role=button]");
    if (onControl && (event.key === "Enter" || event.key === " ")) return;
    const action = actions[event.key];
    if (!action) return;
    event.preventDefault();
    action(event);
  });
}
