/**
 * Runs the widgets of a page without a kernel. A module gets what anywidget's front-end contract promises:
 * a model with get, set, save_changes, on and off, and an element to draw in.
 * What a reader sets is kept for this tab, so it is still there after a reload.
 */
(() => {
  "use strict";
  const sources = JSON.parse(document.getElementById("bw-modules").textContent);
  const running = []; // { url, box }: whose error is it?

  class Model {
    #values; #saved; #key; #listeners = new Map(); #changed = new Set();

    constructor(values, key) {
      this.#key = key;
      this.#saved = read(key);
      this.#values = { ...values, ...this.#saved };
    }
    get(name) { return this.#values[name]; }
    set(name, value) {
      if (JSON.stringify(this.#values[name]) === JSON.stringify(value)) return;
      this.#values[name] = value;
      this.#changed.add(name);
      this.#emit(`change:${name}`, value);
      this.#emit("change", value);
    }
    save_changes() {
      for (const name of this.#changed) this.#saved[name] = this.#values[name];
      this.#changed.clear();
      write(this.#key, this.#saved);
    }
    on(event, callback) {
      if (!this.#listeners.has(event)) this.#listeners.set(event, new Set());
      this.#listeners.get(event).add(callback);
    }
    off(event, callback) {
      if (callback) this.#listeners.get(event)?.delete(callback);
      else this.#listeners.delete(event);
    }
    #emit(event, value) {
      for (const callback of [...(this.#listeners.get(event) ?? [])]) callback(this, value);
    }
  }

  // A browser may refuse storage altogether; then a reload simply starts afresh.
  function read(key) {
    try { return JSON.parse(sessionStorage.getItem(key)) ?? {}; } catch { return {}; }
  }
  function write(key, value) {
    try {
      if (value === null) sessionStorage.removeItem(key);
      else sessionStorage.setItem(key, JSON.stringify(value));
    } catch { /* nothing to keep it in */ }
  }

  async function start(box, index, url) {
    const state = JSON.parse(box.querySelector("script").textContent);
    const el = box.querySelector(".bw-live");
    let widget = (await import(url)).default;
    if (typeof widget === "function") widget = await widget();
    // A module may name parameters of the address that it reads. What a reader makes of such a link is kept apart
    // from what was set in the plain page; whoever follows the link again sees what it says.
    const query = new URLSearchParams(location.search);
    const linked = (widget.parameters ?? []).some((name) => query.has(name));
    const key = `bw:${location.pathname}${linked ? location.search : ""}:${box.dataset.module}:${index}`;
    if (linked && performance.getEntriesByType("navigation")[0]?.type === "navigate") write(key, null);
    const draw = async () => {
      const model = new Model(state, key);
      const signal = new AbortController().signal;
      await widget.initialize?.({ model, signal });
      await widget.render({ model, el, signal });
    };
    try {
      await draw();
    } catch (error) {
      // Perhaps what was kept from another version of the page is to blame.
      if (!Object.keys(read(key)).length) throw error;
      write(key, null);
      el.replaceChildren();
      await draw();
    }
    box.classList.add("bw-running");
  }

  function showFailure(box, error) {
    const message = document.createElement("p");
    message.className = "bw-failure";
    message.setAttribute("role", "alert");
    message.textContent = `This interactive part has stopped: ${error?.message ?? error}. The rest of the page works.`;
    box.querySelector(".bw-live").replaceChildren(message);
    box.classList.remove("bw-running");
    box.classList.add("bw-failed"); // which shows the static twin again
  }

  window.addEventListener("error", (event) => {
    const failed = running.filter(({ url }) => event.filename === url);
    if (!failed.length) return;
    event.preventDefault();
    for (const { box } of failed) showFailure(box, event.error);
  });

  // What fails in an asynchronous handler names its module only in the stack.
  window.addEventListener("unhandledrejection", (event) => {
    const failed = running.filter(({ url }) => event.reason?.stack?.includes(url));
    if (!failed.length) return;
    event.preventDefault();
    for (const { box } of failed) showFailure(box, event.reason);
  });

  // An address of its own for each, also of one module: an error stops only the part it came from.
  document.querySelectorAll("[data-module]").forEach((box, index) => {
    const url = URL.createObjectURL(new Blob([sources[box.dataset.module]], { type: "text/javascript" }));
    running.push({ url, box });
    start(box, index, url).catch((error) => showFailure(box, error));
  });
})();
