// Bytes, texts and hashes.

// What is wrong with something that was given; its message is shown to people.
class Wrong extends Error {}

const HASH = /^[0-9a-f]{64}$/;
const encode = (text) => new TextEncoder().encode(text);

function expectThat(holds, message) {
  if (!holds) throw new Wrong(message);
}

function decode(bytes, place) {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw new Wrong(`${place} is not readable text.`);
  }
}

function parseJson(text, place) {
  try {
    return JSON.parse(text);
  } catch {
    throw new Wrong(`${place} is not readable as JSON.`);
  }
}

function hex(bytes) {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

function unhex(text) {
  return Uint8Array.from(text.match(/../g) ?? [], (pair) => parseInt(pair, 16));
}

// The bytes of a text in base64, or null where it is none or has more than one form.
function unbase64(text) {
  try {
    const found = Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
    return btoa(String.fromCharCode(...found)) === text ? found : null;
  } catch {
    return null;
  }
}

function joined(...parts) {
  const whole = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}

async function sha256(bytes) {
  return new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
}

// The lines of a file; each one, the last included, has to end with a newline.
function linesOf(bytes, place) {
  const found = [];
  let from = 0;
  for (let at = bytes.indexOf(10); at >= 0; at = bytes.indexOf(10, from)) {
    found.push(bytes.subarray(from, at));
    from = at + 1;
  }
  expectThat(from === bytes.length, `${place} does not end with a newline.`);
  return found;
}

// A text as the evidence log writes it: JSON in ASCII.
function quoted(text) {
  const escaped = (letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, "0")}`;
  return JSON.stringify(text).replace(/[^ -~]/g, escaped);
}

const plural = (count, noun, many = `${noun}s`) => `${count.toLocaleString("en")} ${count === 1 ? noun : many}`;

// A time such as 2026-02-01T00:00:06Z in words.
const timeText = (time) => time.replace("T", " ").replace(/(\.000)?Z$/, " UTC");
