"""The statements of a popular article on GPT-2's parameters, with verdicts that the lab has to confirm.

Statements are given in this book's words. A reason may name values that the lab measured, as ``{total:,}``;
:func:`filled` puts them in. The page, the lab and the tests read this list; it exists nowhere else.
"""

import textwrap
from collections.abc import Mapping
from dataclasses import asdict, dataclass

RIGHT = "right"
WRONG = "wrong"
CONDITION = "right with a condition"
UNKNOWN = "cannot be known"
VERDICTS = (RIGHT, WRONG, CONDITION, UNKNOWN)

# What a reader overlooks who does not see what is wrong with a statement.
MISTAKES = {
    "count": "something left out or counted twice",
    "scope": "a part taken for the whole",
    "unit": "a slip by a power of ten",
    "formula": "a formula with a wrong symbol or a missing step",
    "memory": "one kind of memory taken for another",
    "evidence": "more claimed than is known",
}


@dataclass(frozen=True)
class Claim:
    """One checkable statement.

    Attributes:
        id: short name, used in addresses.
        topic: heading under which it is shown.
        statement: what the article says, in our words.
        verdict: one of ``VERDICTS``.
        mistake: key of ``MISTAKES``; None for a right statement.
        reason: one or two sentences; ``{name:format}`` stands for a value of the lab.
        cell: the lab's section that decides it, as its heading appears in addresses.
    """

    id: str
    topic: str
    statement: str
    verdict: str
    mistake: str | None
    reason: str
    cell: str


_SPEC = "The model's file card"
_WIDTH = "What the width does"
_LAYER = "What a layer holds"
_TOTAL = "Adding up"
_PATH = "The path through a layer"
_DEPTH = "What layers are said to do"
_SIZE = "Sizes and memory"
_USE = "Working with models"

