// The parameter calculator: a configuration in, every count of it out.
import { breakable, bytesText, configEditor, count, dimsOf, grouped, h, mount, number, numeric, percent, prose, rowsOf, size, symbolic, table } from "./shared.mjs";

function render({ model, el }) {
  const data = model.get("data");
  const editor = configEditor(model, ["V", "T", "L", "H", "C"], true);

  const total = h("div", { class: "bw-total" });
  const bar = h("div", { class: "bw-bar", "aria-hidden": "true" });
  const parts = h("ul", { class: "bw-legend" });
  const counts = h("tbody");
  const terms = h("tbody");
  const formula = h("span", { class: "bw-formula" });
  const memory = h("tbody");
  const tensors = h("tbody");
  const details = h(
    "details",
    { ontoggle: paintTensors },
    h("summary", {}, "Every tensor"),
    h("div", { class: "bw-scroll", role: "region", "aria-label": "Every tensor", tabindex: 0 }, table("Every tensor of the state dict", ["tensor", "shape", "in numbers", "elements", "times"], tensors, 2)),
  );
  const copied = h("span", { role: "status", class: "bw-status" });
  const source = h("input", { type: "text", readonly: true, class: "bw-source", "aria-label": "This configuration in Python" });
  const link = h("a", {}, "Link to this configuration");
  const actions = h("div", { class: "bw-actions" }, h("button", { type: "button", onclick: copy }, "Copy as GPTConfig(…)"), copied);
  if (model.get("page")) actions.append(link);

  function paint() {
    editor.paint();
    const config = model.get("config");
    const dims = dimsOf(data, config);
    const unique = rowsOf(data, "unique");
    const n = count(unique, config, dims);
    total.replaceChildren(h("strong", {}, ...breakable(grouped(n))), " parameters");

    const shares = data.parts
      .map((part, i) => ({ part, colour: `var(--bw-data-${i + 1})`, n: count(unique.filter((row) => row.part === part), config, dims) }))
      .filter((share) => share.n > 0n);
    bar.replaceChildren(...shares.map((share) => h("span", { style: `background:${share.colour};flex-grow:${Number((share.n * 100000n) / n)}` })));
    parts.replaceChildren(
      ...shares.map((share) =>
        h("li", {}, h("i", { style: `background:${share.colour}` }), h("span", {}, share.part), h("b", {}, percent(share.n, n)), h("span", { class: "bw-n" }, ...breakable(grouped(share.n)))),
      ),
    );

    counts.replaceChildren(
      ...data.conventions.map(({ name, used_by }) =>
        h("tr", {}, h("th", { scope: "row" }, name, h("small", {}, ...prose(used_by))), number(count(rowsOf(data, name), config, dims))),
      ),
    );

    const monomials = data.terms[config.bias];
    formula.replaceChildren("N = ", ...monomials.flatMap(([k, symbols], i) => [i ? " + " : "", k === 1 ? "" : String(k), ...powers(symbols)]));
    terms.replaceChildren(
      ...monomials.map(([k, symbols]) => {
        const factors = [...(k === 1 ? [] : [k]), ...symbols.map((symbol) => dims[symbol])].map(grouped);
        return h("tr", {}, h("th", { scope: "row" }, k === 1 ? "" : String(k), ...powers(symbols)), h("td", {}, factors.join(" · ")), number(size([[k, symbols[0]], ...symbols.slice(1).map((x) => [1, x])], dims)));
      }),
      h("tr", { class: "bw-sum" }, h("th", { scope: "row" }, "N"), h("td"), number(n)),
    );

    memory.replaceChildren(
      ...data.bytes_per_parameter.map(([use, bytes]) =>
        h("tr", {}, h("th", { scope: "row" }, use, h("small", {}, `${bytes} bytes each`)), h("td", { class: "bw-n" }, bytesText(n * BigInt(bytes)), h("small", {}, ...breakable(grouped(n * BigInt(bytes)))))),
      ),
    );

    source.value = python(config);
    copied.textContent = "";
    source.remove();
    const query = data.fields.map(({ symbol, field }) => `${symbol}=${config[field]}`).join("&");
    const anchor = el.closest("[id]")?.id ?? "";
    link.href = `?${query}&bias=${Number(config.bias)}#${anchor}`;
    if (details.open) paintTensors();
    return `${grouped(n)} parameters`;
  }

  // A thousand cells are made only when somebody wants to see them.
  function paintTensors() {
    const config = model.get("config");
    const dims = dimsOf(data, config);
    tensors.replaceChildren(
      ...data.table
        .filter((row) => config.bias || !row.bias)
        .map((row) =>
          h(
            "tr",
            {},
            h("th", { scope: "row" }, h("code", {}, row.name), row.tied_to ? h("small", {}, `the same tensor as ${row.tied_to}`) : ""),
            h("td", {}, symbolic(row.shape)),
            h("td", {}, numeric(row.shape, dims)),
            number(size(row.shape, dims)),
            number(row.per_layer ? dims.L : 1n),
          ),
        ),
    );
  }

  async function copy() {
    try {
      await navigator.clipboard.writeText(source.value);
      copied.textContent = "Copied.";
    } catch {
      // Without access to the clipboard the text is shown and marked, ready for the keyboard.
      actions.after(source);
      source.focus();
      source.select();
      copied.textContent = "Press Ctrl+C to copy the marked text.";
    }
  }

  const stop = mount(
    { model, el },
    "Parameter calculator",
    ["config"],
    paint,
    h(
      "div",
      { class: "bw-columns" },
      editor.element,
      h("div", { class: "bw-results" }, h("div", { class: "bw-result" }, total), bar, parts),
    ),
    h(
      "div",
      { class: "bw-columns" },
      table("Six honest counts", ["which, and who counts so", "parameters"], counts),
      h(
        "div",
        {},
        table(h("span", {}, "The formula with the numbers put in", formula), ["term", "factors", "parameters"], terms),
        table("What these parameters weigh", ["what is kept", "bytes"], memory),
      ),
    ),
    details,
    actions,
  );
  if (model.get("page")) openLinked(model, editor, link);
  return stop;
}

