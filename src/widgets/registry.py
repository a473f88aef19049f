"""The widgets of the book by name: where their state and their static twin come from."""

import inspect
from collections.abc import Callable
from dataclasses import dataclass

import claim_pages
import exercise_pages
from widgets import state, twins
from widgets.page import page_html

CSS = "src/widgets/widgets.css"


@dataclass(frozen=True)
class PageWidget:
    """A widget whose state is made in Python.

    Attributes:
        make_state: takes the body of the directive as keyword arguments and returns the whole state.
        make_twin: takes that state and returns HTML.
    """

    make_state: Callable[..., dict]
    make_twin: Callable[[dict], str]


WIDGETS = {
    "calculator": PageWidget(state.calculator, twins.calculator),
    "walk": PageWidget(state.walk, twins.walk),
    "heads": PageWidget(state.heads, twins.heads),
    "trimming": PageWidget(state.trimming, twins.trimming),
    "residuals": PageWidget(state.residuals, twins.residuals),
    "training": PageWidget(state.training, twins.training),
    "exercise": PageWidget(exercise_pages.exercise, exercise_pages.exercise_twin),
    "claims": PageWidget(claim_pages.claims, claim_pages.claims_twin),
    "progress": PageWidget(exercise_pages.progress, exercise_pages.progress_twin),
}


def html(name: str, values: dict, classes: tuple[str, ...] = ()) -> str:
    """The page form of the widget ``name`` with ``values`` instead of what it starts with.

    Raises:
        ValueError: no widget or no value has such a name, or a value describes nothing; the message says what would do.
    """
    if name not in WIDGETS:
        raise ValueError(f"no widget is called {name!r}; there are {', '.join(WIDGETS)}")
    widget = WIDGETS[name]
    known = inspect.signature(widget.make_state).parameters
    unknown = [key for key in values if key not in known]
    if unknown:
        raise ValueError(f"{name} has no value called {', '.join(unknown)}; it has {', '.join(known)}")
    missing = [key for key, value in known.items() if value.default is inspect.Parameter.empty and key not in values]
    if missing:
        raise ValueError(f"{name} needs a value for {', '.join(missing)}")
    made = widget.make_state(**values)
    return page_html(f"src/widgets/{name}.mjs", made, widget.make_twin(made), CSS, classes)
