// A round: stepping through it, its findings, and what is known of it once it is judged again.

import { get } from "./http.js";
import { keys } from "./keys.js";
import { focusScrollers } from "./scrollers.js";
import { act, undo } from "./statuses.js";
import { toast } from "./toast.js";

const PLAY_MS = 900;
const board = document.getElementById("round");
const slider = document.getElementById("slider");
const byId = (id) => document.getElementById(id);
const cards = () => [...document.querySelectorAll("[data-finding]")]; // of findings; a candidate's come with its replay
const cardOf = (id) => cards().find((each) => each.dataset.finding === id);
let steps = [];
let now = 0; // index of the step that is shown
let playing = null;
let selected = null;

// The step that is shown.

function show(index, { scroll = true } = {}) {
  if (!steps.length) return;
  now = Math.min(Math.max(index, 0), steps.length - 1);
  const step = steps[now];
  byId("felt").innerHTML = step.picture;
  byId("felt").querySelector("title").remove(); // the label says it, and a title would be shown under the pointer
  byId("place").textContent = `step ${step.step} of ${steps.length}`;
  slider.value = step.step;
  slider.setAttribute("aria-valuetext", step.words);
  showWords(step);
  showFrame(step);
  for (const each of byId("moves").querySelectorAll("[aria-current]")) each.removeAttribute("aria-current");
  const move = byId("moves").querySelector(`[data-step="${step.step}"]`);
  move.setAttribute("aria-current", "step");
  if (scroll) reveal(move);
  if (step.findings.length) select(step.findings[0]);
  keepAddress(step.step);
}

function showWords(step) {
  const head = element("p", "words");
  head.append(element("span", "clock", step.clock), element("strong", "", step.words));
  const parts = [head];
  for (const id of step.findings) {
    const card = cardOf(id);
    if (card) parts.push(element("p", "flag", card.dataset.title));
  }
  if (step.rows.length) parts.push(definitions(step.rows));
  parts.push(element("p", "dim small wrap", step.source));
  byId("step").replaceChildren(...parts);
}

function showFrame(step) {
  const box = byId("frame");
  const { url, text } = step.frame;
  const caption = element("p", "dim small wrap", text);
  if (!url) return box.replaceChildren(caption);
  const link = box.querySelector("a") ?? emptyFrame();
  const image = link.querySelector("img");
  if (image.getAttribute("src") !== url) {
    image.className = "loading";
    image.src = url;
  }
  image.alt = `The table on camera: ${step.words}`;
  link.href = url;
  const next = steps[now + 1]?.frame.url;
  if (next) new Image().src = next; // so that it is there when one steps on
  return box.replaceChildren(link, caption);
}

function emptyFrame() {
  const link = element("a");
  const image = element("img");
  link.target = "_blank";
  image.addEventListener("load", () => (image.className = ""));
  image.addEventListener("error", () => byId("frame").replaceChildren(element("p", "problem", "The footage has no frame here.")));
  link.append(image);
  return link;
}

function keepAddress(number) {
  const url = new URL(location.href);
  url.searchParams.delete("finding");
  url.searchParams.set("step", number);
  history.replaceState(null, "", url);
  const link = document.querySelector("a[data-copies]");
  const kept = new URL(link.href);
  kept.searchParams.delete("finding");
  kept.searchParams.set("step", number);
  link.href = kept.href;
}

function reveal(move) {
  const list = byId("moves").parentElement;
  const [inside, outside] = [move.getBoundingClientRect(), list.getBoundingClientRect()];
  if (inside.top < outside.top) list.scrollTop -= outside.top - inside.top + 40;
  else if (inside.bottom > outside.bottom) list.scrollTop += inside.bottom - outside.bottom + 40;
}

// Moving.

function move(index) {
  stop();
  show(index);
}

function toFinding(direction) {
  const marked = steps.map((step, index) => (step.findings.length ? index : -1)).filter((index) => index >= 0);
  if (!marked.length) return toast("No finding in this round.");
  const next = direction > 0 ? marked.find((index) => index > now) : marked.findLast((index) => index < now);
  return move(next ?? marked.at(direction > 0 ? 0 : -1));
}

function play() {
  if (playing) return stop();
  if (now === steps.length - 1) show(0);
  playing = setInterval(() => {
    show(now + 1);
    if (now === steps.length - 1) stop();
  }, PLAY_MS);
  return showPlaying();
}

function stop() {
  clearInterval(playing);
  playing = null;
  showPlaying();
}

function showPlaying() {
  byId("play").textContent = playing ? "Stop" : "Play";
}

const actions = {
  first: () => move(0),
  back: () => move(now - 1),
  on: () => move(now + 1),
  last: () => move(steps.length - 1),
  play,
  finding: () => toFinding(1),
};

// Findings.

function select(id) {
  selected = cardOf(id) ?? selected;
  for (const each of cards()) each.classList.toggle("selected", each === selected);
}

