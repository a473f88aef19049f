"""Tables as the labs show them."""

import pytest

from lab_tables import markdown_table


def test_numbers_get_separators_and_stand_to_the_right():
    table = markdown_table(["name", "count", "ratio"], [("a", 1234567, "0.5"), ("b", 8, "1.25")])

    assert table.data.splitlines() == [
        "| name | count | ratio |",
        "| :-- | --: | --: |",
        "| a | 1,234,567 | 0.5 |",
        "| b | 8 | 1.25 |",
    ]


def test_a_column_with_one_word_is_text():
    assert markdown_table(["x"], [(1,), ("none",)]).data.splitlines()[1] == "| :-- |"


def test_a_row_of_the_wrong_length_is_refused():
    with pytest.raises(ValueError, match=r"^row=\[1, 2\] has 2 cells; the header has 1$"):
        markdown_table(["x"], [(1, 2)])


def test_a_table_without_rows_is_refused():
    with pytest.raises(ValueError, match=r"^rows=\[\] is empty; give at least one row$"):
        markdown_table(["x"], [])


def test_signs_bars_and_truth_values():
    table = markdown_table(["change", "size", "same"], [(-3, "|x|", True), (1200, "2", False)])

    assert table.data.splitlines()[1:] == [
        "| --: | :-- | :-- |",
        r"| -3 | \|x\| | True |",
        "| 1,200 | 2 | False |",
    ]
