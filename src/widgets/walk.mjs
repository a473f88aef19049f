// A walk through a forward pass: one step at a time, with the shape at every edge.
import { breakable, configEditor, count, dimsOf, grouped, h, mount, number, numberField, numeric, percent, s, size, symbolic, table } from "./shared.mjs";

const PITCH = 38; // of the rows of the drawing
const BOX = 22; // height of a step
const COLUMN = { stream: 58, branch: 182 };
const WIDTH = { stream: 96, branch: 108 };

function render({ model, el }) {
  const data = model.get("data");
  const { steps } = data;
  const editor = configEditor(model, ["T", "L", "H", "C"]);
  const batch = numberField({
    symbol: "B",
    label: "batch",
    largest: data.largest,
    stops: () => [1, 2, 4, 8, 16, 32, 64, 128, 256, 512],
    onvalue(value) {
      model.set("batch_size", value);
      model.save_changes();
    },
    onproblem() {},
  });
  editor.element.children[0].after(batch.element);

  const go = (step) => {
    model.set("step", Math.min(steps.length - 1, Math.max(0, step)));
    model.save_changes();
  };
  const back = h("button", { type: "button", onclick: () => go(model.get("step") - 1) }, "← Back");
  const next = h("button", { type: "button", onclick: () => go(model.get("step") + 1) }, "Next →");
  const slider = h("input", { type: "range", min: 0, max: steps.length - 1, step: 1, oninput: () => go(Number(slider.value)) });
  const said = h("div", { class: "bw-step" });
  const tensors = h("tbody");
  const uses = table("Parameters used here", ["tensor", "shape", "parameters"], tensors);

  const drawing = draw(steps, go);
  const controls = h("div", { class: "bw-walk-controls" }, back, h("label", {}, h("span", { class: "bw-name" }, "Step"), slider), next);
  // Left and right move the walk wherever the focus is among its controls; a slider does so by itself.
  controls.addEventListener("keydown", (event) => {
    const move = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (!move || event.target === slider) return;
    event.preventDefault();
    go(model.get("step") + move);
  });

  function paint() {
    editor.paint();
    batch.show(model.get("batch_size"));
    const config = model.get("config");
    const dims = dimsOf(data, config);
    dims.B = BigInt(model.get("batch_size"));
    dims.d = dims.C / dims.H;
    const at = model.get("step");
    const step = steps[at];
    const shape = (kind) => `${step.copies > 1 ? `${step.copies} × ` : ""}${kind}`;

    slider.value = String(at);
    slider.setAttribute("aria-valuetext", `${at + 1} of ${steps.length}`);
    // A disabled button would lose the focus to the page; these stay reachable and say that they lead nowhere.
    back.setAttribute("aria-disabled", String(at === 0));
    next.setAttribute("aria-disabled", String(at === steps.length - 1));

    const rows = data.table.filter((row) => step.tensors.includes(row.name) && (config.bias || !row.bias));
    // A tied matrix was counted where its first name stands; what a block uses, all L blocks have.
    const used = (names) => data.table.filter((row) => names.includes(row.name) && !row.tied_to);
    const tally = count(used(steps.slice(0, at + 1).flatMap((past) => past.tensors)), config, dims);
    const whole = count(used(data.table.map((row) => row.name)), config, dims);
    const numbers = BigInt(step.copies) * size(step.shape, dims);
    said.replaceChildren(
      h("span", { class: "bw-muted" }, `Step ${at + 1} of ${steps.length}`),
      h("code", { class: "bw-code" }, step.code),
      h("span", { class: "bw-shape" }, shape(symbolic(step.shape)), " = ", h("strong", {}, shape(numeric(step.shape, dims)))),
      h("span", { class: "bw-muted" }, `${grouped(numbers)} numbers`),
      h("span", {}, step.text),
      rows.length ? "" : h("span", { class: "bw-muted" }, "No parameter is used here."),
      h("div", { class: "bw-tally" },
        h("span", {}, "Parameters so far, for all blocks:"),
        h("strong", {}, ...breakable(grouped(tally))),
        h("span", { class: "bw-muted" }, `${percent(tally, whole)} of all`),
        h("div", { class: "bw-share", "aria-hidden": "true" }, h("span", { style: `width:${(100 * Number(tally)) / Number(whole)}%` }))),
    );

    uses.hidden = !rows.length;
    const one = dimsOf(data, { ...config, n_layer: 1 });
    tensors.replaceChildren(
      ...rows.map((row) => h("tr", {}, h("th", { scope: "row" }, h("code", {}, row.name.replace("transformer.", ""))), h("td", {}, numeric(row.shape, dims)), number(size(row.shape, dims)))),
      h("tr", { class: "bw-sum" }, h("th", { scope: "row", colspan: 2 }, rows.some((row) => row.tied_to) ? "already counted as wte" : rows.some((row) => row.per_layer) ? "together, in each block" : "together"), number(count(rows, config, one))),
    );
    drawing.paint(at, dims);
    return `${step.code}: ${shape(symbolic(step.shape))} = ${shape(numeric(step.shape, dims))}`;
  }

  return mount(
    { model, el },
    "Walk through a forward pass",
    ["config", "batch_size", "step"],
    paint,
    editor.element,
    h("div", { class: "bw-columns" }, h("div", { class: "bw-walk-text" }, controls, said, uses), h("div", { class: "bw-window" }, drawing.element)),
  );
}

