// The checks of a bundle. Which of them apply is decided by the signed manifest alone.

const MANIFEST = "manifest.txt";
const BESIDE = [MANIFEST, "issued/checkpoint.txt", "issued/consistency.txt", "issued/entry.ndjson", "issued/proof.txt"];
const NEEDED = ["evidence/checkpoint.txt", "evidence/entries.ndjson", "evidence/key.pem", "evidence/proofs.txt", "floor.toml", "packet.json", "packet.pdf", "packet.schema.json", "verify.sh"];
const ENTRIES = "evidence/entries.ndjson";
const PROOFS_HEADER = "# file line-in-file line-of-source lines-of-source root path";
const PROOF = new RegExp(`^${FORMS.name}( [1-9][0-9]{0,14}){3} ${HASH_FORM}( [LR]${HASH_FORM})*$`);
const MOST_TOLD = 12; // problems of one check
const MOST_READ = 8 << 20; // bytes of a file whose content is read
const LISTS = ["steps", "pieces", "findings", "settlements", "totals", "stills", "limits", "result", "facts", "case"];

const CHECKS = [
  ["manifest", "The property signed the list of files", checkManifest],
  ["files", "Every file is as listed", checkFiles],
  ["checkpoint", "The checkpoint is signed", checkCheckpoint],
  ["entries", "The log entries are in the evidence log", checkEntries],
  ["lines", "The raw lines are in the files they came from", checkLines],
  ["custody", "The evidence log has the sources and the publication", checkCustody],
  ["issued", "The packet was issued", checkIssued],
  ["witnesses", "Witnesses cosigned", checkWitnesses],
  ["kept", "Checkpoints kept elsewhere agree", checkKept],
  ["replay", "The replay tells what the packet tells", checkReplay],
];
const DECISIVE = new Set(["manifest", "files"]); // nothing after them can be checked where one fails

// Checks a bundle; gives what was found by each check, and what can be shown.
async function verifyBundle({ files, key, witnesses, quorum, kept }, onCheck) {
  const bundle = { files, given: key, witnesses, quorum, kept, raw: new Map() };
  const results = [];
  let isStopped = false;
  for (const [id, title, check] of CHECKS) {
    const result = { id, title, state: "skipped", told: "Not checked, because a check above failed.", problems: [] };
    if (!isStopped) await run(check, bundle, result);
    isStopped ||= result.state === "failed" && DECISIVE.has(id);
    results.push(result);
    onCheck(results);
  }
  return { ...bundle, results, isRight: results.every((each) => ["passed", "none"].includes(each.state)) };
}

async function run(check, bundle, result) {
  try {
    const { told, state = "passed" } = await check(bundle, result.problems);
    Object.assign(result, { told, state });
  } catch (error) {
    if (!(error instanceof Wrong)) console.error(error);
    result.problems.push(error instanceof Wrong ? error.message : `This check did not come to its end: ${error.message}`);
  }
  const count = result.problems.length;
  if (!count) return;
  Object.assign(result, { state: "failed", told: plural(count, "problem") });
  if (count > MOST_TOLD) result.problems.splice(MOST_TOLD, count, `${plural(count - MOST_TOLD, "more problem")} of this kind.`);
}

function fileOf(bundle, name) {
  const found = bundle.files.get(name);
  expectThat(found, `${name} is missing.`);
  expectThat(found.length <= MOST_READ, `${name} has more than ${MOST_READ >> 20} MB; this is not a dispute bundle.`);
  return found;
}

async function checkManifest(bundle) {
  const content = fileOf(bundle, MANIFEST);
  bundle.key = bundle.given ?? (await readKey(fileOf(bundle, "evidence/key.pem"), "evidence/key.pem"));
  const note = readNote(content, MANIFEST);
  const said = readManifest(note);
  expectThat(note.signatures.length === 1, "manifest.txt has more than one signature.");
  await checkSigned(note, said.log, bundle.key, false);
  bundle.said = said;
  return { told: `manifest.txt is signed by the key ${bundle.key.id}. It lists ${plural(said.file.length, "file")}.` };
}

