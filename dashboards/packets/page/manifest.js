// The manifest: what a bundle consists of, says the property. Only the exact form in which it is written will do.

const NUMBER = "(?:0|[1-9][0-9]{0,14})";
const HASH_FORM = "[0-9a-f]{64}";
const TEXT_FORM = '"[ -~]*"';
const TIME_FORM = "\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{3}Z";
const FORMS = {
  name: "[A-Za-z0-9._%/-]{1,1000}",
  path: TEXT_FORM,
  label: "withheld-[1-9][0-9]{0,5}",
  reason: "[a-z-]+",
  sha256: HASH_FORM,
  root: HASH_FORM,
  salted: HASH_FORM,
  bytes: NUMBER,
  shown: NUMBER,
  lines: NUMBER,
  at: NUMBER,
  line: NUMBER,
  text: "[ -~]+",
};
const NUMBERS = new Set(["bytes", "shown", "lines", "at", "line"]);
const STATEMENTS = {
  file: ["name", "bytes", "sha256"],
  lines: ["name", "shown", "lines", "root", "sha256", "path"],
  film: ["sha256", "bytes", "path"],
  "not-kept": ["sha256", "reason", "path"],
  unproved: ["name", "at", "line", "reason"],
  "withheld-line": ["salted", "line", "reason", "path"],
  "withheld-patron": ["label", "salted", "reason"],
  reason: ["reason", "text"],
};
const HEAD = [
  ["first", "(audit21 packet manifest 1)"],
  ["log", "log (audit21/[0-9a-f]{16}(?:-[0-9a-f]{16})?)"],
  ["round", `round (${TEXT_FORM})`],
  ["day", "day (\\d{4}-\\d\\d-\\d\\d)"],
  ["snapshot", `snapshot (${NUMBER})`],
  ["published", `published (${TIME_FORM})`],
  ["asOf", `as-of (-|${TIME_FORM})`],
  ["checkpoint", `checkpoint (${NUMBER} ${HASH_FORM})`],
  ["redacted", "redacted (yes|no)"],
];

function readManifest(note) {
  const said = {};
  HEAD.forEach(([name, form], index) => {
    const found = new RegExp(`^${form}$`).exec(note.lines[index] ?? "");
    expectThat(found, `Line ${index + 1} of manifest.txt is not in the form of a manifest.`);
    said[name] = found[1];
  });
  const [size, root] = said.checkpoint.split(" ");
  const head = { ...said, round: readText(said.round), snapshot: Number(said.snapshot), size: Number(size), root };
  const statements = readStatements(note.lines.slice(HEAD.length));
  checkReasons(statements);
  for (const file of [...statements.file, ...statements.lines]) checkName(file.name);
  for (const kind of ["file", "lines"]) {
    const names = statements[kind].map((each) => each.name);
    expectThat(new Set(names).size === names.length, "manifest.txt names a file twice.");
  }
  return { ...head, ...statements };
}

function readText(text) {
  const found = parseJson(text, "A text in manifest.txt");
  expectThat(typeof found === "string" && quoted(found) === text, "A text in manifest.txt is not as audit21 writes it.");
  return found;
}

// Statements by their first word; they stand in order, none twice.
function readStatements(lines) {
  const kinds = Object.keys(STATEMENTS);
  const found = Object.fromEntries(kinds.map((kind) => [kind, []]));
  let before = [-1, ""];
  lines.forEach((line, index) => {
    const place = `Line ${index + HEAD.length + 1} of manifest.txt`;
    const kind = line.split(" ", 1)[0];
    const fields = Object.hasOwn(STATEMENTS, kind) ? STATEMENTS[kind] : null;
    expectThat(fields, `${place} is not in the form of a manifest.`);
    const matched = new RegExp(`^${kind} ${fields.map((name) => `(${FORMS[name]})`).join(" ")}$`).exec(line);
    expectThat(matched, `${place} is not in the form of a manifest.`);
    const order = [kinds.indexOf(kind), line];
    const isLater = order[0] > before[0] || (order[0] === before[0] && order[1] > before[1]);
    expectThat(isLater, `${place} is out of order or stands twice.`);
    before = order;
    found[kind].push(Object.fromEntries(fields.map((name, at) => [name, readField(name, matched[at + 1])])));
  });
  return found;
}

function readField(name, text) {
  if (name === "path") return readText(text);
  return NUMBERS.has(name) ? Number(text) : text;
}

// Each reason that is used has a meaning, and no other.
function checkReasons(statements) {
  const kinds = ["not-kept", "unproved", "withheld-line", "withheld-patron"];
  const used = new Set(kinds.flatMap((kind) => statements[kind].map((each) => each.reason)));
  const told = statements.reason.map((each) => each.reason);
  const fits = told.length === used.size && told.every((reason) => used.has(reason));
  expectThat(fits, "The reasons at the end of manifest.txt are not those that it uses.");
}
