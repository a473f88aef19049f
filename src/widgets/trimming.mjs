// Trimming: rows of the position table are cut away, and every earlier position answers as before.
import { configEditor, count, dimsOf, fact, grouped, h, mount, numberField, numeric, percent, rowsOf, s } from "./shared.mjs";

const MOST_ROWS = 24; // more rows than this are drawn as one bar

function render({ model, el }) {
  const data = model.get("data");
  const editor = configEditor(model, ["T", "C"]);
  const kept = numberField({
    symbol: "n",
    label: "rows kept",
    largest: () => model.get("config").block_size,
    stops: () => stopsTo(model.get("config").block_size),
    onvalue(value) {
      model.set("kept", value);
      model.save_changes();
    },
    onproblem() {},
  });
  const said = h("div", { class: "bw-facts" });
  const drawing = s("svg", { viewBox: "0 0 360 250", class: "bw-drawing", role: "img" });

  function paint() {
    const config = model.get("config");
    const T = config.block_size;
    const n = Math.min(model.get("kept"), T); // the reader's own n returns with a larger T
    editor.paint();
    kept.show(n);
    const rows = rowsOf(data, "unique");
    const before = count(rows, config, dimsOf(data, config));
    const after = count(rows, config, dimsOf(data, { ...config, block_size: n }));
    const positions = (from, to) => (from > to ? "none" : from === to ? `${grouped(from)}` : `${grouped(from)} to ${grouped(to)}`);
    const cut = rows.filter((row) => row.shape.some(([, symbol]) => symbol === "T"));
    const shape = (length) => cut.map((row) => numeric(row.shape, dimsOf(data, { ...config, block_size: length }))).join(", ");
    said.replaceChildren(
      fact(`the only tensor that changes: ${cut.map((row) => row.name.replace("transformer.", "")).join(", ")}`, `${shape(T)} → ${shape(n)}`),
      fact("parameters before", grouped(before)),
      fact(`removed: (T − n) · C = ${grouped(T - n)} · ${grouped(config.n_embd)}`, grouped(before - after)),
      fact("share of all parameters that this saves", percent(before - after, before)),
      fact("parameters after", grouped(after)),
      fact("logits stay equal at positions", positions(0, n - 1)),
      fact("can no longer be asked for", positions(n, T - 1)),
    );
    draw(T, n, config.n_embd);
    return `${grouped(n)} of ${grouped(T)} rows kept, ${grouped(after)} parameters`;
  }

  function draw(T, n, C) {
    const [top, height] = [30, 200];
    const rows = T <= MOST_ROWS ? T : 1;
    const cut = top + Math.max(2, (height * n) / T); // a single row of thousands stays visible
    const parts = [s("text", { x: 52, y: 18 }, `wpe: (${grouped(T)}, ${grouped(C)})`), s("text", { x: 236, y: 18 }, "logits, by position")];
    for (const [x, width] of [[52, 106], [236, 94]]) {
      if (rows > 1) {
        const pitch = height / T;
        for (let i = 0; i < T; i += 1) {
          const y = top + i * pitch;
          parts.push(s("rect", { x, y, width, height: pitch * 0.82, rx: 2, class: i < n ? "bw-kept" : "bw-gone" }));
          if (pitch > 9) parts.push(s("text", { x: x - 8, y: y + pitch * 0.41 + 4, "text-anchor": "end", class: "bw-edge-label" }, String(i)));
        }
      } else {
        parts.push(s("rect", { x, y: top, width, height: cut - top, class: "bw-kept" }));
        if (n < T) parts.push(s("rect", { x, y: cut, width, height: top + height - cut, class: "bw-gone" }));
        parts.push(s("text", { x: x - 6, y: top + 9, "text-anchor": "end", class: "bw-edge-label" }, "0"));
        parts.push(s("text", { x: x - 6, y: Math.max(cut, top + 24), "text-anchor": "end", class: "bw-edge-label" }, grouped(n - 1)));
      }
    }
    parts.push(s("path", { class: "bw-edge bw-now", d: `M166 ${(top + cut) / 2}H208` }), s("text", { x: 187, y: (top + cut) / 2 - 6, "text-anchor": "middle", class: "bw-edge-label" }, "equal"));
    drawing.setAttribute("aria-label", `The position table with ${grouped(n)} of ${grouped(T)} rows kept, and beside it the positions whose logits stay equal.`);
    drawing.replaceChildren(...parts);
  }

  editor.element.append(kept.element);
  return mount({ model, el }, "Trimming the position table", ["config", "kept"], paint, h("div", { class: "bw-columns" }, h("div", {}, editor.element, said), drawing));
}

/** Every number up to T where the slider has room for it, else some 64 of them. */
function stopsTo(T) {
  const step = Math.max(1, Math.floor(T / 64));
  const stops = Array.from({ length: Math.floor(T / step) }, (_, i) => (i + 1) * step);
  return [...new Set([1, ...stops, T])].sort((a, b) => a - b);
}

export default { render };
