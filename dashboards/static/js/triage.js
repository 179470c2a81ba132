// Triage: moving through the findings, acting on them, and new ones that come while one looks.

import { get, html } from "./http.js";
import { keys } from "./keys.js";
import { act, undo } from "./statuses.js";
import { toast } from "./toast.js";

const NEWS_SECONDS = 4;
const ASK_MS = 60;
const PAUSE_MS = 240;
const board = document.getElementById("board");
const search = document.getElementById("search");
const mayAct = board.dataset.mayAct === "1";
let selected = sessionStorage.getItem(memory());
let asking = null;
let pausing = null;

// Selection. It is kept by what the row is about, so that it survives new rows and a reload.

function memory() {
  return `triage ${board.dataset.url}`;
}

const rows = () => [...board.querySelectorAll("tr[data-key]")];
const current = () => rows().find((row) => row.dataset.key === selected);
const dayOf = (row) => row.dataset.day ?? board.dataset.day;
const picked = new Set(); // keys of rows that are acted on together; none: the selected row alone

function showPicked() {
  for (const row of rows()) row.classList.toggle("picked", picked.has(row.dataset.key));
  const count = rows().filter((row) => picked.has(row.dataset.key)).length;
  const told = board.querySelector("[data-picked]");
  if (told) told.textContent = count > 1 ? `${count} selected` : "";
}

/** Select all rows from the selected one to another. */
function pickTo(row) {
  const all = rows();
  const [first, last] = [all.indexOf(current()), all.indexOf(row)].sort((a, b) => a - b);
  picked.clear();
  for (const each of all.slice(Math.max(first, 0), last + 1)) picked.add(each.dataset.key);
  showPicked();
}

function pickAll() {
  const all = rows().map((row) => row.dataset.key);
  const isAll = all.every((key) => picked.has(key));
  picked.clear();
  if (!isAll) for (const key of all) picked.add(key);
  showPicked();
}


function select(row, { scroll = true } = {}) {
  for (const each of rows()) {
    if (each === row) each.setAttribute("aria-selected", "true");
    else each.removeAttribute("aria-selected");
  }
  const detail = document.getElementById("detail");
  const acts = board.querySelector(".acts");
  if (acts) acts.hidden = !row;
  if (!row) {
    detail.replaceChildren();
    return;
  }
  selected = row.dataset.key;
  sessionStorage.setItem(memory(), selected);
  if (scroll) row.scrollIntoView({ block: "nearest" });
  clearTimeout(asking);
  asking = setTimeout(() => showDetail(row), ASK_MS);
}

/** The finding in short; of a group, its first one. Not while a key is held and rows fly by. */
async function showDetail(row) {
  const [first, ...others] = row.dataset.id.split(" ");
  const query = new URLSearchParams({ day: dayOf(row), snapshot: board.querySelector(".facets").dataset.snapshot });
  try {
    const found = await html(`/findings/${encodeURIComponent(first)}/panel?${query}`);
    if (selected !== row.dataset.key) return;
    document.getElementById("detail").innerHTML = found;
    clearTimeout(pausing);
    pausing = setTimeout(() => showMoment(row), PAUSE_MS);
  } catch (error) {
    toast(error.message, { bad: true });
    return;
  }
  if (others.length) {
    const link = Object.assign(document.createElement("a"), { href: row.dataset.open, textContent: "Show all" });
    const note = document.createElement("p");
    note.append(`First of ${others.length + 1} findings. `, link);
    document.getElementById("detail").prepend(note);
  }
}

/** The clause, what to do, and the felt at the moment of the mistake: once somebody stays with a finding. */
async function showMoment(row) {
  const place = document.getElementById("moment");
  if (!place?.dataset.url) return;
  try {
    const found = await html(place.dataset.url);
    if (selected === row.dataset.key) place.innerHTML = found;
  } catch {
    place.remove(); // the finding itself is there; its round tells why it cannot be replayed
  }
}

function move(step) {
  const all = rows();
  const place = all.indexOf(current());
  const next = all[Math.min(Math.max(place + step, 0), all.length - 1)];
  if (next) select(next);
}

board.addEventListener("click", (event) => {
  const row = event.target.closest("tr[data-key]");
  if (row && event.shiftKey) {
    event.preventDefault();
    pickTo(row);
  } else if (row && !event.target.closest("a, button")) {
    picked.clear();
    showPicked();
    select(row, { scroll: false });
  }
  const act = event.target.closest("[data-act]");
  if (act) handle(act.dataset.act);
});
board.addEventListener("dblclick", (event) => {
  const row = event.target.closest("tr[data-key]");
  if (row) location.assign(row.dataset.open);
});

// Acting.

