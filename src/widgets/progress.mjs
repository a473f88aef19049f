// The overview of the exercises: which are solved, as kept in this browser and nowhere else.
import { h } from "./shared.mjs";
import { CLEARED, SOLVED, forgetSolved, solvedQuestions } from "./solved.mjs";

const TYPED = "/exercise.mjs:"; // in the names under which this tab keeps what was typed in exercises of any page
const STEPS = ["First step", "Second step", "Third step"];

function render({ model, el }) {
  const { exercises } = model.get("data");
  const said = h("output", { class: "bw-result", "aria-live": "polite" });
  const lists = h("div", { class: "bw-steps" });
  const clear = h("button", { type: "button", onclick: () => ask(true) }, "Clear progress");
  const sure = h("button", { type: "button", onclick: forget }, "Yes, clear all");
  const stay = h("button", { type: "button", onclick: () => ask(false) }, "Keep it");
  const kept = h("span", { class: "bw-muted", "aria-live": "polite" });

  /** Asks in place, or takes the question back. */
  function ask(asking, text = asking ? "Forget what is solved, typed and hinted in all exercises?" : "Kept in this browser only.") {
    clear.hidden = asking;
    sure.hidden = stay.hidden = !asking;
    kept.textContent = text;
    (asking ? stay : clear).focus();
  }
  function forget() {
    forgetSolved();
    try {
      for (const name of Object.keys(sessionStorage)) if (name.includes(TYPED)) sessionStorage.removeItem(name);
    } catch {
      // Nothing was kept.
    }
    window.dispatchEvent(new CustomEvent(CLEARED));
    paint();
    ask(false, "All is cleared.");
  }
  function paint() {
    const solved = solvedQuestions();
    const state = ({ questions }) => {
      const done = questions.filter((id) => solved[id]).length;
      return done === questions.length ? "solved" : done ? `${done} of ${questions.length}` : "open";
    };
    const count = exercises.filter((exercise) => state(exercise) === "solved").length;
    said.textContent = `${count} of ${exercises.length} solved`;
    const item = (exercise) =>
      h("li", { "data-state": state(exercise) },
        h("a", { href: `#exercise-${exercise.id}` }, exercise.title), h("span", { class: "bw-muted" }, state(exercise)));
    const list = (title, i) =>
      h("div", {}, h("p", { class: "bw-title", id: `step-${i + 1}` }, title),
        h("ul", { "aria-labelledby": `step-${i + 1}` }, ...exercises.filter(({ level }) => level === i + 1).map(item)));
    lists.replaceChildren(...STEPS.map(list));
  }

  window.addEventListener(SOLVED, paint);
  window.addEventListener("storage", paint); // another tab
  el.classList.add("bw", "bw-progress");
  el.append(h("section", { "aria-label": "Your progress" }, said, lists, h("div", { class: "bw-actions" }, clear, sure, stay, kept)));
  sure.hidden = stay.hidden = true;
  kept.textContent = "Kept in this browser only.";
  paint();
  return () => {
    window.removeEventListener(SOLVED, paint);
    window.removeEventListener("storage", paint);
    el.replaceChildren();
  };
}

export default { render };
