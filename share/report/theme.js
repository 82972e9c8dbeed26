// Light, dark, or what the system says. Charts on canvas are painted anew when colours change, and in light for paper.

const painters = [];
const onPaint = (painter) => painters.push(painter);
function paintAll() {
  for (const painter of painters) painter();
}

/** A colour of page.css. */
const color = (name) => getComputedStyle(document.documentElement).getPropertyValue("--" + name).trim();

/** From little to much, 0..1, in one hue. */
function ramp() {
  return d3.scale.linear().domain([0, 0.5, 1]).range([color("ramp-0"), color("ramp-1"), color("ramp-2")]).interpolate(d3.interpolateLab).clamp(true);
}

const systemDark = matchMedia("(prefers-color-scheme: dark)");
const isDark = () => (document.documentElement.dataset.theme || (systemDark.matches ? "dark" : "light")) === "dark";

function themeButton() {
  const button = make("button", { type: "button", id: "theme" });
  const name = () => (button.textContent = isDark() ? "Light" : "Dark");
  button.setAttribute("aria-label", "Switch between light and dark");
  button.addEventListener("click", () => {
    document.documentElement.dataset.theme = isDark() ? "light" : "dark";
    name();
    paintAll();
  });
  systemDark.addEventListener("change", () => { name(); paintAll(); });
  let before;
  addEventListener("beforeprint", () => {
    before = document.documentElement.dataset.theme;
    document.documentElement.dataset.theme = "light";
    paintAll();
  });
  addEventListener("afterprint", () => {
    if (before) document.documentElement.dataset.theme = before;
    else delete document.documentElement.dataset.theme;
    paintAll();
  });
  name();
  return button;
}
