// An exercise in the page: answers are read, hashed and compared with keys; no answer is in here.
import { h } from "./shared.mjs";

const KEY_CHARACTERS = 6;
const ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_.";
const PROGRESS = "exercises solved";

/** The key of an answer, as `key` in exercise_pages.py makes it.
 * @param {string} id  @param {number} instance  @param {string} answer */
export function keyOf(id, instance, answer) {
  const cut = (n) => BigInt.asUintN(64, n);
  let x = 0xcbf29ce484222325n;
  for (const byte of new TextEncoder().encode(`${id}/${instance}/${answer}`)) x = cut((x ^ BigInt(byte)) * 0x100000001b3n);
  for (const factor of [0xff51afd7ed558ccdn, 0xc4ceb9fe1a85ec53n]) x = cut((x ^ (x >> 33n)) * factor);
  x ^= x >> 33n;
  return Array.from({ length: KEY_CHARACTERS }, (_, i) => ALPHABET[Number((x >> BigInt(6 * i)) & 63n)]).join("");
}

/** Puts values in place of the names in braces. @param {string} text  @param {Record<string, any>} values */
const filled = (text, values) => text.replace(/\{(\w+)\}/g, (_, name) => values[name]);

const pythonSpace = (text) => text.replace(/[\s\u00a0\u2009\u202f]+/g, " ");
const shown = (text, longest) => {
  const characters = [...text.trim()];
  return characters.length <= longest ? text.trim() : `${characters.slice(0, longest).join("")}…`;
};

/** A typed number as an exact fraction, or what was not understood.
 * @returns {{ top: bigint, bottom: bigint, shortened: boolean } | { problem: string }} */
export function readNumber(text, data) {
  const plain = pythonSpace(text.replace(/[\u2212\u2013]/g, "-")).trim();
  if (!plain) return { problem: data.sentences.empty };
  const match = [...plain].length <= data.longest && plain.match(new RegExp(`^(?:${data.pattern})$`, "i"));
  if (!match) return { problem: filled(data.sentences.unread, { got: shown(text, data.longest) }) };
  const [, sign, whole, decimals = "", exponent = "", suffix] = match;
  const digits = BigInt(whole.replace(/[,_ ]/g, "") + decimals) * (sign === "-" ? -1n : 1n);
  const power = Number(exponent || 0) + data.powers[suffix.toLowerCase()] - decimals.length;
  const scale = 10n ** BigInt(Math.abs(power));
  const [top, bottom] = power < 0 ? [digits, scale] : [digits * scale, 1n];
  return { top, bottom, shortened: Boolean(exponent || suffix) };
}

/** What is hashed: the number in lowest terms, or the number of the nearest multiple of the unit and its neighbours. */
function written({ top, bottom }, unit) {
  if (!unit) {
    let [a, b] = [top < 0n ? -top : top, bottom];
    while (b) [a, b] = [b, a % b];
    return [`${top / a}/${bottom / a}`];
  }
  const [over, under] = unit.map(BigInt);
  const [dividend, divisor] = [2n * top * under + bottom * over, 2n * bottom * over];
  const cell = (dividend - (((dividend % divisor) + divisor) % divisor)) / divisor;
  return [cell, cell - 1n, cell + 1n].map((n) => `${n}/1`);
}

/** The verdict on a number: right or not, the sentence, and the places to read again. */
function judgeNumber(question, instance, typed, data) {
  const words = data.sentences;
  const number = readNumber(typed, data);
  if (number.problem) return { text: number.problem };
  const got = shown(typed, data.longest);
  const tried = written(number, question.unit).map((text) => keyOf(question.id, instance, text));
  const keys = question.keys[instance].match(new RegExp(`.{${KEY_CHARACTERS}}`, "g"));
  const met = (i) => tried.includes(keys[i]);
  if (met(0)) return { right: true, text: filled(words.right, { got }) };

  let found = question.slips.flatMap((slip, i) => (met(1 + i) ? [[slip]] : []));
  if (!found.length) {
    const pair = ([i, j], n) => (met(1 + question.slips.length + n) ? [[question.slips[i], question.slips[j]]] : []);
    found = question.pairs.flatMap(pair);
  }
  if (found.length) return { text: explanation(got, found, words), places: [...new Set(found.flat().map(([, place]) => place))] };
  if (!question.unit && number.top % number.bottom) return { text: filled(words.fraction, { got }) };
  const name = number.shortened && !question.unit ? "rounded" : "unknown";
  return { text: filled(words[name], { got, next_step: question.next_step }) };
}

