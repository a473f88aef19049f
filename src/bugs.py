"""Code with one wrong line, for the exercise "Spot the bug": correct snippets, and what is changed in them.

Each change is a mistake that real code contained or could contain. Tests run every snippet, as it is and changed,
against the real model: the correct one agrees with it, and each change does not.
"""

from dataclasses import dataclass


@dataclass(frozen=True)
class Snippet:
    """Correct code, with the reason why each of its lines is right, and the paragraph that says it.

    ``title`` is shown above the code and says what it is to do: enough to decide which line is wrong. ``places`` are
    keys of ``exercises.PLACES``, one for each line.
    """

    title: str
    lines: tuple[str, ...]
    reasons: tuple[str, ...]
    places: tuple[str, ...]


@dataclass(frozen=True)
class Bug:
    """One line of a snippet, changed, and what is wrong with it."""

    snippet: Snippet
    line: int  # from 1
    text: str
    reason: str

    @property
    def lines(self) -> tuple[str, ...]:
        """The code with the changed line in it."""
        before, after = self.snippet.lines[: self.line - 1], self.snippet.lines[self.line :]
        return (*before, self.text, *after)


COUNT = Snippet(
    "A formula for total, the unique count of a GPT with biases and a tied head.",
    (
        "attention = 3 * C * C + C * C + 4 * C",
        "mlp = 4 * C * C + 4 * C * C + 5 * C",
        "norms = 4 * C",
        "blocks = L * (attention + mlp + norms)",
        "tables = V * C + T * C",
        "total = tables + blocks + 2 * C",
    ),
    (
        "c_attn has 3C² + 3C parameters, and c_proj has C² + C.",
        "c_fc has 4C² + 4C parameters, and c_proj has 4C² + C.",
        "Two LayerNorms, each with a scale and a shift of C numbers, are 4C.",
        "Everything in a block occurs L times.",
        "The tied matrix is counted once and the position table once.",
        "ln_f has a scale and a shift, which are 2C.",
    ),
    ("biases", "biases", "biases", "whole", "whole", "whole"),
)

INITIALIZE = Snippet(
    "How the matrices of a GPT are drawn: tables and Linear weights with standard deviation 0.02, "
    "then the two that end the branches of each block with 0.02/√(2L).",
    (
        "for module in model.modules():",
        "    if isinstance(module, (nn.Linear, nn.Embedding)):",
        "        nn.init.normal_(module.weight, std=0.02)",
        "std = 0.02 / math.sqrt(2 * model.config.n_layer)",
        "for name, parameter in model.named_parameters():",
        '    if name.endswith("c_proj.weight"):',
        "        nn.init.normal_(parameter, std=std)",
    ),
    (
        "modules() visits every module, however deep.",
        "Both kinds of matrix are drawn; LayerNorm keeps 1 and 0.",
        "0.02 is the standard deviation of every matrix that is not scaled.",
        "Two additions in each of L blocks give 0.02/√(2L).",
        "named_parameters() gives full names, such as transformer.h.0.attn.c_proj.weight.",
        "The weights of both c_proj of each block end like this, and no others do.",
        "Those that matched are drawn again with the smaller standard deviation.",
    ),
    ("registered", "scaling", "scaling", "scaling", "scaling", "scaling", "scaling"),
)

TIE = Snippet(
    "Input table and output matrix share one Parameter of V·C numbers, and there is no other; "
    "total is the unique count.",
    (
        "wte = nn.Embedding(V, C)",
        "lm_head = nn.Linear(C, V, bias=False)",
        "lm_head.weight = wte.weight",
        "model = nn.ModuleDict({'wte': wte, 'lm_head': lm_head})",
        "total = sum(p.numel() for p in model.parameters())",
    ),
    (
        "The table has one row of C numbers for each of V ids.",
        "It takes C numbers and gives V; its weight has the shape (V, C), as the table has.",
        "Both names now lead to the same Parameter.",
        "Both modules are registered; sharing is not undone by that.",
        "parameters() gives a shared Parameter once.",
    ),
    ("tying", "tying", "tying", "tying", "tying"),
)

