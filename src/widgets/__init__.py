"""The interactive parts of the book: small ES modules, the same in a page without a kernel and in a live lab.

``from widgets import Calculator`` gives the live widget of a lab. The modules that only make page HTML
(:mod:`widgets.registry` and what it imports) do without anywidget, so that the book builds where it is not installed.
"""

_LIVE = ("Calculator", "Walk", "Heads", "Trimming", "Training", "Residuals")


def __getattr__(name: str):
    if name in _LIVE:
        from widgets import live

        return getattr(live, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
