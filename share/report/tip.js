// The numbers under the pointer or the keyboard's cursor: a box at the place for the eye, a line below the chart for everybody.

const tipBox = make("div", { class: "tip", "aria-hidden": "true" });
tipBox.hidden = true;
document.body.append(tipBox);

function showTip(text, x, y) {
  tipBox.textContent = text;
  tipBox.hidden = false;
  const width = tipBox.offsetWidth, height = tipBox.offsetHeight;
  tipBox.style.left = Math.max(4, Math.min(x + 14, innerWidth - width - 8)) + "px";
  tipBox.style.top = (y + 18 + height > innerHeight ? y - height - 10 : y + 18) + "px";
}
const hideTip = () => (tipBox.hidden = true);
addEventListener("scroll", hideTip, { passive: true });

/** Caption, controls and the line of numbers of a chart. */
function frame(figure, title, help) {
  const caption = make("figcaption", {}, make("strong", {}, title), " ", make("span", {}, help));
  const controls = make("div", { class: "controls" });
  const body = make("div", { class: "chart-body" });
  const readout = make("output", { class: "readout", "aria-live": "polite" });
  figure.append(caption, controls, body, readout);
  figure.hidden = false;
  return { caption, controls, body, readout };
}

/** A choice of one of several, as radio buttons. `values` is [[value, label], ...]. */
function choice(controls, name, label, values, onChoice) {
  const set = make("fieldset", { class: "choice" }, make("legend", {}, label));
  values.forEach(([value, text], i) => {
    const input = make("input", { type: "radio", name, value });
    input.checked = i === 0;
    input.addEventListener("change", () => onChoice(value));
    set.append(make("label", {}, input, text));
  });
  controls.append(set);
  return values[0][0];
}
