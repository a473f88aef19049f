"""The article's statements, the lab that decides them, the ledger, and what the page is handed."""

import json
import math
import re
from dataclasses import asdict, replace

import pytest
import torch
import transformers
from docutils.nodes import make_id

import claim_pages
from claims import CLAIMS, CONDITION, MISTAKES, RIGHT, UNKNOWN, VERDICTS, WRONG, filled, judge
from gpt_config import PRESETS, GPTConfig
from ledger import MODELS, find_model, kv_cache_bytes, vocabularies_printing
from llama_config import LlamaConfig
from published import GPT2_TABLE
from sizing import count_parameters
from test_labs import ROOT, code_cells, glued, saved
from widgets import registry

LAB = saved(ROOT / "notebooks" / "claims.ipynb")
VALUES = glued(LAB)
SENT = json.loads(VALUES["claims_json"])


def test_every_claim_has_a_name_of_its_own_and_a_known_verdict():
    assert len({claim.id for claim in CLAIMS}) == len(CLAIMS)
    assert {claim.verdict for claim in CLAIMS} == set(VERDICTS)


def test_only_a_right_statement_has_no_mistake():
    """A kind of mistake belongs to each statement that is not simply right, and each kind occurs."""
    assert [claim.id for claim in CLAIMS if (claim.mistake is None) != (claim.verdict == RIGHT)] == []
    assert {claim.mistake for claim in CLAIMS} - {None} == set(MISTAKES)


def test_every_claim_is_judged_once_in_the_lab_under_the_heading_it_names():
    """The deciding section is the one whose code calls ``judge`` with the claim's id."""
    judged, heading = {}, None
    for cell in LAB.cells:
        if cell.cell_type == "markdown":
            titles = [line[3:] for line in cell.source.splitlines() if line.startswith("## ")]
            heading = make_id(titles[-1].replace("`", "")) if titles else heading
        else:
            for claim_id in re.findall(r'judge\(\s*"([^"]+)"', cell.source):
                judged.setdefault(claim_id, []).append(heading)

    assert judged == {claim.id: [claim.cell] for claim in CLAIMS}


def test_the_lab_has_printed_the_verdict_of_the_list():
    printed = " ".join(output.get("text", "") for cell in code_cells(LAB) for output in cell.outputs)
    one_line = " ".join(printed.split())

    assert [claim.id for claim in CLAIMS if f"{claim.verdict}: {claim.statement}" not in one_line] == []


def test_the_page_shows_the_claims_of_the_list():
    """What the lab sent is what ``claims.py`` says now; only the numbers in the reasons are the lab's."""
    assert claim_pages.claims(SENT)["data"]["claims"] == SENT
    assert all("{" not in claim["reason"] for claim in SENT)


def test_a_stale_list_is_refused():
    stale = [*SENT[:3], {**SENT[3], "verdict": WRONG}, *SENT[4:]]

    with pytest.raises(ValueError) as error:
        claim_pages.claims(stale)
    assert str(error.value) == "the lab's claim 'context' differs from claims.py in verdict; run make notebooks"

    with pytest.raises(ValueError) as error:
        claim_pages.claims(SENT[:-1])
    count = len(CLAIMS)
    assert str(error.value) == f"the lab has {count - 1} claims and claims.py has {count}; run make notebooks"


def test_without_javascript_every_verdict_is_there():
    html = registry.html("claims", {"claims": SENT})

    for claim in CLAIMS:
        assert f'id="claim-{claim.id}"' in html
        assert f"#{claim.cell}" in html
    assert html.count("<strong>wrong</strong>") == sum(claim.verdict == WRONG for claim in CLAIMS)


@pytest.mark.parametrize(
    ("claim_id", "as_said", "with_condition", "verdict"),
    [
        ("card", True, False, RIGHT),
        ("sqrt", False, False, WRONG),
        ("square", False, True, CONDITION),
        ("claude", None, False, UNKNOWN),
    ],
)
def test_a_measurement_gives_the_verdict(claim_id, as_said, with_condition, verdict, capsys):
    judge(claim_id, as_said, with_condition)

    statement = next(claim.statement for claim in CLAIMS if claim.id == claim_id)
    assert " ".join(capsys.readouterr().out.split()) == f"{verdict}: {statement}"


def test_a_measurement_that_contradicts_the_list_is_an_error():
    with pytest.raises(ValueError) as error:
        judge("sqrt", as_said=True)

    assert str(error.value) == "the measurement says 'right' of 'sqrt'; the list says 'wrong'"


def test_a_condition_of_what_cannot_be_decided_is_refused():
    with pytest.raises(ValueError, match=r"^with_condition=True says nothing beside as_said=None; use True or False$"):
        judge("claude", None, with_condition=True)


def test_an_unknown_claim_is_refused_by_name():
    with pytest.raises(ValueError, match=r"claim_id='squareroot' is not known; use one of card, total, heads, "):
        judge("squareroot", as_said=True)


