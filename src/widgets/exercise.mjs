// An exercise in the page: answers are read, hashed and compared with keys; no answer is in here.
import { grouped, h } from "./shared.mjs";
import { CLEARED, clearedElsewhere, remember } from "./solved.mjs";

const KEY_CHARACTERS = 6;
const ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_.";

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

const singleSpaced = (text) => text.replace(/[\s\u00a0\u2009\u202f]+/g, " ");
const shown = (text, longest) => {
  const characters = [...text.trim()];
  return characters.length <= longest ? text.trim() : `${characters.slice(0, longest).join("")}…`;
};

/** Reads what `sealed` in exercise_pages.py closed, with the answer that it was closed with. */
function opened(text, id, instance, answer) {
  const mask = (i) => keyOf(id, instance, `${answer}/${Math.floor(i / KEY_CHARACTERS)}`).charCodeAt(i % KEY_CHARACTERS);
  return Array.from(text, (character, i) => String.fromCharCode(character.charCodeAt(0) ^ mask(i))).join("");
}

/** A typed number as an exact fraction, or what was not understood; one of the units may follow it.
 * @returns {{ top: bigint, bottom: bigint, shortened: boolean } | { problem: string }} */
export function readNumber(text, data, units = []) {
  const words = data.sentences;
  const got = shown(text, data.longest);
  const folded = text.replace(/[\uff01-\uff5e]/g, (wide) => String.fromCharCode(wide.charCodeAt(0) - 0xfee0));
  const plain = singleSpaced(folded.replace(/[\u2212\u2013]/g, "-")).trim();
  if (!plain) return { problem: words.empty };
  const match = [...plain].length <= data.longest && plain.match(new RegExp(`^(?:${data.pattern})$`, "i"));
  if (!match) {
    const formula = new RegExp(data.formula, "i").test(plain);
    return { problem: filled(formula ? words.formula : /[0-9],[0-9]/.test(plain) ? words.comma : words.unread, { got }) };
  }
  let [, sign, whole, decimals = "", exponent = "", suffix = "", word = ""] = match;
  if (!word && units.includes(suffix.toLowerCase())) [suffix, word] = ["", suffix];
  if (word && !units.includes(word.toLowerCase())) return { problem: filled(words.word, { got }) };
  const digits = BigInt(whole.replace(/[^0-9]/g, "") + decimals) * (sign === "-" ? -1n : 1n);
  const power = Number(exponent || 0) + data.powers[suffix.toLowerCase()] - decimals.length;
  const scale = 10n ** BigInt(Math.abs(power));
  const factor = BigInt(data.bytes[word.toLowerCase()] ?? 1);
  const [top, bottom] = power < 0 ? [digits * factor, scale] : [digits * factor * scale, 1n];
  return { top, bottom, shortened: Boolean(exponent || suffix || factor > 1n) };
}

/** The first two digits of a number, or its only one, and their place: 33e-1 for 3.365, 3e0 for 3. */
function leadingDigits({ top, bottom }) {
  if (top <= 0n) return "";
  let place = 0;
  for (; top >= 100n * bottom; place += 1) bottom *= 10n;
  for (; top < 10n * bottom; place -= 1) top *= 10n;
  return top % (10n * bottom) ? `${top / bottom}e${place}` : `${top / (10n * bottom)}e${place + 1}`;
}

/** What is hashed: the number in lowest terms, or with a tolerance the numbers of all cells that are near enough. */
function written({ top, bottom }, tolerance, grid) {
  if (!tolerance) {
    let [a, b] = [top < 0n ? -top : top, bottom];
    while (b) [a, b] = [b, a % b];
    return [`${top / a}/${bottom / a}`];
  }
  const [over, under] = tolerance.map(BigInt);
  const [dividend, divisor] = [2n * top * under * BigInt(grid) + bottom * over, 2n * bottom * over];
  const cell = (dividend - (((dividend % divisor) + divisor) % divisor)) / divisor;
  return Array.from({ length: 2 * grid + 1 }, (_, i) => `${cell + BigInt(i - grid)}/1`);
}

/** The verdict on a number. A verdict has `right` and `lines`, each of them a list of [sentence, place to read again]. */
function judgeNumber(question, instance, typed, data) {
  const words = data.sentences;
  const number = readNumber(typed, data, question.units);
  if (number.problem) return refused(number.problem);
  const got = shown(typed, data.longest);
  const split = (keys) => keys.match(new RegExp(`.{${KEY_CHARACTERS}}`, "g")) ?? [];
  const keys = split(question.keys[instance]);
  const about = keyOf(question.id, instance, `about ${leadingDigits(number)}`);
  const rounded = split(question.rounded[instance]).includes(about);
  const met = ({ top, bottom }) => {
    const texts = written({ top, bottom }, question.tolerance, data.grid);
    const tried = new Set(texts.map((text) => keyOf(question.id, instance, text)));
    return keys.map((key) => tried.has(key));
  };
  const [right, ...wrong] = met(number);
  if (right) return { right: true, lines: [[[filled(words.right, { got })]]] };

  let found = question.slips.flatMap((slip, i) => (wrong[i] ? [[slip]] : []));
  if (!found.length) {
    const pair = ([i, j], n) => (wrong[question.slips.length + n] ? [[question.slips[i], question.slips[j]]] : []);
    found = question.pairs.flatMap(pair);
  }
  if (found.length) return { lines: explanation(got, found, words) };
  const name = () => {
    if (!question.tolerance && number.shortened && rounded) return "rounded";
    if (!question.tolerance) return number.top % number.bottom ? "fraction" : "unknown";
    const [over, under] = question.tolerance.map(BigInt);
    if (over > under && met({ ...number, top: number.top * 1000000n })[0]) return "millions";
    if ((over < under || number.shortened) && got.split(",").length === 2) return "thousands";
    return rounded ? "coarse" : "unknown";
  };
  return refused(filled(words[name()], { got, next_step: question.next_step }));
}

