export default {
  render({ model }) {
    throw new Error(`no ${model.get("name")} today`);
  },
};
