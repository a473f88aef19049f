// The residual explorer: how the variance of the stream grows from addition to addition, as the lab measured it.
import { fact, grouped, h, mount, s, spoken, table } from "./shared.mjs";

const PLOT = { left: 52, right: 292, top: 14, bottom: 212 }; // the curves' names stand to the right of it
const LINE = 13; // height of a name

function render({ model, el }) {
  const { curves } = model.get("data");
  const slider = h("input", {
    type: "range",
    min: 0,
    max: curves.depths.length - 1,
    step: 1,
    oninput: () => set("depth", curves.depths[Number(slider.value)]),
  });
  const entry = h(
    "select",
    { "aria-label": "L, layers, as a number", onchange: () => set("depth", Number(entry.value)) },
    ...curves.depths.map((depth) => h("option", { value: depth }, String(depth))),
  );
  const group = `bw-${Math.random().toString(36).slice(2)}`;
  const radios = curves.rules.map((rule) => h("input", { type: "radio", name: group, value: rule, onchange: () => set("rule", rule) }));
  const rules = h(
    "fieldset",
    { class: "bw-rules" },
    h("legend", {}, "Factor on the 2L projections"),
    ...curves.rules.map((rule, i) => h("label", { class: "bw-check" }, radios[i], h("i", { style: `background:${colour(i)}` }), ` ${written(rule)}`)),
  );
  const depths = h("div", { class: "bw-field" }, h("label", {}, h("span", { class: "bw-name" }, h("b", {}, "L"), " layers"), slider), entry);
  const said = h("div", { class: "bw-facts" });
  const drawing = s("svg", { viewBox: "0 0 360 250", class: "bw-drawing", role: "img" });
  const values = h("tbody");
  const details = h(
    "details",
    { ontoggle: paintValues },
    h("summary", {}, "Every number of this curve"),
    h("div", { class: "bw-scroll", role: "region", "aria-label": "Every number of this curve", tabindex: 0 }, table("Variance of the stream", ["after", "measured", "spread", "theory"], values, 3)),
  );

  function set(name, value) {
    model.set(name, value);
    model.save_changes();
  }
  const chosen = () => {
    const [rule, depth] = [model.get("rule"), model.get("depth")];
    return { rule, depth, ...curves.curves[rule][depth], theory: curves.theory[rule][depth] };
  };

  function paint() {
    const { rule, depth, mean, std, theory } = chosen();
    slider.value = String(curves.depths.indexOf(depth));
    slider.setAttribute("aria-valuetext", spoken(depth, "layers"));
    entry.value = String(depth);
    for (const radio of radios) radio.checked = radio.value === rule;
    const [first, last] = [mean[0], mean.at(-1)];
    said.replaceChildren(
      fact("after the embeddings", short(first)),
      fact(`after the last of ${2 * depth} additions`, `${short(last)} ± ${short(std.at(-1))}`),
      fact("theory for the last", short(theory.at(-1))),
      fact("growth from embeddings to end", `× ${short(last / first)}`),
    );
    draw();
    if (details.open) paintValues();
    return `factor ${written(rule)}, ${depth} layers: ${short(last)} after the last addition, theory ${short(theory.at(-1))}`;
  }

  function paintValues() {
    const { mean, std, theory } = chosen();
    values.replaceChildren(
      ...mean.map((value, i) =>
        h("tr", {}, h("th", { scope: "row" }, name(i)), ...[value, std[i], theory[i]].map((number) => h("td", { class: "bw-n" }, short(number)))),
      ),
    );
  }

  function draw() {
    const { rule, depth, mean, std, theory } = chosen();
    // One scale for all rules and depths, so that curves can be compared while the slider moves.
    const all = curves.rules.flatMap((r) => curves.depths.flatMap((d) => [...curves.curves[r][d].mean, ...curves.theory[r][d]]));
    const low = Math.floor(Math.log10(Math.min(...all.filter((v) => v > 0))));
    const high = Math.ceil(Math.log10(Math.max(...all)));
    const x = (i) => PLOT.left + ((PLOT.right - PLOT.left) * i) / (2 * depth);
    const y = (v) => PLOT.bottom - ((PLOT.bottom - PLOT.top) * (Math.log10(Math.max(v, 10 ** low)) - low)) / (high - low);
    const line = (points) => points.map((v, i) => `${i ? "L" : "M"}${x(i).toFixed(1)} ${y(v).toFixed(1)}`).join("");
    const parts = [];
    for (let power = low; power <= high; power += 1) {
      const at = y(10 ** power);
      parts.push(s("path", { class: "bw-grid", d: `M${PLOT.left} ${at}H${PLOT.right}` }), s("text", { x: PLOT.left - 6, y: at + 4, "text-anchor": "end" }, tick(power)));
    }
    for (const i of [0, depth, 2 * depth]) parts.push(s("text", { x: x(i), y: PLOT.bottom + 16, "text-anchor": "middle" }, String(i)));
    parts.push(s("text", { x: (PLOT.left + PLOT.right) / 2, y: PLOT.bottom + 33, "text-anchor": "middle" }, "additions to the stream"));
    curves.rules.forEach((other, i) => {
      if (other !== rule) parts.push(s("path", { class: "bw-other", d: line(curves.curves[other][depth].mean), style: `stroke:${colour(i)}` }));
    });
    const upper = mean.map((v, i) => v + std[i]);
    const lower = mean.map((v, i) => v - std[i]).map((v, i) => `L${x(i).toFixed(1)} ${y(v).toFixed(1)}`).reverse();
    const ink = colour(curves.rules.indexOf(rule));
    parts.push(
      s("path", { d: `${line(upper)}${lower.join("")}Z`, style: `fill:${ink}`, class: "bw-band" }),
      s("path", { class: "bw-curve", d: line(mean), style: `stroke:${ink}` }),
      s("path", { class: "bw-theory", d: line(theory) }),
      ...names(curves.rules.map((r) => y(curves.curves[r][depth].mean.at(-1)))),
    );
    drawing.replaceChildren(...parts);
    drawing.setAttribute(
      "aria-label",
      `Variance of the residual stream, logarithmic, over ${2 * depth} additions with factor ${written(rule)}: from ${short(mean[0])} to ${short(mean.at(-1))}, theory ${short(theory.at(-1))}.`,
    );
  }

  /** The rules at the ends of their curves, moved apart where these meet. @param {number[]} ends  heights by rule */
  function names(ends) {
    const order = ends.map((_, i) => i).sort((a, b) => ends[a] - ends[b]);
    let above = -Infinity;
    return order.map((i) => {
      above = Math.max(ends[i], above + LINE);
      const chosen = curves.rules[i] === model.get("rule");
      return s("text", { x: PLOT.right + 6, y: above + 4, class: chosen ? "bw-curve-name bw-now" : "bw-curve-name", style: `fill:color-mix(in srgb, ${colour(i)} 75%, var(--bw-ink))` }, written(curves.rules[i]));
    });
  }

  const key = h(
    "p",
    { class: "bw-muted" },
    `Variance of the stream, logarithmic. Line: mean over ${curves.seeds} seeds at C = ${curves.C}; band: one standard deviation; dashes: theory; thin lines: the other rules.`,
  );
  return mount(
    { model, el },
    "Residual explorer",
    ["depth", "rule"],
    paint,
    h("div", { class: "bw-columns" }, h("div", {}, depths, rules, said), h("div", {}, drawing, key)),
    details,
  );
}

const colour = (i) => `var(--bw-data-${(i % 6) + 1})`;
const name = (i) => (i === 0 ? "embeddings" : `${i % 2 ? "attention" : "MLP"} of block ${Math.ceil(i / 2)}`);
const written = (rule) => rule.replace(/sqrt\((\w)\)/, "√$1").replace("sqrt", "√");
const tick = (power) => (Math.abs(power) > 4 ? `1e${power}` : (10 ** power).toFixed(Math.max(0, -power)));
// Three significant digits, zeros at the end included, so that a column of numbers can be compared.
const short = (value) => {
  if (value !== 0 && Math.abs(value) < 0.0001) return value.toExponential(2);
  return Math.abs(value) < 999.5 ? value.toPrecision(3) : grouped(Number(value.toPrecision(3)));
};

export default { render };
