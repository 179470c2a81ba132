// The day of a table on one axis of time. Drag to zoom into a part; the window is kept in the address.

import { keys } from "./keys.js";
import "./list.js";

const SVG = "http://www.w3.org/2000/svg";
const LEFT = 74; // room for the names of lanes
const LANES = { bar: 26, round: 30, dot: 18 };
const TOP = 46; // overview and axis
const TICKS_MS = [1, 5, 10, 15, 30].map((s) => s * 1000).concat([1, 2, 5, 10, 15, 30, 60, 120, 240].map((m) => m * 60000));
const TICK_PX = 76;
const LEAST_MS = 20000;

const figure = document.getElementById("timeline");
const drawing = figure.querySelector(".drawing");
const lanes = JSON.parse(figure.querySelector("script").textContent);
const day = { from: Number(figure.dataset.first), to: Number(figure.dataset.last) };
let shown = { from: Number(figure.dataset.from), to: Number(figure.dataset.to) };
let width = 0;

function make(name, attributes = {}, text = "") {
  const made = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  if (text) made.textContent = text;
  return made;
}

// Times in the zone of the page; Swedish dates and times are written as ours are.
const timeZone = document.documentElement.dataset.zone;
const whole = new Intl.DateTimeFormat("sv", { timeZone, dateStyle: "short", timeStyle: "medium" });
const clock = (ms, seconds = true) => whole.format(ms).slice(11, seconds ? 19 : 16);
const date = (ms) => whole.format(ms).slice(0, 10);
const across = (span) => (ms) => LEFT + ((ms - span.from) / (span.to - span.from || 1)) * (width - LEFT - 1);
const back = (span) => (x) => span.from + ((x - LEFT) / (width - LEFT - 1)) * (span.to - span.from);

// Drawing.

function draw() {
  width = Math.max(drawing.clientWidth, 480);
  const height = TOP + lanes.reduce((sum, lane) => sum + LANES[lane.look], 0) + 6;
  const svg = make("svg", { width, height, viewBox: `0 0 ${width} ${height}` });
  svg.append(overview(), axis(height));
  let y = TOP;
  for (const lane of lanes) {
    svg.append(drawLane(lane, y));
    y += LANES[lane.look];
  }
  drawing.replaceChildren(svg);
  brush(svg);
}

function overview() {
  const group = make("g", { class: "overview" });
  const x = across(day);
  group.append(make("rect", { class: "ground", x: LEFT, y: 0, width: width - LEFT, height: 16 }));
  for (const mark of lanes.find((lane) => lane.look === "round").marks) {
    group.append(make("rect", { class: `round ${mark.kind}`, x: x(mark.from), y: 3, width: Math.max(x(mark.to) - x(mark.from), 1), height: 10 }));
  }
  const [left, right] = [x(Math.max(shown.from, day.from)), x(Math.min(shown.to, day.to))];
  group.append(make("rect", { class: "window", x: left, y: 0.5, width: Math.max(right - left, 3), height: 15 }));
  group.append(make("text", { class: "name", x: 0, y: 12 }, "Day"));
  return group;
}

function axis(height) {
  const group = make("g", { class: "axis" });
  const x = across(shown);
  const wanted = ((shown.to - shown.from) / (width - LEFT)) * TICK_PX;
  const every = TICKS_MS.find((ms) => ms >= wanted) ?? TICKS_MS.at(-1);
  for (let at = Math.ceil(shown.from / every) * every; at <= shown.to; at += every) {
    group.append(make("line", { x1: x(at), x2: x(at), y1: 38, y2: height }));
    group.append(make("text", { x: x(at), y: 33 }, clock(at, every < 60000)));
  }
  group.append(make("text", { class: "name", x: 0, y: 33 }, figure.dataset.zone));
  return group;
}

function drawLane(lane, y) {
  const group = make("g", { class: `lane ${lane.look}` });
  const tall = LANES[lane.look];
  const inside = lane.marks.filter((mark) => mark.to >= shown.from && mark.from <= shown.to);
  group.append(make("line", { class: "rule", x1: 0, x2: width, y1: y, y2: y }));
  group.append(make("text", { class: "name", x: 0, y: y + tall / 2 + 4 }, lane.name));
  for (const mark of inside) group.append(drawMark(mark, lane.look, y, tall));
  return group;
}

function drawMark(mark, look, y, tall) {
  const holder = mark.url ? make("a", { href: mark.url }) : make("g");
  if (look === "round") holder.setAttribute("tabindex", "-1"); // the list below has them all
  const x = across(shown);
  const left = Math.max(x(mark.from), LEFT);
  const wide = Math.max(Math.min(x(mark.to), width) - left, look === "round" ? 2 : 3);
  if (look === "dot") {
    holder.append(make("circle", { class: mark.kind, cx: x(mark.from), cy: y + tall / 2, r: 5 }));
  } else {
    const inset = look === "round" ? 4 : 5;
    holder.append(make("rect", { class: `${look} ${mark.kind}`, x: left, y: y + inset, width: Math.max(wide - 1, 1.5), height: tall - 2 * inset, rx: 2 }));
    const letters = Math.floor((wide - 8) / 6.6);
    if (mark.label && letters >= (look === "round" ? mark.label.length : 4)) {
      const text = mark.label.length > letters ? `${mark.label.slice(0, letters - 1)}…` : mark.label;
      holder.append(make("text", { x: look === "round" ? left + wide / 2 : left + 5, y: y + tall / 2 + 4 }, text));
    }
  }
  holder.append(make("title", {}, mark.words));
  if (mark.url) holder.setAttribute("aria-label", mark.words);
  return holder;
}

