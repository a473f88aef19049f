"""Handing a lab's values to the prose: ``glue(total=1864)`` here, ``{glue:text}`` with the name ``total`` there."""

from IPython import get_ipython
from IPython.display import display

# The names that MyST-NB looks for in a saved notebook; written here so that running a lab needs no book builder.
_PREFIX = "application/papermill.record/"


def glue(**values) -> None:
    """Save each value under its name in the cell's output, where the book finds it; nothing is shown."""
    if get_ipython() is None:  # a lab as a script has no output to keep
        return
    for name, value in values.items():
        record = {f"{_PREFIX}text/plain": repr(value)}
        display(record, raw=True, metadata={"scrapbook": {"name": name, "mime_prefix": _PREFIX}})