CLAIMS = (
    Claim(
        "card",
        _SPEC,
        "GPT-2, the 124M model, has 12 layers, width 768, 12 heads, a vocabulary of 50,257 and a context of 1,024.",
        RIGHT,
        None,
        "The smallest of four published GPT-2 models has this structure, and it alone fixes the published total.",
        "five-numbers-and-one-total",
    ),
    Claim(
        "total",
        _SPEC,
        "It has about 124 million parameters.",
        CONDITION,
        "count",
        "{unique:,} when each parameter counts once. The sum over its state dict is {stored:,}; "
        "without both embeddings it is {without_embeddings:,}.",
        "five-numbers-and-one-total",
    ),
    Claim(
        "heads",
        _SPEC,
        "The heads split the attention into parts that are computed in parallel.",
        RIGHT,
        None,
        "One head computed alone, from its own {head_width} columns, equals its part of the joint result.",
        "one-head-alone",
    ),
    Claim(
        "context",
        _SPEC,
        "The context length is the longest text that can be processed at once.",
        CONDITION,
        "scope",
        "It counts tokens, not characters, and prompt and answer share it. One token more is refused.",
        "tokens-not-characters",
    ),
    Claim(
        "lookup",
        _WIDTH,
        "The embedding layer turns each token id into a vector of 768 numbers.",
        RIGHT,
        None,
        "The vector is a row of wte: looking it up equals multiplying a one-hot vector by the table.",
        "a-row-of-the-table",
    ),
    Claim(
        "characters",
        _WIDTH,
        "A greeting of two Chinese characters becomes two token ids.",
        WRONG,
        "count",
        "GPT-2 reads bytes: the {characters} characters are {utf8_bytes} bytes and, with its published "
        "merges, {greeting_tokens} tokens.",
        "tokens-not-characters",
    ),
    Claim(
        "analogy",
        _WIDTH,
        "Models can reason by analogy because king − man + woman lies near queen in their vector space.",
        UNKNOWN,
        "evidence",
        "The arithmetic was found in word vectors, with the three inputs barred from the answer. "
        "In a random table the nearest vector is one of the inputs in {input_wins:.0f} % of trials. "
        "That it causes analogical reasoning in a language model is not shown.",
        "king-minus-man-plus-woman",
    ),
    Claim(
        "square",
        _WIDTH,
        "Doubling the width makes the number of parameters four times as large.",
        CONDITION,
        "scope",
        "True of the matrices in the blocks (× {block_factor:.2f}). GPT-2 small as a whole grows × "
        "{width_factor:.2f}: "
        "its embeddings only double.",
        "twice-the-width",
    ),
    Claim(
        "width-costs",
        _WIDTH,
        "A larger width also raises computation and memory strongly.",
        CONDITION,
        "memory",
        "Twice the width: {flops_factor:.1f} times the FLOPs of a forward pass over {context:,} tokens, and "
        "{width_factor:.1f} times the memory of the weights. A training step in float32 "
        "with explicit attention and twice the heads needs {step_1:.1f} times the memory with one sequence. With "
        "sixteen it is only {step_16:.1f} times, less than the width itself grows.",
        "twice-the-width",
    ),
    Claim(
        "why-768",
        _WIDTH,
        "768 was taken instead of 1,000 as a compromise between expressive power and cost.",
        UNKNOWN,
        "evidence",
        "Nobody published the reason. One thing is sure: 12 heads cannot share a width of 1,000.",
        "why-768",
    ),
    Claim(
        "three-matrices",
        _LAYER,
        "Wq, Wk and Wv are three separate matrices of shape 768 × 768.",
        CONDITION,
        "formula",
        "GPT-2 stores one matrix of shape {c_attn_shape}. Cut in three it gives the same result and the same "
        "number of parameters.",
        "one-matrix-or-three",
    ),
    Claim(
        "attention-count",
        _LAYER,
        "Each of them has 589,824 parameters; with the output matrix the attention has 2,359,296.",
        CONDITION,
        "count",
        "Right for the weights. GPT-2's {attention_biases:,} biases bring the attention to {attention_params:,}.",
        "a-layer-tensor-by-tensor",
    ),
    Claim(
        "ffn-count",
        _LAYER,
        "The two matrices of the feed-forward part have 4,718,592 parameters.",
        RIGHT,
        None,
        "2 · 4 · 768² = {mlp_weights:,}; PyTorch stores each transposed. The biases are further {mlp_biases:,}.",
        "a-layer-tensor-by-tensor",
    ),
    Claim(
        "ffn-share",
        _LAYER,
        "The feed-forward part holds about 66 % of a layer's parameters.",
        RIGHT,
        None,
        "{ffn_of_layer:.1f} % of a layer, biases included.",
        "two-thirds-of-what",
    ),
    Claim(
        "four-times",
        _LAYER,
        "The inner width is 4 times the width because experiments showed that to be best.",
        UNKNOWN,
        "evidence",
        "It is a custom since 2017. Published sweeps find a flat optimum, and the LLaMA models of the ledger "
        "use {inner_low:.2f} to {inner_high:.2f}.",
        "two-thirds-of-what",
    ),
    Claim(
        "layernorm",
        _LAYER,
        "LayerNorm computes γ · (x − μ) / σ + β.",
        CONDITION,
        "formula",
        "The divisor is the root of variance + {epsilon}. Without that term a constant vector gives no number, "
        "and GPT-2's first LayerNorm is off by {epsilon_effect:.1f} % at the start.",
        "the-small-term-under-the-root",
    ),
    Claim(
        "layernorm-count",
        _LAYER,
        "The two LayerNorms of a layer have 2 · 2 · 768 = 3,072 parameters.",
        RIGHT,
        None,
        "{layernorm_params:,}: two scales and two shifts of 768.",
        "a-layer-tensor-by-tensor",
    ),
    Claim(
        "residual-count",
        _LAYER,
        "The residual connections have no parameters.",
        RIGHT,
        None,
        "Attention, MLP and two LayerNorms are all of a block's parameters; an addition has none.",
        "a-layer-tensor-by-tensor",
    ),
    Claim(
        "gradient",
        _LAYER,
        "Residual connections let the gradient flow straight to early layers and keep deep training stable.",
        CONDITION,
        "scope",
        "At the start the gradients at both ends of 12 blocks agree partly in direction "
        "({cosine_with:.1f}), without the additions not at all ({cosine_without:.1f}), and only with them the model "
        "learns a simple rule. "
        "That is one depth and one task; additions alone do not make every deep model stable.",
        "what-the-additions-do-for-the-gradient",
    ),
    Claim(
        "layer-total",
        _TOTAL,
        "A layer has 7,080,960 parameters.",
        WRONG,
        "count",
        "GPT-2's layer has {layer_params:,}. The article counts LayerNorm's shifts but not the "
        "{linear_biases:,} biases of the Linear layers.",
        "a-layer-tensor-by-tensor",
    ),
    Claim(
        "layers-total",
        _TOTAL,
        "So 12 layers have 84,971,520.",
        WRONG,
        "count",
        "The multiplication is right, the factor is not: {blocks:,}.",
        "a-layer-tensor-by-tensor",
    ),
    Claim(
        "token-table",
        _TOTAL,
        "The input embedding has 50,257 · 768 = 38,597,376 parameters.",
        CONDITION,
        "count",
        "Right for the token table. The position table, {wpe:,} more, is part of the input embedding too, "
        "and the article never counts it.",
        "adding-up",
    ),
    Claim(
        "head",
        _TOTAL,
        "The output layer adds the same number once more.",
        WRONG,
        "count",
        "Input table and output matrix are one storage under two names; the head adds nothing.",
        "adding-up",
    ),
    Claim(
        "sum",
        _TOTAL,
        "Layers and two embeddings together make about 124 million.",
        WRONG,
        "count",
        "Those three numbers add up to {article_sum:,}.",
        "adding-up",
    ),
    Claim(
        "billion",
        _TOTAL,
        "That is why GPT-2 is called a “1.24B model”.",
        WRONG,
        "unit",
        "124 million is {billions:.3f} billion. The article's Chinese unit, yì, is a hundred million, not a billion.",
        "adding-up",
    ),
    Claim(
        "shape",
        _PATH,
        "A layer takes and returns (batch, length, 768).",
        RIGHT,
        None,
        "It must: both additions need the shape of the stream.",
        "the-path-of-one-vector",
    ),
    Claim(
        "pre-norm",
        _PATH,
        "LayerNorm comes before the attention and again before the feed-forward part.",
        RIGHT,
        None,
        "That is GPT-2's order. The model from 2017 normalizes after each addition instead.",
        "the-path-of-one-vector",
    ),
    Claim(
        "sqrt",
        _PATH,
        "Scores are divided by √d with d = 768.",
        WRONG,
        "formula",
        "d is the width of a head: √64 = {right_divisor:.0f}, not {wrong_divisor:.1f}. "
        "For unit q and k that keeps the scores' variance at {right_variance:.1f}; with 768 it is "
        "{wrong_variance:.2f}, and attention is nearly even.",
        "which-d",
    ),
    Claim(
        "mask",
        _PATH,
        "The scores go straight into softmax.",
        WRONG,
        "formula",
        "The causal mask is missing. Without it a change of the last token changes the result at the first position.",
        "the-path-of-one-vector",
    ),
    Claim(
        "projection",
        _PATH,
        "The weighted sum of the values is what is added to the stream.",
        WRONG,
        "formula",
        "c_proj comes between. The article itself lists that matrix, Wo, among the parameters.",
        "the-path-of-one-vector",
    ),
    Claim(
        "two-gelus",
        _PATH,
        "The feed-forward part is gelu(W2 · gelu(W1 · x)).",
        WRONG,
        "formula",
        "One GELU, before W2, as the article's own formula says elsewhere. A second one cuts off what is "
        "below {gelu_floor:.2f}, "
        "and moves the output by {gelu_change:.0f} % of its size.",
        "one-gelu-or-two",
    ),
    Claim(
        "second-addition",
        _PATH,
        "Both additions have the form output = input + branch.",
        CONDITION,
        "formula",
        "If “input” means what enters the addition. Adding the second branch to the layer's input would lose "
        "the attention's result.",
        "the-path-of-one-vector",
    ),
    Claim(
        "layer-tasks",
        _DEPTH,
        "Layers 1–3 handle words, 4–6 syntax, 7–9 meaning, 10–12 the task.",
        UNKNOWN,
        "evidence",
        "Probes of BERT found an average order of that kind, contested since, and no such borders. No "
        "measurement on GPT-2 draws them.",
        "what-a-probe-can-read",
    ),
    Claim(
        "abstraction",
        _DEPTH,
        "The deeper the layer, the more abstract the representation.",
        UNKNOWN,
        "evidence",
        "“Abstract” has no agreed measure. What can be measured is what a probe can read, and that is something else.",
        "what-a-probe-can-read",
    ),
    Claim(
        "probing",
        _DEPTH,
        "A classifier trained on a layer's activations shows what the layer attends to.",
        CONDITION,
        "evidence",
        "It shows what can be read there, not what the model uses. "
        "In an untrained model a probe reads the token from the last layer in {probe_accuracy:.0f} % of cases.",
        "what-a-probe-can-read",
    ),
    Claim(
        "gpt2-memory",
        _SIZE,
        "GPT-2 needs about 2 GB.",
        WRONG,
        "memory",
        "By the article's own rule of 2 bytes it is {gpt2_fp16:.2f} GB. 2 GB is what training with Adam "
        "keeps, at 16 bytes ({gpt2_adam:.2f} GB).",
        "how-many-bytes",
    ),
    Claim(
        "gpt3-size",
        _SIZE,
        "GPT-3 has 96 layers, width 12,288 and 175 billion parameters.",
        RIGHT,
        None,
        "The published structure gives {gpt3_billions:.1f} billion.",
        "the-ledger",
    ),
    Claim(
        "gpt3-memory",
        _SIZE,
        "GPT-3 needs about 350 GB.",
        CONDITION,
        "memory",
        "{gpt3_fp16:.0f} GB for the weights in 16 bits, and nothing else. "
        "One sequence of {gpt3_context:,} tokens adds {gpt3_kv:.1f} GB of keys and values.",
        "how-many-bytes",
    ),
    Claim(
        "one-card",
        _SIZE,
        "In 16 bits GPT-3 does not fit into one card and needs several.",
        CONDITION,
        "memory",
        "It depends on the card. The weights alone need {cards} cards of 80 GB, but one that holds more than "
        "{gpt3_fp16:.0f} GB would do.",
        "how-many-bytes",
    ),
    Claim(
        "llama-size",
        _SIZE,
        "LLaMA-2 has 32 layers, width 4,096 and 7 billion parameters.",
        CONDITION,
        "scope",
        "That is the smallest of three, and exactly it has {llama_7b:,}. The others have {llama_13b:,} and "
        "{llama_70b:,}.",
        "the-ledger",
    ),
    Claim(
        "llama-memory",
        _SIZE,
        "LLaMA-2 with 7 billion parameters needs about 140 GB.",
        WRONG,
        "scope",
        "{llama_7b_fp16:.1f} GB. The 70B model needs {llama_70b_fp16:.0f} GB.",
        "how-many-bytes",
    ),
    Claim(
        "claude",
        _SIZE,
        "Claude 3 has over 40 layers, a width over 8,192 and hundreds of billions of parameters.",
        UNKNOWN,
        "evidence",
        "Its maker has published none of these. Whoever names a figure guesses, so this book gives none.",
        "the-ledger",
    ),
    Claim(
        "two-bytes",
        _SIZE,
        "Memory needed = parameters × 2 bytes, so 2 GB for each billion in float16.",
        CONDITION,
        "memory",
        "Right for the weights. Keys and values, activations, gradients and optimizer state come on top.",
        "how-many-bytes",
    ),
    Claim(
        "small-batch",
        _USE,
        "Batch sizes are small because the weights fill most of the memory.",
        CONDITION,
        "memory",
        "Possible for a large model that only generates. When GPT-2 small trains on a batch of {batch} in "
        "float32 with explicit attention, what is kept for the backward pass takes {activations_over_weights:.0f} "
        "times the memory of its weights.",
        "what-fills-the-memory-of-a-training-step",
    ),
    Claim(
        "fine-tuning",
        _USE,
        "Fine-tuning all of GPT-3 needs 350 GB or somewhat more.",
        WRONG,
        "memory",
        "About 350 GB are the weights alone. With gradients and Adam's moments, 16 bytes a parameter, it is "
        "{gpt3_adam_tb:.1f} TB before any activation.",
        "how-many-bytes",
    ),
    Claim(
        "lora",
        _USE,
        "LoRA updates only a small part of the model's parameters.",
        CONDITION,
        "scope",
        "Only if the new matrices count as the model's: LoRA trains them and leaves all others as they are. "
        "Rank {rank} on c_attn trains {lora_params:,}, {lora_share:.2f} % of GPT-2 small.",
        "what-lora-trains",
    ),
    Claim(
        "bottleneck",
        _USE,
        "Parameters sit mainly in the feed-forward part, two thirds of a layer, so it is the bottleneck of "
        "computation and storage.",
        CONDITION,
        "scope",
        "Two thirds of a layer, but {ffn_of_model:.1f} % of GPT-2 small's parameters and {ffn_of_flops:.0f} "
        "% of its forward FLOPs at {context:,} tokens.",
        "two-thirds-of-what",
    ),
    Claim(
        "emergence",
        _USE,
        "Beyond a critical size a model suddenly shows new abilities.",
        UNKNOWN,
        "evidence",
        "Contested: part of the suddenness comes from the measure. Ten tokens all right needs the tenth "
        "power of one token right.",
        "sudden-or-steady",
    ),
)


