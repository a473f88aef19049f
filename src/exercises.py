"""The exercises of the book, each defined once: for the page and for the labs.

An exercise has one or more questions about the same quantities. Right answers are computed by ``sizing``; known
mistakes are written as what they change, so that a wrong number can be traced back to its cause.
In a lab::

    check("trimming", 16)                # 16 is right.
    ask("trimming", instance=3)          # the same question with other numbers
    hint("trimming", 1)                  # the first hint
    check("trimming", my_function)       # tried on every instance

The exercises stand first; ``EXERCISES`` has their order. What makes instances and checks answers follows them.
"""

import inspect
import math
import random
import re
import unicodedata
from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cache
from itertools import count, pairwise, takewhile
from types import SimpleNamespace

from answers import (
    BYTES,
    GRID,
    SENTENCES,
    Choice,
    Design,
    Finding,
    Number,
    Option,
    PickLine,
    UnreadableAnswer,
    Verdict,
    diagnose,
    instead,
    plus,
    read_number,
    shown,
    times,
)
from bugs import BUGS
from costs import attention_matrices, evaluate, kv_cache
from gpt_config import PRESETS, GPTConfig
from published import CHINCHILLA_TABLE, GPT1_VOCABULARY
from sizing import SHAPE_TABLE, count_parameters, decay_split, padded_vocab_size, parameter_table

INSTANCES = 31  # those of the text, and others up to this number


@dataclass(frozen=True)
class Place:
    """A paragraph of the book: page, number of the section, heading."""

    page: str
    section: str
    heading: str

    def __str__(self) -> str:
        return f"{self.section}, “{self.heading}”"

    @property
    def address(self) -> str:
        """As a link from another page of the chapter; a built page names a section by its heading."""
        words = unicodedata.normalize("NFKD", self.heading.lower().replace("'", ""))
        return f"{self.page}.html#{re.sub('[^a-z0-9]+', '-', words).strip('-')}"


PLACES = {
    "padding": Place("config", "4.1", "The default vocabulary is padded, not larger"),
    "tying": Place("config", "4.1", "One Parameter bears two names"),
    "registered": Place("config", "4.1", "What is not registered does not exist"),
    "linear": Place("config", "4.1", "A Linear stores its matrix as (out, in)"),
    "weights": Place("counting", "4.2", "A block is 12C² + 2C without biases"),
    "biases": Place("counting", "4.2", "Biases add 11C"),
    "whole": Place("counting", "4.2", "The whole model needs two tables and one more LayerNorm"),
    "conventions": Place("counting", "4.2", "One model has six honest counts"),
    "steps": Place("counting", "4.2", "Changing one number shows what the formula says"),
    "heads": Place("counting", "4.2", "The number of heads is not in the formula"),
    "free heads": Place("counting", "4.2", "With a head width of its own, H does count"),
    "decay": Place("counting", "4.2", "The optimizer's two groups come from the same table"),
    "vocabulary": Place("counting", "4.2", "The family shows which vocabulary was used"),
    "trimming": Place("counting", "4.2", "Trimming takes rows away"),
    "scaling": Place("initialization", "4.3", "Four rules draw every parameter"),
    "first loss": Place("initialization", "4.3", "The first loss is known before the first step"),
    "doubling": Place("growth", "4.4", "Each symbol moves its own costs"),
    "costs": Place("growth", "4.4", "Each cost is a polynomial, and each polynomial is measured"),
    "square": Place("growth", "4.4", "The square in T belongs to the attention matrix"),
    "cache": Place("growth", "4.4", "Generation keeps keys and values"),
    "storage": Place("growth", "4.4", "A checkpoint holds more than weights"),
}


@dataclass(frozen=True)
class Exercise:
    """Questions about the same quantities.

    Attributes:
        id: name; also that of the first question.
        title: short, as in the overview.
        section: section of the book that it practises.
        level: 1 to 3, steps of difficulty.
        given: quantities of the text, and others that were not drawn.
        draw: random generator -> other quantities.
        questions: asked one after the other.
        trials: names of the functions to be mended in the lab, if any.
        changing: a quantity that two drawn instances in a row never share, if any.
    """

    id: str
    title: str
    section: str
    level: int
    given: tuple[dict, ...]
    draw: Callable
    questions: tuple
    trials: tuple[str, ...] = ()
    changing: str | None = None


def _config(q, **changes) -> GPTConfig:
    """The configuration of an instance; whatever it does not fix is as in the small test."""
    fields = {"V": "vocab_size", "T": "block_size", "L": "n_layer", "H": "n_head", "C": "n_embd"}
    given = {name: getattr(q, symbol) for symbol, name in fields.items() if hasattr(q, symbol)}
    return replace(PRESETS["small test"], **{"n_head": 1} | given | changes)


def _toy(rng: random.Random) -> dict:
    """A small model."""
    H = rng.choice((2, 3, 4))
    return {
        "V": rng.randrange(11, 60),
        "T": rng.randrange(6, 33),
        "L": rng.randrange(2, 7),
        "H": H,
        "C": H * rng.choice((4, 5, 6, 8, 10)),
    }


# ---- Trimming -------------------------------------------------------------------------------------


def _draw_trimming(rng):
    toy = _toy(rng)
    return toy | {"n": rng.randrange(2, toy["T"] - 1)}


TRIMMING = Exercise(
    id="trimming",
    title="Trimming the position table",
    section="4.2",
    level=1,
    given=({"V": 7, "T": 6, "L": 2, "H": 2, "C": 8, "n": 4},),
    draw=_draw_trimming,
    questions=(
        Number(
            id="trimming",
            ask="The model has V = {V}, T = {T}, L = {L}, H = {H}, C = {C} and biases. "
            "T is trimmed from {T} to {n}. How many parameters fewer does it have?",
            answer=lambda q: count_parameters(_config(q)) - count_parameters(_config(q, block_size=q.n)),
            slips=(
                instead(
                    "You counted the rows that stay; the question is about those that go.",
                    "trimming",
                    lambda q: q.n * q.C,
                ),
                instead("That is the whole position table; its first rows stay.", "trimming", lambda q: q.T * q.C),
                instead("That is the number of rows; each row holds C numbers.", "trimming", lambda q: q.T - q.n),
                instead(
                    "Those are entries of the causal mask, which is no parameter.",
                    "storage",
                    lambda q: q.T**2 - q.n**2,
                ),
                instead(
                    "get_num_params() leaves the position table out and does not change; parameters() does.",
                    "conventions",
                    lambda q: 0,
                ),
                instead(
                    "get_num_params() gives that before and after, as it leaves the position table out.",
                    "conventions",
                    lambda q: count_parameters(_config(q), "without positions"),
                ),
                instead(
                    "That is what the model has before; the question is about the difference.",
                    "trimming",
                    lambda q: count_parameters(_config(q)),
                ),
                instead(
                    "That is what the trimmed model has; the question is about the difference.",
                    "trimming",
                    lambda q: count_parameters(_config(q, block_size=q.n)),
                ),
                plus("One row too many: rows n to T − 1 go, which are T − n.", "trimming", lambda q: q.C),
                plus("One row too few: rows n to T − 1 go, which are T − n.", "trimming", lambda q: -q.C),
                times("You counted once per layer; the model has one position table.", "trimming", lambda q: q.L),
                times("You counted once per head; heads have no table of their own.", "heads", lambda q: q.H),
                times("The question asks how many fewer, so the number is positive.", "trimming", lambda q: -1),
            ),
            hints=(
                "Which tensors have T in their shape?",
                "Only the position table wpe, of shape (T, C). Which of its rows go?",
                "T − n rows go, and each holds C numbers.",
            ),
            next_step="Write down the shape of wpe before and after, and subtract.",
        ),
    ),
)

# ---- Head count -----------------------------------------------------------------------------------


def _draw_heads(rng):
    H = rng.choice((1, 2, 3, 4, 6))
    C = 2 * H * rng.choice((2, 3, 4, 5, 6, 8))
    return _toy(rng) | {"H": H, "C": C, "H2": 2 * H}


