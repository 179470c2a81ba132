// The picture of the table: rebuilt from the elements and attributes that such a picture has, and no other.

const SVG = "http://www.w3.org/2000/svg";
const SHAPES = new Set(["svg", "g", "path", "rect", "circle", "text"]);
const ATTRIBUTES = new Set([
  ...["viewBox", "transform", "d", "x", "y", "cx", "cy", "r", "rx", "width", "height", "fill", "stroke"],
  ...["stroke-width", "stroke-dasharray", "stroke-linejoin", "font-size", "font-weight", "text-anchor"],
]);

function drawn(text, label) {
  const parsed = new DOMParser().parseFromString(text, "image/svg+xml").documentElement;
  const picture = rebuilt(parsed) ?? document.createElementNS(SVG, "svg");
  picture.setAttribute("role", "img");
  picture.setAttribute("aria-label", label);
  return picture;
}

function rebuilt(from) {
  if (from.namespaceURI !== SVG || !SHAPES.has(from.localName)) return null;
  const made = document.createElementNS(SVG, from.localName);
  for (const { name, value } of from.attributes) {
    if (ATTRIBUTES.has(name) && !/url\s*\(/i.test(value)) made.setAttribute(name, value);
  }
  if (from.localName === "text") made.textContent = from.textContent;
  else made.append(...[...from.children].map(rebuilt).filter(Boolean));
  return made;
}

// Makes the words of a wager and its result smaller where they would overlap in the reader's font.
function fitBets(picture) {
  for (const result of picture.querySelectorAll('text[text-anchor="end"]')) {
    const staked = result.previousElementSibling;
    if (staked?.localName !== "text" || staked.getAttribute("y") !== result.getAttribute("y")) continue;
    const room = Number(result.getAttribute("x")) - Number(staked.getAttribute("x")) - 4;
    const share = room / (staked.getComputedTextLength() + result.getComputedTextLength());
    if (!(share < 1)) continue;
    for (const each of [staked, result]) each.setAttribute("font-size", share * Number(each.getAttribute("font-size")));
  }
}

// On a narrow screen the picture is wider than its frame: the card that was dealt is brought into view.
function bringIntoView(picture) {
  const frame = picture.parentElement;
  const dealt = picture.querySelector('[stroke="var(--felt-now)"]');
  if (!dealt || frame.scrollWidth <= frame.clientWidth) return;
  const [card, whole] = [dealt.getBoundingClientRect(), frame.getBoundingClientRect()];
  frame.scrollLeft += card.left + card.width / 2 - whole.left - whole.width / 2;
}