const refused = (text, place) => ({ lines: [[[text, place]]] });

/** One mistake in one line; two together, or several that lead to the same number, each in a line of its own. */
function explanation(got, found, words) {
  const [slips] = found;
  if (found.length === 1 && slips.length === 1) return [[[filled(words.slip, { got, cause: slips[0][0] }), slips[0][1]]]];
  if (found.length === 1) return [[[filled(words.pair, { got })]], ...slips.map((slip) => [slip])];
  const both = ([[cause, place], second]) => [[filled(words.both, { cause }), place], second];
  return [[[filled(words.several, { got })]], ...found.map((causes) => (causes.length === 2 ? both(causes) : causes))];
}

function judgeListed(question, instance, got, reason, data) {
  const words = data.sentences;
  if (!got) return refused(words.choose);
  if (keyOf(question.id, instance, got) !== question.keys[instance]) {
    const [cause, place] = reason;
    return refused(filled(words.slip, { got, cause }), place);
  }
  if (!question.sealed) return { right: true, lines: [[[filled(words.right, { got })]]] };
  const cause = opened(question.sealed[instance], question.id, instance, got);
  return { right: true, lines: [[[filled(words["right line"], { got, cause })]]] };
}

function judgeDesign(question, instance, typed, data) {
  const words = data.sentences;
  const missing = ["C", "H"].filter((_, i) => !typed[i].trim());
  if (missing.length) return refused(filled(words.missing, { name: missing.join(" and ") }));
  const sizes = [];
  for (const [i, text] of typed.entries()) {
    const number = readNumber(text, data);
    if (number.problem) return refused(filled(words.field, { name: "CH"[i], problem: number.problem }));
    if (number.top % number.bottom || number.top < number.bottom)
      return refused(filled(words.size, { got: shown(text, data.longest) }));
    sizes.push(number.top / number.bottom);
  }
  const [C, H] = sizes;
  const [V, T, L, budget] = question.sizes[instance].map(BigInt);
  const count = (width) => {
    const dims = { V, T, L, C: width };
    return question.terms.reduce((sum, [k, symbols]) => sum + symbols.reduce((n, s) => n * dims[s], BigInt(k)), 0n);
  };
  const step = BigInt(question.step);
  const numbers = { C, H, step, wider: C + step, count: count(C), over: count(C) - budget, wider_count: count(C + step) };
  const values = Object.fromEntries(Object.entries(numbers).map(([name, n]) => [name, grouped(n)]));
  const say = (name) => ({ right: name === "widest", lines: [[[filled(words[name], values), question.places[name]]]] });
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
  const first = h("button", { type: "button", onclick: back }, words[1]);
  const announced = h("span", { class: "bw-hidden", "aria-live": "polite" });

  function move(instance) {
    model.set("instance", instance % data.rows.length);
    forget();
    announced.textContent = questions[0].asked();
  }
  /** To the numbers of the text; its button hides, so the focus goes to the other one. */
  function back() {
    move(0);
    another.focus();
  }
  function forget() {
    model.set("typed", {});
    model.set("hints", {});
    model.save_changes();
    paint();
  }
  function clear() {
    model.set("instance", 0);
    forget();
    questions.forEach((question) => question.clear());
  }
  function follow(event) {
    if (clearedElsewhere(event)) clear();
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
  window.addEventListener(CLEARED, clear);
  window.addEventListener("storage", follow);
  paint();
  return () => {
    window.removeEventListener(CLEARED, clear);
    window.removeEventListener("storage", follow);
    el.replaceChildren();
  };
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
        const code = lines.map((line, i) => choice(`${i + 1}`, h("span", { class: "bw-line" }, h("span", {}, `${i + 1}`), h("code", {}, line))));
        return [title, h("div", { class: "bw-scroll", role: "region", "aria-label": "Code", tabindex: 0 }, ...code)];
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
    const [first, ...list] = verdict.lines.map((line) => line.flatMap(sentence));
    said.replaceChildren(...first, ...(list.length ? [h("ul", {}, ...list.map((parts) => h("li", {}, ...parts)))] : []));
    said.dataset.right = verdict.right ? "yes" : "no";
    if (verdict.right) remember(question.id);
  }
  /** A sentence, and after it "See 4.2, “…”." with a link. */
  function sentence([text, place], i) {
    const space = i ? " " : "";
    if (!place) return [`${space}${text}`];
    const [before, after] = data.sentences.see.split("{place}");
    const [name, address] = data.places[place];
    return [`${space}${text} ${before}`, h("a", { href: address }, name), after];
  }
  function showHint() {
    keep("hints", Math.min((model.get("hints")[question.id] ?? 0) + 1, question.hints.length));
    paintHints();
    if (more.hidden) hints.lastElementChild.focus(); // a hidden button would lose the focus
  }
  function paintHints() {
    const open = model.get("hints")[question.id] ?? 0;
    while (hints.children.length > open) hints.lastElementChild.remove();
    for (const hint of question.hints.slice(hints.children.length, open)) hints.append(h("li", { tabindex: -1 }, hint));
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
  function clear() {
    drawn = null;
    paint();
  }
  const inputsAreChoices = () => question.kind === "choice" || question.kind === "line";

  return { element: form, paint, clear, asked };
}

export default { render };
