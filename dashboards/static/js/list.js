// Going through the rows of a table with keys: j and k move, Enter opens, n goes to the next with a finding.

import { keys } from "./keys.js";

const table = document.querySelector("[data-list]");
let current = null;

const rows = () => [...table.querySelectorAll("tr[data-open]")].filter((row) => !row.hidden);

function select(row) {
  if (!row) return;
  current?.removeAttribute("aria-selected");
  current = row;
  row.setAttribute("aria-selected", "true");
  row.scrollIntoView({ block: "nearest" });
}

function move(step) {
  const shown = rows();
  const place = shown.indexOf(current);
  select(shown[place < 0 && step < 0 ? shown.length - 1 : Math.min(Math.max(place + step, 0), shown.length - 1)]);
}

function nextFound() {
  const shown = rows();
  const found = shown.filter((row) => Number(row.dataset.findings) > 0);
  select(found.find((row) => shown.indexOf(row) > shown.indexOf(current)) ?? found[0]);
}

if (table) {
  table.addEventListener("click", (event) => {
    if (!event.target.closest("a, button")) select(event.target.closest("tr[data-open]"));
  });
  table.addEventListener("dblclick", (event) => {
    const row = event.target.closest("tr[data-open]");
    if (row) location.assign(row.dataset.open);
  });
  keys({
    j: () => move(1),
    k: () => move(-1),
    ArrowDown: () => move(1),
    ArrowUp: () => move(-1),
    Enter: () => current && location.assign(current.dataset.open),
    n: nextFound,
  });
}
