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
