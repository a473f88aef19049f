// Which questions are solved, as kept in this browser and nowhere else.

export const SOLVED = "exercises solved"; // the name it is kept under, and the event that tells of a change
export const CLEARED = "exercises cleared"; // the event that tells the exercises to forget what is typed

/** Kept for good, and once more for this tab: when a page is read from disk, Chromium at times shows it the former as it
 * was before the last page wrote. What is written then must not lose what is not seen. */
function stores() {
  try {
    return [localStorage, sessionStorage];
  } catch {
    return []; // a browser may refuse to keep anything
  }
}

/** What one store holds: when all was last cleared, and `{id: true}` of what was solved since then. */
function read(store) {
  try {
    const state = JSON.parse(store.getItem(SOLVED));
    if (Number.isFinite(state.since) && state.ids) return state;
  } catch {
    // Then it is nothing that this page has written.
  }
  return { since: 0, ids: {} };
}

/** Both together; what was solved before the last clearing does not come back. */
function kept() {
  const states = stores().map(read);
  const since = Math.max(0, ...states.map((state) => state.since));
  return { since, ids: Object.assign({}, ...states.filter((state) => state.since === since).map(({ ids }) => ids)) };
}

function keep(state) {
  for (const store of stores()) {
    try {
      store.setItem(SOLVED, JSON.stringify(state));
    } catch {
      // The verdict stands all the same.
    }
  }
}

/** `{id: true}` of every question that is solved. */
export const solvedQuestions = () => kept().ids;

/** Keeps that a question was answered, and tells the overview. @param {string} id */
export function remember(id) {
  const { since, ids } = kept();
  keep({ since, ids: { ...ids, [id]: true } });
  window.dispatchEvent(new CustomEvent(SOLVED));
}

/** Begins anew, later than all before, also where the clock was set back. */
export const forgetSolved = () => keep({ since: Math.max(Date.now(), kept().since + 1), ids: {} });

/** Whether an event of the stores says that another tab has cleared all. @param {StorageEvent} event */
export function clearedElsewhere({ key, newValue }) {
  return key === SOLVED && !Object.keys(read({ getItem: () => newValue }).ids).length;
}
