// Default export as a function, initialize, on and off: the rest of the front-end contract.
export default async () => {
  const log = [];
  return {
    initialize({ model }) {
      model.on("change:count", () => log.push(model.get("count")));
    },
    render({ model, el }) {
      const button = document.createElement("button");
      button.className = "counter";
      const paint = () => {
        button.textContent = `${model.get("count")} [${log}]`;
      };
      button.addEventListener("click", () => {
        model.set("count", model.get("count") + 1);
        model.save_changes();
        if (model.get("count") === 5) model.off("change:count", paint);
      });
      model.on("change:count", paint);
      paint();
      el.append(button);
    },
  };
};