/** The sentence for one mistake, for two together, or for several that lead to the same number. */
function explanation(got, found, words) {
  const values = (slips) => ({ got, cause: slips[0][0], second: slips.at(-1)[0] });
  if (found.length === 1) return filled(found[0].length === 1 ? words.slip : words.pair, values(found[0]));
  const causes = found.map((slips) => filled(slips.length === 1 ? words.either : words.both, values(slips))).join(" ");
  return filled(words.several, { got, causes });
}

function judgeListed(question, instance, got, reason, data) {
  const words = data.sentences;
  if (!got) return { text: words.empty };
  if (keyOf(question.id, instance, got) === question.keys[instance]) return { right: true, text: filled(words.right, { got }) };
  return { text: filled(words.slip, { got, cause: reason }), places: [question.place] };
}

function judgeDesign(question, instance, typed, data) {
  const words = data.sentences;
  const sizes = [];
  for (const text of typed) {
    const number = readNumber(text, data);
    if (number.problem) return { text: number.problem };
    if (number.top % number.bottom || number.top < number.bottom)
      return { text: filled(words.size, { got: shown(text, data.longest) }) };
    sizes.push(number.top / number.bottom);
  }
  const [C, H] = sizes;
  const [V, T, L, budget] = question.sizes[instance].map(BigInt);
  const count = (width) => {
    const dims = { V, T, L, C: width };
    return question.terms.reduce((sum, [k, symbols]) => sum + symbols.reduce((n, s) => n * dims[s], BigInt(k)), 0n);
  };
  const step = BigInt(question.step);
  const grouped = (n) => n.toLocaleString("en-US");
  const values = { C, H, step, wider: C + step, count: grouped(count(C)), over: grouped(count(C) - budget), wider_count: grouped(count(C + step)) };
  const say = (name) => ({ right: name === "widest", text: filled(words[name], values), places: name === "widest" ? [] : [question.place] });
  if (C % step) return say("width");
  if (C % H) return say("heads");
  if (count(C) > budget) return say("over");
  return say(count(C + step) <= budget ? "narrow" : "widest");
}

function render({ model, el }) {
  const data = model.get("data");
  const questions = data.questions.map((question) => questionForm(question, model, data));
  const which = h("span", { class: "bw-muted" });
  const words = data.questions[0].kind === "line" ? ["Next piece", "First piece", "Piece"] : ["New numbers", "Numbers of the text", "Numbers"];
  const another = h("button", { type: "button", onclick: () => move(model.get("instance") + 1) }, words[0]);
  const first = h("button", { type: "button", onclick: () => move(0) }, words[1]);
  const announced = h("span", { class: "bw-hidden", "aria-live": "polite" });

  function move(instance) {
    model.set("instance", instance % data.rows.length);
    model.set("typed", {});
    model.save_changes();
    paint();
    announced.textContent = questions[0].asked();
  }
  function paint() {
    const instance = model.get("instance");
    questions.forEach((question) => question.paint());
    which.textContent = instance ? `${words[2]} ${instance + 1} of ${data.rows.length}` : "";
    first.hidden = instance === 0;
  }

  el.classList.add("bw", "bw-exercise");
  const actions = h("div", { class: "bw-actions" }, another, first, which, announced);
  el.append(h("section", { "aria-label": data.title }, ...questions.map((question) => question.element), actions));
  paint();
  return () => el.replaceChildren();
}

