// Calibration and zones over a still: chosen from a list, moved with the mouse or the arrow keys, checked and saved.

import { homography, mapped } from "./homography.js";
import { post } from "./http.js";
import { keys } from "./keys.js";
import { toast } from "./toast.js";

const GRID_MM = 100;
const CORNERS = "corners";
const MOVES = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
const known = JSON.parse(document.getElementById("camera-data").textContent);
const [width, height] = known.image;
const element = (id) => document.getElementById(id);
const svg = element("view");
const first = JSON.stringify({ corners: known.corners, zones: known.zones });
let state = JSON.parse(first);
let chosen = CORNERS;
let past = [];
let { marks } = known;
let toMm = homography(state.corners, known.corners_mm);
let toPx = homography(known.corners_mm, state.corners);

function draw(name, attributes, parent) {
  const made = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  parent.append(made);
  return made;
}

const path = (points) => points.map((point) => point.map((each) => each.toFixed(1)).join(",")).join(" ");
const middle = (points) => [0, 1].map((axis) => points.reduce((sum, point) => sum + point[axis], 0) / points.length);
const shown = (point) => mapped(toPx, point);
/** Units of the picture in one pixel of the screen. */
const unit = () => width / (svg.getBoundingClientRect().width || width);

// What is drawn.

function drawGrid() {
  const group = element("grid");
  group.replaceChildren();
  if (!element("show-grid").checked) return;
  const seen = [[0, 0], [width, 0], [width, height], [0, height]].map((corner) => mapped(toMm, corner));
  const ends = [0, 1].map((axis) => {
    const values = seen.map((point) => point[axis] / GRID_MM);
    return [Math.floor(Math.min(...values)), Math.ceil(Math.max(...values))].map((each) => each * GRID_MM);
  });
  const [[left, right], [top, bottom]] = ends;
  for (let x = left; x <= right; x += GRID_MM) line(group, [x, top], [x, bottom]);
  for (let y = top; y <= bottom; y += GRID_MM) line(group, [left, y], [right, y]);
}

function line(group, from, to) {
  draw("polyline", { class: "grid-line", points: path([shown(from), shown(to)]) }, group);
}

/** A card around a point of the felt, turned as cards lie in its zone. */
function card(x, y, turn) {
  const [w, h] = known.card_mm.map((each) => each / 2);
  const [cos, sin] = [Math.cos(turn), Math.sin(turn)];
  return [[-w, -h], [w, -h], [w, h], [-w, h]].map(([a, b]) => [x + a * cos - b * sin, y + a * sin + b * cos]);
}

function drawZones() {
  const group = element("zones");
  group.replaceChildren();
  for (const [name, outline] of Object.entries(state.zones)) {
    const zone = draw("polygon", { class: name === chosen ? "zone chosen" : "zone", points: path(outline.map(shown)) }, group);
    zone.addEventListener("pointerdown", (event) => {
      if (name === chosen) drag(event, zone, (by) => moveZone(name, by));
      else choose(name);
    });
    const [x, y] = middle(outline);
    draw("polygon", { class: "card", points: path(card(x, y, known.turns[name]).map(shown)) }, group);
    const [px, py] = shown([x, y]);
    draw("text", { class: "zone-name", x: px, y: py, "font-size": 13 * unit() }, group).textContent = name;
  }
  const marks = element("marks");
  marks.replaceChildren();
  draw("polygon", { class: "layout", points: path(state.corners) }, marks);
}

function drawHandles() {
  const group = element("handles");
  const focused = document.activeElement?.dataset?.handle;
  group.replaceChildren();
  if (chosen === CORNERS) {
    state.corners.forEach((point, n) => handle(group, point, `Corner ${known.names[n]}`, "corner", n, (by) => moveCorner(n, by)));
  } else {
    const outline = state.zones[chosen];
    outline.forEach((point, n) => handle(group, shown(point), `${chosen}, point ${n + 1}`, "", n, (by) => movePoint(chosen, n, by)));
    handle(group, shown(middle(outline)), `${chosen} as a whole`, "whole", "whole", (by) => moveZone(chosen, by));
  }
  group.querySelector(`[data-handle="${CSS.escape(focused ?? "")}"]`)?.focus({ preventScroll: true });
}

function handle(group, [x, y], label, kind, name, move) {
  const made = draw("circle", { class: `handle ${kind}`, cx: x, cy: y, r: 7 * unit(), tabindex: 0, role: "button", "data-handle": name }, group);
  made.setAttribute("aria-label", `${label}, at ${Math.round(x)}, ${Math.round(y)}; arrow keys move it`);
  made.addEventListener("pointerdown", (event) => drag(event, made, move));
  made.addEventListener("focus", () => tell(label, [x, y]));
  made.addEventListener("keydown", (event) => {
    const step = MOVES[event.key];
    if (!step) return;
    event.preventDefault();
    event.stopPropagation();
    if (!event.repeat) remember();
    move(step.map((each) => each * (event.shiftKey ? 10 : 1)));
  });
}

function drawAll() {
  drawGrid();
  drawZones();
  drawHandles();
  const [a, b, c] = [[0, 0], [1, 0], [0, 1]].map(([dx, dy]) => mapped(toMm, [width / 2 + dx, height / 2 + dy]));
  const area = Math.abs((b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]));
  const scale = 1 / Math.sqrt(area);
  element("scale").textContent = scale.toFixed(2);
  element("card").textContent = known.card_mm.map((each) => Math.round(each * scale)).join(" × ");
  element("undo").disabled = past.length === 0;
  element("reset").disabled = JSON.stringify(state) === first;
}