HEAD_COUNT = Exercise(
    id="head_count",
    title="More heads, same width",
    section="4.2",
    level=1,
    given=({"V": 7, "T": 6, "L": 2, "H": 2, "C": 8, "H2": 4},),
    draw=_draw_heads,
    questions=(
        Number(
            id="head_count",
            ask="The model has V = {V}, T = {T}, L = {L}, C = {C} and biases. H goes from {H} to {H2}. "
            "By how many parameters does the count change?",
            answer=lambda q: count_parameters(_config(q, n_head=q.H2)) - count_parameters(_config(q)),
            slips=(
                instead(
                    "You gave each head a (3C, C) matrix of its own; the heads share one.",
                    "heads",
                    lambda q: 3 * q.C**2 * (q.H2 - q.H) * q.L,
                ),
                instead(
                    "You gave each head a (3C, C) matrix of its own, in one layer; the heads share one.",
                    "heads",
                    lambda q: 3 * q.C**2 * (q.H2 - q.H),
                ),
                instead(
                    "You gave each head the whole attention of 4C²; the heads share it.",
                    "heads",
                    lambda q: 4 * q.C**2 * (q.H2 - q.H) * q.L,
                ),
                instead(
                    "That is the size of c_attn in one layer, 3C²; it is the same before and after.",
                    "heads",
                    lambda q: 3 * q.C**2,
                ),
                instead(
                    "That is the attention of one layer, 4C²; it is the same before and after.",
                    "heads",
                    lambda q: 4 * q.C**2,
                ),
                instead(
                    "That is the attention of all layers, 4LC²; it is the same before and after.",
                    "heads",
                    lambda q: 4 * q.L * q.C**2,
                ),
                instead(
                    "You divided the (3C, C) matrix by the heads, 3C²/H; each has that much, and there are H of them.",
                    "heads",
                    lambda q: q.L * (Fraction(3 * q.C**2, q.H2) - Fraction(3 * q.C**2, q.H)),
                ),
                instead("That is the change in the number of heads, not of parameters.", "heads", lambda q: q.H2 - q.H),
                instead(
                    "That is the whole count; the question is about its change.",
                    "heads",
                    lambda q: count_parameters(_config(q)),
                ),
            ),
            hints=(
                "In which tensors' shapes does H occur?",
                "c_attn has shape (3C, C) and c_proj (C, C), for any number of heads.",
                "H only says how the C columns are cut.",
            ),
            next_step="Write down the shape of each attention matrix for both head counts, and compare.",
        ),
        Number(
            id="head_width",
            ask="And how wide is one head, d, when C = {C} is shared by H = {H2} heads?",
            answer=lambda q: _config(q, n_head=q.H2).head_width,
            slips=(
                instead("That is d before the change.", "heads", lambda q: q.C // q.H),
                instead("More heads are narrower, not wider: d = C/H.", "heads", lambda q: 2 * q.C // q.H),
                instead("That is the number of heads.", "heads", lambda q: q.H2),
                instead("You multiplied by the heads; the heads divide C among them.", "heads", lambda q: q.C * q.H2),
                instead(
                    "That counts q, k and v together; each of them is C/H wide.",
                    "heads",
                    lambda q: Fraction(3 * q.C, q.H2),
                ),
            ),
            hints=("Whose columns do the heads share?", "They share the C columns equally.", "d = C/H."),
            next_step="Divide the width of the stream by the new number of heads.",
            units=("columns", "numbers"),
        ),
    ),
)

# ---- The same weights, other heads ----------------------------------------------------------------


def _draw_prompt(rng):
    heads = _draw_heads(rng)
    return {name: heads[name] for name in ("C", "H", "H2")} | {"t": rng.randrange(4, 40)}


SAME_WEIGHTS = Exercise(
    id="same_weights",
    title="The same weights, cut into other heads",
    section="4.2",
    level=2,
    given=({"C": 8, "H": 2, "H2": 4, "t": 6},),
    draw=_draw_prompt,
    changing="H",
    questions=(
        Choice(
            id="same_weights",
            ask="A model with C = {C} and H = {H} is saved. Its state dict is loaded, with strict=True, "
            "into a model with H = {H2}. What happens?",
            options=(
                Option("It is refused: shapes differ.", "No tensor has H in its shape, so every shape fits.", "heads"),
                Option("It is refused: names differ.", "No name contains a head, so every name fits.", "heads"),
                Option("It loads without a word."),
                Option(
                    "It loads, and the weights are put into another order.",
                    "Loading copies numbers; it knows nothing of heads.",
                    "heads",
                ),
            ),
            hints=("What does strict loading compare?", "It compares names and shapes. Where does H stand in them?"),
        ),
        Number(
            id="same_weights_positions",
            ask="Both models read the same prompt of {t} tokens, with weights large enough to matter. "
            "At how many of the {t} positions do their logits differ?",
            answer=lambda q: q.t - 1,  # measured in the lab on the model
            slips=(
                instead(
                    "Position 0 sees one key only. The softmax of one score is 1, however the columns are cut.",
                    "heads",
                    lambda q: q.t,
                ),
                instead(
                    "Equal weights are not an equal model: the softmax is taken over other groups of columns.",
                    "heads",
                    lambda q: 0,
                ),
                instead(
                    "That is the number of positions that agree; the question is where they differ.",
                    "heads",
                    lambda q: 1,
                ),
            ),
            hints=(
                "How many keys does a position see?",
                "A softmax over one score is always 1. Which position has one score only?",
                "Position 0 agrees; each later one mixes several keys, with other weights.",
            ),
            next_step="Go through the positions from the left, and ask how many keys each one sees.",
            units=("positions",),
        ),
        Choice(
            id="checkpoint_needs",
            ask="What must a checkpoint hold beside the tensors, so that this cannot happen unseen?",
            options=(
                Option("The random seed.", "A seed says how the weights were drawn, not how they are cut.", "heads"),
                Option("The number of parameters.", "It is the same for every number of heads.", "heads"),
                Option(
                    "The shape of each tensor.", "The tensors have their shapes already, and H is in none.", "heads"
                ),
                Option("The configuration, with n_head in it."),
            ),
            hints=(
                "Which field decides how the columns are cut?",
                "It can be seen in no tensor, so it must be written down.",
            ),
        ),
    ),
)

# ---- Without biases -------------------------------------------------------------------------------

NO_BIAS = Exercise(
    id="no_bias",
    title="Without biases",
    section="4.2",
    level=1,
    given=({"V": 7, "T": 6, "L": 2, "H": 2, "C": 8},),
    draw=_toy,
    questions=(
        Number(
            id="no_bias",
            ask="The model has V = {V}, T = {T}, L = {L}, H = {H}, C = {C} and bias=False. "
            "How many unique parameters does it have, positions included?",
            answer=lambda q: count_parameters(_config(q, bias=False)),
            slips=(
                instead("That is the count with biases.", "whole", lambda q: count_parameters(_config(q, bias=True))),
                instead(
                    "That is how many biases there are; the question is what remains without them.",
                    "whole",
                    lambda q: count_parameters(_config(q, bias=True)) - count_parameters(_config(q, bias=False)),
                ),
                instead(
                    "You counted one block; there are L of them.",
                    "whole",
                    lambda q: count_parameters(_config(q, bias=False, n_layer=1)),
                ),
                instead(
                    "Those are the blocks alone.",
                    "conventions",
                    lambda q: count_parameters(_config(q, bias=False), "blocks"),
                ),
                plus("You left the Linear biases in, 9C in each block.", "biases", lambda q: 9 * q.L * q.C),
                plus(
                    "You left the LayerNorm biases of the blocks in, 2C in each block.",
                    "biases",
                    lambda q: 2 * q.L * q.C,
                ),
                plus("You counted ln_f with a bias, or twice.", "whole", lambda q: q.C),
                plus("You left ln_f out: its scale stays, C numbers.", "whole", lambda q: -q.C),
                plus("You counted one LayerNorm in each block; there are two.", "weights", lambda q: -q.L * q.C),
                instead(
                    "You left the LayerNorms of the blocks out; their scales stay, 2C in each block.",
                    "weights",
                    lambda q: count_parameters(_config(q, bias=False)) - 2 * q.L * q.C,
                ),
                instead(
                    "You left every LayerNorm out; their scales stay, (2L + 1)C in all.",
                    "weights",
                    lambda q: count_parameters(_config(q, bias=False)) - (2 * q.L + 1) * q.C,
                ),
                instead(
                    "You left the shifts of all LayerNorms in; without biases each keeps its scale only.",
                    "biases",
                    lambda q: count_parameters(_config(q, bias=False)) + (2 * q.L + 1) * q.C,
                ),
                plus("You counted the head as well: + VC; it is tied to the table.", "tying", lambda q: q.V * q.C),
                plus("You left the position table out: − TC.", "conventions", lambda q: -q.T * q.C),
                plus("You left the token table out: − VC.", "conventions", lambda q: -q.V * q.C),
                plus(
                    "You multiplied the (3C, C) matrix by the heads; they share it.",
                    "heads",
                    lambda q: 3 * q.L * q.C**2 * (q.H - 1),
                ),
            ),
            hints=(
                "Which vectors remain in a block when no layer has a bias?",
                "The scales of two LayerNorms: a block has 12C² + 2C.",
                "VC + TC + L(12C² + 2C) + C.",
            ),
            next_step="Count one block first, 12C² + 2C; then L of them, both tables, and the scale of ln_f.",
        ),
    ),
)

# ---- The sum over the state dict ------------------------------------------------------------------

STORED_SUM = Exercise(
    id="stored_sum",
    title="The sum over the state dict",
    section="4.2",
    level=1,
    given=({"V": 7, "T": 6, "L": 2, "H": 2, "C": 8},),
    draw=_toy,
    questions=(
        Number(
            id="stored_sum",
            ask="The model has V = {V}, T = {T}, L = {L}, H = {H}, C = {C} and biases. "
            "The sizes of all entries of its state dict are added up. What is the sum?",
            answer=lambda q: count_parameters(_config(q), "stored"),
            slips=(
                instead(
                    "That is the number of entries, not of what they hold.",
                    "conventions",
                    lambda q: len(parameter_table(_config(q))),
                ),
                instead(
                    "You counted one block; there are L of them.",
                    "whole",
                    lambda q: count_parameters(_config(q, n_layer=1), "stored"),
                ),
                plus(
                    "You counted the tied matrix once, as parameters() does; the state dict lists it under two names.",
                    "tying",
                    lambda q: -q.V * q.C,
                ),
                plus("You counted the tied matrix once too often: it has two names.", "tying", lambda q: q.V * q.C),
                plus("You left the position table out: − TC.", "conventions", lambda q: -q.T * q.C),
                plus(
                    "You added a causal mask of T² for each layer; this model stores none.",
                    "storage",
                    lambda q: q.L * q.T**2,
                ),
                plus("You left ln_f out: − 2C.", "whole", lambda q: -2 * q.C),
                plus("You counted one LayerNorm in each block; there are two.", "biases", lambda q: -2 * q.L * q.C),
                plus("You left the Linear biases out: − 9LC.", "biases", lambda q: -9 * q.L * q.C),
                plus("You left the LayerNorm biases out: − (2L + 1)C.", "biases", lambda q: -(2 * q.L + 1) * q.C),
            ),
            hints=(
                "Which entries does the state dict have that a walk over the parameters gives only once?",
                "The token table and the head are one Parameter with two names, and both names are listed.",
                "The unique count, and VC once more.",
            ),
            next_step="Compute the unique count first, then ask which matrix has two names.",
        ),
        Choice(
            id="stored_why",
            ask="Why is that more than the sum over parameters()?",
            options=(
                Option(
                    "The state dict also holds the causal masks.",
                    "A mask would be a buffer; this model registers none.",
                    "storage",
                ),
                Option("A tied matrix stands in it under two names."),
                Option("parameters() leaves the biases out.", "Biases are Parameters like the others.", "biases"),
                Option(
                    "It also holds the optimizer's moments.",
                    "Those are in the optimizer's state dict, not in the model's.",
                    "storage",
                ),
            ),
            hints=("Compare the names in both lists.", "By which number of parameters do the two sums differ?"),
        ),
    ),
)

# ---- Which vocabulary? ----------------------------------------------------------------------------


def _draw_total(rng):
    L, C = rng.choice((6, 8, 12, 16, 24)), 64 * rng.randrange(8, 24)
    shape = {"T": 64 * rng.randrange(4, 32), "L": L, "C": C}
    N = count_parameters(_config(SimpleNamespace(V=rng.randrange(8000, 60000), **shape)))
    return shape | {"N": N, "L2": 2 * L, "C2": C + 256}


def _vocabulary(q) -> int:
    """V from the unique count N: what is not VC is independent of V."""
    rest = count_parameters(_config(q, vocab_size=1)) - q.C
    return (q.N - rest) // q.C


WHICH_V = Exercise(
    id="which_v",
    title="Which vocabulary?",
    section="4.2",
    level=3,
    given=(
        {
            "T": 1024,
            "L": 12,
            "C": 768,
            "N": count_parameters(replace(PRESETS["gpt2"], vocab_size=GPT1_VOCABULARY)),
            "L2": 24,
            "C2": 1024,
        },
    ),
    draw=_draw_total,
    questions=(
        Number(
            id="which_v",
            ask="A GPT with T = {T}, L = {L}, C = {C} and biases has {N} unique parameters. What is V?",
            answer=_vocabulary,
            slips=(
                instead(
                    "You divided the whole count by C; blocks and positions come off first.",
                    "whole",
                    lambda q: q.N // q.C,
                ),
                instead("That is GPT-2's vocabulary; this count needs another V.", "vocabulary", lambda q: 50257),
                instead("That is the padded vocabulary; this count needs another V.", "padding", lambda q: 50304),
                plus(
                    "You did not take off the position table, whose T rows now look like tokens.",
                    "whole",
                    lambda q: q.T,
                ),
                plus("You did not take off ln_f, which is 2C.", "whole", lambda q: 2),
                plus("You did not take off the Linear biases, 9C in each block.", "biases", lambda q: 9 * q.L),
                plus("You did not take off the LayerNorms of the blocks, 4C in each.", "biases", lambda q: 4 * q.L),
                plus("You took off one LayerNorm in each block; there are two.", "biases", lambda q: 2 * q.L),
                times("You took the head for a matrix of its own; it is tied.", "tying", lambda q: Fraction(1, 2)),
            ),
            hints=(
                "Which terms of the formula do not contain V?",
                "Take TC, L(12C² + 13C) and 2C off the total.",
                "What is left is VC; divide by C.",
            ),
            next_step="Take off TC + L(12C² + 13C) + 2C; what is left must be a multiple of C.",
            units=("tokens", "ids", "rows"),
        ),
        Number(
            id="which_v_larger",
            ask="With this V and this T, how many parameters does a model with L = {L2} and C = {C2} have? "
            "An answer within 0.1 million counts as right.",
            answer=lambda q: count_parameters(_config(q, vocab_size=_vocabulary(q), n_layer=q.L2, n_embd=q.C2)),
            slips=(
                plus("You counted the head as well: + VC.", "tying", lambda q: _vocabulary(q) * q.C2),
                plus("You left the token table out: − VC.", "conventions", lambda q: -_vocabulary(q) * q.C2),
                plus("You left the position table out: − TC.", "conventions", lambda q: -q.T * q.C2),
                instead(
                    "Those are the blocks alone.",
                    "conventions",
                    lambda q: count_parameters(_config(q, n_layer=q.L2, n_embd=q.C2), "blocks"),
                ),
                instead(
                    "You took GPT-2's vocabulary and not the V that you found.",
                    "vocabulary",
                    lambda q: count_parameters(_config(q, vocab_size=50257, n_layer=q.L2, n_embd=q.C2)),
                ),
                instead(
                    "You kept the old width.",
                    "whole",
                    lambda q: count_parameters(_config(q, vocab_size=_vocabulary(q), n_layer=q.L2)),
                ),
                instead(
                    "You kept the old number of layers.",
                    "whole",
                    lambda q: count_parameters(_config(q, vocab_size=_vocabulary(q), n_embd=q.C2)),
                ),
            ),
            hints=("Put the V that you found into the formula.", "VC + TC + L(12C² + 13C) + 2C with the new L and C."),
            next_step="Compute the blocks alone first: L(12C² + 13C).",
            tolerance=Fraction(10**5),
        ),
    ),
)

# ---- A log and a file that do not fit -------------------------------------------------------------


def _draw_log(rng):
    shape = {"T": 1024, "L": rng.choice((12, 24, 36, 48)), "C": 64 * rng.randrange(12, 27)}
    m = rng.choice((64, 128, 256))
    tokens = rng.randrange(30000, 60000)
    V = padded_vocab_size(tokens, m) + m * rng.randrange(0, 3)
    return shape | {"m": m, "tokens": tokens, "printed": _printed(shape | {"V": V})}


def _printed(shape: dict) -> str:
    return f"{count_parameters(_config(SimpleNamespace(**shape))) / 1e6:.2f}"


def _logged_vocabulary(q) -> int:
    """The multiple of m whose count is printed like this; neighbours differ by m·C, far more than was rounded away."""
    rest = count_parameters(_config(q, vocab_size=1)) - q.C
    return round((Fraction(q.printed) * 10**6 - rest) / (q.C * q.m)) * q.m


WRONG_VOCAB = Exercise(
    id="wrong_vocab",
    title="A log that does not fit the file",
    section="4.2",
    level=2,
    given=(
        {
            "T": 1024,
            "L": 48,
            "C": 1600,
            "m": 64,
            "tokens": 50257,
            "printed": _printed({"T": 1024, "L": 48, "C": 1600, "V": 50304}),
        },
    ),
    draw=_draw_log,
    questions=(
        Number(
            id="wrong_vocab",
            ask="The log of a run prints {printed}M unique parameters. "
            "Its model has T = {T}, L = {L}, C = {C} and biases, and its V is a multiple of {m}. "
            "A file whose token table has {tokens} rows does not load into it. What is the run's V?",
            answer=_logged_vocabulary,
            slips=(
                instead("That is the file's V; the printed count needs another.", "vocabulary", lambda q: q.tokens),
                instead(
                    "That is the difference of the two V; the question asks for the run's own.",
                    "vocabulary",
                    lambda q: _logged_vocabulary(q) - q.tokens,
                ),
                instead(
                    "That is a multiple below the file's V, with too few rows for its ids.",
                    "padding",
                    lambda q: q.tokens // q.m * q.m,
                ),
                plus("One multiple too many.", "vocabulary", lambda q: q.m),
                plus("You did not take off the position table, which this count includes.", "whole", lambda q: q.T),
                times("You took the head for a matrix of its own; it is tied.", "tying", lambda q: Fraction(1, 2)),
            ),
            hints=(
                "Which part of the count is fixed by T, L and C?",
                "Take the rest, divide by C, and you have V up to the rounding of the log.",
                "Only one multiple is that near.",
            ),
            next_step="Compute the count for the file's V, and see by how many rows of C numbers the log is off.",
            units=("tokens", "ids", "rows"),
        ),
        Number(
            id="wrong_vocab_excess",
            ask="How many parameters does the run's model have more than the file's, whose V is {tokens}?",
            answer=lambda q: (_logged_vocabulary(q) - q.tokens) * q.C,
            slips=(
                plus("One row too many.", "vocabulary", lambda q: q.C),
                plus("One row too few.", "vocabulary", lambda q: -q.C),
                times("You counted table and head; they are one matrix.", "tying", lambda q: 2),
                times(
                    "That is the number of rows; each row holds C numbers.", "vocabulary", lambda q: Fraction(1, q.C)
                ),
                times("You counted once per layer; the model has one token table.", "vocabulary", lambda q: q.L),
                times("The run's model is the larger one, so the number is positive.", "vocabulary", lambda q: -1),
            ),
            hints=("In what do the two models differ?", "One matrix has more rows, and each row holds C numbers."),
            next_step="Multiply the number of extra rows by the length of a row.",
        ),
    ),
)

# ---- The file that did not shrink -----------------------------------------------------------------


def _draw_view(rng):
    T = 64 * rng.randrange(4, 40)
    return {"T": T, "C": 64 * rng.randrange(2, 25), "n": 8 * rng.randrange(2, T // 9)}


_FLOAT_BYTES = 4
_OTHER_UNITS = (
    times("You counted numbers, not bytes; a float32 has 4 bytes.", "storage", lambda q: Fraction(1, 4)),
    times("You took 2 bytes for a number; float32 has 4.", "storage", lambda q: Fraction(1, 2)),
    times("You took 8 bytes for a number; float32 has 4.", "storage", lambda q: 2),
    times("That is in units of 1000 bytes; the question asks for bytes.", "storage", lambda q: Fraction(1, 1000)),
    times("That is in units of 1024 bytes; the question asks for bytes.", "storage", lambda q: Fraction(1, 1024)),
)

VIEW_STORAGE = Exercise(
    id="view_storage",
    title="The file that did not shrink",
    section="4.4",
    level=3,
    given=({"T": 1024, "C": 768, "n": 128},),
    draw=_draw_view,
    questions=(
        Number(
            id="view_storage",
            ask="A position table has T = {T} rows of C = {C} float32 numbers. The slice of its first {n} rows is "
            "saved with torch.save. How many bytes of numbers does the file hold?",
            answer=lambda q: q.T * q.C * _FLOAT_BYTES,
            slips=(
                instead(
                    "A slice is a view: it keeps the whole storage, and the storage is what is saved.",
                    "trimming",
                    lambda q: q.n * q.C * _FLOAT_BYTES,
                ),
                instead(
                    "Those are the rows that were cut off; saving takes the whole storage.",
                    "trimming",
                    lambda q: (q.T - q.n) * q.C * _FLOAT_BYTES,
                ),
                instead(
                    "Those are the numbers of the slice: the whole storage is saved, and each number has 4 bytes.",
                    "trimming",
                    lambda q: q.n * q.C,
                ),
                *_OTHER_UNITS,
            ),
            hints=(
                "Does a slice copy anything?",
                "The slice and the table share one storage. What does torch.save write?",
                "It writes the storage: all T rows of C numbers, 4 bytes each.",
            ),
            next_step="Ask how many rows are in the storage, then multiply by C and by 4.",
            units=tuple(BYTES),
        ),
        Number(
            id="view_clone",
            ask="And how many, if the slice is cloned first?",
            answer=lambda q: q.n * q.C * _FLOAT_BYTES,
            slips=(
                instead(
                    "A clone has a storage of its own, with its rows only.",
                    "trimming",
                    lambda q: q.T * q.C * _FLOAT_BYTES,
                ),
                instead(
                    "Those are the rows that were cut off; the clone holds the first n.",
                    "trimming",
                    lambda q: (q.T - q.n) * q.C * _FLOAT_BYTES,
                ),
                instead(
                    "Those are the numbers of the whole table: a clone has its own rows only, with 4 bytes a number.",
                    "trimming",
                    lambda q: q.T * q.C,
                ),
                *_OTHER_UNITS,
            ),
            hints=("What does a clone share with the table?", "Nothing: it has n rows of C numbers, 4 bytes each."),
            next_step="Ask how many rows are in the clone's storage, then multiply by C and by 4.",
            units=tuple(BYTES),
        ),
    ),
)

# ---- The shape of a weight ------------------------------------------------------------------------


def _draw_weight(rng):
    H = rng.choice((2, 3, 4, 6, 8, 12, 16))
    return {"C": H * rng.choice((16, 24, 32, 48, 64)), "H": H, "name": rng.choice(_DRAWN_WEIGHTS)}


_DRAWN_WEIGHTS = ("attn.c_attn", "mlp.c_fc", "mlp.c_proj")


def _rows_and_columns(q) -> list[int]:
    """The shape of a matrix of the blocks, in PyTorch's storage order."""
    entry = next(entry for entry in SHAPE_TABLE if entry.name.endswith(f".{q.name}.weight"))
    return [factor * q.C for factor, _ in entry.shape]


WEIGHT_SHAPE = Exercise(
    id="weight_shape",
    title="Rows and columns of a weight",
    section="4.1",
    level=1,
    given=({"C": 768, "H": 12, "name": "mlp.c_fc"},),
    draw=_draw_weight,
    changing="name",
    questions=(
        Number(
            id="weight_shape",
            ask="The model has C = {C}, H = {H} and biases. How many rows has {name}.weight, as PyTorch stores it?",
            answer=lambda q: _rows_and_columns(q)[0],
            slips=(
                instead(
                    "That is the order (in, out); a Linear stores (out, in), one row for each output.",
                    "linear",
                    lambda q: _rows_and_columns(q)[1],
                ),
                instead(
                    "That is how many weights there are, rows times columns.",
                    "linear",
                    lambda q: math.prod(_rows_and_columns(q)),
                ),
                instead(
                    "That is how many parameters the layer has, weight and bias together.",
                    "linear",
                    lambda q: math.prod(_rows_and_columns(q)) + _rows_and_columns(q)[0],
                ),
                plus("You counted the bias as a row; it is a tensor of its own.", "linear", lambda q: 1),
                times("You divided by the heads; H is in no shape.", "heads", lambda q: Fraction(1, q.H)),
            ),
            hints=(
                "What does one row compute?",
                "One output. How many numbers does this layer put out for each token?",
                "c_attn puts out 3C numbers, c_fc 4C, and the c_proj of the MLP C.",
            ),
            next_step="Say how many numbers go into the layer and how many come out; outputs are rows.",
            units=("rows", "row"),
        ),
        Number(
            id="weight_columns",
            ask="And how many columns?",
            answer=lambda q: _rows_and_columns(q)[1],
            slips=(
                instead(
                    "That is the number of rows; a Linear has one column for each input.",
                    "linear",
                    lambda q: _rows_and_columns(q)[0],
                ),
                instead(
                    "That is how many weights there are, rows times columns.",
                    "linear",
                    lambda q: math.prod(_rows_and_columns(q)),
                ),
                plus("You counted the bias as a column; it is a tensor of its own.", "linear", lambda q: 1),
                times("You divided by the heads; H is in no shape.", "heads", lambda q: Fraction(1, q.H)),
            ),
            hints=(
                "What does a row multiply?",
                "All inputs of the layer, so there is one column for each input.",
                "The c_proj of the MLP takes 4C numbers in, c_fc and c_attn take C.",
            ),
            next_step="Say how many numbers go into the layer and how many come out; inputs are columns.",
            units=("columns", "column"),
        ),
        Choice(
            id="weight_transposed",
            ask="A file holds the four matrices of each block as (in, out), and a loader must transpose them. "
            "It forgets one of the four. Which one does strict loading accept all the same?",
            options=(
                Option("attn.c_attn", "As (C, 3C) it does not fit into (3C, C), and loading says so.", "linear"),
                Option("attn.c_proj"),
                Option("mlp.c_fc", "As (C, 4C) it does not fit into (4C, C), and loading says so.", "linear"),
                Option("mlp.c_proj", "As (4C, C) it does not fit into (C, 4C), and loading says so.", "linear"),
            ),
            hints=("Which shapes are the same after rows and columns are exchanged?", "One of the four is square."),
        ),
    ),
)

# ---- Padding --------------------------------------------------------------------------------------


def _draw_padding(rng):
    m = rng.choice((8, 16, 32, 64, 128))
    return {"n": rng.randrange(1000, 60000), "m": m, "k": m * rng.randrange(100, 800)}


PADDING = Exercise(
    id="padding",
    title="Padding the vocabulary",
    section="4.1",
    level=1,
    given=({"n": 50257, "m": 64, "k": 50304},),
    draw=_draw_padding,
    questions=(
        Number(
            id="padding",
            ask="A tokenizer has {n} ids. V is to be the smallest multiple of {m} with a row for each id. What is V?",
            answer=lambda q: padded_vocab_size(q.n, q.m),
            slips=(
                instead(
                    "That is the multiple below; the largest ids would have no row.",
                    "padding",
                    lambda q: q.n // q.m * q.m,
                ),
                instead("You added a whole multiple; that is no multiple.", "padding", lambda q: q.n + q.m),
                instead("That is the number of ids before padding.", "padding", lambda q: q.n),
                instead("Those are the rows that are added.", "padding", lambda q: padded_vocab_size(q.n, q.m) - q.n),
                plus("One multiple too many; a smaller one is large enough.", "padding", lambda q: q.m),
                times("That says how many times the multiple fits.", "padding", lambda q: Fraction(1, q.m)),
            ),
            hints=(
                "May V be smaller than the number of ids?",
                "V is the smallest multiple that is at least the number of ids, not the nearest.",
                "Divide, round up, multiply again.",
            ),
            next_step="Check two things: is your number a multiple, and does each id have a row?",
            units=("rows", "ids"),
        ),
        Number(
            id="padding_exact",
            ask="And what is the smallest such V, if the tokenizer has {k} ids, a multiple of {m} already?",
            answer=lambda q: padded_vocab_size(q.k, q.m),
            slips=(
                plus("An exact multiple needs no further rows.", "padding", lambda q: q.m),
                plus("An exact multiple is large enough as it is.", "padding", lambda q: -q.m),
                instead("Those are the rows that are added; the question asks for V.", "padding", lambda q: 0),
                times("That says how many times the multiple fits.", "padding", lambda q: Fraction(1, q.m)),
            ),
            hints=("What is the smallest multiple that is at least this large?", "How many rows are missing?"),
            next_step="Ask whether the number itself is allowed.",
            units=("rows", "ids"),
        ),
    ),
)

# ---- Twice the width ------------------------------------------------------------------------------


def _grown(q, convention: str = "unique") -> Fraction:
    """New count over old count when C is doubled."""
    return Fraction(count_parameters(_config(q, n_embd=2 * q.C), convention), count_parameters(_config(q), convention))


def _draw_width(rng):
    return {"V": rng.randrange(20000, 60000), "T": 1024, "L": rng.randrange(8, 25), "C": 64 * rng.randrange(6, 17)}


DOUBLE_WIDTH = Exercise(
    id="double_width",
    title="Twice the width",
    section="4.4",
    level=2,
    given=({"V": 50257, "T": 1024, "L": 12, "C": 768},),
    draw=_draw_width,
    questions=(
        Number(
            id="double_width",
            ask="C is doubled in a model with V = {V}, T = {T}, L = {L}, C = {C} and biases. "
            "By what factor does the unique count grow? An answer within 0.01 counts as right.",
            answer=_grown,
            slips=(
                instead("That holds for the matrices of the blocks; the tables only double.", "steps", lambda q: 4),
                instead("That holds for the tables; the matrices of the blocks grow by 4.", "steps", lambda q: 2),
                instead("You cubed: a matrix has two sides, and each doubles.", "steps", lambda q: 8),
                instead(
                    "You counted the tied matrix twice, which gives the tables too much weight.",
                    "tying",
                    lambda q: _grown(q, convention="stored"),
                ),
                plus("That is what is added, in old counts; the factor is new over old.", "steps", lambda q: -1),
                times("That is the factor in percent.", "steps", lambda q: 100),
            ),
            hints=(
                "Which terms contain C once, and which twice?",
                "VC and TC double; 12LC² grows by 4. How large is each share?",
                "Compute the whole count for both widths and divide.",
            ),
            next_step="Compute both counts in full, and divide the new one by the old one.",
            tolerance=Fraction(1, 100),
            units=("x", "×", "times", "fold"),
        ),
        Number(
            id="double_width_total",
            ask="How many unique parameters does the wider model have? An answer within 0.1 million counts as right.",
            answer=lambda q: count_parameters(_config(q, n_embd=2 * q.C)),
            slips=(
                instead(
                    "That is the old count times 4; the tables only double.",
                    "steps",
                    lambda q: 4 * count_parameters(_config(q)),
                ),
                instead(
                    "That is the old count times 2; the matrices of the blocks grow by 4.",
                    "steps",
                    lambda q: 2 * count_parameters(_config(q)),
                ),
                instead("That is the old count.", "steps", lambda q: count_parameters(_config(q))),
                plus("You counted the head as well: + VC.", "tying", lambda q: 2 * q.V * q.C),
                plus("You left the token table out: − VC.", "conventions", lambda q: -2 * q.V * q.C),
                plus("You left the position table out: − TC.", "conventions", lambda q: -2 * q.T * q.C),
                instead(
                    "Those are the blocks alone.",
                    "conventions",
                    lambda q: count_parameters(_config(q, n_embd=2 * q.C), "blocks"),
                ),
            ),
            hints=("Put 2C in place of C in the formula of the whole model.", "The blocks alone are L(12C² + 13C)."),
            next_step="Compute the blocks first, with the new C; then the two tables.",
            tolerance=Fraction(10**5),
        ),
    ),
)

# ---- Attention matrices in memory -----------------------------------------------------------------


def _draw_batch(rng):
    factor = rng.choice((2, 3, 4))
    fewer = rng.choice([n for n in (2, 3, 4) if factor**2 % n == 0])
    H, T = fewer * rng.choice((2, 3, 4, 6)), 64 * rng.randrange(2, 17)
    shape = {"B": rng.randrange(3, 17), "L": rng.randrange(5, 37), "H": H, "C": 64 * H, "T": T}
    return shape | {"T2": factor * T, "H2": H // fewer}


def _attention_bytes(q, **changes) -> int:
    return evaluate(attention_matrices(), _config(q, **{"block_size": q.T} | changes), q.B)


ATTENTION_BYTES = Exercise(
    id="attention_bytes",
    title="Attention matrices in memory",
    section="4.4",
    level=2,
    given=({"B": 8, "L": 24, "H": 16, "C": 1024, "T": 768, "T2": 1536, "H2": 8},),
    draw=_draw_batch,
    questions=(
        Number(
            id="attention_bytes",
            ask="A model with L = {L}, H = {H}, C = {C} and explicit attention is trained in float32, with {B} "
            "sequences of T = {T} tokens in a batch. Autograd keeps the attention weights, the results of each "
            "softmax, for the backward pass. How many bytes is that in all layers?",
            answer=_attention_bytes,
            slips=(
                instead(
                    "Those are keys and values, which generation keeps; the question is about the attention weights.",
                    "cache",
                    lambda q: evaluate(kv_cache(), _config(q), q.B),
                ),
                plus(
                    "You added the causal mask of each layer; it is kept as well, but it is no attention weight.",
                    "square",
                    lambda q: q.L * q.T**2,
                ),
                times("You counted one head; each of the H heads has a matrix.", "costs", lambda q: Fraction(1, q.H)),
                times("You counted one layer; there are L of them.", "costs", lambda q: Fraction(1, q.L)),
                times("You counted one sequence; each of the B has matrices.", "costs", lambda q: Fraction(1, q.B)),
                times(
                    "You took T numbers for each head; there is one for each pair of positions, T².",
                    "square",
                    lambda q: Fraction(1, q.T),
                ),
                times(
                    "You counted the pairs that the mask leaves; the matrix is kept in full, with its zeros.",
                    "square",
                    lambda q: Fraction(q.T + 1, 2 * q.T),
                ),
                times("You counted numbers, not bytes; a float32 has 4 bytes.", "costs", lambda q: Fraction(1, 4)),
                times("You took 2 bytes for a number; float32 has 4.", "costs", lambda q: Fraction(1, 2)),
                times(
                    "You took 8 bytes for a number, or counted the scores beside the weights.",
                    "costs",
                    lambda q: 2,
                ),
                times("You multiplied by d, but the matrix holds one number for each pair.", "costs", lambda q: 64),
                times(
                    "That is in units of 1000 bytes; the question asks for bytes.", "costs", lambda q: Fraction(1, 1000)
                ),
                times(
                    "That is in units of 1024 bytes; the question asks for bytes.", "costs", lambda q: Fraction(1, 1024)
                ),
            ),
            hints=(
                "Between which things does attention hold a weight?",
                "Between any two positions: T² weights. How many such matrices are there in a batch?",
                "L·B·H matrices of T² numbers, with 4 bytes each.",
            ),
            next_step="Write down the shape of the attention weights in one layer, then multiply by L and by 4.",
            units=tuple(BYTES),
        ),
        Number(
            id="attention_growth",
            ask="By what factor do they grow when T goes from {T} to {T2} and H from {H} to {H2}?",
            answer=lambda q: Fraction(_attention_bytes(q, block_size=q.T2, n_head=q.H2), _attention_bytes(q)).numerator,
            slips=(
                instead("You left H out: fewer heads are fewer matrices.", "doubling", lambda q: (q.T2 // q.T) ** 2),
                instead(
                    "You let T count once; the matrix has T rows and T columns.",
                    "square",
                    lambda q: Fraction(q.T2, q.T) * Fraction(q.H2, q.H),
                ),
                instead(
                    "Fewer heads are fewer matrices, not more.",
                    "doubling",
                    lambda q: (q.T2 // q.T) ** 2 * (q.H // q.H2),
                ),
                instead(
                    "That is the new size in bytes; the factor is new over old.",
                    "costs",
                    lambda q: _attention_bytes(q, block_size=q.T2, n_head=q.H2),
                ),
            ),
            hints=(
                "Which of the two enters once, and which twice?",
                "The matrix has T rows and T columns, and there is one for each head.",
                "The square of the factor of T, times the factor of H.",
            ),
            next_step="Divide LBHT² with the new numbers by LBHT² with the old ones.",
            units=("x", "×", "times", "fold"),
        ),
    ),
)

# ---- What decays ----------------------------------------------------------------------------------


def _draw_decay(rng):
    return {
        "V": 64 * rng.randrange(100, 800),
        "T": 64 * rng.randrange(4, 33),
        "L": rng.randrange(6, 25),
        "C": 64 * rng.randrange(4, 21),
    }


DECAY_SPLIT = Exercise(
    id="decay_split",
    title="What decays",
    section="4.2",
    level=2,
    given=({"V": 50304, "T": 1024, "L": 12, "C": 768},),
    draw=_draw_decay,
    questions=(
        Number(
            id="decay_split",
            ask="The model has V = {V}, T = {T}, L = {L}, C = {C} and biases. An optimizer decays all tensors with two "
            "or more dimensions. How many parameters do they hold?",
            answer=lambda q: decay_split(_config(q)).decayed_params,
            slips=(
                instead("That is the number of tensors.", "decay", lambda q: decay_split(_config(q)).decayed_tensors),
                instead(
                    "That is the whole count; vectors are not decayed.", "decay", lambda q: count_parameters(_config(q))
                ),
                instead(
                    "Those are the parameters that are not decayed.",
                    "decay",
                    lambda q: decay_split(_config(q)).other_params,
                ),
                plus("You left the token table out; it has two dimensions.", "decay", lambda q: -q.V * q.C),
                plus("You left the position table out; it has two dimensions.", "decay", lambda q: -q.T * q.C),
                plus("You counted the tied matrix twice: + VC.", "tying", lambda q: q.V * q.C),
                plus(
                    "You put the Linear biases with the matrices; they are vectors.", "decay", lambda q: 9 * q.L * q.C
                ),
                plus("You counted one block; there are L of them.", "whole", lambda q: -12 * (q.L - 1) * q.C**2),
            ),
            hints=(
                "Which tensors have two dimensions?",
                "Both tables, and four matrices in each block.",
                "VC + TC + 12LC².",
            ),
            next_step="List the tensors of one block with two dimensions, add them, and multiply by L.",
        ),
        Number(
            id="not_decayed",
            ask="And how many parameters are not decayed?",
            answer=lambda q: decay_split(_config(q)).other_params,
            slips=(
                instead("That is the number of tensors.", "decay", lambda q: decay_split(_config(q)).other_tensors),
                instead(
                    "Those are the parameters that are decayed.",
                    "decay",
                    lambda q: decay_split(_config(q)).decayed_params,
                ),
                instead("You counted one block; there are L of them.", "whole", lambda q: 15 * q.C),
                plus(
                    "Of each LayerNorm you counted one vector; it has a scale and a shift.",
                    "decay",
                    lambda q: -(2 * q.L + 1) * q.C,
                ),
                instead(
                    "Those are the Linear biases alone; each LayerNorm has two vectors of C numbers beside them.",
                    "decay",
                    lambda q: 9 * q.L * q.C,
                ),
                plus("You left the LayerNorms of the blocks out: − 4LC.", "decay", lambda q: -4 * q.L * q.C),
                plus("You left the Linear biases out: − 9LC.", "decay", lambda q: -9 * q.L * q.C),
                plus("You left ln_f out: − 2C.", "decay", lambda q: -2 * q.C),
                plus("You counted one LayerNorm in each block; there are two.", "decay", lambda q: -2 * q.L * q.C),
                plus(
                    "You took 8C for the LayerNorms of a block; two of them have 4C.", "biases", lambda q: 4 * q.L * q.C
                ),
                plus("You put the position table here; it has two dimensions.", "decay", lambda q: q.T * q.C),
                plus("You counted a bias of the head; it has none.", "decay", lambda q: q.V),
            ),
            hints=(
                "Which tensors have one dimension?",
                "In a block 9C Linear biases and 4C of LayerNorm; then ln_f.",
                "13LC + 2C.",
            ),
            next_step="Both answers together must give the unique count.",
        ),
    ),
)

# ---- The first loss -------------------------------------------------------------------------------

FIRST_LOSS = Exercise(
    id="first_loss",
    title="The first loss",
    section="4.3",
    level=2,
    given=({"V": 50304, "C": 768},),
    draw=lambda rng: {"V": rng.randrange(5000, 100000), "C": 64 * rng.randrange(8, 40)},
    questions=(
        Number(
            id="first_loss",
            ask="A model with V = {V} and C = {C} has not been trained; its weights have standard deviation 0.02. "
            "Which loss, in nats, is to be expected on random targets? An answer within 0.01 counts as right.",
            answer=lambda q: math.log(q.V) + q.C * 0.02**2 / 2,
            slips=(
                instead(
                    "That is ln V, the loss of equal logits; these logits have a variance.",
                    "first loss",
                    lambda q: math.log(q.V),
                ),
                instead(
                    "You added the whole variance of a logit; half of it belongs here.",
                    "first loss",
                    lambda q: math.log(q.V) + q.C * 0.02**2,
                ),
                instead(
                    "You subtracted half the variance; it raises the loss.",
                    "first loss",
                    lambda q: math.log(q.V) - q.C * 0.02**2 / 2,
                ),
                instead(
                    "You took the standard deviation 0.02 without squaring it.",
                    "first loss",
                    lambda q: math.log(q.V) + q.C * 0.02 / 2,
                ),
                instead("You took the logarithm to base 2, which gives bits.", "first loss", lambda q: math.log2(q.V)),
                instead("You took the logarithm to base 10.", "first loss", lambda q: math.log10(q.V)),
                instead(
                    "That is in bits; the question asks for nats.",
                    "first loss",
                    lambda q: (math.log(q.V) + q.C * 0.02**2 / 2) / math.log(2),
                ),
            ),
            hints=(
                "What is the loss, if all V logits are equal?",
                "A logit is a sum of C products: values of variance 1 with weights of variance 0.02².",
                "The mean of the exponential of a normal variable adds half its variance to ln V.",
            ),
            next_step="Start from ln V, and add half the variance of one logit, which is C·0.02².",
            tolerance=Fraction(1, 100),
            units=("nats", "nat"),
        ),
    ),
)

# ---- Spot the bug ---------------------------------------------------------------------------------

SPOT_THE_BUG = Exercise(
    id="spot_the_bug",
    title="Spot the bug",
    section="4.3",
    level=3,
    given=tuple({"bug": number} for number in range(5)),
    draw=lambda rng: {"bug": rng.randrange(5, len(BUGS))},
    questions=(
        PickLine(
            id="spot_the_bug",
            ask="One line is wrong. Which one?",
            hints=(
                "Go through the code line by line, and say for each what it would give for the small test.",
                "Compare with the table of shapes, and with the names in the state dict.",
                "Ask of each line: which tensors does it reach, and how often?",
            ),
        ),
    ),
    trials=("mend_names", "mend_projection", "mend_norms", "mend_biases", "mend_head"),
)

# ---- A design under a budget ----------------------------------------------------------------------


def _draw_design(rng):
    q = {"V": rng.randrange(500, 12000), "T": 64 * rng.randrange(2, 17), "L": rng.randrange(2, 13)}
    widest = count_parameters(_config(SimpleNamespace(**q), n_embd=64 * rng.randrange(2, 13)))
    return q | {"budget": -(-widest // 10**6) * 10**6}


DESIGN = Exercise(
    id="design",
    title="As wide as the budget allows",
    section="4.2",
    level=3,
    given=({"V": 8000, "T": 256, "L": 6, "budget": 10_000_000},),
    draw=_draw_design,
    questions=(
        Design(
            id="design",
            ask="A model has V = {V}, T = {T}, L = {L} and biases. Give the largest C, a multiple of 64, with at most "
            "{budget} unique parameters, and any H that divides this C.",
            step=64,
            hints=(
                "Which term grows fastest with C?",
                "Without the small terms, 12LC² + (V + T)C is the budget: a quadratic equation in C.",
                "No larger C fits than its root. Check the multiple of 64 below by the full formula: the small terms "
                "may push it over the budget.",
            ),
            places={"heads": "heads", "over": "whole", "narrow": "whole"},
        ),
    ),
)

# ---- Rows with a free head width ------------------------------------------------------------------

_ODD_ROWS = tuple(
    {"C": row.n_embd, "H": row.n_head, "d": row.head_width}
    for row in CHINCHILLA_TABLE
    if row.n_head * row.head_width != row.n_embd
)


def _attention_weights(q) -> int:
    """c_attn maps C to 3·H·d, and c_proj maps H·d back to C."""
    return q.C * 3 * q.H * q.d + q.H * q.d * q.C


ODD_ROWS = Exercise(
    id="odd_rows",
    title="Heads of a free width",
    section="4.2",
    level=2,
    given=_ODD_ROWS,
    draw=lambda rng: {
        "C": 64 * rng.randrange(8, 90),
        "H": rng.randrange(6, 48),
        "d": rng.choice((32, 64, 80, 96, 128)),
    },
    questions=(
        Number(
            id="odd_rows",
            ask="A model of width C = {C} has H = {H} heads of width d = {d}, and H·d is not C. "
            "How many weights do the attention matrices of one layer hold, without biases?",
            answer=_attention_weights,
            slips=(
                instead("You took 4C², which needs d = C/H.", "free heads", lambda q: 4 * q.C**2),
                instead(
                    "You made the matrices square in H·d; one side of each is C.",
                    "free heads",
                    lambda q: 4 * (q.H * q.d) ** 2,
                ),
                instead(
                    "You took c_proj for a (C, C) matrix; it takes H·d numbers and gives C.",
                    "free heads",
                    lambda q: 3 * q.C * q.H * q.d + q.C**2,
                ),
                instead(
                    "You took c_attn for a (3C, C) matrix; it gives 3·H·d numbers.",
                    "free heads",
                    lambda q: 3 * q.C**2 + q.C * q.H * q.d,
                ),
                instead("You left c_proj out.", "free heads", lambda q: 3 * q.C * q.H * q.d),
                instead("You counted one head; there are H of them.", "free heads", lambda q: 4 * q.C * q.d),
                instead(
                    "You counted one of four matrices: q, k, v and the output.", "free heads", lambda q: q.C * q.H * q.d
                ),
                times("You multiplied by the heads once too often.", "heads", lambda q: q.H),
            ),
            hints=(
                "How many numbers do all heads of q hold together for one token?",
                "They hold H·d, so c_attn has shape (3Hd, C) and c_proj (C, Hd).",
                "Together 4·C·H·d.",
            ),
            next_step="Write down the shapes of c_attn and c_proj with H·d where H·d numbers go in or out.",
            units=("weights", "parameters", "parameter", "params"),
        ),
    ),
)

# ---- An optimizer made before trimming ------------------------------------------------------------

OLD_OPTIMIZER = Exercise(
    id="old_optimizer",
    title="An optimizer made before trimming",
    section="4.2",
    level=3,
    given=({"V": 7, "T": 6, "L": 2, "H": 2, "C": 8, "n": 4},),
    draw=_draw_trimming,
    questions=(
        Number(
            id="old_optimizer",
            ask="The model has V = {V}, T = {T}, L = {L}, H = {H}, C = {C} and biases. An optimizer is made for all "
            "its parameters. Then the position table is replaced by a new Parameter with its first {n} rows. "
            "How many of the model's parameters does the optimizer not own?",
            answer=lambda q: q.n * q.C,
            slips=(
                instead(
                    "The new Parameter is another object, and the optimizer was not told.", "trimming", lambda q: 0
                ),
                instead(
                    "Those are the rows that were cut off; the model has them no more.",
                    "trimming",
                    lambda q: (q.T - q.n) * q.C,
                ),
                instead("That is the old table, which the optimizer does own.", "trimming", lambda q: q.T * q.C),
                instead("That is the number of rows; each holds C numbers.", "trimming", lambda q: q.n),
                instead(
                    "It still owns everything else.",
                    "trimming",
                    lambda q: count_parameters(_config(q, block_size=q.n)),
                ),
                instead(
                    "That is the number of Parameter objects; the question is about what they hold.",
                    "trimming",
                    lambda q: 1,
                ),
            ),
            hints=(
                "Does an optimizer hold names, or Parameter objects?",
                "It holds objects. Which object of the model is new?",
                "The whole new table, n rows of C numbers.",
            ),
            next_step="Go through the model's Parameter objects, and ask for each whether it existed before.",
        ),
        Number(
            id="optimizer_owns",
            ask="How many parameters are in the optimizer's own list afterwards, the old table included?",
            answer=lambda q: count_parameters(_config(q)),
            slips=(
                instead(
                    "It still holds the old table, with all T rows.",
                    "trimming",
                    lambda q: count_parameters(_config(q, block_size=q.n)),
                ),
                instead(
                    "It still holds the old table, although the model does not.",
                    "trimming",
                    lambda q: count_parameters(_config(q)) - q.T * q.C,
                ),
                instead(
                    "It does not get the new table beside the old one.",
                    "trimming",
                    lambda q: count_parameters(_config(q)) + q.n * q.C,
                ),
                plus("You counted the tied matrix twice: + VC.", "tying", lambda q: q.V * q.C),
                plus("You left ln_f out: − 2C.", "whole", lambda q: -2 * q.C),
                plus("You left the Linear biases out: − 9LC.", "biases", lambda q: -9 * q.L * q.C),
                plus("You counted one LayerNorm in each block; there are two.", "biases", lambda q: -2 * q.L * q.C),
            ),
            hints=("Has anything been taken from the optimizer?", "It owns what it was made for."),
            next_step="Count what the optimizer was given; trimming the model does not change that.",
        ),
        Choice(
            id="optimizer_symptom",
            ask="What shows in training?",
            options=(
                Option(
                    "The next step fails with a shape error.",
                    "The old table gets no gradient, so nothing of an old shape meets it.",
                    "trimming",
                ),
                Option("Nothing: the new table is never updated."),
                Option(
                    "The optimizer finds the new table by its name.",
                    "An optimizer holds objects; it knows no names.",
                    "trimming",
                ),
                Option(
                    "The loss becomes NaN.",
                    "The new table keeps its values, which are as good as before.",
                    "trimming",
                ),
            ),
            hints=(
                "What does an optimizer do with a Parameter that has no gradient?",
                "It passes over it without a word.",
            ),
        ),
    ),
)

EXERCISES = (
    TRIMMING,
    HEAD_COUNT,
    NO_BIAS,
    STORED_SUM,
    WEIGHT_SHAPE,
    PADDING,
    SAME_WEIGHTS,
    WRONG_VOCAB,
    DOUBLE_WIDTH,
    ATTENTION_BYTES,
    DECAY_SPLIT,
    FIRST_LOSS,
    ODD_ROWS,
    WHICH_V,
    VIEW_STORAGE,
    SPOT_THE_BUG,
    DESIGN,
    OLD_OPTIMIZER,
)

# ---- Instances -------------------------------------------------------------------------------------


@cache
def instances(exercise_id: str) -> tuple[SimpleNamespace, ...]:
    """The quantities of the text first, then others, 31 in all; the same in every run.

    In those that are drawn each mistake gives a number of its own, so that a diagnosis is not in doubt.

    Raises:
        ValueError: there is no such exercise, or too few instances tell its mistakes apart.
    """
    exercise = _named(exercise_id, {e.id: e for e in EXERCISES}, "exercise")
    rng = random.Random(exercise.id)
    drawn = [SimpleNamespace(**quantities) for quantities in exercise.given]
    for _ in range(200 * INSTANCES):
        if len(drawn) == INSTANCES:
            return tuple(drawn)
        q = SimpleNamespace(**exercise.draw(rng))
        if exercise.changing and getattr(q, exercise.changing) == getattr(drawn[-1], exercise.changing):
            continue
        if q not in drawn and all(_distinct(question, q) for question in exercise.questions):
            drawn.append(q)
    raise ValueError(f"exercise={exercise_id!r}: only {len(drawn)} instances tell its mistakes apart")


def _distinct(question, q: SimpleNamespace) -> bool:
    """Whether each single mistake gives a wrong number, and no other single mistake the same."""
    if not isinstance(question, Number):
        return True
    wrong = [value for indices, value in question.mistakes(q) if len(indices) == 1]
    if None in wrong:
        return False
    cells = sorted(question.cell(value) for value in wrong)
    apart = 0 if question.tolerance is None else 2 * GRID
    return all(above - below > apart for below, above in pairwise(cells))


def order_of_options(question: Choice, instance: int) -> list[int]:
    """In which order the options of an instance are shown: as written for the first, shuffled for the others."""
    order = list(range(len(question.options)))
    if instance:
        random.Random(f"{question.id} {instance}").shuffle(order)
    return order


def design_count(q: SimpleNamespace, C: int) -> int:
    """Parameters of a design of width C; the heads do not change it."""
    return count_parameters(_config(q, n_embd=C))


def asked(question, q: SimpleNamespace) -> str:
    """The text of the question for these quantities."""
    return question.ask.format(**{name: grouped(value) for name, value in vars(q).items()})


def grouped(value: int | str) -> str:
    """A quantity as it is shown: thousands are separated by commas."""
    return f"{value:,}" if type(value) is int else value


def right_answer(question_id: str) -> str:
    """The answer for the numbers of the text, as it is written in a solution: rounded to the question's unit, if any.

    Raises:
        ValueError: there is no such question, or its answer is no number.
    """
    exercise, question = _question(question_id)
    q = instances(exercise.id)[0]
    if isinstance(question, Design):
        widths = takewhile(lambda C: design_count(q, C) <= q.budget, count(question.step, question.step))
        return f"{max(widths):,}"
    if not isinstance(question, Number):
        raise ValueError(f"question={question_id!r} has no number for an answer")
    right = question.answer(q)
    if question.tolerance is None or question.tolerance >= 1:
        return f"{right:,}"
    return f"{float(right):.{len(str(question.tolerance.denominator)) - 1}f}"


def wrong_line(number: int) -> str:
    """What is wrong in one of the pieces of code of the text, numbered from 1, with the number of the line.

    Raises:
        ValueError: the text has no such piece.
    """
    pieces = SPOT_THE_BUG.given
    _require_between("piece", number, 1, len(pieces))
    bug = BUGS[pieces[number - 1]["bug"]]
    return f"Line {bug.line}. {bug.reason}"


# ---- In a lab --------------------------------------------------------------------------------------


class Text(str):
    """Text that a notebook shows without quotation marks."""

    __slots__ = ()
    __repr__ = str.__str__


def ask(question_id: str, instance: int = 0) -> Text:
    """The question with the numbers of an instance, and its options or its code.

    Raises:
        ValueError: there is no such question or instance.
    """
    exercise, question = _question(question_id)
    q = _instance(exercise, instance)
    lines = [asked(question, q)]
    if isinstance(question, Choice):
        order = order_of_options(question, instance)
        lines += [f"{letter}. {question.options[i].text}" for letter, i in zip("abcdef", order, strict=False)]
    if isinstance(question, PickLine):
        lines.append(BUGS[q.bug].snippet.title)
        lines += [f"{number}  {line}" for number, line in enumerate(BUGS[q.bug].lines, start=1)]
    return Text("\n".join(lines))


def hint(question_id: str, number: int = 1) -> Text:
    """The hint with this number, from 1.

    Raises:
        ValueError: there is no such question or hint.
    """
    _, question = _question(question_id)
    _require_between("hint", number, 1, len(question.hints), f"{question_id} has hints")
    return Text(question.hints[number - 1])


def check(question_id: str, answer, instance: int = 0) -> Verdict:
    """The verdict on an answer, in the words of the page.

    Args:
        question_id: as it stands in the exercise.
        answer: a number (Python's, NumPy's, a fraction or a tensor), or what would be typed in the page; ``...`` for
            not yet. For a number also a function whose parameters are quantities of the question, which is tried on
            every instance. For "design" (C, H), or a ``GPTConfig`` with the question's other sizes. For what is to be
            mended, the mended function.
        instance: which numbers: 0 for those of the text.

    Raises:
        ValueError: there is no such question or instance, the answer is of another kind than the question's, or a
            function has a parameter that is no quantity.
    """
    if any(question_id in exercise.trials for exercise in EXERCISES):
        _require_between("instance", instance, 0, 0)
        if answer is ...:
            return Verdict(False, SENTENCES["blank"])
        if not callable(answer):
            raise ValueError(f"answer={answer!r} is not valid; use the mended function")
        from exercise_trials import TRIALS  # needs torch, which the book's build does without

        return TRIALS[question_id](answer)
    exercise, question = _question(question_id)
    q = _instance(exercise, instance)
    if answer is ...:
        return Verdict(False, SENTENCES["blank"])
    if isinstance(question, Design):
        return _check_design(question, q, answer)
    if callable(answer):
        return _check_function(exercise, question, answer)
    typed = _as_typed(answer)
    got = shown(typed)
    if isinstance(question, Choice | PickLine):
        return _verdict(*_judge_listed(question, q, instance, got))
    try:
        value, shortened = read_number(typed, question.units)
    except UnreadableAnswer as error:
        return Verdict(False, str(error))
    return _verdict(*diagnose(question, *_right_and_wrong(question_id, instance), value, got, shortened))


def _as_typed(answer) -> str:
    """An answer from a lab as it would be typed: a number of NumPy or PyTorch, or a fraction, as one of Python."""
    if hasattr(answer, "item") and math.prod(answer.shape) == 1:
        answer = answer.item()
    if isinstance(answer, Fraction):
        answer = float(answer) if answer % 1 else int(answer)
    return answer if isinstance(answer, str) else repr(answer)


@cache
def _right_and_wrong(question_id: str, instance: int) -> tuple:
    """The right answer, and every known mistake with the number it gives."""
    exercise, question = _question(question_id)
    q = instances(exercise.id)[instance]
    return question.answer(q), list(question.mistakes(q))


def _judge_listed(question: Choice | PickLine, q: SimpleNamespace, instance: int, got: str) -> Finding:
    """One of the listed answers."""
    if isinstance(question, Choice):
        options = [question.options[i] for i in order_of_options(question, instance)]
        reasons = {letter: (o.reason, o.place) for letter, o in zip("abcdef", options, strict=False)}
        right, praise = "abcdef"[order_of_options(question, instance).index(question.right)], SENTENCES["right"]
    else:
        bug = BUGS[q.bug]
        defended = zip(bug.snippet.reasons, bug.snippet.places, strict=True)
        reasons = {str(n): reason for n, reason in enumerate(defended, start=1)}
        right, praise = str(bug.line), SENTENCES["right line"].replace("{cause}", bug.reason)
    if not got:
        return False, [[(SENTENCES["choose"], None)]]
    if got.lower() not in reasons:
        return False, [[(SENTENCES["unlisted"].format(got=got, choices=", ".join(reasons)), None)]]
    if got.lower() == right:
        return True, [[(praise.format(got=got), None)]]
    reason, place = reasons[got.lower()]
    return False, [[(SENTENCES["slip"].format(got=got, cause=reason), place)]]


def _check_design(question: Design, q: SimpleNamespace, answer) -> Verdict:
    if isinstance(answer, GPTConfig):
        expected = _config(q, n_embd=answer.n_embd, n_head=answer.n_head, dropout=answer.dropout)
        if answer != expected:
            raise ValueError(f"answer={answer!r} is another model than the question's; use {expected!r}")
        answer = (answer.n_embd, answer.n_head)
    if not isinstance(answer, tuple | list) or len(answer) != 2:
        raise ValueError(f"answer={answer!r} is not valid; use (C, H) or a GPTConfig")
    if any(given is ... for given in answer):
        return Verdict(False, SENTENCES["blank"])
    texts = [_as_typed(given) for given in answer]
    missing = " and ".join(name for name, got in zip("CH", texts, strict=True) if not got.strip())
    if missing:
        return Verdict(False, SENTENCES["missing"].format(name=missing))
    sizes = []
    for name, got in zip("CH", texts, strict=True):
        try:
            value, _ = read_number(got)
        except UnreadableAnswer as error:
            return Verdict(False, SENTENCES["field"].format(name=name, problem=error))
        if value.denominator > 1 or value < 1:
            return Verdict(False, SENTENCES["size"].format(got=shown(got)))
        sizes.append(int(value))
    return _verdict(*question.judge(q, *sizes, lambda width: design_count(q, width)))


def _check_function(exercise: Exercise, question, function: Callable) -> Verdict:
    """Call it with the quantities that it names, for every instance; stop at the first that goes wrong."""
    if not isinstance(question, Number):
        raise ValueError(f"question={question.id!r} is not answered by a function: its answer is not a number")
    known = list(exercise.given[0])
    parameters = inspect.signature(function).parameters.values()
    wanted = [parameter.name for parameter in parameters if parameter.default is parameter.empty]
    by_name = all(
        parameter.kind in (parameter.POSITIONAL_OR_KEYWORD, parameter.KEYWORD_ONLY) for parameter in parameters
    )
    if not by_name or not set(wanted) <= set(known):
        raise ValueError(
            f"the function takes {inspect.signature(function)}; "
            f"it must take quantities of this question by name: {', '.join(known)}"
        )
    for number, q in enumerate(instances(exercise.id)):
        arguments = {name: getattr(q, name) for name in wanted}
        verdict = check(question.id, function(**arguments), number)
        if verdict.text == SENTENCES["blank"]:
            return verdict
        if not verdict.right:
            where = ", ".join(f"{name} = {grouped(value)}" for name, value in arguments.items())
            return Verdict(False, f"For {where}: {verdict.text}")
    return Verdict(True, f"Right for all {INSTANCES} sets of numbers.")


def _verdict(right: bool, lines: list) -> Verdict:
    """What was found out, as text: one line, and a list below it where there is more to say."""
    texts = [" ".join(f"{text} {_see(place)}" if place else text for text, place in line) for line in lines]
    return Verdict(right, "\n- ".join(texts))


def _see(place: str) -> str:
    return SENTENCES["see"].format(place=PLACES[place])


def _question(question_id: str):
    pairs = {question.id: (exercise, question) for exercise in EXERCISES for question in exercise.questions}
    return _named(question_id, pairs, "question")


def _instance(exercise: Exercise, number: int) -> SimpleNamespace:
    _require_between("instance", number, 0, INSTANCES - 1)
    return instances(exercise.id)[number]


def _require_between(name: str, number, low: int, high: int, valid: str = "use") -> None:
    if type(number) is not int or not low <= number <= high:
        raise ValueError(f"{name}={number!r} is not valid; {valid} {low} to {high}")


def _named(name: str, known: dict, kind: str):
    if name not in known:
        raise ValueError(f"{kind}={name!r} is not known; use one of {', '.join(known)}")
    return known[name]
