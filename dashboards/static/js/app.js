// What every page has: light or dark, the zone of times, help, dialogs that buttons open, links and texts to copy.

import "./forms.js";
import { keys } from "./keys.js";
import { focusScrollers } from "./scrollers.js";
import { toast } from "./toast.js";

const YEAR_SECONDS = 31536000;

document.getElementById("theme").addEventListener("click", () => {
  const root = document.documentElement;
  const dark = root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
  root.dataset.theme = dark ? "light" : "dark";
  document.cookie = `audit21_theme=${root.dataset.theme}; path=/; max-age=${YEAR_SECONDS}; SameSite=Lax`;
  document.dispatchEvent(new CustomEvent("themechange"));
});

document.getElementById("zone")?.addEventListener("click", ({ target }) => {
  document.cookie = `audit21_zone=${target.dataset.zone}; path=/; max-age=${YEAR_SECONDS}; SameSite=Lax`;
  location.reload();
});

document.addEventListener("click", (event) => {
  const opener = event.target.closest("[data-opens]");
  if (opener) document.getElementById(opener.dataset.opens).showModal();
  const link = event.target.closest("a[data-copies]");
  if (link && !event.ctrlKey && !event.metaKey && !event.shiftKey) {
    event.preventDefault();
    copy(link.href, "Permalink copied");
  }
  const source = event.target.closest("[data-copy-from]");
  if (source) copy(document.getElementById(source.dataset.copyFrom).textContent.trim(), "Copied");
  for (const menu of document.querySelectorAll("details.menu[open]")) {
    if (!menu.contains(event.target)) menu.open = false;
  }
});

focusScrollers();
addEventListener("resize", focusScrollers);

async function copy(text, said) {
  try {
    await navigator.clipboard.writeText(text);
    toast(said);
  } catch {
    toast(text); // the browser does not let us: show it, to be copied by hand
  }
}

keys({
  "?": () => document.getElementById("help").showModal(),
  l: () => document.querySelector("a[data-copies]")?.click(),
});
