// Starts well and fails in the background after it was used.
export default {
  render({ el }) {
    const button = document.createElement("button");
    button.className = "slow";
    button.addEventListener("click", async () => {
      await null;
      throw new Error("too slow");
    });
    el.append(button);
  },
};
