// A formula wider than the page scrolls in its own box; the keyboard must reach the box for that.
function reachWideFormulas() {
  for (const box of document.querySelectorAll(".katex-display")) {
    if (box.scrollWidth > box.clientWidth) {
      box.tabIndex = 0;
      box.setAttribute("role", "group");
      box.setAttribute("aria-label", "Formula, scrolls sideways");
    } else {
      for (const name of ["tabindex", "role", "aria-label"]) box.removeAttribute(name);
    }
  }
}
addEventListener("load", reachWideFormulas);
addEventListener("resize", reachWideFormulas);

// The script that folds solutions calls every button "Toggle hidden content"; the title beside it says which.
addEventListener("load", () => {
  for (const button of document.querySelectorAll(".admonition-title > .toggle-button")) {
    button.setAttribute("aria-label", button.parentElement.textContent.replace(/\s+/g, " ").trim());
  }
});

// A page opened from disk may not fetch other pages, so its search shows titles without excerpts.
if (location.protocol === "file:") DOCUMENTATION_OPTIONS.SHOW_SEARCH_SUMMARY = false;
