"""The colours of data: one set for the figures and the widgets, in light and in dark.

Each colour reaches a contrast of at least 3:1 (WCAG 2.2, success criterion 1.4.11) against both
``#ffffff`` and ``#121212``, so that one drawing serves both themes.
Words need 4.5:1, which no colour reaches against both: ``_static/book.css`` mixes theirs with ink.
``_static/book.css`` offers the same values as ``--book-data-1`` ... ``--book-data-6``; a test holds the two together.
"""

DATA_COLOURS = (
    "#3a78d8",  # 1 blue
    "#d9601f",  # 2 orange
    "#1f8f74",  # 3 green
    "#9259c8",  # 4 violet
    "#b07d12",  # 5 ochre
    "#d0457f",  # 6 pink
)
