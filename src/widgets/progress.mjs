// The overview of the exercises: which are solved, as kept in this browser and nowhere else.
import { h } from "./shared.mjs";

const PROGRESS = "exercises solved";
const STEPS = ["First step", "Second step", "Third step"];

function read() {
  try {
    return JSON.parse(localStorage.getItem(PROGRESS)) ?? {};
  } catch {
    return {};
  }
}

function render({ model, el }) {
  const { exercises } = model.get("data");
  const said = h("output", { class: "bw-result", "aria-live": "polite" });
  const lists = h("div", { class: "bw-steps" });
  const clear = h("button", { type: "button", onclick: forget }, "Clear progress");
  const kept = h("span", { class: "bw-muted" }, "Kept in this browser only.");

  function forget() {
    try {
      localStorage.removeItem(PROGRESS);
    } catch {
      // Nothing was kept.
    }
    paint();
  }
  function paint() {
    const solved = read();
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
    clear.hidden = Object.keys(solved).length === 0;
  }

  window.addEventListener(PROGRESS, paint);
  window.addEventListener("storage", paint); // another tab
  el.classList.add("bw", "bw-progress");
  el.append(h("section", { "aria-label": "Your progress" }, said, lists, h("div", { class: "bw-actions" }, clear, kept)));
  paint();
  return () => {
    window.removeEventListener(PROGRESS, paint);
    window.removeEventListener("storage", paint);
    el.replaceChildren();
  };
}

export default { render };