async function checkFiles(bundle, problems) {
  const listed = new Map(bundle.said.file.map((file) => [file.name, file]));
  for (const [name, content] of bundle.files) {
    const file = listed.get(name);
    if (!file && BESIDE.includes(name)) continue;
    if (!file) problems.push(`${name} is not in the list: it was added to the bundle.`);
    else if (BESIDE.includes(name)) problems.push(`${name} is in the list, where it cannot be.`);
    else if (file.bytes !== content.length) problems.push(`${name} was changed: it has ${content.length} bytes, the list says ${file.bytes}.`);
    else if (hex(await sha256(content)) !== file.sha256) problems.push(`${name} was changed: its SHA-256 is not the one in the list.`);
  }
  const expected = new Set([...listed.keys(), ...BESIDE, ...NEEDED]);
  for (const name of expected) if (!bundle.files.has(name)) problems.push(`${name} is missing.`);
  for (const name of NEEDED) if (bundle.files.has(name) && !listed.has(name)) problems.push(`${name} is not in the list.`);
  const bytes = [...bundle.files.values()].reduce((sum, content) => sum + content.length, 0);
  const size = bytes >= 1e6 ? `${(bytes / 1e6).toFixed(1)} MB` : `${Math.ceil(bytes / 1000)} kB`;
  return { told: `${plural(listed.size, "file")} with the sizes and SHA-256 hashes that were signed; none missing, none added (${size} in all).` };
}

async function signedCheckpoint(bundle, place, mayHandOver) {
  const note = readNote(fileOf(bundle, place), place);
  await checkSigned(note, bundle.said.log, bundle.key, mayHandOver);
  return { note, ...readCheckpoint(note, bundle.said.log) };
}

async function checkCheckpoint(bundle) {
  const { size, root } = await signedCheckpoint(bundle, "evidence/checkpoint.txt", true);
  const isNamed = size === bundle.said.size && root === bundle.said.root;
  expectThat(isNamed, "evidence/checkpoint.txt is not the checkpoint that the manifest names.");
  return { told: `The packet rests on the evidence log of ${plural(size, "entry", "entries")} with root ${root.slice(0, 16)}…, signed by the same key.` };
}

// Proofs of a file, by file and line in it.
function readProofs(bundle, place) {
  const [header, ...lines] = linesOf(fileOf(bundle, place), place).map((line) => decode(line, place));
  expectThat(header === PROOFS_HEADER, `${place} is not a list of proofs.`);
  const found = new Map();
  lines.forEach((line, index) => {
    expectThat(PROOF.test(line), `Line ${index + 2} of ${place} is not a proof.`);
    const [name, at, of, lines, root, ...path] = line.split(" ");
    if (!found.has(name)) found.set(name, new Map());
    expectThat(!found.get(name).has(Number(at)), `${place} has two proofs of line ${at} of ${name}.`);
    found.get(name).set(Number(at), { line: Number(of), lines: Number(lines), root, path });
  });
  return found;
}

// Whether a proof leads from a line to the root of so many lines.
async function isProved(proof, line, lines, root) {
  if (!proof || proof.lines !== lines || proof.root !== root) return false;
  return (await climb(await leafHash(line), proof.line - 1, lines, proof.path)) === root;
}

async function checkEntries(bundle, problems) {
  bundle.proofs = readProofs(bundle, "evidence/proofs.txt");
  const lines = linesOf(fileOf(bundle, ENTRIES), ENTRIES);
  const proofs = bundle.proofs.get(ENTRIES) ?? new Map();
  bundle.entries = [];
  for (const [index, line] of lines.entries()) {
    const place = `Entry ${index + 1} of ${ENTRIES}`;
    if (!(await isProved(proofs.get(index + 1), line, bundle.said.size, bundle.said.root))) {
      problems.push(`${place} has no proof that leads to the signed root: it was changed, or its proof was.`);
    } else {
      bundle.entries.push(parseJson(decode(line, place), place));
    }
  }
  for (const at of proofs.keys()) if (at > lines.length) problems.push(`There is a proof of log entry ${at}, which is missing.`);
  return { told: `${plural(lines.length, "log entry", "log entries")}, each proved to stand under the root of the checkpoint.` };
}

async function checkLines(bundle, problems) {
  const { said } = bundle;
  expectThat(bundle.proofs, "The proofs cannot be read.");
  const sources = new Set(said.lines.map((each) => each.name));
  for (const name of bundle.files.keys()) {
    if (name.startsWith("lines/") && !sources.has(name)) problems.push(`${name}: the list names no source of its lines.`);
  }
  for (const name of bundle.proofs.keys()) {
    if (name !== ENTRIES && !sources.has(name)) problems.push(`evidence/proofs.txt has proofs of ${name}, which has no raw lines.`);
  }
  for (const { name } of said.unproved) if (!sources.has(name)) problems.push(`The list excuses lines of ${name}, which has no raw lines.`);
  let proved = 0;
  for (const source of said.lines) proved += await checkSource(bundle, source, problems);
  for (const each of said["withheld-line"]) {
    const why = said.reason.find((reason) => reason.reason === each.reason).text;
    bundle.raw.set(`${each.path}:${each.line}`, { text: null, told: `Withheld: ${why}.` });
  }
  const withheld = said.unproved.length ? ` Proofs for ${plural(said.unproved.length, "line")} are withheld to protect redacted data, as the signed list says.` : "";
  return { told: `${plural(proved, "raw line")} proved to stand, byte for byte, at their place in ${plural(said.lines.length, "landing file")}.${withheld}` };
}