/** The path as a drawing: the stream on the left, the branches on the right, a shape beside every edge. */
function draw(steps, go) {
  const y = (i) => 16 + i * PITCH;
  const x = (i) => COLUMN[steps[i].column];
  const height = y(steps.length - 1) + 40;
  const element = s("svg", { viewBox: `0 0 360 ${height}`, class: "bw-drawing", role: "img", "aria-label": "The path of the data from token ids to logits through one block. The list of steps beside it says the same in words." });
  const edges = [];
  const boxes = [];
  const labels = [];

  // The stream itself: one line from the embeddings to the end, drawn below everything else.
  element.append(s("path", { class: "bw-stream", d: `M${COLUMN.stream} ${y(0)}V${height - 8}` }));
  steps.forEach((step, i) => {
    const after = i + 1 < steps.length ? y(i + 1) - BOX / 2 : height - 8;
    const bottom = y(i) + BOX / 2;
    let path = `M${x(i)} ${bottom}V${after}`;
    if (i + 1 < steps.length && x(i + 1) !== x(i)) {
      // Into a branch: a copy leaves the stream. Out of it: the result returns to be added.
      path = x(i + 1) > x(i)
        ? `M${x(i)} ${bottom}V${bottom + 7}H${x(i + 1)}V${after}`
        : `M${x(i)} ${bottom}V${y(i + 1)}H${x(i + 1) + 11}`;
    }
    edges.push(s("path", { class: "bw-edge", d: path }));
    const column = Math.max(x(i), x(Math.min(i + 1, steps.length - 1)));
    labels.push(s("text", { x: column + 7, y: bottom + 13, class: "bw-edge-label" }));
    const plus = step.label === "+";
    const width = plus ? BOX : WIDTH[step.column];
    boxes.push(
      s(
        "g",
        { class: "bw-box", onclick: () => go(i) },
        s("rect", { x: x(i) - width / 2, y: y(i) - BOX / 2, width, height: BOX, rx: plus ? BOX / 2 : 5 }),
        s("text", { x: x(i), y: y(i) + 4, "text-anchor": "middle" }, step.label),
      ),
    );
  });
  element.append(...edges, ...boxes, ...labels);

  return {
    element,
    paint(at, dims) {
      element.style.setProperty("--bw-at", String(y(at) / height)); // where the drawing is cut on a narrow screen
      steps.forEach((step, i) => {
        for (const part of [edges[i], boxes[i], labels[i]]) {
          part.classList.toggle("bw-now", i === at);
          part.classList.toggle("bw-past", i < at);
        }
        labels[i].textContent = `${step.copies > 1 ? `${step.copies} × ` : ""}${numeric(step.shape, dims)}`;
      });
    },
  };
}

export default { render };