# The five that real code contained come first.
BUGS = (
    Bug(
        INITIALIZE,
        6,
        '    if name == "c_proj.weight":',
        "A name begins with transformer.h., so == never holds; the scaling is skipped and nothing complains.",
    ),
    Bug(
        INITIALIZE,
        6,
        '    if name.endswith("c_fc.weight"):',
        "c_fc widens to 4C and adds nothing to the stream; what ends a branch is called c_proj.",
    ),
    Bug(
        COUNT,
        3,
        "norms = 2 * C",
        "Two LayerNorms with scale and shift have 4C parameters; 2C forgets the shifts, or one of the two.",
    ),
    Bug(
        COUNT,
        3,
        "norms = 8 * C",
        "8C counts each LayerNorm twice; two of them, with scale and shift, have 4C.",
    ),
    Bug(
        TIE,
        3,
        "lm_head.weight.data.copy_(wte.weight)",
        "copy_ copies values; two Parameters remain, and the model has VC more than is claimed for it.",
    ),
    Bug(
        COUNT,
        1,
        "attention = 3 * C * C + 3 * C",
        "c_proj is missing, with C² weights and C biases.",
    ),
    Bug(
        COUNT,
        1,
        "attention = 3 * C * C + C * C + 3 * C",
        "c_proj has C biases as well, so there are 4C.",
    ),
    Bug(
        COUNT,
        1,
        "attention = 3 * C * C + C * C",
        "The biases are missing: 3C of c_attn and C of c_proj.",
    ),
    Bug(
        COUNT,
        1,
        "attention = H * 3 * C * C + C * C + 4 * C",
        "The heads share one matrix of 3C²; H is in no shape.",
    ),
    Bug(
        COUNT,
        2,
        "mlp = 4 * C * C + 5 * C",
        "The MLP has two matrices, up to 4C and back to C, with 4C² each.",
    ),
    Bug(
        COUNT,
        2,
        "mlp = 4 * C * C + 4 * C * C + 8 * C",
        "c_fc has 4C biases, but c_proj gives C numbers and has C biases: 5C.",
    ),
    Bug(
        COUNT,
        2,
        "mlp = 4 * C * C + 4 * C * C + 4 * C",
        "The C biases of c_proj are missing: 5C in all.",
    ),
    Bug(
        COUNT,
        2,
        "mlp = 4 * C * C + 4 * C * C",
        "The biases are missing: 4C of c_fc and C of c_proj.",
    ),
    Bug(
        COUNT,
        3,
        "norms = 4 * C * C",
        "A LayerNorm has vectors, not matrices: two of C numbers each.",
    ),
    Bug(
        COUNT,
        4,
        "blocks = attention + mlp + norms",
        "That is one block; there are L of them.",
    ),
    Bug(
        COUNT,
        4,
        "blocks = L * (attention + mlp) + norms",
        "The LayerNorms occur in each of the L blocks as well.",
    ),
    Bug(
        COUNT,
        4,
        "blocks = L * H * (attention + mlp + norms)",
        "A block is not repeated for each head; H is not in the formula.",
    ),
    Bug(
        COUNT,
        5,
        "tables = 2 * V * C + T * C",
        "The head is tied to the token table, so VC is counted once.",
    ),
    Bug(
        COUNT,
        5,
        "tables = V * C",
        "The position table is missing: T rows of C numbers.",
    ),
    Bug(
        COUNT,
        5,
        "tables = L * V * C + T * C",
        "There is one token table, before the first block, and not one in each layer.",
    ),
    Bug(
        COUNT,
        5,
        "tables = V * C + T * T",
        "The position table has T rows of C numbers; T² are the entries of a mask.",
    ),
    Bug(
        COUNT,
        6,
        "total = tables + blocks",
        "ln_f is missing, the LayerNorm after the last block: 2C.",
    ),
    Bug(
        COUNT,
        6,
        "total = tables + blocks + C",
        "ln_f has a scale and a shift: 2C.",
    ),
    Bug(
        INITIALIZE,
        2,
        "    if isinstance(module, nn.Linear):",
        "The two tables are left out, and keep the standard deviation of 1 that PyTorch gives them.",
    ),
    Bug(
        INITIALIZE,
        2,
        "    if isinstance(module, nn.Embedding):",
        "The Linear layers are left out, and keep what PyTorch gives them.",
    ),
    Bug(
        INITIALIZE,
        3,
        "        nn.init.normal_(module.weight, std=0.2)",
        "The standard deviation is 0.02; this one is ten times as large.",
    ),
    Bug(
        INITIALIZE,
        4,
        "std = 0.02 / math.sqrt(model.config.n_layer)",
        "That is 0.02/√L. Each block adds twice to the stream, so 2L additions are meant.",
    ),
    Bug(
        INITIALIZE,
        4,
        "std = 0.02 / (2 * model.config.n_layer)",
        "The root is missing: variances add, so each standard deviation is divided by √(2L).",
    ),
    Bug(
        INITIALIZE,
        4,
        "std = 0.02 * math.sqrt(2 * model.config.n_layer)",
        "The factor divides: what is added to the stream must be smaller, not larger.",
    ),
    Bug(
        INITIALIZE,
        6,
        '    if name.endswith("attn.c_proj.weight"):',
        "The MLP ends in a c_proj as well, which adds to the stream and is left out here.",
    ),
    Bug(
        INITIALIZE,
        6,
        '    if name.endswith("c_proj"):',
        "A parameter is called c_proj.weight or c_proj.bias, so no name ends like this.",
    ),
    Bug(
        INITIALIZE,
        6,
        '    if name.endswith("c_attn.weight"):',
        "c_attn makes queries, keys and values; what is added to the stream comes from c_proj.",
    ),
    Bug(
        INITIALIZE,
        7,
        "        nn.init.normal_(parameter, std=0.02)",
        "This draws with the common 0.02 again; std was computed and is not used.",
    ),
    Bug(
        TIE,
        2,
        "lm_head = nn.Linear(C, V)",
        "Without bias=False the head has a bias of V numbers, which is a second Parameter.",
    ),
    Bug(
        TIE,
        3,
        "lm_head.weight = nn.Parameter(wte.weight.clone())",
        "A clone is another Parameter with the same values; nothing ties the two.",
    ),
    Bug(
        TIE,
        5,
        "total = sum(t.numel() for t in model.state_dict().values())",
        "The state dict lists the shared Parameter under both names, so VC is counted twice.",
    ),
)