// The lines of one landing file; how many are proved.
async function checkSource(bundle, source, problems) {
  const lines = linesOf(fileOf(bundle, source.name), source.name);
  const proofs = bundle.proofs.get(source.name) ?? new Map();
  const excused = new Map(bundle.said.unproved.filter((each) => each.name === source.name).map((each) => [each.at, each]));
  if (lines.length !== source.shown) problems.push(`${source.name} has ${plural(lines.length, "line")}, the list says ${source.shown}.`);
  for (const at of new Set([...proofs.keys(), ...excused.keys()])) {
    if (at < 1 || at > lines.length) problems.push(`${source.name} has no line ${at}, but a proof or an excuse for it.`);
  }
  let proved = 0;
  for (const [index, line] of lines.entries()) {
    const [proof, excuse] = [proofs.get(index + 1), excused.get(index + 1)];
    const place = `Line ${index + 1} of ${source.name}`;
    if (!proof === !excuse) {
      problems.push(`${place} has ${proof ? "both a proof and an excuse for having none" : "no proof, and the signed list gives no reason"}.`);
    } else if (proof && !(await isProved(proof, line, source.lines, source.root))) {
      problems.push(`${place} does not stand in ${source.path}: it was changed, or its proof was.`);
    } else {
      proved += proof ? 1 : 0;
      const told = proof ? "Proved to be in the landing file." : "Its proof is withheld to protect redacted data.";
      bundle.raw.set(`${source.path}:${(proof ?? excuse).line}`, { text: new TextDecoder().decode(line), told, isProved: Boolean(proof) });
    }
  }
  return proved;
}

async function checkCustody(bundle, problems) {
  const { said, entries = [] } = bundle;
  const custody = entries.filter((entry) => entry?.kind === "custody");
  const held = new Map(custody.flatMap((entry) => entry.files ?? []).map((file) => [`${file.sha256} ${file.path}`, file]));
  const sources = [...said.lines, ...said.film, ...said["not-kept"]];
  for (const source of sources) {
    const file = held.get(`${source.sha256} ${source.path}`);
    if (!file) problems.push(`No log entry took ${source.path} into custody with this hash.`);
    else if (source.root && (file.lines !== source.lines || file.line_root !== source.root)) {
      problems.push(`The log entry of ${source.path} has other lines than the list says.`);
    }
  }
  const floor = hex(await sha256(fileOf(bundle, "floor.toml")));
  if (!custody.some((entry) => entry.floor?.sha256 === floor)) problems.push("No log entry took this floor.toml into custody.");
  const isPublished = entries.some((entry) => entry?.kind === "published" && entry.gaming_day === said.day && entry.snapshot === said.snapshot);
  if (!isPublished) problems.push(`No log entry publishes snapshot ${said.snapshot} of ${said.day}.`);
  const told = `${plural(sources.length, "source")} and floor.toml were taken into custody; snapshot ${said.snapshot} of ${said.day} was published.`;
  const gone = said["not-kept"].length ? ` The lines of ${plural(said["not-kept"].length, "source")} are not in the bundle, as the signed list says.` : "";
  return { told: told + gone };
}