function questionForm(question, model, data) {
  const ask = h("p", { class: "bw-ask", id: `ask-${question.id}` });
  const field = h("div", { class: "bw-answer" });
  const said = h("output", { class: "bw-said", "aria-live": "polite" });
  const hints = h("ol", { class: "bw-hints", "aria-live": "polite" });
  const more = h("button", { type: "button", onclick: showHint });
  const submit = h("button", { type: "submit" }, "Check");
  const form = h("form", { novalidate: true, "aria-labelledby": ask.id }, ask, h("div", { class: "bw-row" }, field, h("div", { class: "bw-actions" }, submit, more)), said, hints);
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    check();
  });
  let drawn = null;

  const instance = () => model.get("instance");
  const values = () => Object.fromEntries(data.names.map((name, i) => [name, data.rows[instance()][i]]));
  const asked = () => filled(question.ask, values());
  const keep = (name, value) => {
    model.set(name, { ...model.get(name), [question.id]: value });
    model.save_changes();
  };
  const entry = (label, name) => {
    const input = h("input", { type: "text", autocomplete: "off", spellcheck: "false", autocapitalize: "off", name });
    input.addEventListener("input", () => keep("typed", read()));
    return h("label", { class: "bw-entry" }, label, input);
  };
  const choice = (value, ...content) => {
    const input = h("input", { type: "radio", name: `answer-${question.id}`, value });
    input.addEventListener("change", () => keep("typed", read()));
    return h("label", { class: "bw-option" }, input, h("span", {}, ...content));
  };

  const kinds = {
    number: {
      fields: () => [entry("Your answer", "answer")],
      judge: ([typed]) => judgeNumber(question, instance(), typed, data),
    },
    design: {
      fields: () => [entry("C", "C"), entry("H", "H")],
      judge: (typed) => judgeDesign(question, instance(), typed, data),
    },
    choice: {
      fields: () => question.orders[instance()].map((option, i) => choice("abcdef"[i], `${"abcdef"[i]}. ${question.options[option]}`)),
      judge([typed]) {
        const option = question.orders[instance()]["abcdef".indexOf(typed)];
        return judgeListed(question, instance(), typed, question.reasons[keyOf(question.id, -1, `${option}`)], data);
      },
    },
    line: {
      fields() {
        const [snippet, lines] = question.code[instance()];
        const title = h("p", { class: "bw-muted" }, question.snippets[snippet].title);
        return [title, ...lines.map((line, i) => choice(`${i + 1}`, h("span", { class: "bw-line" }, h("span", {}, `${i + 1}`), h("code", {}, line))))];
      },
      judge([typed]) {
        const [snippet] = question.code[instance()];
        return judgeListed(question, instance(), typed, question.snippets[snippet].reasons[Number(typed) - 1], data);
      },
    },
  };
  const kind = kinds[question.kind];

  const inputs = () => [...field.querySelectorAll("input")];
  /** What is typed or chosen, as a list of texts. */
  function read() {
    if (inputs().every((input) => input.type === "text")) return inputs().map((input) => input.value);
    return [inputs().find((input) => input.checked)?.value ?? ""];
  }
  function check() {
    const verdict = kind.judge(read());
    said.replaceChildren(verdict.text, ...see(verdict.places ?? []));
    said.dataset.right = verdict.right ? "yes" : "no";
    if (verdict.right) remember(question.id);
  }
  /** " See 4.2, “…” and 4.1, “…”." with links. */
  function see(places) {
    if (!places.length) return [];
    const [before, after] = data.sentences.see.split("{places}");
    const links = places.flatMap((place, i) => {
      const [text, address] = data.places[place];
      return [i ? " and " : "", h("a", { href: address }, text)];
    });
    return [` ${before}`, ...links, after];
  }
  function showHint() {
    keep("hints", Math.min((model.get("hints")[question.id] ?? 0) + 1, question.hints.length));
    paintHints();
  }
  function paintHints() {
    const open = model.get("hints")[question.id] ?? 0;
    for (const hint of question.hints.slice(hints.children.length, open)) hints.append(h("li", {}, hint));
    const left = question.hints.length - open;
    more.textContent = left === question.hints.length ? "Hint" : `Next hint (${left} left)`;
    more.hidden = left === 0;
    hints.hidden = open === 0;
  }
  function paint() {
    if (drawn !== instance()) {
      drawn = instance();
      ask.textContent = asked();
      const parts = kind.fields();
      const group = inputsAreChoices() ? [h("fieldset", {}, h("legend", { class: "bw-hidden" }, asked()), ...parts)] : parts;
      field.replaceChildren(...group);
      said.replaceChildren();
      const typed = model.get("typed")[question.id] ?? [];
      inputs().forEach((input, i) => {
        if (input.type === "text") input.value = typed[i] ?? "";
        else input.checked = input.value === typed[0];
      });
    }
    paintHints();
  }
  const inputsAreChoices = () => question.kind === "choice" || question.kind === "line";

  return { element: form, paint, asked };
}

/** Keeps in this browser that a question was answered, and tells the overview. @param {string} id */
function remember(id) {
  try {
    const solved = JSON.parse(localStorage.getItem(PROGRESS)) ?? {};
    localStorage.setItem(PROGRESS, JSON.stringify({ ...solved, [id]: true }));
  } catch {
    // Nothing is kept where the browser refuses it; the verdict stands all the same.
  }
  window.dispatchEvent(new CustomEvent(PROGRESS));
}

export default { render };