// What the page's address may set; what it does not name keeps the value that the page starts with.
const parameters = ["V", "T", "L", "H", "C", "bias"];

/** Show the configuration of the page's address, and keep the address true when the reader changes it.
 * @param {any} model  @param {{ propose: (query: URLSearchParams) => void }} editor  @param {HTMLAnchorElement} link */
function openLinked(model, editor, link) {
  const query = new URLSearchParams(location.search);
  if (!parameters.some((name) => query.has(name))) return;
  editor.propose(query);
  let pause; // a browser takes only so many new addresses in a second
  model.on("change:config", () => {
    clearTimeout(pause);
    pause = setTimeout(() => {
      try {
        history.replaceState(null, "", link.search + location.hash);
      } catch { /* a file's address may not be changed in every browser; then a reload shows the link again */ }
    }, 200);
  });
}

/** Equal symbols in a row as a power: ["L", "C", "C"] is LC². */
function powers(symbols) {
  const exponents = new Map();
  for (const symbol of symbols) exponents.set(symbol, (exponents.get(symbol) ?? 0) + 1);
  return [...exponents].flatMap(([symbol, n]) => [h("i", {}, symbol), n > 1 ? h("sup", {}, String(n)) : ""]);
}

function python(config) {
  const fields = ["block_size", "vocab_size", "n_layer", "n_head", "n_embd"].map((field) => `${field}=${config[field]}`);
  if (config.dropout) fields.push(`dropout=${config.dropout}`);
  return `GPTConfig(${[...fields, `bias=${config.bias ? "True" : "False"}`].join(", ")})`;
}

export default { render, parameters };
