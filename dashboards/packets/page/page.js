// The page: what is given to it, and what it says about it.

const embedded = JSON.parse(byId("embedded").textContent);
const EMBEDDED_RAW = "From the copy in this page; not verified.";
const given = { files: null, name: "", refused: "", key: null, witnesses: [], quorum: null, kept: [] };
const STATES = { passed: "✓", failed: "✗", skipped: "–", none: "–" };
const STATE_WORDS = { passed: "Passed", failed: "Failed", skipped: "Not checked", none: "Nothing to check" };
let runs = 0; // of the checks; an older one that is still going on is not shown

function showEmbedded() {
  const rawOf = (place) => (Object.hasOwn(embedded.lines, place) ? { text: embedded.lines[place], told: EMBEDDED_RAW } : null);
  showReplay(embedded.replay, rawOf, new Map());
}

function showVerified(bundle) {
  const stills = new Map();
  for (const { file } of bundle.replay.stills) {
    const content = bundle.files.get(file);
    if (content) stills.set(file, URL.createObjectURL(new Blob([content], { type: "image/png" })));
  }
  showReplay(bundle.replay, (place) => bundle.raw.get(place), stills);
}

// What is given.

// Takes what was given: pairs of path and file, or the promise of them.
async function take(promised) {
  byId("given-wrong").replaceChildren();
  try {
    const pairs = await promised;
    if (!pairs.length) return;
    const isBare = pairs.some(([path]) => path === "manifest.txt"); // the content of a folder, and not the folder
    const inFolder = isBare ? pairs : pairs.filter(([path]) => path.includes("/"));
    if (inFolder.length) await takeBundle(() => readFolder(inFolder), isBare ? "the bundle" : inFolder[0][0].split("/")[0]);
    for (const [name, file] of isBare ? [] : pairs) if (!name.includes("/")) await takeFile(name, file);
  } catch (error) {
    if (!(error instanceof Wrong)) console.error(error);
    byId("given-wrong").replaceChildren(element("p", "problem", error.message));
  }
  await check();
}

async function takeBundle(read, name) {
  Object.assign(given, { files: null, refused: "", name });
  say("", "Reading the bundle …");
  try {
    given.files = await read();
  } catch (error) {
    given.refused = error instanceof Wrong ? error.message : `The files cannot be read: ${error.message}`;
  }
}

async function takeFile(name, file) {
  const start = new Uint8Array(await file.slice(0, 8192).arrayBuffer());
  const text = new TextDecoder().decode(start);
  if (/\.zip$/i.test(name) || text.startsWith("PK")) return takeBundle(() => readZip(file), name);
  if (text.includes("BEGIN PUBLIC KEY")) given.key = await readKey(start, name);
  else if (text.split(/\r?\n/).some((line) => VERIFIER_KEY.test(line.trim()))) addWitnesses(await readWitnesses(text, name));
  else if (/^\ufeff?audit21\/[0-9a-f]{16}(-[0-9a-f]{16})?\s/.test(text)) given.kept = [readKept(text, name), ...given.kept.filter((each) => each.place !== name)];
  else throw new Wrong(`${name} is neither a bundle (.zip or its folder) nor a public key (.pem), the key of a witness or a checkpoint.`);
}

// Keys add up, whether they come in one file or in several.
function addWitnesses(found) {
  const isNew = (each) => !given.witnesses.some((known) => known.name === each.name && known.hash === each.hash);
  given.witnesses = [...given.witnesses, ...found.filter(isNew)];
  const most = countKeys(given.witnesses);
  byId("witnesses").hidden = false;
  byId("witness-count").textContent = plural(most, "witness", "witnesses");
  byId("quorum").max = most;
  byId("quorum").value = given.quorum ?? most;
}

// How many of them have to have cosigned; all of them unless told.
function setQuorum(field) {
  const number = field.valueAsNumber;
  given.quorum = field.checkValidity() && Number.isSafeInteger(number) ? number : null;
  if (given.quorum === null) field.value = countKeys(given.witnesses);
}

