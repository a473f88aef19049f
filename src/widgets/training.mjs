// What one training step needs: the memories at its peak, and the arithmetic, of a configuration and a batch.
import { bytesText, configEditor, dimsOf, fact, grouped, h, mount, number, numberField, percent, scientific, table } from "./shared.mjs";

function render({ model, el }) {
  const data = model.get("data");
  const editor = configEditor(model, ["V", "T", "L", "H", "C"], true);
  const batch = numberField({
    symbol: "B",
    label: "batch",
    largest: data.largest,
    stops: () => [1, 2, 4, 8, 12, 16, 32, 64, 128, 256, 512, 1024],
    onvalue: (value) => save("batch_size", value),
    onproblem() {},
  });
  const attention = h("select", { onchange: () => save("attention", attention.value) });
  attention.append(...Object.keys(data.attention).map((kind) => h("option", { value: kind }, kind)));
  editor.element.children[0].after(batch.element);
  editor.element.append(h("label", { class: "bw-choice" }, h("span", { class: "bw-name" }, "Attention"), attention));

  const total = h("div", { class: "bw-total" });
  const when = h("p", { class: "bw-muted" });
  const bar = h("div", { class: "bw-bar", "aria-hidden": "true" });
  const parts = h("ul", { class: "bw-legend" });
  const facts = h("div", { class: "bw-facts" });
  const exact = h("tbody");
  const competing = h("tbody");

  function save(trait, value) {
    model.set(trait, value);
    model.save_changes();
  }

  function paint() {
    editor.paint();
    batch.show(model.get("batch_size"));
    attention.value = model.get("attention");
    const config = model.get("config");
    const dims = { ...dimsOf(data, config), B: BigInt(model.get("batch_size")) };
    const cost = data.costs[attention.value][config.bias];
    const held = cost.held.map((memory) => ({ ...memory, amount: evaluate(memory.terms, dims) }));
    const moments = cost.moments.map((moment) => ({ ...moment, amount: evaluate(moment.terms, dims) }));
    const peak = moments.reduce((largest, moment) => (moment.amount > largest.amount ? moment : largest));
    const memories = [...held, ...peak.parts.map((part) => ({ ...part, amount: evaluate(part.terms, dims) }))];
    const sum = memories.reduce((n, memory) => n + memory.amount, 0n);
    const flops = evaluate(cost.flops, dims);

    total.replaceChildren(h("strong", {}, bytesText(sum)), " in float32");
    when.textContent = `The peak comes when ${peak.name}.`;
    const colour = (i) => `var(--bw-data-${i + 1})`;
    bar.replaceChildren(...memories.map((cost, i) => h("span", { style: `background:${colour(i)};flex-grow:${Number((cost.amount * 100000n) / sum)}` })));
    parts.replaceChildren(
      ...memories.map((cost, i) =>
        h("li", {}, h("i", { style: `background:${colour(i)}` }), h("span", {}, cost.name), h("b", {}, percent(cost.amount, sum)), h("span", { class: "bw-n" }, bytesText(cost.amount))),
      ),
    );
    const tokens = dims.B * dims.T;
    facts.replaceChildren(
      fact("tokens in the batch", grouped(tokens)),
      fact("training FLOPs", flopsText(flops)),
      fact("FLOPs per token", flopsText(flops / tokens)),
    );
    const row = ({ name, terms, amount }, unit, isPeak) =>
      h("tr", { class: isPeak && "bw-sum" }, h("th", { scope: "row" }, name, h("small", {}, ...formula(terms))), h("td", {}, unit), number(amount));
    exact.replaceChildren(...memories.map((memory) => row(memory, "bytes")), row({ name: "training FLOPs", terms: cost.flops, amount: flops }, "FLOPs"));
    competing.replaceChildren(...moments.map((moment) => row(moment, "bytes", moment === peak)));
    return `${bytesText(sum)} in float32, when ${peak.name}; ${flopsText(flops)} FLOPs`;
  }

  return mount(
    { model, el },
    "What one training step needs",
    ["config", "batch_size", "attention"],
    paint,
    h("div", { class: "bw-columns" }, editor.element, h("div", { class: "bw-results" }, h("div", { class: "bw-result" }, total, when), bar, parts, facts)),
    h(
      "details",
      {},
      h("summary", {}, "Exact numbers and formulas"),
      scrolled("The peak of one training step", ["what is needed", "unit", "amount"], exact),
      scrolled("The moments that compete for the peak: what each needs besides weights, gradients and Adam state", ["when", "unit", "amount"], competing),
    ),
  );
}

/** A table that scrolls where it is too wide. @param {string} caption  @param {string[]} head  @param {Element} body */
const scrolled = (caption, head, body) => h("div", { class: "bw-scroll", role: "region", "aria-label": caption, tabindex: 0 }, table(caption, head, body));

/** The value of a polynomial. @param {[number, string[]][]} terms  @param {Record<string, bigint>} dims */
const evaluate = (terms, dims) =>
  terms.reduce((sum, [factor, symbols]) => sum + symbols.reduce((n, symbol) => n * dims[symbol], BigInt(factor)), 0n);

/** A polynomial as text and elements: 24BTLC² + …  @param {[number, string[]][]} terms */
function formula(terms) {
  return terms.flatMap(([factor, symbols], i) => {
    const once = [...new Set(symbols)];
    const powers = once.flatMap((symbol) => {
      const exponent = symbols.filter((other) => other === symbol).length;
      return [h("i", {}, symbol), exponent > 1 ? h("sup", {}, String(exponent)) : ""];
    });
    const sign = factor < 0 ? " − " : i ? " + " : "";
    return [sign, Math.abs(factor) === 1 && symbols.length ? "" : String(Math.abs(factor)), ...powers];
  });
}

/** @param {bigint} n */
const flopsText = (n) => (n < 1_000_000n ? grouped(n) : scientific(n));

export default { render };
