// Signed notes (C2SP signed-note), their Ed25519 signatures, and Merkle trees (RFC 9162).

const ED25519 = 0x01;
const COSIGNATURE = 0x04; // C2SP tlog-cosignature, version 1
const PEM = /^\s*-----BEGIN PUBLIC KEY-----\s+MCowBQYDK2VwAyEA([A-Za-z0-9+/]{43}=)\s+-----END PUBLIC KEY-----\s*$/;
const VERIFIER_KEY = /^([^\s+]+)\+([0-9a-f]{8})\+([A-Za-z0-9+/]+=*)$/;

// The key in a PEM file, with what it is named by.
async function readKey(bytes, place) {
  const found = PEM.exec(decode(bytes, place));
  const bits = found && unbase64(found[1]);
  expectThat(bits, `${place} is not an Ed25519 public key in PEM.`);
  const fingerprint = hex(await sha256(bits));
  return { bits, fingerprint, id: fingerprint.slice(0, 16), place };
}

// The keys of witnesses in a file: name+hash+base64, one to a line.
async function readWitnesses(text, place) {
  const lines = text.split(/\r?\n/).filter((line) => line.trim() && !line.startsWith("#"));
  const found = [];
  for (const line of lines) {
    const [, name, hash, code] = VERIFIER_KEY.exec(line.trim()) ?? [];
    const blob = code && unbase64(code);
    expectThat(blob?.length === 33 && blob[0] === COSIGNATURE, `${place} has a line that is not the key of a witness.`);
    const bits = blob.subarray(1);
    expectThat(hash === hex(await keyHash(name, COSIGNATURE, bits)), `${place}: the key of ${name} is mistyped: its hash does not fit.`);
    found.push({ name, hash, bits });
  }
  return found;
}

async function keyHash(name, kind, bits) {
  return (await sha256(joined(encode(`${name}\n`), [kind], bits))).subarray(0, 4);
}

async function isSigned(bits, signature, message) {
  let key;
  try {
    key = await crypto.subtle.importKey("raw", bits, { name: "Ed25519" }, false, ["verify"]);
  } catch {
    return fallbackIsSigned(bits, signature, message);
  }
  return crypto.subtle.verify({ name: "Ed25519" }, key, signature, message);
}

// For browsers without Ed25519.
async function fallbackIsSigned(bits, signature, message) {
  try {
    return await nobleVerify(signature, message, bits, { zip215: false });
  } catch {
    return false;
  }
}

// A note: its body with the last newline, and its signature lines.
function readNote(bytes, place) {
  const text = decode(bytes, place);
  const end = text.indexOf("\n\n");
  expectThat(end > 0 && text.endsWith("\n"), `${place} is not a signed note: its text or its signature is missing.`);
  const body = text.slice(0, end + 1);
  expectThat(/^[\n -~]*$/.test(body), `${place} has characters in it that no signed note has.`);
  const signatures = text
    .slice(end + 2, -1)
    .split("\n")
    .map((line) => {
      const [, name, code] = /^— ([!-~]+) ([A-Za-z0-9+/]+=*)$/.exec(line) ?? [];
      const blob = code && unbase64(code);
      expectThat(blob && blob.length > 4, `${place} has a line that is not a signature.`);
      return { name, hash: hex(blob.subarray(0, 4)), signature: blob.subarray(4) };
    });
  return { place, body, lines: body.slice(0, -1).split("\n"), signatures };
}

// One signature in the log's name, by the key. An earlier key may have signed as well where it handed over.
async function checkSigned(note, log, key, mayHandOver) {
  const own = note.signatures.filter((each) => each.name === log);
  const hash = hex(await keyHash(log, ED25519, key.bits));
  const made = own.filter((each) => each.hash === hash);
  expectThat(made.length > 0, `${note.place} is not signed by the key ${key.id} (${key.place}).`);
  expectThat(made.length === 1 && (mayHandOver || own.length === 1), `${note.place} has more than one signature of the property.`);
  const holds = made[0].signature.length === 64 && (await isSigned(key.bits, made[0].signature, encode(note.body)));
  expectThat(holds, `The signature of ${note.place} is not valid: its text was changed after it was signed, or another key signed it.`);
}

