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

// A page opened from disk may not fetch other pages, so its search shows titles without excerpts.
if (location.protocol === "file:") DOCUMENTATION_OPTIONS.SHOW_SEARCH_SUMMARY = false;
