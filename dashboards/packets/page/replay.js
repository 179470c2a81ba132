// The replay: the round step by step, from the copy in the page or from the files of a bundle.

const PLAY_MS = 900;
const byId = (id) => document.getElementById(id);

function element(name, className = "", text = "") {
  const made = document.createElement(name);
  if (className) made.className = className;
  if (text !== "") made.textContent = text;
  return made;
}

function definitions(rows) {
  const list = element("dl", "facts");
  for (const [name, text] of rows) list.append(element("dt", "", name), element("dd", "", text));
  return list;
}

const shown = { replay: null, rawOf: null, stills: new Map(), now: 0, playing: null };

// Shows a replay. `rawOf` gives the raw line of a place; `stills` has addresses of pictures by file.
function showReplay(replay, rawOf, stills) {
  stopPlaying();
  for (const url of shown.stills.values()) URL.revokeObjectURL(url);
  const isSameRound = shown.replay?.round_id === replay.round_id;
  Object.assign(shown, { replay, rawOf, stills });
  byId("title").textContent = `Round ${replay.round_id}`;
  byId("property").textContent = replay.property;
  document.title = `${replay.round_id}: dispute packet`;
  byId("result").replaceChildren(...replay.result.map((text) => element("li", "", text)));
  byId("facts").replaceChildren(definitions(replay.facts));
  byId("case").replaceChildren(definitions(replay.case));
  byId("limits").replaceChildren(...replay.limits.map((text) => element("li", "", text)));
  listMoves();
  markSlider();
  listSettlements();
  listFindings();
  showStep(isSameRound ? shown.now : replay.steps.length - 1);
}

// The step that is shown.

function showStep(index) {
  const { steps } = shown.replay;
  if (!steps.length) return;
  shown.now = Math.min(Math.max(index, 0), steps.length - 1);
  const step = steps[shown.now];
  const picture = drawn(step.picture.map((number) => shown.replay.pieces[number]).join(""), step.words);
  byId("felt").replaceChildren(picture);
  fitBets(picture);
  bringIntoView(picture);
  byId("place").textContent = `step ${shown.now + 1} of ${steps.length}`;
  byId("slider").value = shown.now + 1;
  byId("slider").setAttribute("aria-valuetext", step.words);
  byId("step").replaceChildren(...wordsOf(step));
  byId("raw").replaceChildren(...rawLineOf(step));
  byId("frame").replaceChildren(...stillsOf(step));
  for (const each of byId("moves").querySelectorAll("[aria-current]")) each.removeAttribute("aria-current");
  const move = byId("moves").querySelector(`[data-step="${shown.now + 1}"]`);
  move.setAttribute("aria-current", "step");
  reveal(move);
}

function wordsOf(step) {
  const head = element("p", "words");
  head.append(element("span", "clock", step.clock), element("strong", "", step.words));
  const flags = shown.replay.findings
    .filter((each) => step.findings.includes(each.finding_id))
    .map((each) => element("p", "flag", each.message));
  return [head, ...flags, ...(step.rows.length ? [definitions(step.rows)] : [])];
}

function rawLineOf(step) {
  const own = step.own_clock ? `, own clock ${step.own_clock}` : "";
  const card = step.n ? `, card ${step.n} of the shoe` : "";
  const parts = [element("h3", "", "Raw line"), element("p", "dim small", `Source: ${step.source}${own}${card}`)];
  if (!step.line) return [...parts, element("p", "dim", "No line was logged for this step.")];
  const { path, line } = step.line;
  parts.push(element("p", "dim small wrap", `${path}, line ${line}`));
  const found = shown.rawOf(`${path}:${line}`);
  if (found?.text != null) parts.push(element("pre", "raw wrap", found.text));
  parts.push(element("p", found?.isProved ? "proved small" : "dim small", found?.told ?? "This line is not in the bundle."));
  return parts;
}

// Stills of the step's findings, else that of the round.
function stillsOf(step) {
  const { stills, findings } = shown.replay;
  const known = new Set(findings.map((each) => each.finding_id));
  const own = stills.filter((each) => step.findings.includes(each.finding_id));
  const wanted = own.length ? own : stills.filter((each) => !known.has(each.finding_id)).slice(0, 1);
  const heading = element("h3", "", "Footage");
  if (!stills.length) return [heading, element("p", "dim small", "This packet has no stills of footage.")];
  if (!wanted.length) return [heading, element("p", "dim small", "No still shows this step.")];
  return [heading, ...wanted.map(figureOf)];
}