async function checkIssued(bundle) {
  const { said } = bundle;
  const later = await signedCheckpoint(bundle, "issued/checkpoint.txt", false);
  bundle.later = later;
  const text = decode(fileOf(bundle, "issued/entry.ndjson"), "issued/entry.ndjson");
  const entry = parseJson(text, "issued/entry.ndjson");
  const isText = typeof entry?.at === "string" && typeof entry.by === "string";
  expectThat(isText, "issued/entry.ndjson is not the log entry of a packet.");
  const manifest = hex(await sha256(fileOf(bundle, MANIFEST)));
  // The head of the activity log may stand before the rest, and by how much a clock was set back within it.
  const activity = text.match(/^\{("activity":\{"hash":"[0-9a-f]{64}","number":[0-9]+\},)?/)?.[1] ?? "";
  const setBack = Number.isSafeInteger(entry.set_back_ms) ? `"set_back_ms":${entry.set_back_ms},` : "";
  const told = `"gaming_day":"${said.day}","kind":"packet","manifest":"${manifest}","round_id":${quoted(said.round)},${setBack}"snapshot":${said.snapshot}`;
  const expected = `{${activity}"at":${quoted(entry.at)},"by":${quoted(entry.by)},${told}}\n`;
  expectThat(text === expected, "issued/entry.ndjson is not the log entry of this manifest: the property did not issue this packet.");
  const proofs = readProofs(bundle, "issued/proof.txt");
  const proof = proofs.get("issued/entry.ndjson")?.get(1);
  const isAlone = proofs.size === 1 && proofs.get("issued/entry.ndjson")?.size === 1;
  const holds = isAlone && (await isProved(proof, encode(text.slice(0, -1)), later.size, later.root));
  expectThat(holds, "The entry by which the packet was issued does not lead to the root in issued/checkpoint.txt.");
  const line = decode(fileOf(bundle, "issued/consistency.txt"), "issued/consistency.txt");
  const isProof = new RegExp(`^${NUMBER} ${NUMBER}( ${HASH_FORM})*\n$`).test(line);
  const [old, size, ...path] = line.trim().split(" ");
  const isContinued = isProof && Number(old) === said.size && Number(size) === later.size && (await continues(said, later, path));
  expectThat(isContinued, "The log in which the packet was issued does not continue the log that it rests on (issued/consistency.txt).");
  return { told: `Issued on ${timeText(entry.at)}, requested by ${entry.by}, as entry ${proof.line} of the evidence log, which continues the log that the packet rests on.` };
}

async function checkWitnesses(bundle, problems) {
  expectThat(bundle.later, "The checkpoint that witnesses may have cosigned is not valid.");
  const { signed, unknown, absent } = await checkCosignatures(bundle.later.note, bundle.said.log, bundle.witnesses);
  const [have, most] = [countKeys(signed.keys()), countKeys(bundle.witnesses)];
  const needed = Math.min(bundle.quorum ?? most, most);
  if (have < needed) {
    const names = absent.map(({ name }) => name).join(", ");
    problems.push(`${have} of ${plural(most, "witness", "witnesses")} cosigned issued/checkpoint.txt, ${needed} required: ${names} did not.`);
  }
  const others = unknown ? `${plural(unknown, "cosignature")} not checked: give the key of the witness (name+hash+key) to check.` : "";
  if (!signed.size) return { state: "none", told: others || "No witness cosigned the checkpoint in which the packet was issued. None is needed." };
  const list = [...signed].map(([{ name }, time]) => `${name} on ${timeText(new Date(Number(time) * 1000).toISOString())}`);
  return { told: `Cosigned by ${list.join(", ")}: ${have} of ${plural(most, "witness", "witnesses")}, ${needed} required. ${others}`.trim() };
}

// Checkpoints that were printed or mailed at their time: of the same size they have to have the same root.
async function checkKept(bundle, problems) {
  if (!bundle.kept.length) return { state: "none", told: "None was given. Drop one that you received earlier onto this page to compare." };
  expectThat(bundle.later, "The checkpoint in which the packet was issued is not valid.");
  const own = [bundle.said, bundle.later];
  const told = bundle.kept.map((note) => {
    const { size, root } = readCheckpoint(note, bundle.said.log);
    const same = own.filter((each) => each.size === size);
    if (!same.length) return `${note.place} covers ${plural(size, "entry", "entries")}, those in the bundle ${own.map((each) => each.size).join(" and ")}: they cannot be compared here.`;
    if (same.some((each) => each.root !== root)) problems.push(`${note.place} has another root for the log of ${plural(size, "entry", "entries")}: the log was rewritten.`);
    return `${note.place} has the same root for the log of ${plural(size, "entry", "entries")}.`;
  });
  return { told: told.join(" "), state: told.every((each) => each.includes("cannot be compared")) ? "none" : "passed" };
}

// The replay is made from packet.json, which audit21 verify holds against the raw lines.
async function checkReplay(bundle) {
  const read = (name) => parseJson(decode(fileOf(bundle, name), name), name);
  const [replay, packet] = [read("replay.json"), read("packet.json")];
  const isReplay = replay?.format === "audit21-replay/1" && LISTS.every((name) => Array.isArray(replay[name]));
  expectThat(isReplay && Array.isArray(packet?.steps), "replay.json is not a replay that this page can show.");
  const key = (step) => JSON.stringify([step.step, step.words, step.line ? [step.line.path, step.line.line] : null]);
  const isSame = replay.steps.length === packet.steps.length && replay.steps.every((step, index) => key(step) === key(packet.steps[index]));
  const isRound = replay.round_id === bundle.said.round && packet.round_id === bundle.said.round;
  expectThat(isSame && isRound, "replay.json does not tell the same round and steps as packet.json.");
  bundle.replay = replay;
  return { told: `${plural(replay.steps.length, "step")}, the same in replay.json and packet.json. Below they are shown from these files.` };
}