// The window.

function zoom(from, to) {
  const long = Math.max(to - from, LEAST_MS);
  const start = Math.min(Math.max(from, day.from), Math.max(day.to - long, day.from));
  shown = { from: Math.round(start), to: Math.round(Math.min(start + long, day.to)) };
  draw();
  keepAddress();
  sumUp();
}

function scale(factor) {
  const middle = (shown.from + shown.to) / 2;
  const half = ((shown.to - shown.from) * factor) / 2;
  zoom(middle - half, middle + half);
}

function shift(share) {
  const by = Math.trunc((shown.to - shown.from) * share);
  const from = Math.min(Math.max(shown.from + by, day.from), day.to - (shown.to - shown.from));
  zoom(from, from + (shown.to - shown.from));
}

function keepAddress() {
  const put = (address) => {
    const url = new URL(address, location.href);
    url.searchParams.set("from", new Date(shown.from).toISOString());
    url.searchParams.set("to", new Date(shown.to).toISOString());
    return url.href;
  };
  history.replaceState(null, "", put(location.href));
  for (const link of document.querySelectorAll(".files a, a[data-windowed]")) link.href = put(link.href);
}

function sumUp() {
  const total = { rounds: 0, findings: 0, wrong: 0, over: 0, under: 0 };
  for (const row of document.querySelectorAll("#rounds tr[data-at]")) {
    const at = Number(row.dataset.at);
    row.hidden = at < shown.from || at > shown.to;
    if (row.hidden) continue;
    total.rounds += 1;
    for (const name of ["findings", "wrong", "over", "under"]) total[name] += Number(row.dataset[name]);
  }
  const money = (cents) => (cents / 100).toLocaleString("en", { minimumFractionDigits: 2 }).replace("-", "−");
  const count = (number, one) => `${number.toLocaleString("en")} ${one}${number === 1 ? "" : "s"}`;
  const words = [count(total.rounds, "round"), count(total.wrong, "settlement error"), count(total.findings, "finding")];
  if (total.over) words.push(`+${money(total.over)} overpaid`);
  if (total.under) words.push(`${money(total.under)} underpaid`);
  document.getElementById("window").textContent = `${date(shown.from)} ${clock(shown.from)} – ${clock(shown.to)} ${figure.dataset.zone}`;
  document.getElementById("window-sum").textContent = words.join(" · ");
  for (const button of document.querySelectorAll("[data-zoom]")) {
    const [from, to] = button.dataset.zoom.split(" ").map(Number);
    button.setAttribute("aria-pressed", String(Math.abs(from - shown.from) < 1000 && Math.abs(to - shown.to) < 1000));
  }
}

function brush(svg) {
  let start = null;
  let box = null;
  const place = (event) => Math.min(Math.max(event.clientX - svg.getBoundingClientRect().left, LEFT), width - 1);
  svg.addEventListener("pointerdown", (event) => {
    if (event.button !== 0 || event.target.closest("a")) return;
    const inOverview = event.clientY - svg.getBoundingClientRect().top < 18;
    start = { x: place(event), span: inOverview ? day : shown, y: inOverview ? 0 : 38 };
    svg.setPointerCapture(event.pointerId);
  });
  svg.addEventListener("pointermove", (event) => {
    if (!start) return;
    box ??= svg.appendChild(make("rect", { class: "brush", y: start.y, height: start.y ? svg.height.baseVal.value - start.y : 16 }));
    const [left, right] = [start.x, place(event)].sort((a, b) => a - b);
    box.setAttribute("x", left);
    box.setAttribute("width", right - left);
  });
  svg.addEventListener("pointerup", (event) => {
    if (!start) return;
    const [left, right] = [start.x, place(event)].sort((a, b) => a - b);
    const time = back(start.span);
    start = null;
    box?.remove();
    box = null;
    if (right - left > 6) zoom(time(left), time(right));
  });
}

document.addEventListener("click", (event) => {
  const button = event.target.closest("[data-zoom]");
  if (button) zoom(...button.dataset.zoom.split(" ").map(Number));
});
addEventListener("resize", draw);

const shifts = [...document.querySelectorAll("[data-shift]")];
keys({
  "+": () => scale(0.5),
  "=": () => scale(0.5),
  "-": () => scale(2),
  0: () => zoom(day.from, day.to),
  ArrowLeft: () => shift(-0.25),
  ArrowRight: () => shift(0.25),
  ...Object.fromEntries(shifts.map((button) => [button.dataset.shift, () => button.click()])),
});

draw();
sumUp();
figure.dataset.ready = "1";
