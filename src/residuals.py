"""Watching the residual stream of any GPT from outside, with hooks; the model's code is not changed."""

from dataclasses import dataclass

import torch
from torch import Tensor, nn

from gpt import GPT
from gpt_config import require_scale


@dataclass(frozen=True)
class StreamPoint:
    """The residual stream at one place, over all B * T * C values.

    Attributes:
        place: ``"embeddings"``, or the branch just added: ``"attn"`` or ``"mlp"``.
        layer: index of the block; -1 for the embeddings.
        variance: mean squared deviation from the mean.
        std: its square root.
    """

    place: str
    layer: int
    variance: float
    std: float


def record_stream(model: GPT, idx: Tensor) -> dict[tuple[str, int], Tensor]:
    """The stream after the embeddings and after each addition: {(place, layer): (B, T, C)}, 1 + 2L entries in order.

    A branch's increment is the difference of two neighbours.
    """
    stream = {}

    def keep_input(key):
        # A pre-hook that returns None leaves the input as it is.
        def hook(module, args):
            stream[key] = args[0].detach()

        return hook

    def keep_output(key):
        def hook(module, args, output):
            stream[key] = output.detach()

        return hook

    blocks = model.transformer.h
    hooks = [blocks[0].register_forward_pre_hook(keep_input(("embeddings", -1)))]
    for layer, block in enumerate(blocks):
        hooks.append(block.ln_2.register_forward_pre_hook(keep_input(("attn", layer))))
        hooks.append(block.register_forward_hook(keep_output(("mlp", layer))))
    try:
        with torch.no_grad():
            model(idx)
    finally:
        for hook in hooks:
            hook.remove()
    return stream


def measure_stream(model: GPT, idx: Tensor) -> list[StreamPoint]:
    """Variance and standard deviation of the stream at its 1 + 2L places, for token ids ``idx`` (B, T)."""
    points = []
    for (place, layer), x in record_stream(model, idx).items():
        variance = x.double().var(correction=0).item()
        points.append(StreamPoint(place, layer, variance, variance**0.5))
    return points


@torch.no_grad()
def rescale_projections(model: nn.Module, factor: float) -> None:
    """Multiply every ``c_proj.weight`` by ``factor``, in place: from 1/sqrt(2L) to another rule without a new draw.

    Raises:
        ValueError: factor is not a finite number of at least 0.
    """
    require_scale("factor", factor)
    for name, parameter in model.named_parameters():
        if name.endswith("c_proj.weight"):
            parameter.mul_(factor)
