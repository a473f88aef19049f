// Statements of an article: the reader's verdict first, then ours with its reason, and at the end a score.
import { h } from "./shared.mjs";

const RIGHT = "right";

/** The beginning of a statement, for a list. @param {string} text */
const shortened = (text) => (text.length > 50 ? `${text.slice(0, 48).trimEnd()}…` : text);

function render({ model, el }) {
  const { claims, verdicts, mistakes, lab } = model.get("data");
  const answerTo = (claim) => model.get("answers")[claim.id];
  const agreed = (claim) => answerTo(claim) === claim.verdict;

  const place = h("select", { onchange: () => show(Number(place.value)) });
  const heading = h("span", { class: "bw-title" });
  const score = h("span", { class: "bw-muted" });
  const statement = h("p", { class: "bw-claim", tabindex: "-1" });
  const options = verdicts.map((verdict) => {
    const input = h("input", { type: "radio", name: "verdict", value: verdict });
    return { input, element: h("label", { class: "bw-option" }, input, h("span", {}, verdict)) };
  });
  const submit = h("button", { type: "submit" }, "Give this verdict");
  const said = h("output", { class: "bw-said", "aria-live": "polite", tabindex: "-1" });
  const form = h("form", { novalidate: true, onsubmit: judge },
    h("fieldset", { class: "bw-verdicts" }, h("legend", {}, "Your verdict"), ...options.map(({ element }) => element)), submit);
  const previous = h("button", { type: "button", onclick: () => step(-1) }, "Previous");
  const next = h("button", { type: "button", onclick: () => step(1) }, "Next");
  const summary = h("summary", {}, "Your score");
  const report = h("div", { class: "bw-scroll" });
  const scoreBox = h("details", {}, summary, report);
  const again = h("button", { type: "button", onclick: restart }, "Start again");
  const all = h("details", {}, h("summary", {}, "All statements with our verdicts"));

  const current = () => claims[model.get("current")];

  function show(index) {
    model.set("current", index);
    model.save_changes();
  }
  function step(by) {
    const index = model.get("current") + by;
    if (index < 0 || index >= claims.length) return;
    show(index);
    statement.focus({ preventScroll: true });
  }
  function judge(event) {
    event.preventDefault();
    if (answerTo(current())) return;
    const chosen = options.find(({ input }) => input.checked);
    if (!chosen) {
      said.removeAttribute("data-right");
      said.replaceChildren("Choose one of the four verdicts first.");
      return;
    }
    model.set("answers", { ...model.get("answers"), [current().id]: chosen.input.value });
    model.save_changes();
    if (claims.every(answerTo)) scoreBox.open = true;
    said.focus({ preventScroll: true }); // the button that had the focus is gone
  }
  function restart() {
    model.set("answers", {});
    show(0);
    scoreBox.open = false;
    statement.focus({ preventScroll: true });
  }

  const source = (claim, words) => h("a", { href: `${lab}#${claim.cell}` }, words);

  function paint() {
    const claim = current();
    const given = answerTo(claim);
    const answered = claims.filter(answerTo);
    paintPlaces();
    heading.textContent = `Statement ${model.get("current") + 1} of ${claims.length}: ${claim.topic}`;
    statement.textContent = claim.statement;
    for (const { input } of options) {
      input.checked = input.value === given;
      input.disabled = Boolean(given);
    }
    submit.hidden = Boolean(given);
    if (given) {
      said.dataset.right = agreed(claim) ? "yes" : "no";
      const opening = agreed(claim) ? "We agree: " : "Our verdict is another: ";
      said.replaceChildren(opening, h("strong", {}, claim.verdict), `. ${claim.reason} `, source(claim, "The cells behind it"));
    } else {
      said.replaceChildren();
    }
    previous.setAttribute("aria-disabled", model.get("current") === 0);
    next.setAttribute("aria-disabled", model.get("current") === claims.length - 1);
    score.textContent = answered.length
      ? `${answered.length} of ${claims.length} judged, ${answered.filter(agreed).length} like us`
      : `${claims.length} statements`;
    again.hidden = scoreBox.hidden = answered.length === 0;
    if (answered.length) paintReport(answered);
  }

  function paintPlaces() {
    const groups = new Map();
    claims.forEach((claim, index) => {
      const mark = answerTo(claim) ? (agreed(claim) ? "✓ " : "✗ ") : "";
      const option = h("option", { value: index }, `${index + 1}. ${mark}${shortened(claim.statement)}`);
      groups.set(claim.topic, [...(groups.get(claim.topic) ?? []), option]);
    });
    place.replaceChildren(...[...groups].map(([topic, items]) => h("optgroup", { label: topic }, ...items)));
    place.value = String(model.get("current"));
  }

  /** What the reader judged as we do, and what was taken for right, by kind of mistake. */
  function paintReport(answered) {
    const kinds = Object.entries(mistakes).map(([kind, name]) => {
      const met = answered.filter(({ mistake }) => mistake === kind);
      return { name, met: met.length, alike: met.filter(agreed).length, believed: met.filter((claim) => answerTo(claim) === RIGHT).length };
    }).filter(({ met }) => met);
    const sound = answered.filter(({ mistake }) => !mistake);
    const row = (...cells) => h("tr", {}, ...cells.map((cell, i) => h("td", i ? { class: "bw-n" } : {}, String(cell))));
    const head = h("tr", {}, ...["kind of mistake", "judged alike", "taken for right"].map((name, i) => h("th", { scope: "col", class: i ? "bw-n" : false }, name)));
    const rows = kinds.map(({ name, met, alike, believed }) => row(name, `${alike} of ${met}`, believed || "none"));
    if (sound.length) rows.push(row("none: the statement is right", `${sound.filter(agreed).length} of ${sound.length}`, sound.filter(agreed).length || "none"));
    const most = Math.max(0, ...kinds.map(({ believed, met }) => believed / met));
    const missed = kinds.filter(({ believed, met }) => most > 0 && believed / met === most).map(({ name }) => name);
    const doubted = sound.length - sound.filter(agreed).length;
    const words = [
      missed.length ? `What you miss most often: ${missed.join("; ")}.` : "You took no statement with a mistake for right.",
      doubted ? `You doubted ${doubted} of ${sound.length} statements that are right.` : "",
    ];
    report.replaceChildren(h("p", {}, words.join(" ").trim()), h("table", {}, h("thead", {}, head), h("tbody", {}, ...rows)));
  }

  /** The address #claim-… shows that statement. */
  function follow() {
    const index = claims.findIndex(({ id }) => location.hash === `#claim-${id}`);
    if (index < 0) return;
    show(index);
    el.scrollIntoView({ block: "center" });
  }

  all.addEventListener("toggle", () => {
    if (!all.open || all.children.length > 1) return;
    const item = (claim) => h("li", { value: claims.indexOf(claim) + 1 }, claim.statement, " ", h("strong", {}, `${claim.verdict}.`), ` ${claim.reason} `, source(claim, "Lab"));
    const list = (topic) => h("section", {}, h("p", { class: "bw-title" }, topic), h("ol", {}, ...claims.filter((claim) => claim.topic === topic).map(item)));
    all.append(h("div", { class: "bw-all" }, ...[...new Set(claims.map(({ topic }) => topic))].map(list)));
  });

  el.classList.add("bw", "bw-claims");
  el.append(h("section", { "aria-label": "Judge the article's statements" },
    h("label", { class: "bw-place" }, heading, place),
    statement, form, said,
    h("div", { class: "bw-actions" }, previous, next, score), scoreBox, h("div", { class: "bw-actions" }, again), all));
  for (const control of el.querySelectorAll("input, select, button, summary")) control.setAttribute("data-lm-suppress-shortcuts", "true");
  paint();
  for (const trait of ["answers", "current"]) model.on(`change:${trait}`, paint);
  window.addEventListener("hashchange", follow);
  follow();
  return () => {
    for (const trait of ["answers", "current"]) model.off(`change:${trait}`, paint);
    window.removeEventListener("hashchange", follow);
    el.replaceChildren();
  };
}

export default { render };
