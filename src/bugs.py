"""Code with one wrong line, for the exercise "Spot the bug": correct snippets, and what is changed in them.

Each change is a mistake that real code contained or could contain. Tests run every snippet, as it is and changed,
against the real model: the correct one agrees with it, and each change does not.
"""

from dataclasses import dataclass


@dataclass(frozen=True)
class Snippet:
    """Correct code with the reason why each of its lines is right."""

    title: str
    lines: tuple[str, ...]
    reasons: tuple[str, ...]


@dataclass(frozen=True)
class Bug:
    """One line of a snippet, changed."""

    snippet: Snippet
    line: int  # from 1
    text: str

    @property
    def lines(self) -> tuple[str, ...]:
        """The code with the changed line in it."""
        before, after = self.snippet.lines[: self.line - 1], self.snippet.lines[self.line :]
        return (*before, self.text, *after)


COUNT = Snippet(
    "The unique parameters of a GPT with biases, as a formula.",
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
)

INITIALIZE = Snippet(
    "The initialization of a GPT: 0.02 everywhere, less for what is added to the stream.",
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
)

TIE = Snippet(
    "Input table and output matrix share one Parameter of V·C numbers.",
    (
        "wte = nn.Embedding(V, C)",
        "lm_head = nn.Linear(C, V, bias=False)",
        "lm_head.weight = wte.weight",
        "model = nn.ModuleDict({'wte': wte, 'lm_head': lm_head})",
        "total = sum(p.numel() for p in model.parameters())",
    ),
    (
        "The table has one row of C numbers for each of V ids.",
        "It takes C numbers and gives V; its weight is stored as (V, C), the shape of the table.",
        "Both names now lead to the same Parameter.",
        "Both modules are registered; sharing is not undone by that.",
        "parameters() gives a shared Parameter once.",
    ),
)

# The five that real code contained come first.
BUGS = (
    Bug(INITIALIZE, 6, '    if name == "c_proj.weight":'),
    Bug(INITIALIZE, 6, '    if name.endswith("c_fc.weight"):'),
    Bug(COUNT, 3, "norms = 2 * C"),
    Bug(COUNT, 3, "norms = 8 * C"),
    Bug(TIE, 3, "lm_head.weight.data.copy_(wte.weight)"),
    Bug(COUNT, 1, "attention = 3 * C * C + 3 * C"),
    Bug(COUNT, 1, "attention = 3 * C * C + C * C + 3 * C"),
    Bug(COUNT, 1, "attention = 3 * C * C + C * C"),
    Bug(COUNT, 1, "attention = H * 3 * C * C + C * C + 4 * C"),
    Bug(COUNT, 2, "mlp = 4 * C * C + 5 * C"),
    Bug(COUNT, 2, "mlp = 4 * C * C + 4 * C * C + 8 * C"),
    Bug(COUNT, 2, "mlp = 4 * C * C + 4 * C * C + 4 * C"),
    Bug(COUNT, 2, "mlp = 4 * C * C + 4 * C * C"),
    Bug(COUNT, 3, "norms = 4 * C * C"),
    Bug(COUNT, 4, "blocks = attention + mlp + norms"),
    Bug(COUNT, 4, "blocks = L * (attention + mlp) + norms"),
    Bug(COUNT, 4, "blocks = L * H * (attention + mlp + norms)"),
    Bug(COUNT, 5, "tables = 2 * V * C + T * C"),
    Bug(COUNT, 5, "tables = V * C"),
    Bug(COUNT, 5, "tables = L * V * C + T * C"),
    Bug(COUNT, 5, "tables = V * C + T * T"),
    Bug(COUNT, 6, "total = tables + blocks"),
    Bug(COUNT, 6, "total = tables + blocks + C"),
    Bug(INITIALIZE, 2, "    if isinstance(module, nn.Linear):"),
    Bug(INITIALIZE, 2, "    if isinstance(module, nn.Embedding):"),
    Bug(INITIALIZE, 3, "        nn.init.normal_(module.weight, std=0.2)"),
    Bug(INITIALIZE, 4, "std = 0.02 / math.sqrt(model.config.n_layer)"),
    Bug(INITIALIZE, 4, "std = 0.02 / (2 * model.config.n_layer)"),
    Bug(INITIALIZE, 4, "std = 0.02 * math.sqrt(2 * model.config.n_layer)"),
    Bug(INITIALIZE, 6, '    if name.endswith("attn.c_proj.weight"):'),
    Bug(INITIALIZE, 6, '    if name.endswith("c_proj"):'),
    Bug(INITIALIZE, 6, '    if name.endswith("c_attn.weight"):'),
    Bug(INITIALIZE, 7, "        nn.init.normal_(parameter, std=0.02)"),
    Bug(TIE, 2, "lm_head = nn.Linear(C, V)"),
    Bug(TIE, 3, "lm_head.weight = nn.Parameter(wte.weight.clone())"),
    Bug(TIE, 5, "total = sum(t.numel() for t in model.state_dict().values())"),
)