async function handle(status) {
  const row = current();
  if (!row || !mayAct) return;
  const acted = picked.size ? rows().filter((each) => picked.has(each.dataset.key)) : [row];
  const { title: sentence, case: caseTitle } = acted[0].dataset;
  const ids = acted.flatMap((each) => each.dataset.id.split(" "));
  const days = new Set(acted.map(dayOf));
  const day = days.size === 1 ? [...days][0] : ""; // of several days, the server finds each
  const title = ids.length > 1 ? `${ids.length} findings` : sentence;
  const next = acted.at(-1).nextElementSibling?.dataset.key;
  await act({ ids, day, status, title, caseTitle }, async () => {
    picked.clear();
    await refresh();
    if (!current()) select(rows().find((each) => each.dataset.key === next));
  });
}

// What is new.

async function refresh() {
  const known = new Set(rows().map((row) => row.dataset.key));
  const fresh = new Set([...board.querySelectorAll("tr.fresh")].map((row) => row.dataset.key));
  const scroller = board.querySelector(".scroll");
  const anchor = current() ?? rows().find((row) => row.getBoundingClientRect().bottom > 0);
  const before = anchor?.getBoundingClientRect().top;
  const url = new URL(board.dataset.url, location.href);
  url.searchParams.set("fragment", "1");
  const facetTop = board.querySelector(".facets").scrollTop;
  board.innerHTML = await html(url);
  board.querySelector(".facets").scrollTop = facetTop;
  if (scroller && board.querySelector(".scroll")) board.querySelector(".scroll").scrollTop = scroller.scrollTop;
  for (const row of rows()) if (fresh.has(row.dataset.key) || !known.has(row.dataset.key)) row.classList.add("fresh");
  select(current(), { scroll: false });
  const same = anchor && rows().find((row) => row.dataset.key === anchor.dataset.key);
  showPicked();
  if (same) board.querySelector(".scroll").scrollTop += same.getBoundingClientRect().top - before;
  showSnapshot(board.querySelector(".facets").dataset);
}

/** Head and links name the snapshot that is shown now. */
function showSnapshot({ snapshot, published }) {
  document.getElementById("snapshot").textContent = snapshot;
  document.getElementById("published").textContent = published;
  for (const link of document.querySelectorAll(".files a")) {
    const url = new URL(link.href);
    url.searchParams.set("snapshot", snapshot);
    link.href = url;
  }
}

async function news() {
  if (document.hidden || document.querySelector("dialog[open]")) return;
  const { snapshot, change } = board.querySelector(".facets").dataset;
  const query = new URLSearchParams({ day: board.dataset.day, snapshot });
  const found = await get(`/triage/news?${query}`);
  if (String(found.snapshot) === snapshot && String(found.change) === change) return;
  await refresh();
  if (found.fresh) tell(found.fresh);
  if (found.later_day && String(found.snapshot) !== snapshot) {
    toast(`Gaming day ${found.later_day} was published`, {
      label: "Open",
      action: () => location.assign(`/triage?day=${found.later_day}`),
    });
  }
}

let told = null;
let untold = 0;

/** Say how many findings are new, added up until somebody goes there. */
function tell(count) {
  untold += count;
  told?.remove();
  told = toast(untold === 1 ? "1 new finding" : `${untold} new findings`, {
    stays: true,
    label: "Show first",
    action: () => {
      untold = 0;
      const first = board.querySelector("tr.fresh");
      if (first) select(first);
    },
  });
}

async function watch() {
  try {
    await news();
  } catch (error) {
    toast(`${error.message} New findings no longer appear by themselves.`, { bad: true });
    return;
  }
  setTimeout(watch, NEWS_SECONDS * 1000);
}

// Controls and keys.

for (const name of ["day", "sort", "group"]) {
  search.elements[name]?.addEventListener("change", () => search.requestSubmit());
}
search.addEventListener("submit", () => {
  if (!search.elements.q.value) search.elements.q.disabled = true;
  if (search.elements.sort.value === search.elements.sort.dataset.usual) search.elements.sort.disabled = true;
});

document.getElementById("show-filters").addEventListener("click", ({ target }) => {
  const open = board.classList.toggle("filtering");
  target.setAttribute("aria-expanded", String(open));
});

keys({
  j: () => move(1),
  k: () => move(-1),
  ArrowDown: () => move(1),
  ArrowUp: () => move(-1),
  Enter: () => current() && location.assign(current().dataset.open),
  x: () => handle("in review"),
  e: () => handle("escalated"),
  d: () => handle("dismissed"),
  u: () => undo(),
  g: () => search.elements.group?.click(),
  a: pickAll,
  "/": () => search.elements.q.focus(),
});
search.elements.q.addEventListener("keydown", (event) => {
  if (event.key === "Escape") search.elements.q.blur();
});

select(current() ?? rows()[0], { scroll: Boolean(current()) });
if (board.dataset.pinned === "0") setTimeout(watch, NEWS_SECONDS * 1000);