function figureOf(still) {
  const figure = element("figure");
  const caption = element("figcaption", "dim small wrap", `${still.message} (${still.where})`);
  const url = shown.stills.get(still.file);
  if (url) {
    const image = element("img");
    image.src = url;
    image.alt = still.message;
    figure.append(image);
  } else {
    figure.append(element("p", "dim small", "The still is shown once the bundle is given."));
  }
  figure.append(caption);
  return figure;
}

function reveal(move) {
  const list = byId("moves").parentElement;
  const [inside, outside] = [move.getBoundingClientRect(), list.getBoundingClientRect()];
  if (inside.top < outside.top) list.scrollTop -= outside.top - inside.top + 40;
  else if (inside.bottom > outside.bottom) list.scrollTop += inside.bottom - outside.bottom + 40;
}

// Moving.

function moveTo(index) {
  stopPlaying();
  showStep(index);
}

function toNextFinding() {
  const marked = shown.replay.steps.flatMap((step, index) => (step.findings.length ? [index] : []));
  if (marked.length) moveTo(marked.find((index) => index > shown.now) ?? marked[0]);
}

function play() {
  if (shown.playing) return stopPlaying();
  const last = shown.replay.steps.length - 1;
  if (shown.now === last) showStep(0);
  shown.playing = setInterval(() => {
    showStep(shown.now + 1);
    if (shown.now === last) stopPlaying();
  }, PLAY_MS);
  byId("play").textContent = "Stop";
}

function stopPlaying() {
  clearInterval(shown.playing);
  shown.playing = null;
  byId("play").textContent = "Play";
}

const MOVES = {
  first: () => moveTo(0),
  back: () => moveTo(shown.now - 1),
  on: () => moveTo(shown.now + 1),
  last: () => moveTo(shown.replay.steps.length - 1),
  play,
  finding: toNextFinding,
};
const KEYS = { ArrowLeft: "back", ArrowRight: "on", Home: "first", End: "last", p: "play", n: "finding" };

// Lists.

function listMoves() {
  const made = [];
  let turn = null;
  shown.replay.steps.forEach((step, index) => {
    if (step.turn !== turn) made.push(element("li", "turn", (turn = step.turn)));
    const button = element("button", step.findings.length ? "found" : "");
    button.type = "button";
    button.dataset.step = index + 1;
    button.append(element("span", "n", String(index + 1)), element("span", "", step.words));
    const item = element("li");
    item.append(button);
    made.push(item);
  });
  byId("moves").replaceChildren(...made);
}

function markSlider() {
  const { steps } = shown.replay;
  byId("slider").max = steps.length;
  const ticks = steps.flatMap((step, index) => {
    if (!step.findings.length) return [];
    const tick = element("i");
    tick.style.left = `calc(${steps.length > 1 ? index / (steps.length - 1) : 0} * (100% - 16px) + 7px)`;
    return [tick];
  });
  byId("ticks").replaceChildren(...ticks);
  byId("next-finding").disabled = !ticks.length;
}

function listSettlements() {
  const columns = ["stake", "expected", "actual", "difference"];
  const rows = shown.replay.settlements.map((each) => {
    const row = element("tr", each.is_wrong ? "wrong" : "");
    const wager = element("td");
    const why = element("details");
    why.append(element("summary", "", `${each.place}, ${each.kind}`), definitions(each.rows));
    wager.append(why);
    row.append(wager, ...columns.map((name) => element("td", "num", each[name])));
    row.append(element("td", "", each.clause), element("td", each.is_wrong ? "over" : "", each.verdict));
    return row;
  });
  const total = element("tr");
  total.append(element("td", "", `All wagers, in ${shown.replay.currency}`), ...shown.replay.totals.map((text) => element("td", "num", text)));
  total.append(element("td"), element("td"));
  byId("settlements").replaceChildren(...rows);
  byId("totals").replaceChildren(total);
}

function listFindings() {
  const made = shown.replay.findings.map((each) => {
    const card = element("article", "card finding");
    const head = element("h3");
    head.append(element("span", "", each.message));
    if (each.step) {
      const button = element("button", "link", `step ${each.step}`);
      button.type = "button";
      button.dataset.step = shown.replay.steps.findIndex((step) => step.step === each.step) + 1;
      head.append(button);
    }
    card.append(head, element("p", "code dim", `${each.code}, ${each.severity}`), definitions(each.rows));
    return card;
  });
  byId("findings").replaceChildren(...(made.length ? made : [element("p", "dim", "No finding is on record for this round.")]));
}
