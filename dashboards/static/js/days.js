// Choosing days: a change of the lists shows the page at once, and [ and ] go to the day before and after.

import { keys } from "./keys.js";

for (const form of document.querySelectorAll("form[data-day-form]")) {
  form.addEventListener("change", () => {
    const [first, last] = ["from", "to"].map((name) => form.elements[name]);
    if (first && last && first.value > last.value) last.value = first.value;
    form.requestSubmit();
  });
}

const go = (where) => () => document.querySelector(`a[data-day="${where}"]`)?.click();

keys({
  "[": go("before"),
  "]": go("after"),
  s: () => document.querySelector("[data-sign-note]")?.focus(),
  p: () => document.querySelector("a[data-paper]")?.click(),
});
