// Reads a bundle, zipped or as files of a folder. Anybody may have made it: whatever no bundle has is refused.

const MOST_FILES = 10_000;
const MOST_BYTES = 256 * 1024 * 1024;
const NAME = /^(?!.*(^|\/)\.{0,2}(\/|$))[A-Za-z0-9._%/-]{1,1000}$/;
const END_BYTES = 22;
const ENTRY_BYTES = 46;
const LOCAL_BYTES = 30;
const KNOWN_FIELDS = [0x5455, 0x7855, 0x7875, 0x000a]; // times and owners

function checkName(name) {
  expectThat(NAME.test(name), `The bundle has a file named ${JSON.stringify(name).slice(0, 80)}, a name that no bundle has.`);
}

// The files of a zip: a map from names to bytes.
async function readZip(file) {
  expectThat(file.size <= MOST_BYTES, `The file has more than ${MOST_BYTES >> 20} MB; this is not a dispute bundle.`);
  const bytes = new Uint8Array(await file.arrayBuffer());
  const view = new DataView(bytes.buffer);
  const entries = readDirectory(bytes, view);
  const found = new Map();
  let total = 0;
  for (const entry of entries) {
    checkEntry(entry, bytes, view);
    total += entry.size;
    expectThat(total <= MOST_BYTES, `The bundle has more than ${MOST_BYTES >> 20} MB unpacked; this is not a dispute bundle.`);
    if (entry.isFolder) continue;
    expectThat(!found.has(entry.name), `The zip has two files named ${entry.name}; each name may occur once.`);
    found.set(entry.name, await unpacked(entry, bytes));
  }
  checkLayout(entries, [...found.keys()]);
  return found;
}

// Some programs unpack by the directory and others from the beginning: all have to find the same files.
function checkLayout(entries, names) {
  let at = 0;
  for (const entry of [...entries].sort((one, other) => one.from - other.from)) {
    expectThat(entry.isClear, `The zip says two different things of ${entry.name}; the file is damaged.`);
    expectThat(entry.from === at, `The zip has something before ${entry.name} that its directory does not list.`);
    const isUsed = !entry.isFolder || names.some((name) => name.startsWith(entry.name));
    expectThat(isUsed, `The zip has the empty folder ${entry.name}, which no bundle has.`);
    at = entry.data + entry.packed;
  }
  expectThat(at === (entries[0]?.limit ?? 0), "The zip has something before its directory that this does not list.");
}

// The zip's directory. Its end has to be the file's end, and it has to lie right before it.
function readDirectory(bytes, view) {
  const end = bytes.length - END_BYTES;
  const isWhole = end >= 0 && view.getUint32(end, true) === 0x06054b50 && view.getUint16(end + 20, true) === 0;
  expectThat(isWhole, "The zip is cut off, has something behind its end, or is not a zip: its directory is not at its end.");
  expectThat(view.getUint32(end + 4, true) === 0, "The zip has several parts or more than 10,000 files; this is not a dispute bundle.");
  const [onDisk, count] = [view.getUint16(end + 8, true), view.getUint16(end + 10, true)];
  const [length, from] = [view.getUint32(end + 12, true), view.getUint32(end + 16, true)];
  expectThat(onDisk === count && count <= MOST_FILES, "The zip has several parts or more than 10,000 files; this is not a dispute bundle.");
  expectThat(from + length === end, "The zip's directory is not where the zip says it is; the file is damaged.");
  const found = [];
  for (let at = from; at < end; ) {
    const isEntry = at + ENTRY_BYTES <= end && view.getUint32(at, true) === 0x02014b50;
    expectThat(isEntry, "The zip's directory cannot be read; the file is damaged.");
    const lengths = [28, 30, 32].map((place) => view.getUint16(at + place, true));
    const next = at + ENTRY_BYTES + lengths[0] + lengths[1] + lengths[2];
    expectThat(next <= end, "The zip's directory cannot be read; the file is damaged.");
    const name = decode(bytes.subarray(at + ENTRY_BYTES, at + ENTRY_BYTES + lengths[0]), "A file name in the zip");
    found.push({
      name,
      isFolder: name.endsWith("/"),
      more: fieldsOf(bytes, view, at + ENTRY_BYTES + lengths[0], lengths[1]),
      flags: view.getUint16(at + 8, true),
      method: view.getUint16(at + 10, true),
      sum: view.getUint32(at + 16, true),
      packed: view.getUint32(at + 20, true),
      size: view.getUint32(at + 24, true),
      kind: view.getUint32(at + 38, true) >>> 28,
      from: view.getUint32(at + 42, true),
      limit: from,
    });
    at = next;
  }
  expectThat(found.length === count, "The zip has another number of files than it says; the file is damaged.");
  return found;
}

