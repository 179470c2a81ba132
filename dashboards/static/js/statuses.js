// Giving findings a status from any page that has status_dialogs.html, and taking it back.

import { post } from "./http.js";
import { toast } from "./toast.js";

const DIALOGS = { escalated: "escalate", dismissed: "dismiss" };

/** Ask for what a status needs, a note or a case; null where somebody thinks better of it. */
async function fieldsFor(status, title, caseTitle) {
  const dialog = document.getElementById(DIALOGS[status]);
  if (!dialog) return {};
  const form = dialog.querySelector("form");
  form.reset();
  dialog.querySelector("[data-count]").textContent = title;
  if (form.elements.title) {
    form.elements.title.value = caseTitle;
    showTitle(form);
  }
  dialog.returnValue = "";
  dialog.showModal();
  return new Promise((done) => {
    const close = () => done(dialog.returnValue === "go" ? Object.fromEntries(new FormData(form)) : null);
    dialog.addEventListener("close", close, { once: true });
  });
}

const done = []; // what can be undone, the newest last: its batch, its toast, and what shows the findings as they are

/** Give findings of a day a status, after asking for what it needs; `show` is called now and when it is undone. */
export async function act({ ids, day, status, title, caseTitle }, show) {
  const fields = await fieldsFor(status, title, caseTitle);
  if (!fields) return;
  try {
    const made = await post("/findings/status", { finding_id: ids, day, status, ...fields });
    const action = { batch: made.batch, title, show };
    done.push(action);
    await show(made.status);
    const where = made.case ? `, case ${made.case}` : "";
    for (const each of done) if (each.toast) each.toast.querySelector("button").textContent = "Undo"; // u: the newest
    action.toast = toast(`${title}: ${status}${where}`, { label: "Undo (u)", action: () => undo(action) });
  } catch (error) {
    toast(error.message, { bad: true });
  }
}

/** Undo one action: the newest, or the one whose toast says so. */
export async function undo(action = done.at(-1)) {
  const place = done.indexOf(action);
  if (place < 0) return toast("There is nothing to undo.");
  done.splice(place, 1);
  action.toast?.remove();
  try {
    const undone = await post("/findings/undo", { batch: action.batch });
    await action.show(undone.status);
    return toast(undone.count > 1 ? `${action.title}: undone` : `${action.title}: ${undone.status} again`);
  } catch (error) {
    return toast(`${action.title}: ${error.message}`, { bad: true });
  }
}

function showTitle(form) {
  const isNew = form.elements.case.value === "new";
  form.querySelector("[data-new-case]").hidden = !isNew;
  form.elements.title.required = isNew;
}

const escalateForm = document.querySelector("#escalate form");
escalateForm?.elements.case.addEventListener("change", () => showTitle(escalateForm));
for (const area of document.querySelectorAll("#escalate textarea, #dismiss textarea")) {
  area.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" || event.shiftKey) return;
    event.preventDefault();
    area.form.requestSubmit(area.form.querySelector('[value="go"]'));
  });
}
