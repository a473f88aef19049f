"""The printed sizes were copied without a slip: each total follows from the rest of its row."""

from dataclasses import replace

import pytest

from gpt_config import PRESETS
from published import CHINCHILLA_TABLE, CHINCHILLA_VOCABULARY, GPT1_VOCABULARY, GPT2_TABLE, GPT3_TABLE
from sizing import count_parameters


@pytest.mark.parametrize("row", CHINCHILLA_TABLE, ids=lambda row: f"{row.millions}M")
def test_chinchilla_total_follows_from_its_row(row):
    """Attention 4CHd, relative positions CHd, MLP 8C²; one vocabulary matrix. Most slips of a digit miss by more.

    The smallest model is printed with two digits only.
    """
    block = 5 * row.n_embd * row.n_head * row.head_width + 8 * row.n_embd**2
    total = row.n_layer * block + CHINCHILLA_VOCABULARY * row.n_embd

    assert total / 1e6 == pytest.approx(row.millions, rel=0.01 if row.millions < 50 else 0.0045)
    assert row.n_embd % 64 == 0
    assert row.head_width in (64, 128)


def test_all_rows_of_chinchilla_are_there():
    totals = [row.millions for row in CHINCHILLA_TABLE]

    assert len(totals) == 50
    assert totals == sorted(totals)


@pytest.mark.parametrize("name", GPT2_TABLE)
def test_gpt2_total_follows_from_the_first_vocabulary(name):
    count = count_parameters(replace(PRESETS[name], vocab_size=GPT1_VOCABULARY))

    assert round(count / 1e6) == GPT2_TABLE[name]


@pytest.mark.parametrize("name", GPT3_TABLE)
def test_gpt3_total_follows_from_its_row(name):
    """12LC² for the blocks, and both tables; the paper rounds to two digits."""
    row, preset = GPT3_TABLE[name], PRESETS["gpt3-175b"]
    total = 12 * row.n_layer * row.n_embd**2 + (preset.vocab_size + preset.block_size) * row.n_embd

    assert total / 1e6 == pytest.approx(row.millions, rel=0.05)
