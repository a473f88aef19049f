"""How long the book's GPT takes beside the GPT-2 of ``transformers``, in one process, same size, same weights.

Prints the ratio of the times (below 1: this model is faster) of a forward pass and of a forward and backward pass.
Rounds alternate between the models, so that a slower moment of the machine meets both; the median is taken.
"""

import argparse
import statistics
import time
from collections.abc import Callable

import torch
from transformers import GPT2Config, GPT2LMHeadModel

from gpt import GPT
from gpt_config import GPTConfig


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--layers", type=int, default=6)
    parser.add_argument("--width", type=int, default=384)
    parser.add_argument("--heads", type=int, default=6)
    parser.add_argument("--length", type=int, default=256)
    parser.add_argument("--batch", type=int, default=4)
    parser.add_argument("--rounds", type=int, default=15)
    options = parser.parse_args()

    config = GPTConfig(
        block_size=options.length, vocab_size=5000, n_layer=options.layers, n_head=options.heads, n_embd=options.width
    )
    ours, theirs = GPT(config), transformers_model(config)
    idx = torch.randint(config.vocab_size, (options.batch, options.length))
    copy_weights(ours, theirs)
    torch.testing.assert_close(ours(idx, idx)[0], theirs(idx).logits, rtol=1e-4, atol=1e-4)

    def our_loss() -> torch.Tensor:
        return ours(idx, idx)[1]

    def their_loss() -> torch.Tensor:
        return theirs(idx, labels=idx, use_cache=False).loss

    for name, run in (("forward", forward), ("forward and backward", forward_and_backward)):
        our_seconds, their_seconds = medians(run, our_loss, their_loss, options.rounds)
        print(f"{name}: {our_seconds / their_seconds:.2f} ({our_seconds:.3f} s against {their_seconds:.3f} s)")


def transformers_model(config: GPTConfig) -> GPT2LMHeadModel:
    """The same structure, without dropout, with the attention that the package takes by itself."""
    return GPT2LMHeadModel(
        GPT2Config(
            vocab_size=config.vocab_size,
            n_positions=config.block_size,
            n_embd=config.n_embd,
            n_layer=config.n_layer,
            n_head=config.n_head,
            resid_pdrop=0.0,
            embd_pdrop=0.0,
            attn_pdrop=0.0,
            bos_token_id=None,
            eos_token_id=None,
        )
    )


def copy_weights(ours: GPT, theirs: GPT2LMHeadModel) -> None:
    """Theirs stores the four matrices of a block as (in, out)."""
    transposed = ("c_attn.weight", "c_proj.weight", "c_fc.weight")
    theirs.load_state_dict({name: t.T if name.endswith(transposed) else t for name, t in ours.state_dict().items()})


def forward(loss: Callable[[], torch.Tensor]) -> None:
    with torch.no_grad():
        loss()


def forward_and_backward(loss: Callable[[], torch.Tensor]) -> None:
    loss().backward()


def medians(run: Callable, a: Callable, b: Callable, rounds: int) -> tuple[float, float]:
    times = {a: [], b: []}
    for _ in range(rounds + 2):
        for loss in (a, b):
            start = time.perf_counter()
            run(loss)
            times[loss].append(time.perf_counter() - start)
    return tuple(statistics.median(values[2:]) for values in times.values())  # the first two rounds warm up


if __name__ == "__main__":
    main()