def judge(claim_id: str, as_said: bool | None, with_condition: bool = False) -> None:
    """Print the verdict that a measurement gives, and the statement.

    Args:
        claim_id: which claim.
        as_said: whether the measurement bears the statement out as it stands; None if no measurement can decide it.
        with_condition: whether it does under a condition that the statement leaves out.

    Raises:
        ValueError: no claim has this id, or the verdict on the list is another one.
    """
    claims = {claim.id: claim for claim in CLAIMS}
    if claim_id not in claims:
        raise ValueError(f"claim_id={claim_id!r} is not known; use one of {', '.join(claims)}")
    claim = claims[claim_id]
    if with_condition and as_said is None:
        raise ValueError("with_condition=True says nothing beside as_said=None; use True or False")
    if as_said is None:
        found = UNKNOWN
    elif as_said:
        found = RIGHT
    else:
        found = CONDITION if with_condition else WRONG
    if found != claim.verdict:
        raise ValueError(f"the measurement says {found!r} of {claim_id!r}; the list says {claim.verdict!r}")
    print(textwrap.fill(f"{found}: {claim.statement}", width=80, subsequent_indent="    "))


def filled(values: Mapping) -> list[dict]:
    """All claims as JSON values, with the lab's values put into the reasons.

    Raises:
        ValueError: a reason names a value that is missing.
    """
    try:
        return [asdict(claim) | {"reason": claim.reason.format_map(values)} for claim in CLAIMS]
    except KeyError as missing:
        raise ValueError(f"a reason names the value {missing}, which was not measured") from None