function tell(label, point) {
  const [x, y] = mapped(toMm, point);
  element("where").textContent = `${label}: ${point.map((each) => each.toFixed(0)).join(", ")} px · ${x.toFixed(0)}, ${y.toFixed(0)} mm`;
}

// What is moved, by pixels of the picture.

function moveCorner(n, [dx, dy]) {
  const corners = state.corners.map((point, each) => (each === n ? [point[0] + dx, point[1] + dy] : point));
  const [forth, back] = [homography(corners, known.corners_mm), homography(known.corners_mm, corners)];
  if (!forth || !back) return;
  [state.corners, toMm, toPx] = [corners, forth, back];
  tell(`Corner ${known.names[n]}`, corners[n]);
  drawAll();
}

const moved = (point, [dx, dy]) => {
  const [x, y] = shown(point);
  return mapped(toMm, [x + dx, y + dy]);
};

function movePoint(name, n, by) {
  state.zones[name] = state.zones[name].map((point, each) => (each === n ? moved(point, by) : point));
  tell(`${name}, point ${n + 1}`, shown(state.zones[name][n]));
  drawAll();
}

/** A zone keeps its shape on the felt. */
function moveZone(name, by) {
  const from = middle(state.zones[name]);
  const to = moved(from, by);
  state.zones[name] = state.zones[name].map(([x, y]) => [x + to[0] - from[0], y + to[1] - from[1]]);
  tell(name, shown(to));
  drawAll();
}

function drag(event, grabbed, move) {
  event.preventDefault();
  remember();
  let [lastX, lastY] = [event.clientX, event.clientY];
  const onMove = (next) => {
    const scale = unit();
    move([(next.clientX - lastX) * scale, (next.clientY - lastY) * scale]);
    [lastX, lastY] = [next.clientX, next.clientY];
  };
  const name = grabbed.dataset.handle;
  const end = () => {
    removeEventListener("pointermove", onMove);
    if (name !== undefined) element("handles").querySelector(`[data-handle="${CSS.escape(name)}"]`)?.focus({ preventScroll: true });
  };
  addEventListener("pointermove", onMove);
  addEventListener("pointerup", end, { once: true });
  addEventListener("pointercancel", end, { once: true });
}

function remember() {
  past.push(JSON.stringify(state));
  say({ told: "Changed since it was checked.", problems: [], fits: false, marks });
}

function restore(text) {
  state = JSON.parse(text);
  toMm = homography(state.corners, known.corners_mm);
  toPx = homography(known.corners_mm, state.corners);
  drawAll();
}

const undo = () => past.length && restore(past.pop());

// What is chosen.

const all = [CORNERS, ...known.order];
for (const name of all) {
  const button = document.createElement("button");
  button.type = "button";
  button.textContent = name;
  button.addEventListener("click", () => choose(name));
  element("choices").append(button);
}

function choose(name) {
  chosen = name;
  [...element("choices").children].forEach((button) => button.setAttribute("aria-pressed", button.textContent === name));
  element("where").textContent = "";
  drawAll();
}

const step = (by) => () => choose(all[(all.indexOf(chosen) + by + all.length) % all.length]);

// Check and save.

async function check() {
  say({ told: "Checking …", problems: [], fits: false, marks });
  try {
    say(await post(`${known.url}/check?${known.query}`, { adjusted: JSON.stringify(state) }));
  } catch (error) {
    say({ told: error.message, problems: [], fits: false });
  }
}

/** Put the corners where the last check found the layout's marks. */
function snap() {
  if (!marks) return;
  remember();
  restore(JSON.stringify({ ...state, corners: marks }));
  choose(CORNERS);
  check();
}

function say({ told, problems, fits, marks: found = null }) {
  marks = found;
  element("snap").disabled = !marks;
  const text = (name, words, kind) => Object.assign(document.createElement(name), { textContent: words, className: kind });
  const list = text("ul", "", "plain");
  list.append(...problems.map((each) => text("li", each, "over")));
  element("verdict").replaceChildren(text("p", told, ""), list, ...(fits ? [text("p", "Calibration fits.", "fits")] : []));
}

async function save() {
  try {
    const { by, at } = await post(`${known.url}/draft`, { adjusted: JSON.stringify(state) });
    element("draft").textContent = `Saved as the draft of ${by}, ${at}. Download the sidecar and put it into the landing zone.`;
    const link = new URL(element("download").href);
    link.searchParams.delete("draft");
    element("download").href = link.href;
    toast("Draft saved");
  } catch (error) {
    toast(error.message, { bad: true });
  }
}

element("undo").addEventListener("click", undo);
element("reset").addEventListener("click", () => {
  remember();
  restore(first);
});
element("check").addEventListener("click", check);
element("snap").addEventListener("click", snap);
element("snap").disabled = !marks;
element("save").addEventListener("click", save);
element("show-grid").addEventListener("change", drawGrid);
element("own").addEventListener("change", ({ target }) => {
  const [file] = target.files;
  if (!file) return;
  const reader = new FileReader();
  reader.addEventListener("load", () => element("picture").setAttribute("href", reader.result));
  reader.readAsDataURL(file);
});
new ResizeObserver(drawAll).observe(svg);
keys({
  c: () => choose(CORNERS),
  z: step(1),
  Z: step(-1),
  u: undo,
  g: () => element("show-grid").click(),
  k: check,
  m: snap,
  s: save,
});
choose(CORNERS);