async function handle(status) {
  if (!selected || board.dataset.mayAct !== "1") return;
  const card = selected;
  stop();
  const { title, finding, case: code } = card.dataset;
  const caseTitle = `${code} in ${document.querySelector("h1").textContent}`;
  const what = { ids: finding, day: board.dataset.day, status, title, caseTitle };
  await act(what, (given) => showStatus(card, given));
}

function showStatus(card, status) {
  const chip = element("span", `chip status-${status.replaceAll(" ", "-")}`, status);
  card.querySelector("[data-status]").replaceChildren(chip);
}

// Building the page from the replay.

function element(name, className = "", text = "") {
  const made = document.createElement(name);
  if (className) made.className = className;
  if (text) made.textContent = text;
  return made;
}

function definitions(rows) {
  const list = element("dl", "facts");
  for (const [name, text] of rows) list.append(element("dt", "", name), element("dd", "", text));
  return list;
}

function listMoves() {
  const made = [];
  let turn = null;
  for (const step of steps) {
    if (step.turn !== turn) made.push(element("li", "turn", (turn = step.turn)));
    const item = element("li");
    const button = element("button", step.findings.length ? "found" : "");
    button.type = "button";
    button.dataset.step = step.step;
    button.append(element("span", "n", String(step.step)), element("span", "", step.words));
    item.append(button);
    made.push(item);
  }
  byId("moves").replaceChildren(...made);
}

function markSlider() {
  slider.max = steps.length;
  const share = (index) => (steps.length > 1 ? index / (steps.length - 1) : 0);
  const ticks = steps.flatMap((step, index) => {
    if (!step.findings.length) return [];
    const tick = element("i");
    tick.style.left = `calc(${share(index)} * (100% - 16px) + 7px)`;
    return [tick];
  });
  byId("ticks").replaceChildren(...ticks);
  byId("next-finding").disabled = !ticks.length;
}

function fillFindings(found) {
  for (const { finding_id: id, step, rows } of found) {
    const card = cardOf(id);
    if (!card) continue;
    card.querySelector("[data-rows]").replaceWith(definitions(rows));
    const button = card.querySelector("[data-to-step]");
    if (!step) continue;
    button.textContent = `step ${step}`;
    button.dataset.step = step;
    button.hidden = false;
  }
}

function fillReasons(settlements) {
  for (const { key, rows, words } of settlements) {
    const row = document.querySelector(`[data-settled="${key}"]`);
    if (!row) continue;
    const why = element("tr", "why");
    const cell = element("td");
    cell.colSpan = row.cells.length;
    cell.append(definitions([...rows, ["Verdict", words]]));
    why.append(cell);
    why.hidden = true;
    row.after(why);
  }
}

/** The gravest finding that a step shows; they come in that order. */
const firstShown = (findings) =>
  cards().map((card) => findings.find((each) => each.finding_id === card.dataset.finding)).find((each) => each?.step);

function begin(replay) {
  steps = replay.steps;
  byId("panels").innerHTML = replay.panels;
  listMoves();
  markSlider();
  fillFindings(replay.findings);
  fillReasons(replay.settlements);
  const query = new URLSearchParams(location.search);
  const found = replay.findings.find((each) => each.finding_id === query.get("finding")) ?? firstShown(replay.findings);
  if (query.get("finding")) select(query.get("finding"));
  else if (cards().length) select(cards()[0].dataset.finding);
  show((Number(query.get("step")) || found?.step || steps.length) - 1);
  focusScrollers();
  board.dataset.ready = "1";
}

document.addEventListener("click", (event) => {
  const at = (selector) => event.target.closest(selector);
  if (at("[data-go]")) actions[at("[data-go]").dataset.go]();
  else if (at("[data-step]")) move(Number(at("[data-step]").dataset.step) - 1);
  if (at("[data-finding]")) select(at("[data-finding]").dataset.finding);
  if (at("[data-act]")) handle(at("[data-act]").dataset.act);
  if (at("[data-closes]")) at("dialog").close();
  if (at("#all-cards")) {
    byId("evidence").classList.remove("only-odd");
    at("#all-cards").remove();
  }
  const why = at("[data-why]");
  const reason = why?.closest("tr").nextElementSibling;
  if (reason?.classList.contains("why")) {
    reason.hidden = !reason.hidden;
    why.setAttribute("aria-expanded", String(!reason.hidden));
  }
});
slider.addEventListener("input", () => move(slider.valueAsNumber - 1));
byId("packet")?.addEventListener("submit", () => {
  byId("packet-dialog").close();
  toast("The packet is being made; it will be downloaded.");
});

keys({
  ArrowRight: actions.on,
  ArrowLeft: actions.back,
  Home: actions.first,
  End: actions.last,
  n: () => toFinding(1),
  N: () => toFinding(-1),
  " ": play,
  p: play,
  "[": () => byId("before")?.click(),
  "]": () => byId("after")?.click(),
  c: () => byId("copy-notation")?.click(),
  x: () => handle("in review"),
  e: () => handle("escalated"),
  d: () => handle("dismissed"),
  u: () => undo(),
});

try {
  begin(await get(board.dataset.replay));
} catch (error) {
  byId("felt").replaceChildren(element("p", "problem", `The round cannot be replayed: ${error.message}`));
}
