// What the widgets share: elements, exact numbers, the symbolic table, and the entry of a configuration.

/** An element with attributes (`on…` are listeners) and children.
 * @param {string} tag  @param {Record<string, any>} attributes  @param {...(Node | string)} children */
export const h = (tag, attributes = {}, ...children) => fill(document.createElement(tag), attributes, children);

/** The same for a drawing. */
export const s = (tag, attributes = {}, ...children) =>
  fill(document.createElementNS("http://www.w3.org/2000/svg", tag), attributes, children);

function fill(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (value !== false && value != null) element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...children);
  return element;
}

/** Words between backticks as code. @param {string} text */
export const prose = (text) => text.split("`").map((part, i) => (i % 2 ? h("code", {}, part) : part));

const english = new Intl.NumberFormat("en-US", { maximumFractionDigits: 9 });

/** @param {bigint | number} n */
export const grouped = (n) => english.format(n);

/** A grouped number that may be broken after its commas. @param {string} text */
export const breakable = (text) => text.split(/(?<=,)/).flatMap((digits, i) => (i ? [h("wbr"), digits] : [digits]));

/** One decimal, and the first digit that is not 0 of what is smaller, down to a thousandth; a tie is rounded up.
 * `percent` of widgets/twins.py says the same. @param {bigint} part  @param {bigint} whole */
export function percent(part, whole) {
  if (!part) return "0 %";
  if (100_000n * part < whole) return "< 0.001 %";
  const places = 1000n * part >= whole ? 1 : 10_000n * part >= whole ? 2 : 3;
  const rounded = (200n * part * 10n ** BigInt(places) + whole) / (2n * whole);
  const share = Number(rounded) / 10 ** places;
  return `${places === 1 ? share.toFixed(1) : share} %`;
}

/** Three digits and a power of ten: 8.40 · 10⁴⁶. @param {bigint} n */
export function scientific(n) {
  const power = String(n).length - 1;
  const [digits, shift] = (Number(n) / 10 ** power).toExponential(2).split("e"); // 9.999 becomes 1.00 · 10
  return `${digits} · 10${[...String(power + Number(shift))].map((digit) => "⁰¹²³⁴⁵⁶⁷⁸⁹"[digit]).join("")}`;
}

/** Bytes as people say them, in powers of 1000 as far as these have names. @param {bigint} bytes */
export function bytesText(bytes) {
  const units = ["bytes", "kB", "MB", "GB", "TB", "PB", "EB", "ZB", "YB"];
  let value = Number(bytes);
  let unit = 0;
  while (value >= 999.5 && unit < units.length - 1) {
    value /= 1000;
    unit += 1;
  }
  if (value >= 999.5) return `${scientific(bytes)} bytes`;
  return `${unit ? Number(value.toPrecision(3)) : value} ${units[unit]}`;
}

/** The values of the symbols. @param {any} data  @param {Record<string, any>} config
 * @returns {Record<string, bigint>} */
export const dimsOf = (data, config) =>
  Object.fromEntries(data.fields.map(({ symbol, field }) => [symbol, BigInt(config[field])]));

/** Number of elements of a shape. @param {[number, string][]} shape  e.g. [[3, "C"], [1, "C"]]
 * @param {Record<string, bigint>} dims */
export const size = (shape, dims) => shape.reduce((n, [factor, symbol]) => n * BigInt(factor) * dims[symbol], 1n);

/** Elements of all tensors of the rows that this configuration has. */
export function count(rows, config, dims) {
  return rows
    .filter((row) => config.bias || !row.bias)
    .reduce((n, row) => n + size(row.shape, dims) * (row.per_layer ? dims.L : 1n), 0n);
}

/** The rows of the shape table that a convention includes. @param {any} data  @param {string} name */
export const rowsOf = (data, name) =>
  data.conventions.find((convention) => convention.name === name).rows.map((i) => data.table[i]);

const tuple = (parts) => `(${parts.join(", ")}${parts.length === 1 ? "," : ""})`;

/** A shape in symbols. */
export const symbolic = (shape) => tuple(shape.map(([factor, symbol]) => (factor === 1 ? "" : factor) + symbol));

/** A shape in numbers. */
export const numeric = (shape, dims) => tuple(shape.map((dimension) => size([dimension], dims)));