def test_a_reason_without_its_value_is_an_error():
    with pytest.raises(ValueError) as error:
        filled({})

    assert str(error.value) == "a reason names the value 'unique', which was not measured"


def test_a_model_is_found_by_name_and_an_unknown_one_refused():
    assert find_model("llama-3-8b") is MODELS["llama-3-8b"]
    with pytest.raises(ValueError) as error:
        find_model("claude-3")

    assert str(error.value) == (
        "model='claude-3' is not in the ledger; it has gpt2, gpt2-medium, gpt2-large, gpt2-xl, gpt3-175b, "
        "llama-2-7b, llama-2-13b, llama-2-70b, llama-3-8b"
    )


@pytest.mark.parametrize(
    ("name", "printed", "vocabulary"),
    [*((name, printed, 40_478) for name, printed in GPT2_TABLE.items()), ("llama-2-7b", 6738, 32_000)],
)
def test_the_interval_of_vocabularies_is_exact(name, printed, vocabulary):
    """Inside, the count rounds to the printed size; one token further out, it does not. LLaMA has two tables."""
    config = find_model(name)
    interval = vocabularies_printing(config, printed)

    def millions(vocab_size):
        return (count_parameters(replace(config, vocab_size=vocab_size)) + 500_000) // 10**6

    assert millions(interval[0]) == millions(interval[-1]) == millions(vocabulary) == printed
    assert millions(interval[0] - 1) == printed - 1
    assert millions(interval[-1] + 1) == printed + 1


def test_a_size_that_no_vocabulary_gives_is_refused():
    with pytest.raises(ValueError) as error:
        vocabularies_printing(PRESETS["gpt2"], 80)

    assert str(error.value) == "millions=80 is not the size of this structure with any vocabulary"


@pytest.mark.parametrize("millions", [117.4, 0, True, "117"])
def test_a_printed_size_that_is_no_whole_number_is_refused(millions):
    with pytest.raises(ValueError) as error:
        vocabularies_printing(PRESETS["gpt2"], millions)

    assert str(error.value) == f"millions={millions!r} is not valid; use an integer of at least 1"


@pytest.mark.parametrize("size", [-2, 0, math.nan, 2.0, True])
def test_a_number_of_bytes_that_is_none_is_refused(size):
    with pytest.raises(ValueError) as error:
        kv_cache_bytes(PRESETS["gpt2"], size)

    assert str(error.value) == f"bytes_per_number={size!r} is not valid; use an integer of at least 1"


def cached_bytes(model: torch.nn.Module, length: int) -> int:
    """Bytes of the keys and values that a real model keeps after reading ``length`` tokens."""
    with torch.no_grad():
        cache = model(torch.zeros(1, length, dtype=torch.long), use_cache=True).past_key_values
    return sum(layer.keys.nbytes + layer.values.nbytes for layer in cache.layers)


@pytest.mark.parametrize(("n_head", "n_kv_head"), [(4, 4), (4, 2), (6, 1)])
def test_the_cache_of_grouped_heads_is_that_of_the_real_class(n_head, n_kv_head):
    config = LlamaConfig(
        block_size=7, vocab_size=11, n_layer=3, n_head=n_head, n_kv_head=n_kv_head, n_embd=8 * n_head, n_inner=20
    )
    theirs = transformers.LlamaConfig(
        vocab_size=11,
        hidden_size=8 * n_head,
        intermediate_size=20,
        num_hidden_layers=3,
        num_attention_heads=n_head,
        num_key_value_heads=n_kv_head,
    )

    measured = cached_bytes(transformers.LlamaForCausalLM(theirs).eval(), 7)

    assert kv_cache_bytes(config, bytes_per_number=4) == measured


def test_the_cache_of_gpt2_is_that_of_the_real_class():
    config = GPTConfig(block_size=9, vocab_size=11, n_layer=2, n_head=3, n_embd=12)
    theirs = transformers.GPT2Config(vocab_size=11, n_positions=9, n_embd=12, n_layer=2, n_head=3)

    measured = cached_bytes(transformers.GPT2LMHeadModel(theirs).eval(), 9)

    assert kv_cache_bytes(config, bytes_per_number=4) == measured


def test_a_claim_survives_the_way_to_the_page():
    """The script in the page reads what the list says, whatever characters a reason has."""
    reason = 'Of "d < √C" & </script><!-- nothing is lost.'
    html = registry.html("claims", {"claims": [{**SENT[0], "reason": reason}, *SENT[1:]]})
    read = json.loads(re.search(r'<script type="application/json">(.*?)</script>', html)[1])["data"]["claims"]

    assert read[0]["reason"] == reason
    assert read == [{**asdict(claim), "reason": given["reason"]} for claim, given in zip(CLAIMS, read, strict=True)]
