// Which questions are solved, as kept in this browser and nowhere else.

export const SOLVED = "exercises solved"; // the name it is kept under, and the event that tells of a change
export const CLEARED = "exercises cleared"; // the event that tells the exercises to forget what is typed

/** Kept for good, and once more for this tab: when a page is read from disk, Chromium at times shows it the former as it
 * was before the last page wrote. What is written then must not lose what is not seen. */
const stores = () => [localStorage, sessionStorage];

/** `{id: true}` of every question that is solved; empty where the browser refuses to keep anything. */
export function solvedQuestions() {
  try {
    return Object.assign({}, ...stores().map((store) => JSON.parse(store.getItem(SOLVED))));
  } catch {
    return {};
  }
}

/** Keeps that a question was answered, and tells the overview. @param {string} id */
export function remember(id) {
  try {
    const all = JSON.stringify({ ...solvedQuestions(), [id]: true });
    for (const store of stores()) store.setItem(SOLVED, all);
  } catch {
    // Nothing is kept where the browser refuses it; the verdict stands all the same.
  }
  window.dispatchEvent(new CustomEvent(SOLVED));
}

export function forgetSolved() {
  try {
    for (const store of stores()) store.removeItem(SOLVED);
  } catch {
    // Nothing was kept.
  }
}

/** Whether an event of the stores says that another tab has cleared all; then the copy of this tab goes, too.
 * @param {StorageEvent} event */
export function clearedElsewhere({ key, newValue }) {
  const cleared = key === SOLVED && newValue === null;
  if (cleared) forgetSolved();
  return cleared;
}
