// What scrolls in itself can be scrolled with the keyboard too.

export function focusScrollers() {
  for (const each of document.querySelectorAll(".rows, .scroll, .scroll-x, .wide, .felt, .moves, pre")) {
    const scrolls = each.scrollWidth > each.clientWidth + 1 || each.scrollHeight > each.clientHeight + 1;
    if (scrolls) each.tabIndex = 0;
    else if (each.tabIndex === 0 && each.tagName !== "PRE") each.removeAttribute("tabindex");
  }
}