// The kinds of further fields of a header: only times and owners, as others may give a file another name.
function fieldsOf(bytes, view, from, length) {
  const found = [];
  for (let at = from; at < from + length; at += 4 + view.getUint16(at + 2, true)) {
    if (at + 4 > from + length) return [NaN];
    found.push(view.getUint16(at, true));
  }
  return found;
}

// Checks an entry against its local header; sets where its data begin.
function checkEntry(entry, bytes, view) {
  checkName(entry.isFolder ? entry.name.slice(0, -1) : entry.name);
  expectThat((entry.flags & 1) === 0, `${entry.name} is encrypted; files of a bundle are not.`);
  expectThat([0, 8].includes(entry.method), `${entry.name} is packed in another way than bundles are.`);
  expectThat([0, 4, 8].includes(entry.kind), `${entry.name} is a link or a device; a bundle has only files.`);
  expectThat(!entry.isFolder || entry.size === 0, `${entry.name} is a folder with content; the file is damaged.`);
  const damaged = `The zip is damaged at ${entry.name}.`;
  expectThat(entry.from + LOCAL_BYTES <= entry.limit && view.getUint32(entry.from, true) === 0x04034b50, damaged);
  const nameFrom = entry.from + LOCAL_BYTES;
  const nameEnd = nameFrom + view.getUint16(entry.from + 26, true);
  entry.data = nameEnd + view.getUint16(entry.from + 28, true);
  expectThat(entry.data + entry.packed <= entry.limit, damaged);
  const local = decode(bytes.subarray(nameFrom, nameEnd), "A file name in the zip");
  expectThat(local === entry.name, `The zip names one file both ${entry.name} and ${JSON.stringify(local).slice(0, 80)}.`);
  const numbers = [view.getUint16(entry.from + 6, true), view.getUint16(entry.from + 8, true), ...[14, 18, 22].map((place) => view.getUint32(entry.from + place, true))];
  const isSame = [entry.flags, entry.method, entry.sum, entry.packed, entry.size].every((number, place) => number === numbers[place]);
  const more = [...entry.more, ...fieldsOf(bytes, view, nameEnd, entry.data - nameEnd)];
  entry.isClear = isSame && more.every((kind) => KNOWN_FIELDS.includes(kind));
}

async function unpacked(entry, bytes) {
  const packed = bytes.subarray(entry.data, entry.data + entry.packed);
  const wrong = `${entry.name} cannot be unpacked, or has another size than the zip says; the file is damaged.`;
  if (entry.method === 0) {
    expectThat(packed.length === entry.size, wrong);
    return packed;
  }
  const found = new Uint8Array(entry.size);
  let at = 0;
  try {
    const reader = new Blob([packed]).stream().pipeThrough(new DecompressionStream("deflate-raw")).getReader();
    for (let piece = await reader.read(); !piece.done; piece = await reader.read()) {
      if (at + piece.value.length > found.length) {
        await reader.cancel();
        throw new Wrong(wrong);
      }
      found.set(piece.value, at);
      at += piece.value.length;
    }
  } catch {
    throw new Wrong(wrong);
  }
  expectThat(at === found.length, wrong);
  return found;
}

// The files of an unpacked bundle, given as pairs of path and file.
async function readFolder(pairs) {
  expectThat(pairs.length <= MOST_FILES, "The folder has more than 10,000 files; this is not a dispute bundle.");
  const total = pairs.reduce((sum, [, file]) => sum + file.size, 0);
  expectThat(total <= MOST_BYTES, `The folder has more than ${MOST_BYTES >> 20} MB; this is not a dispute bundle.`);
  const first = pairs[0]?.[0].split("/")[0];
  const isBare = pairs.some(([path]) => path === "manifest.txt");
  const hasFolder = !isBare && pairs.every(([path]) => path.startsWith(`${first}/`));
  const found = new Map();
  for (const [path, file] of pairs) {
    const name = hasFolder ? path.slice(first.length + 1) : path;
    checkName(name);
    expectThat(!found.has(name), `Two files named ${name} were given; each name may occur once.`);
    found.set(name, new Uint8Array(await file.arrayBuffer()));
  }
  return found;
}