/** All divisors, ascending. @param {number} n */
function divisors(n) {
  const low = [];
  for (let k = 1; k * k <= n; k += 1) if (n % k === 0) low.push(k);
  const high = low.map((k) => n / k).filter((k) => k * k > n);
  return [...low, ...high.reverse()];
}

/** What was typed, as { value } or as { problem }. Separators are fine before three digits, not inside of “1,5”.
 * @param {string} text  @param {number} largest */
function parseWhole(text, largest) {
  const digits = text.trim().replace(/(?<=\d)[\s,_'’](?=\d{3}(?!\d))/g, "");
  const range = `enter a whole number from 1 to ${grouped(largest)}`;
  if (digits === "") return { problem: `nothing is entered; ${range}` };
  if (/^\d[\d.,]*\s*(e\+?\d+|[kmbgt])$/i.test(digits)) return { problem: `“${text.trim()}” is not written in digits; ${range}, in digits` };
  if (!/^-?\d+$/.test(digits)) return { problem: `“${text.trim()}” is not a whole number; ${range}` };
  const value = BigInt(digits);
  if (value < 1n) return { problem: `${grouped(value)} is too small, it must be at least 1; ${range}` };
  if (value > BigInt(largest)) return { problem: `${grouped(value)} is out of range; ${range}` };
  return { value: Number(value) };
}

/** A slider and an entry for one number. The slider runs over `stops()`; the entry takes any whole number.
 * `onvalue(value)` hears of every change, `onproblem(text | "")` of what cannot be read.
 * A value stands on the slider where `place(value)` says, or else at the number of its stop or between two of them.
 * @param {{ symbol: string, label: string, largest: number | (() => number), stops: () => number[],
 *   place?: (value: number) => number, onvalue: (value: number) => void, onproblem: (text: string) => void }} options */
export function numberField({ symbol, label, largest, stops, place, onvalue, onproblem }) {
  const errorId = `bw-${Math.random().toString(36).slice(2)}`;
  const bound = () => (typeof largest === "function" ? largest() : largest);
  const standing = place ?? halfway;
  let current = []; // the stops
  let shown;
  let stood = 0; // where the slider stands for it
  let held = false; // by a pointer
  const slider = h("input", { type: "range", min: 0, step: place ? 1 : 0.5 });
  const entry = h("input", {
    type: "text",
    inputmode: "numeric",
    autocomplete: "off",
    spellcheck: "false",
    "aria-label": `${symbol}, ${label}, as a number`,
  });
  const error = h("p", { class: "bw-error", id: errorId, "aria-live": "polite" });

  const letGo = () => { held = false; };
  slider.addEventListener("pointerdown", () => { held = true; });
  // A click in place changes nothing, so `change` alone would not tell.
  for (const end of ["change", "pointercancel", "keydown"]) slider.addEventListener(end, letGo);
  slider.addEventListener("pointerup", () => setTimeout(letGo)); // what the release itself still sets is the pointer's
  slider.addEventListener("input", () => {
    const value = stopAt(Number(slider.value));
    show(value);
    onvalue(value);
  });
  entry.addEventListener("input", read);
  entry.addEventListener("change", tidy);

  /** The number of the stop; a value between two stops stands between them. @param {number} value */
  function halfway(value) {
    const below = Math.max(0, current.findLastIndex((stop) => stop <= value));
    return value > current[below] ? below + 0.5 : below;
  }
  /** The stop nearest to the pointer; a key leads to the next one in its direction. @param {number} at */
  function stopAt(at) {
    const away = (stop) => Math.abs(standing(stop) - at);
    const nearest = (stops) => stops.reduce((best, stop) => (away(stop) < away(best) ? stop : best));
    if (held) return nearest(current);
    // Outwards from the value shown, so that of several stops at one place the neighbour is met first.
    const ahead = at > stood ? current.filter((stop) => stop > shown) : current.filter((stop) => stop < shown).reverse();
    return ahead.length ? nearest(ahead) : shown;
  }
  function read() {
    const { value, problem } = parseWhole(entry.value, bound());
    refuse(problem ? `${symbol}: ${problem}.` : "");
    if (problem) onproblem(problem);
    else onvalue(value);
  }
  /** What was understood, in the form of all other numbers. */
  function tidy() {
    const { value } = parseWhole(entry.value, bound());
    if (value) entry.value = grouped(value);
  }
  function type(text) {
    entry.value = text;
    read();
    tidy();
  }
  function refuse(text) {
    error.textContent = text;
    blame(text ? errorId : "");
  }
  /** Mark the entry as one of those that a message is about. @param {string} id  of the message, or "" */
  function blame(id) {
    if (id) {
      entry.setAttribute("aria-invalid", "true");
      entry.setAttribute("aria-describedby", id);
    } else {
      entry.removeAttribute("aria-invalid");
      entry.removeAttribute("aria-describedby");
    }
  }
  function show(value) {
    shown = value;
    current = stops().filter((stop) => stop <= bound());
    const last = current.length - 1;
    slider.max = String(place ? place(Infinity) : Math.max(1, last)); // a slider with a single stop would stand at its beginning
    slider.value = !place && value >= current[last] ? slider.max : String(standing(value));
    stood = Number(slider.value);
    slider.setAttribute("aria-valuetext", spoken(value, label));
    if (parseWhole(entry.value, bound()).value !== value) entry.value = grouped(value);
    refuse("");
  }
  const name = h("span", { class: "bw-name" }, h("b", {}, symbol), ` ${label}`);
  const element = h("div", { class: "bw-field" }, h("label", {}, name, slider), entry, error);
  return { element, errorId, show, refuse, blame, type };
}

/** A value with its label: "12 layers", "1 head", "width 768". @param {number} value  @param {string} label */
export function spoken(value, label) {
  if (!label.endsWith("s")) return `${label} ${grouped(value)}`;
  return `${grouped(value)} ${value === 1 ? label.slice(0, -1) : label}`;
}

/** Where H and C stand on their sliders, up to 16,384: what is possible for one of them follows from the other,
 * but neither may seem to move when only the other does. @param {number} value */
const octaves = (value) => Math.round(100 * Math.log2(Math.min(value, 2 ** 14)));

/** The entry of a configuration: a choice of presets, a field for each symbol, and biases on or off.
 * Only what describes a model reaches `model.config`; anything else is explained beside the field.
 * @param {any} model  @param {string[]} symbols  @param {boolean} withBias */
export function configEditor(model, symbols, withBias = false) {
  const data = model.get("data");
  let draft = { ...model.get("config") }; // what the fields say; model.config lags behind while it is impossible
  const unreadable = new Set();
  let changed = symbols.includes("H") ? "H" : "C"; // of H and C the one set last: there a pair that does not fit is explained
  const fields = {};

  const stopsOf = {
    H: () => divisors(draft.n_embd),
    C: () => data.head_widths.map((width) => width * draft.n_head),
  };
  for (const { symbol, field, label, stops } of data.fields.filter((entry) => symbols.includes(entry.symbol))) {
    fields[symbol] = numberField({
      symbol,
      label,
      largest: data.largest,
      stops: stopsOf[symbol] ?? (() => stops),
      place: stopsOf[symbol] && octaves,
      onvalue(value) {
        draft[field] = value;
        if (symbol === "H" || symbol === "C") changed = symbol;
        unreadable.delete(symbol);
        submit();
      },
      onproblem() {
        unreadable.add(symbol);
        submit();
      },
    });
  }

  const preset = h("select", {
    onchange() {
      if (!preset.value) return;
      draft = { ...data.presets[preset.value], dropout: draft.dropout };
      unreadable.clear();
      submit();
    },
  });
  preset.append(
    h("option", { value: "" }, "own configuration"),
    ...Object.keys(data.presets).map((name) => h("option", { value: name }, name === "default" ? `default (V = ${grouped(data.presets.default.vocab_size)})` : name)),
  );
  const bias = h("input", {
    type: "checkbox",
    onchange() {
      draft.bias = bias.checked;
      submit();
    },
  });

  const stale = h("p", { class: "bw-muted", hidden: true }, "What is shown belongs to the last possible configuration.");
  const notice = h("p", { class: "bw-error", role: "status" });
  let held = false;

  /** Say whether the results lag behind the fields; they are dimmed meanwhile. @param {boolean} lag */
  function setStale(lag) {
    stale.hidden = !lag;
    element.closest("section")?.classList.toggle("bw-stale", lag);
  }

  function submit() {
    if (held) return;
    const problem = headProblem(draft);
    if (!problem && !unreadable.size) {
      model.set("config", { ...draft });
      model.save_changes();
      paint();
      return;
    }
    setStale(true);
    preset.value = "";
    for (const { symbol, field } of data.fields) if (!unreadable.has(symbol)) fields[symbol]?.show(draft[field]);
    if (!problem || unreadable.has("H") || unreadable.has("C")) return;
    fields[changed].refuse(problem);
    for (const symbol of ["H", "C"]) fields[symbol]?.blame(fields[changed].errorId);
  }
  function paint() {
    const config = model.get("config");
    draft = { ...config };
    setStale(false);
    notice.textContent = "";
    unreadable.clear();
    for (const { symbol, field } of data.fields) fields[symbol]?.show(config[field]);
    bias.checked = config.bias;
    const same = (preset) => data.fields.every(({ field }) => preset[field] === config[field]) && preset.bias === config.bias;
    preset.value = Object.keys(data.presets).find((name) => same(data.presets[name])) ?? "";
  }
  /** Fill in values as text, which may be impossible; what is not named stays. @param {URLSearchParams} texts  by symbol */
  function propose(texts) {
    held = true;
    for (const symbol of Object.keys(fields)) if (texts.has(symbol)) fields[symbol].type(texts.get(symbol));
    const biases = texts.get("bias") ?? String(Number(draft.bias));
    if (/^[01]$/.test(biases)) draft.bias = bias.checked = biases === "1";
    held = false;
    submit();
    if (!/^[01]$/.test(biases)) notice.textContent = `bias: “${biases}” in the address is neither 0 (without) nor 1 (with biases).`;
  }

  const element = h(
    "div",
    { class: "bw-editor" },
    h("label", { class: "bw-choice" }, h("span", { class: "bw-name" }, "Preset"), preset),
    ...Object.values(fields).map((field) => field.element),
  );
  if (withBias) element.append(h("label", { class: "bw-check" }, bias, " biases in Linear and LayerNorm"));
  element.append(notice, stale);
  paint();
  return { element, paint, propose };
}

/** Why these heads do not fit this width, and which would; or "". */
function headProblem({ n_head, n_embd }) {
  if (n_embd % n_head === 0) return "";
  const fitting = divisors(n_embd);
  const near = [fitting.filter((k) => k < n_head).at(-1), fitting.find((k) => k > n_head)].filter(Boolean);
  return `H: ${grouped(n_head)} heads do not divide C = ${grouped(n_embd)}; nearest that do: ${near.map(grouped).join(" or ")}.`;
}

/** A table whose body is filled later. The caption is its heading; the last columns, as many as `numbers`, hold numbers.
 * @param {string | Node} caption  @param {string[]} head  @param {Element} body  @param {number} numbers */
export function table(caption, head, body, numbers = 1) {
  const cells = head.map((name, i) => h("th", { scope: "col", class: i >= head.length - numbers && "bw-n" }, name));
  return h("table", {}, h("caption", {}, caption), h("thead", {}, h("tr", {}, ...cells)), body);
}

/** A cell with a whole number. */
export const number = (n) =>
  grouped(n).length > 20 ? h("td", { class: "bw-n bw-long" }, ...breakable(grouped(n))) : h("td", { class: "bw-n" }, grouped(n));

/** One line of results: what, and how much. */
export const fact = (name, value) => h("span", { class: "bw-fact" }, h("span", {}, name), h("strong", {}, ...breakable(value)));

/** The frame of a widget: its name, and `paint` on every change of the named traits.
 * `paint` returns the result in a sentence, which is announced once the reader pauses: a slider that is being moved
 * would otherwise be answered by a queue of results.
 * @param {{ model: any, el: HTMLElement }} place  @param {string} title  @param {string[]} traits
 * @param {() => string} paint  @param {...Node} children
 * @returns {() => void} what takes the listeners away again */
export function mount({ model, el }, title, traits, paint, ...children) {
  const announced = h("output", { class: "bw-hidden", "aria-live": "polite" });
  let pause;
  const repaint = () => {
    const sentence = paint();
    clearTimeout(pause);
    pause = setTimeout(() => { announced.textContent = sentence; }, 300);
  };
  el.classList.add("bw");
  el.append(h("section", { "aria-label": title }, h("p", { class: "bw-title" }, title), ...children, announced));
  // JupyterLab takes the arrow keys from a slider unless it finds this on the element that has the focus.
  for (const control of el.querySelectorAll("input, select, button, summary")) {
    control.setAttribute("data-lm-suppress-shortcuts", "true");
  }
  paint();
  for (const trait of traits) model.on(`change:${trait}`, repaint);
  return () => {
    clearTimeout(pause);
    traits.forEach((trait) => model.off(`change:${trait}`, repaint));
  };
}
