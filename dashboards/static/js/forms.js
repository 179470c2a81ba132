// Forms that keep what was typed when the server refuses them: <form data-keeps>. The reason is shown in the form.

import { submit } from "./http.js";

document.addEventListener("submit", async (event) => {
  const form = event.target.closest("form[data-keeps]");
  if (!form) return;
  event.preventDefault();
  const buttons = [...form.querySelectorAll("button")];
  const sent = submit(form, event.submitter); // before its button is disabled, which would leave out its value
  for (const each of buttons) each.disabled = true;
  try {
    const url = new URL((await sent).location, location.href);
    const stays = url.pathname === location.pathname && url.search === location.search;
    if (stays) history.replaceState(null, "", url);
    if (stays) location.reload();
    else location.assign(url);
  } catch (error) {
    for (const each of buttons) each.disabled = false;
    tell(form, error.message);
  }
});

function tell(form, message) {
  let problem = form.querySelector(":scope > .problem");
  if (!problem) {
    problem = document.createElement("p");
    problem.className = "problem";
    problem.setAttribute("role", "alert");
    const buttons = form.querySelector(":scope > .buttons, :scope > button.primary");
    form.insertBefore(problem, buttons);
  }
  problem.textContent = message;
}
