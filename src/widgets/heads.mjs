// The head splitter: one (3C, C) matrix, cut into H heads in every way that C allows.
import { configEditor, count, dimsOf, fact, grouped, h, mount, numeric, rowsOf, s, size, spoken } from "./shared.mjs";

/** The heads that are drawn: all, or the first three and the last with a gap between. @param {number} H */
const drawn = (H) => (H <= 16 ? Array.from({ length: H }, (_, i) => i) : [0, 1, 2, null, H - 1]);

function render({ model, el }) {
  const data = model.get("data");
  const editor = configEditor(model, ["H", "C", "T"]);
  const matrix = data.table.find((row) => row.name.endsWith("c_attn.weight"));
  const maps = [[1, "H"], [1, "T"], [1, "T"]];
  const said = h("div", { class: "bw-facts" });
  const drawing = s("svg", { viewBox: "0 0 360 266", class: "bw-drawing", role: "img" });

  function paint() {
    editor.paint();
    const config = model.get("config");
    const dims = dimsOf(data, config);
    const { H, C, T } = dims;
    const d = C / H;
    said.replaceChildren(
      h("b", { class: "bw-muted" }, "Changes with H"),
      fact("head width d = C / H", `${grouped(C)} / ${grouped(H)} = ${grouped(d)}`),
      fact("T × T maps in each block", grouped(H)),
      fact("numbers in these maps, for one sequence", grouped(size(maps, dims))),
      h("b", { class: "bw-muted" }, "Stays as it is"),
      fact(`parameters of c_attn.weight, ${numeric(matrix.shape, dims)}`, grouped(size(matrix.shape, dims))),
      fact("parameters of the whole model", grouped(count(rowsOf(data, "unique"), config, dims))),
    );
    draw(Number(H), d, T);
    return `${spoken(Number(H), "heads")} of width ${grouped(d)}; the model has ${grouped(count(rowsOf(data, "unique"), config, dims))} parameters`;
  }

  function draw(H, d, T) {
    drawing.setAttribute(
      "aria-label",
      `The matrix as three blocks for q, k and v, each cut into ${grouped(H)} bands of ${grouped(d)} rows; beside it ${grouped(H)} square maps.`,
    );
    const parts = [
      s("text", { x: 30, y: 14 }, "c_attn.weight"),
      s("text", { x: 205, y: 14 }, H === 1 ? "1 map" : `${grouped(H)} maps`),
      s("text", { x: 205, y: 29 }, `each ${grouped(T)} × ${grouped(T)}`),
    ];
    const side = 68;
    const heads = drawn(H);
    const pause = (x, y, dots) => s("text", { x, y: y + 4, "text-anchor": "middle", class: "bw-symbol" }, dots);
    ["q", "k", "v"].forEach((name, block) => {
      const top = 24 + block * (side + 5);
      parts.push(s("text", { x: 10, y: top + side / 2 + 4, class: "bw-symbol" }, name));
      const height = side / heads.length;
      heads.forEach((head, i) => {
        const y = top + i * height;
        parts.push(head === null ? pause(90, y + height / 2, "⋮") : s("rect", { x: 30, y, width: 120, height, style: tint(head), class: "bw-cut" }));
      });
      parts.push(s("rect", { x: 30, y: top, width: 120, height: side, class: "bw-outline" }));
    });
    parts.push(s("text", { x: 30, y: 258, class: "bw-edge-label" }, `${grouped(H)} ${H === 1 ? "band" : "bands"} of d = ${grouped(d)} ${d === 1n ? "row" : "rows"}`));

    const columns = Math.ceil(Math.sqrt(heads.length));
    const pitch = 145 / columns;
    const edge = pitch * 0.86;
    heads.forEach((head, i) => {
      const [x, y] = [205 + (i % columns) * pitch, 44 + Math.floor(i / columns) * pitch];
      if (head === null) {
        parts.push(pause(x + edge / 2, y + edge / 2, "…"));
        return;
      }
      // What a causal map may use: the lower triangle.
      parts.push(s("path", { d: `M${x} ${y}V${y + edge}H${x + edge}Z`, style: tint(head) }), s("rect", { x, y, width: edge, height: edge, class: "bw-outline" }));
    });
    drawing.replaceChildren(...parts);
  }

  return mount(
    { model, el },
    "Head splitter",
    ["config"],
    paint,
    h("div", { class: "bw-columns" }, h("div", {}, editor.element, said), drawing),
  );
}

const tint = (i) => `fill:var(--bw-data-${(i % 6) + 1})`;

export default { render };
