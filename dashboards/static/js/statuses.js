// Giving findings a status from any page that has status_dialogs.html, and taking it back.

import { post } from "./http.js";

const DIALOGS = { escalated: "escalate", dismissed: "dismiss" };

/** Ask for what a status needs, a note or a case; null where somebody thinks better of it. */
export async function fieldsFor(status, title, caseTitle) {
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

/** Give findings of a day a status; gives the batch, by which it can be undone. */
export const setStatus = (ids, day, status, fields) =>
  post("/findings/status", { finding_id: ids, day, status, ...fields });

export const undoStatus = (batch) => post("/findings/undo", { batch });

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
