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

let last = null; // the batch that was done last, and what shows the findings as they are then

/** Give findings of a day a status, after asking for what it needs; `show` is called now and when it is undone. */
export async function act({ ids, day, status, title, caseTitle }, show) {
  const fields = await fieldsFor(status, title, caseTitle);
  if (!fields) return;
  try {
    const done = await post("/findings/status", { finding_id: ids, day, status, ...fields });
    last = { batch: done.batch, show };
    await show(done.status);
    const where = done.case ? `, case ${done.case}` : "";
    toast(`${title}: ${status}${where}`, { label: "Undo (u)", action: undo });
  } catch (error) {
    toast(error.message, { bad: true });
  }
}

/** Take back what was done last. */
export async function undo() {
  if (!last) return toast("There is nothing to undo.");
  try {
    const { batch, show } = last;
    const done = await post("/findings/undo", { batch });
    last = null;
    await show(done.status);
    return toast(done.count > 1 ? `${done.count} findings are as before` : `Undone: ${done.status} again`);
  } catch (error) {
    return toast(error.message, { bad: true });
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
