"""A GPT-2 in one file, from the leaves to the root: attention, MLP, block, model.

Shapes at line ends use B batch, T sequence length, C width, H heads, d = C/H, V vocabulary.
Module names are those of GPT-2's published files, so its checkpoints' names can be read against this file.
"""

import math
import sys
from dataclasses import replace

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from gpt_config import GPTConfig, is_number, require_positive_int

INIT_STD = 0.02  # Radford et al. (2018), section 4.1, and the released GPT-2 code
IGNORED_TARGET = -1


class CausalSelfAttention(nn.Module):
    """Each position mixes the values of itself and of the positions before it. (B, T, C) -> (B, T, C)"""

    def __init__(self, config: GPTConfig, explicit: bool = False):
        super().__init__()
        self.c_attn = nn.Linear(config.n_embd, 3 * config.n_embd, bias=config.bias)
        self.c_proj = nn.Linear(config.n_embd, config.n_embd, bias=config.bias)
        self.resid_dropout = nn.Dropout(config.dropout)
        self.n_head = config.n_head
        self.dropout = config.dropout
        self.explicit = explicit

    def forward(self, x: Tensor) -> Tensor:
        B, T, C = x.shape
        q, k, v = (
            part.view(B, T, self.n_head, C // self.n_head).transpose(1, 2)  # (B, H, T, d)
            for part in self.c_attn(x).split(C, dim=2)
        )
        dropout = self.dropout if self.training else 0.0
        if self.explicit:
            y = explicit_attention(q, k, v, dropout)
        else:
            y = F.scaled_dot_product_attention(q, k, v, dropout_p=dropout, is_causal=True)
        y = y.transpose(1, 2).reshape(B, T, C)  # (B, T, C)
        return self.resid_dropout(self.c_proj(y))


def explicit_attention(q: Tensor, k: Tensor, v: Tensor, dropout: float = 0.0) -> Tensor:
    """Causal softmax(q kᵀ / sqrt(d)) v with every (T, T) matrix in memory; q, k, v and the result: (B, H, T, d)."""
    T, d = q.shape[-2:]
    scores = q @ k.transpose(-2, -1) / math.sqrt(d)  # (B, H, T, T)
    future = torch.ones(T, T, dtype=torch.bool, device=q.device).triu(diagonal=1)
    weights = scores.masked_fill(future, -math.inf).softmax(dim=-1)  # (B, H, T, T)
    return F.dropout(weights, dropout) @ v  # (B, H, T, d)


class MLP(nn.Module):
    """Two Linear layers with the tanh form of GELU between them, at each position alone. (B, T, C) -> (B, T, C)"""

    def __init__(self, config: GPTConfig):
        super().__init__()
        self.c_fc = nn.Linear(config.n_embd, 4 * config.n_embd, bias=config.bias)
        self.gelu = nn.GELU(approximate="tanh")
        self.c_proj = nn.Linear(4 * config.n_embd, config.n_embd, bias=config.bias)
        self.dropout = nn.Dropout(config.dropout)

    def forward(self, x: Tensor) -> Tensor:
        x = self.gelu(self.c_fc(x))  # (B, T, 4C)
        return self.dropout(self.c_proj(x))  # (B, T, C)


class Block(nn.Module):
    """Two additions to the residual stream; LayerNorm acts on what the branches read. (B, T, C) -> (B, T, C)"""

    def __init__(self, config: GPTConfig, explicit_attention: bool = False):
        super().__init__()
        self.ln_1 = nn.LayerNorm(config.n_embd, bias=config.bias)
        self.attn = CausalSelfAttention(config, explicit_attention)
        self.ln_2 = nn.LayerNorm(config.n_embd, bias=config.bias)
        self.mlp = MLP(config)

    def forward(self, x: Tensor) -> Tensor:
        x = x + self.attn(self.ln_1(x))
        return x + self.mlp(self.ln_2(x))


class GPT(nn.Module):
    """Token ids to logits.

    Args:
        config: the structure.
        explicit_attention: compute attention step by step instead of in one fused call; same results, more memory.
    """

    def __init__(self, config: GPTConfig, explicit_attention: bool = False):
        super().__init__()
        self.config = config
        # The order of drawing decides which weights a seed gives: both tables
        # first, then the blocks, which are made when the generator is read.
        blocks = (Block(config, explicit_attention) for _ in range(config.n_layer))
        self.transformer = nn.ModuleDict(
            {
                "wte": nn.Embedding(config.vocab_size, config.n_embd),
                "wpe": nn.Embedding(config.block_size, config.n_embd),
                "drop": nn.Dropout(config.dropout),
                "h": nn.ModuleList(blocks),
                "ln_f": nn.LayerNorm(config.n_embd, bias=config.bias),
            }
        )
        self.lm_head = nn.Linear(config.n_embd, config.vocab_size, bias=False)
        self._tie()
        self.apply(self._init_weights)
        # Radford et al. (2019), section 2.3: 1/sqrt(N), N residual additions.
        residual_std = INIT_STD / math.sqrt(2 * config.n_layer)
        for name, parameter in self.named_parameters():
            if name.endswith("c_proj.weight"):
                nn.init.normal_(parameter, std=residual_std)

    def _tie(self) -> None:
        """One Parameter under two names: input table and output matrix."""
        self.lm_head.weight = self.transformer.wte.weight

    @staticmethod
    def _init_weights(module: nn.Module) -> None:
        if isinstance(module, (nn.Linear, nn.Embedding)):
            nn.init.normal_(module.weight, std=INIT_STD)
        if isinstance(module, nn.Linear) and module.bias is not None:
            nn.init.zeros_(module.bias)

    def forward(self, idx: Tensor, targets: Tensor | None = None) -> tuple[Tensor, Tensor | None]:
        """Logits, and the mean cross-entropy if there are targets.

        Args:
            idx: token ids, (B, T) with 1 <= T <= block_size.
            targets: the ids to be predicted, (B, T); -1 where there is nothing to predict.

        Returns:
            With targets (B, T, V) and a scalar in nats; without, the last position's (B, 1, V) and None.

        Raises:
            ValueError: a shape, type or id that does not fit the model.
        """
        self._check_ids("idx", idx, lowest=0)
        B, T = idx.shape
        if T > self.config.block_size:
            raise ValueError(f"idx has {T} positions; the model has block_size={self.config.block_size}")
        if targets is not None:
            self._check_ids("targets", targets, lowest=IGNORED_TARGET)
            if targets.shape != idx.shape:
                raise ValueError(f"targets has shape {tuple(targets.shape)}; use the shape of idx, {(B, T)}")
            if not targets.is_meta and bool((targets == IGNORED_TARGET).all()):
                raise ValueError("targets has only ignored positions (-1); use at least one id to predict")

        positions = torch.arange(T, device=idx.device)  # (T,)
        x = self.transformer.wte(idx) + self.transformer.wpe(positions)  # (B, T, C)
        x = self.transformer.drop(x)
        for block in self.transformer.h:
            x = block(x)
        x = self.transformer.ln_f(x)
        if targets is None:
            return self.lm_head(x[:, -1:]), None  # (B, 1, V)
        logits = self.lm_head(x)  # (B, T, V)
        loss = F.cross_entropy(logits.flatten(0, 1), targets.flatten(), ignore_index=IGNORED_TARGET)
        return logits, loss

    def _check_ids(self, name: str, ids: Tensor, lowest: int) -> None:
        if not isinstance(ids, Tensor):
            raise ValueError(f"{name}={ids!r} is not valid; use a tensor of ids")
        if ids.dim() != 2 or 0 in ids.shape:
            raise ValueError(f"{name} has shape {tuple(ids.shape)}; use (B, T) with B and T at least 1")
        if ids.dtype != torch.int64:
            raise ValueError(f"{name} has dtype {ids.dtype}; use torch.int64")
        if ids.is_meta:  # a meta tensor has a shape but no values to check
            return
        for value in (ids.min().item(), ids.max().item()):
            if not lowest <= value < self.config.vocab_size:
                valid = f"{lowest} to {self.config.vocab_size - 1} (vocab_size={self.config.vocab_size})"
                raise ValueError(f"{name} contains the id {value}; valid ids are {valid}")

    @torch.no_grad()
    def generate(
        self,
        idx: Tensor,
        max_new_tokens: int,
        temperature: float = 1.0,
        top_k: int | None = None,
        valid_vocab_size: int | None = None,
    ) -> Tensor:
        """Append sampled tokens, reading the last block_size positions; call ``eval()`` first to switch dropout off.

        Args:
            idx: the prompt, (B, T) with T >= 1.
            max_new_tokens: how many ids to append.
            temperature: divides the logits; above 0.
            top_k: sample from the k most likely ids only.
            valid_vocab_size: ids from here on are never sampled: rows that only pad the token table have no token.

        Returns:
            Prompt and continuation, (B, T + max_new_tokens).

        Raises:
            ValueError: an argument is outside its range.
        """
        self._check_ids("idx", idx, lowest=0)
        require_positive_int("max_new_tokens", max_new_tokens)
        if not is_number(temperature) or not 0 < temperature <= sys.float_info.max:
            raise ValueError(f"temperature={temperature!r} is not valid; use a finite number above 0")
        vocab_size = self.config.vocab_size if valid_vocab_size is None else valid_vocab_size
        if type(vocab_size) is not int or not 1 <= vocab_size <= self.config.vocab_size:
            valid = f"use an integer from 1 to vocab_size={self.config.vocab_size}"
            raise ValueError(f"valid_vocab_size={vocab_size!r} is not valid; {valid}")
        if top_k is not None:
            require_positive_int("top_k", top_k)

        for _ in range(max_new_tokens):
            logits, _ = self(idx[:, -self.config.block_size :])
            logits = logits[:, -1, :vocab_size]  # (B, valid V)
            # The largest logit becomes 0, so that a tiny temperature cannot make it infinite.
            smallest = torch.finfo(logits.dtype).tiny
            logits = (logits - logits.amax(dim=-1, keepdim=True)) / max(temperature, smallest)
            if top_k is not None:
                values, ids = logits.topk(min(top_k, vocab_size))
                logits = torch.full_like(logits, -math.inf).scatter(1, ids, values)
            idx = torch.cat((idx, torch.multinomial(logits.softmax(dim=-1), 1)), dim=1)
        return idx

    def get_num_params(self, non_embedding: bool = True) -> int:
        """Number of unique parameters, by default without the position table.

        The token table stays in the count although it is an embedding: as the output matrix it multiplies.
        """
        total = sum(parameter.numel() for parameter in self.parameters())
        return total - self.transformer.wpe.weight.numel() if non_embedding else total

    @torch.no_grad()
    def crop_block_size(self, block_size: int, optimizer: torch.optim.Optimizer | None = None) -> None:
        """Keep the first ``block_size`` rows of the position table: (T - block_size) * C parameters fewer.

        The table stays the same Parameter, so an optimizer made before still owns it. The optimizer's moments have the
        old shape: hand it over and they are cut as well. An optimizer that is not handed over stops at its next step
        with PyTorch's shape error, unless it is a fused one, which does not look at shapes.

        Args:
            block_size: the new T.
            optimizer: one that was made for this model before.

        Raises:
            ValueError: ``block_size`` is not in 1..T, or the optimizer does not own the table. Nothing is changed then.
        """
        require_positive_int("block_size", block_size)
        if block_size > self.config.block_size:
            raise ValueError(
                f"block_size={block_size} is not valid; this model can be cut to 1..{self.config.block_size}"
            )
        wpe = self.transformer.wpe
        table = wpe.weight
        if optimizer is not None and not any(p is table for group in optimizer.param_groups for p in group["params"]):
            raise ValueError("optimizer does not own transformer.wpe.weight; use one made for this model")

        gradient, table.grad = table.grad, None
        rows = table[:block_size].clone()  # a view would keep the whole storage alive, and save it
        # A Parameter keeps its gradient accumulator, with the old shape, as long as an old loss is alive. Changing the
        # dtype for a moment makes autograd drop it.
        table.data = rows.to(torch.float64 if rows.dtype != torch.float64 else torch.float32)
        table.data = rows
        if gradient is not None:
            table.grad = gradient[:block_size].clone()
        if optimizer is not None:
            state = optimizer.state.get(table, {})  # indexing would leave an empty entry before the first step
            for name, value in state.items():
                if isinstance(value, Tensor) and value.shape[:1] == (self.config.block_size,):
                    state[name] = value[:block_size].clone()
        wpe.num_embeddings = block_size
        self.config = replace(self.config, block_size=block_size)

    def load_state_dict(self, state_dict, strict: bool = True, assign: bool = False):
        """As in PyTorch, but nothing is copied unless everything fits, and the two tied entries must agree.

        Raises:
            ValueError: an entry's shape is not the model's, ``lm_head.weight`` differs from ``transformer.wte.weight``,
                or, if ``strict``, an entry is missing or unknown.
        """
        own = self.state_dict()
        if strict and (missing := own.keys() - state_dict.keys()):
            raise ValueError(f"the state dict lacks {', '.join(sorted(missing))}")
        if strict and (unknown := state_dict.keys() - own.keys()):
            raise ValueError(f"the state dict has entries that the model has not: {', '.join(sorted(unknown))}")
        for name, tensor in own.items():
            given = state_dict.get(name, tensor)
            if given.shape != tensor.shape:
                shapes = f"{tuple(given.shape)} in the state dict and {tuple(tensor.shape)} in the model"
                raise ValueError(f"{name} has shape {shapes}")
        tied = [state_dict[name] for name in ("transformer.wte.weight", "lm_head.weight") if name in state_dict]
        if len(tied) == 2 and not any(t.is_meta for t in tied):
            a, b = tied
            if not ((a == b) | (a.isnan() & b.isnan())).all():  # a run that diverged can be loaded again
                both = "transformer.wte.weight and lm_head.weight"
                raise ValueError(f"{both} differ in the state dict; this model ties them")
        result = super().load_state_dict(state_dict, strict, assign)
        if assign:  # every entry has become a Parameter of its own
            if "transformer.wte.weight" not in state_dict:
                self.transformer.wte.weight = self.lm_head.weight
            self._tie()
        return result
