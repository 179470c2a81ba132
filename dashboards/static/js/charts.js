// Draws every chart of a page, in its colours, and again when these change.

const FONT = "system-ui, -apple-system, 'Segoe UI', Roboto, 'Noto Sans', sans-serif";

function config() {
  const probe = document.createElement("span");
  document.body.append(probe);
  const colour = (name) => {
    probe.style.color = `var(--${name})`;
    return getComputedStyle(probe).color;
  };
  const [ink, dim, line] = ["ink", "dim", "line"].map(colour);
  const range = ["accent", "blue", "medium", "high", "low", "good"].map(colour);
  probe.remove();
  const axis = { labelColor: dim, titleColor: dim, gridColor: line, domainColor: line, tickColor: line, titleFontWeight: 500 };
  return {
    background: "transparent",
    font: FONT,
    view: { stroke: null },
    axis,
    legend: { labelColor: ink, titleColor: dim, titleFontWeight: 500 },
    title: { color: ink, fontSize: 13, anchor: "start" },
    header: { labelColor: ink, titleColor: dim },
    range: { category: range },
    mark: { color: range[0] },
    text: { color: ink },
    rule: { color: dim },
  };
}

async function draw(figure) {
  const spec = JSON.parse(figure.querySelector('script[type="application/json"]').textContent);
  await window.vegaEmbed(figure.querySelector(".drawing"), spec, {
    ast: true, // expressions are interpreted: the server's policy forbids eval
    actions: false,
    defaultStyle: false,
    tooltip: { disableDefaultStyle: true },
    renderer: "svg",
    config: config(),
  });
  figure.dataset.drawn = "1";
}

const drawAll = () => Promise.all([...document.querySelectorAll("figure.chart")].map(draw));

const script = document.createElement("script");
script.src = "/charts/vega.js";
script.addEventListener("load", drawAll);
document.head.append(script);
document.addEventListener("themechange", drawAll);
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", drawAll);
