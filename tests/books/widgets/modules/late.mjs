// Starts well and fails when it is used.
export default {
  render({ model, el }) {
    const button = document.createElement("button");
    button.className = "late";
    button.textContent = model.get("label");
    button.addEventListener("click", () => {
      throw new Error("too late");
    });
    el.append(button);
  },
};
