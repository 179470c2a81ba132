// Requests to our own server, with the token that every change needs.

const token = () => document.querySelector('meta[name="csrf"]').content;

/** Ask for a change. `fields` may have lists. Gives the answer's JSON; throws an Error with the server's words. */
export async function post(url, fields) {
  const body = new URLSearchParams();
  for (const [name, value] of Object.entries(fields)) {
    for (const each of [value].flat()) body.append(name, each);
  }
  const headers = { Accept: "application/json", "X-CSRF-Token": token() };
  return answer(await fetch(url, { method: "POST", body, headers }));
}

/** Send a form of the page, with the button that was pressed. Gives where to go on; throws as `post` does. */
export async function submit(form, button) {
  const body = new URLSearchParams(new FormData(form, button));
  return answer(await fetch(form.action, { method: "POST", body, headers: { "X-Keeps-Form": "1" } }));
}

/** Ask for JSON. */
export async function get(url) {
  return answer(await fetch(url, { headers: { Accept: "application/json" } }));
}

/** Ask for a part of a page. */
export async function html(url) {
  const response = await fetch(url);
  if (!response.ok || response.redirected) throw new Error("The page could not be loaded; reload it.");
  return response.text();
}

async function answer(response) {
  const json = (response.headers.get("Content-Type") ?? "").includes("application/json");
  const data = json ? await response.json() : {};
  if (!response.ok || !json) throw new Error(data.error ?? `The server answered ${response.status}.`);
  return data;
}