// A checkpoint that went through mail or a text editor.
function readKept(text, place) {
  return { place, lines: text.replace(/^\ufeff/, "").split("\n").map((line) => line.trimEnd()) };
}

// What was dropped, as pairs of path and file. The event's items are gone after the first await.
async function droppedFiles(transfer) {
  const items = [...transfer.items].filter((item) => item.kind === "file");
  const dropped = items.map((item) => {
    const entry = item.webkitGetAsEntry?.();
    const handle = entry?.isDirectory ? item.getAsFileSystemHandle?.() : null;
    return { file: item.getAsFile(), entry, handle };
  });
  const found = [];
  for (const { file, entry, handle } of dropped) {
    if (entry?.isDirectory) found.push(...(await folderFiles(entry, handle)));
    else if (file) found.push([file.name, file]);
  }
  return found;
}

// Chromium lets a page that was opened from a file read a dropped folder by its handle only, others by its entry only.
async function folderFiles(entry, handle) {
  try {
    return await (handle ? filesOfHandle(await handle, "") : filesOfEntry(entry, ""));
  } catch {
    throw new Wrong("This browser does not let the page read a folder that is dropped onto it: use Choose unpacked folder, or drop the zip.");
  }
}

async function filesOfHandle(handle, folder) {
  const path = folder + handle.name;
  if (handle.kind === "file") return [[path, await handle.getFile()]];
  const found = [];
  for await (const each of handle.values()) {
    found.push(...(await filesOfHandle(each, `${path}/`)));
    if (found.length > MOST_FILES) break;
  }
  return found;
}

async function filesOfEntry(entry, folder) {
  const path = folder + entry.name;
  if (entry.isFile) return [[path, await new Promise((done, failed) => entry.file(done, failed))]];
  const reader = entry.createReader();
  const found = [];
  for (;;) {
    const some = await new Promise((done, failed) => reader.readEntries(done, failed));
    if (!some.length || found.length > MOST_FILES) return found;
    for (const each of some) found.push(...(await filesOfEntry(each, `${path}/`)));
  }
}

// What is said of it.

function say(kind, headline, text = "") {
  byId("status").className = `status ${kind}`;
  byId("status").replaceChildren(element("strong", "", headline), ...(text ? [element("p", "", text)] : []));
}

const SHOWN = {
  embedded: "Not verified: shown from the copy that is embedded in this page. Give the bundle to this page to check it and to see its own files.",
  failed: "Not verified: the bundle failed the checks above. Shown from the copy that is embedded in this page, which may be forged as well.",
  verified: "Shown from the files of the bundle, which passed the checks above.",
};

function sayShown(state) {
  byId("shown").className = `shown ${state}`;
  byId("shown").textContent = SHOWN[state];
}

async function check() {
  showKey(given.key);
  const own = ++runs;
  if (given.refused) return showRefused();
  if (!given.files) return;
  say("", `Checking ${given.name} …`);
  const onCheck = (results) => own === runs && listChecks(results);
  const bundle = await verifyBundle(given, onCheck);
  if (own !== runs) return;
  showKey(bundle.key ?? given.key);
  const isRight = bundle.isRight && canShow(bundle);
  if (isRight) showRight(bundle);
  else await showFailed(bundle);
  document.body.dataset.checked = isRight ? "right" : "wrong";
}

function showRefused() {
  listChecks([]);
  showEmbedded();
  sayShown("failed");
  say("bad", `Verification failed: ${given.name} is not a readable bundle.`, given.refused);
  document.body.dataset.checked = "wrong";
}

// Shows the bundle's replay, unless it is not in the form of one.
function canShow(bundle) {
  try {
    showVerified(bundle);
    return true;
  } catch {
    const problems = ["replay.json cannot be shown: some of it is not in the form of a replay."];
    Object.assign(bundle.results.at(-1), { state: "failed", told: "1 problem", problems });
    listChecks(bundle.results);
    return false;
  }
}