// Cosignatures of a checkpoint: known witnesses that made one, each with the time, and how many are by others.
async function checkCosignatures(note, log, witnesses) {
  const lines = note.signatures.filter((each) => each.name !== log);
  const signed = new Map();
  let unknown = 0;
  for (const line of lines) {
    const witness = witnesses.find((each) => each.name === line.name && each.hash === line.hash);
    if (!witness) {
      unknown += 1;
      continue;
    }
    const isWhole = line.signature.length === 72;
    const time = isWhole ? new DataView(line.signature.slice(0, 8).buffer).getBigUint64(0) : 0n;
    const message = encode(`cosignature/v1\ntime ${time}\n${note.body}`);
    const holds = isWhole && (await isSigned(witness.bits, line.signature.slice(8), message));
    expectThat(holds, `The cosignature in the name of ${line.name} under ${note.place} is not valid.`);
    signed.set(witness, time);
  }
  return { signed, unknown, absent: witnesses.filter((each) => !signed.has(each)) };
}

// How many witnesses there are: a key counts once, whatever names it goes by.
function countKeys(witnesses) {
  return new Set([...witnesses].map((each) => hex(each.bits))).size;
}

// What a checkpoint says: entries and root of the log.
function readCheckpoint(note, log) {
  const [name, size, code] = note.lines;
  const root = /^[A-Za-z0-9+/]{43}=$/.test(code ?? "") && unbase64(code);
  const isOne = /^(0|[1-9][0-9]{0,14})$/.test(size ?? "") && root;
  expectThat(isOne, `${note.place} is not a checkpoint.`);
  expectThat(name === log, `${note.place} is a checkpoint of another log (${name}).`);
  return { size: Number(size), root: hex(root) };
}

// Merkle trees.

const half = (number) => Math.floor(number / 2);
const leafHash = (line) => sha256(joined([0], line));
const nodeHash = (left, right) => sha256(joined([1], left, right));

// The root to which a leaf leads, or null where the path does not fit its place.
async function climb(leaf, index, size, path) {
  let [here, last, node] = [index, size - 1, leaf];
  if (index < 0 || index >= size) return null;
  for (const step of path) {
    if (last === 0) return null;
    const isRight = here % 2 === 1 || here === last;
    if (step[0] !== (isRight ? "L" : "R")) return null;
    const other = unhex(step.slice(1));
    node = await (isRight ? nodeHash(other, node) : nodeHash(node, other));
    while (isRight && here % 2 === 0 && here > 0) [here, last] = [half(here), half(last)];
    [here, last] = [half(here), half(last)];
  }
  return last === 0 ? hex(node) : null;
}

// Whether the log of the later checkpoint begins with the log of the earlier one (section 2.1.4.2).
async function continues(old, later, path) {
  if (old.size < 1 || old.size >= later.size) return false;
  let [here, last] = [old.size - 1, later.size - 1];
  while (here % 2 === 1) [here, last] = [half(here), half(last)];
  const steps = here > 0 ? path : [old.root, ...path];
  if (!steps.length) return false;
  let before = unhex(steps[0]);
  let after = before;
  for (const step of steps.slice(1).map(unhex)) {
    if (last === 0) return false;
    const isRight = here % 2 === 1 || here === last;
    if (isRight) [before, after] = [await nodeHash(step, before), await nodeHash(step, after)];
    else after = await nodeHash(after, step);
    while (isRight && here % 2 === 0 && here > 0) [here, last] = [half(here), half(last)];
    [here, last] = [half(here), half(last)];
  }
  return last === 0 && hex(before) === old.root && hex(after) === later.root;
}
