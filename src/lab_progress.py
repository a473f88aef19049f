"""A progress bar for long steps of a live lab; nothing of it stays in a saved one."""

from collections.abc import Iterator, Sequence

from IPython.display import ProgressBar, clear_output


def progress(items: Sequence) -> Iterator:
    """Iterate over ``items`` and show how far it is; the cell's output is cleared at the end."""
    bar = ProgressBar(len(items))
    bar.display()
    for item in items:
        yield item
        bar.progress += 1
    clear_output()