function showRight(bundle) {
  sayShown("verified");
  const isSame = JSON.stringify(bundle.replay) === JSON.stringify(embedded.replay);
  const copy = isSame ? "" : " The copy embedded in this page differs from the bundle; it is no longer shown. This page may belong to another packet.";
  if (given.key) {
    say("good", "Verified: the holder of the key issued this packet, and nothing in it was changed.", `Checked with the key that you gave, ${bundle.key.place}.${copy}`);
  } else {
    const text = "A forger can put their own key into a bundle. Compare the fingerprint below with the one that the property published, or give the property's key to this page.";
    say("unsure", "All checks passed, with the key that came with the bundle.", text + copy);
  }
}

async function showFailed(bundle) {
  showEmbedded();
  sayShown("failed");
  const first = bundle.results.find((each) => each.state === "failed");
  const other = first.id === "manifest" && given.key ? await signedByOwn(bundle) : "";
  say("bad", "Verification failed: this bundle is not as the property issued it.", first.problems[0] + other);
}

// Whether the key in the bundle, and not the one that was given, signed the manifest.
async function signedByOwn(bundle) {
  try {
    await checkManifest({ files: bundle.files, given: null });
    return " The key inside the bundle signed it: that is another key than the one you gave.";
  } catch {
    return "";
  }
}

function showKey(key) {
  byId("key").hidden = !key;
  if (!key) return;
  byId("key-from").textContent = given.key ? `the key that you gave (${key.place})` : "the key that came with the bundle (evidence/key.pem)";
  byId("key-id").textContent = key.id;
  byId("fingerprint").textContent = key.fingerprint.match(/.{4}/g).join(" ");
}

function listChecks(results) {
  const made = results.map((each) => {
    const item = element("li", each.state);
    item.dataset.check = each.id;
    const mark = element("span", "mark", STATES[each.state]);
    mark.setAttribute("aria-hidden", "true");
    const body = element("div");
    const title = element("strong", "", each.title);
    title.append(element("span", "hidden", `: ${STATE_WORDS[each.state]}`));
    body.append(title, element("p", "dim", each.told));
    if (each.problems.length) {
      const list = element("ul", "problems wrap");
      list.append(...each.problems.map((text) => element("li", "", text)));
      body.append(list);
    }
    item.append(mark, body);
    return item;
  });
  byId("checks").replaceChildren(...made);
}

// Events.

function listen() {
  for (const id of ["choose-zip", "choose-folder", "choose-key"]) {
    byId(id).addEventListener("change", (event) => {
      const files = [...event.target.files].map((file) => [file.webkitRelativePath || file.name, file]);
      event.target.value = "";
      take(files);
    });
    byId(`${id}-button`).addEventListener("click", () => byId(id).click());
  }
  byId("quorum").addEventListener("change", (event) => {
    setQuorum(event.target);
    check();
  });
  document.addEventListener("dragover", (event) => {
    event.preventDefault();
    document.body.classList.add("dragging");
  });
  document.addEventListener("dragleave", (event) => event.relatedTarget ?? document.body.classList.remove("dragging"));
  document.addEventListener("drop", (event) => {
    event.preventDefault();
    document.body.classList.remove("dragging");
    take(droppedFiles(event.dataTransfer));
  });
  document.addEventListener("click", (event) => {
    const [go, step] = [event.target.closest("[data-go]"), event.target.closest("[data-step]")];
    if (go) MOVES[go.dataset.go]();
    else if (step) moveTo(Number(step.dataset.step) - 1);
  });
  document.addEventListener("keydown", (event) => {
    const isTyping = event.target.matches("input, textarea, select") || event.ctrlKey || event.metaKey || event.altKey;
    if (isTyping || !Object.hasOwn(KEYS, event.key)) return;
    event.preventDefault();
    MOVES[KEYS[event.key]]();
  });
  byId("slider").addEventListener("input", (event) => moveTo(event.target.valueAsNumber - 1));
}

listen();
showEmbedded();
sayShown("embedded");
if (!globalThis.crypto?.subtle) {
  say("bad", "This browser cannot check the bundle.", "It offers no cryptography to pages that are opened from a file. Use another browser, audit21 verify, or verify.sh.");
}
document.body.dataset.ready = "1";
