"""The book's own controls: the keyboard's place is visible on each of them, and none is shown that would do nothing."""

import pytest

PAGE = "chapters/index.html"

FRAME = """() => {
  const { outlineStyle, outlineWidth, outlineOffset } = getComputedStyle(document.activeElement);
  const inSidebar = Boolean(document.activeElement.closest(".bd-sidebar"));
  return { name: document.activeElement.innerText.trim(), outlineStyle, outlineWidth, outlineOffset, inSidebar };
}"""


def test_the_keyboard_shows_where_it_is(open_page, site):
    """Links of the sidebar and the search button have a frame, inside themselves where the sidebar would cut it off."""
    page = open_page(f"{site}/{PAGE}")
    seen = []
    for _ in range(20):
        page.keyboard.press("Tab")
        seen.append(page.evaluate(FRAME))

    assert all((s["outlineStyle"], s["outlineWidth"]) == ("solid", "2px") for s in seen), seen
    sidebar = [s for s in seen if s["inSidebar"]]
    assert any(s["name"].startswith("Search") for s in sidebar) and len(sidebar) > 10
    assert {s["outlineOffset"] for s in sidebar} == {"-2px"}


@pytest.mark.parametrize("scripts", [True, False])
def test_buttons_that_need_scripts_are_hidden_without_them(open_page, site, scripts):
    page = open_page(f"{site}/{PAGE}", viewport={"width": 390, "height": 800}, java_script_enabled=scripts)
    toggles = page.locator(".sidebar-toggle, .dropdown-toggle, .theme-switch-button")

    assert [toggle.is_visible() for toggle in toggles.all()].count(True) == (4 if scripts else 0)


def test_a_folded_solution_says_whose_it_is(open_page, site):
    """A reader who hears the buttons one by one knows the exercise of each."""
    page = open_page(f"{site}/chapters/exercises.html")
    buttons = page.locator(".solution .toggle-button")
    page.wait_for_function("document.readyState === 'complete'")
    names = buttons.evaluate_all("all => all.map((button) => button.getAttribute('aria-label'))")

    assert len(names) > 10 and names[0] == "Solution to Exercise 1 (Trimming the position table)"
    assert len(set(names)) == len(names) and all(name.startswith("Solution to Exercise ") for name in names)
