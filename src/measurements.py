"""Measuring what a model costs: bytes kept for the backward pass, FLOPs, bytes of optimizer state, size of a file.

All of these work on PyTorch's ``meta`` device, whose tensors have shapes but no memory. So a model of any size can be
measured: autograd and the optimizer decide what they keep from shapes alone. Only fused attention must be measured on
the CPU: on ``meta`` it is computed step by step.
"""

import copy
import tempfile
from collections.abc import Callable
from pathlib import Path

import torch
from torch import Tensor, nn
from torch.distributed._tools.mem_tracker import MemTracker
from torch.utils.flop_counter import FlopCounterMode, sdpa_backward_flop_count, sdpa_flop_count


def saved_bytes(model: nn.Module, run: Callable[[], object], shape: tuple[int, ...] | None = None) -> int:
    """Bytes of all storages that autograd saves for the backward pass of ``run()``, without the model's parameters.

    A storage that is saved several times, or through several views, counts once. With ``shape``, only tensors of that
    shape are counted.
    """
    parameters = {parameter.untyped_storage()._cdata for parameter in model.parameters()}
    kept = {}  # holding the storages keeps their addresses from being used again

    def keep(tensor: Tensor) -> Tensor:
        storage = tensor.untyped_storage()
        if storage._cdata not in parameters and shape in (None, tensor.shape):
            kept[storage._cdata] = storage
        return tensor

    with torch.enable_grad(), torch.autograd.graph.saved_tensors_hooks(keep, lambda tensor: tensor):
        result = run()  # alive until the sum is made, as in a training step
    total = sum(storage.nbytes() for storage in kept.values())
    del result
    return total


def flops(run: Callable[[], object]) -> int:
    """Multiplications and additions of the matrix products in ``run()``, by PyTorch's counter.

    The counter knows the fused attention of graphics cards; the CPU's is counted here by the same rules.
    """
    with torch.enable_grad(), FlopCounterMode(display=False, custom_mapping=_CPU_ATTENTION) as counter:
        run()
    return counter.get_total_flops()


def _fused_forward(q, k, v, *args, out_shape=None, **kwargs) -> int:
    return sdpa_flop_count(q, k, v)


def _fused_backward(gradient, q, k, v, *args, out_shape=None, **kwargs) -> int:
    return sdpa_backward_flop_count(gradient, q, k, v)


_CPU_ATTENTION = {
    torch.ops.aten._scaled_dot_product_flash_attention_for_cpu: _fused_forward,
    torch.ops.aten._scaled_dot_product_flash_attention_for_cpu_backward: _fused_backward,
}


def training_step(
    model: nn.Module,
    optimizer: torch.optim.Optimizer,
    idx: Tensor,
    targets: Tensor,
) -> tuple[Tensor, Tensor]:
    """One step in its usual form.

    The two names keep logits and loss alive until it ends.
    """
    logits, loss = model(idx, targets)
    loss.backward()
    optimizer.step()
    return logits, loss


def peak_bytes(run: Callable[[], object], *present: nn.Module | torch.optim.Optimizer | Tensor) -> int:
    """The most bytes that tensors hold at one moment of ``run()``.

    Args:
        run: what is followed. What a kernel uses inside, and never returns, is not seen.
        present: what holds memory before: model (with gradients), optimizer, batch.
    """
    tracker = MemTracker()
    tracker.track_external(*present)
    with torch.enable_grad(), tracker:
        run()
    return sum(snapshot["Total"] for snapshot in tracker.get_tracker_snapshot("peak").values())


def optimizer_bytes(optimizer: torch.optim.Optimizer) -> int:
    """Bytes of all tensors that an optimizer keeps between steps."""
    tensors = [value for state in optimizer.state.values() for value in state.values() if isinstance(value, Tensor)]
    return sum(tensor.numel() * tensor.element_size() for tensor in tensors)


def file_bytes(content: object) -> int:
    """Size of the file that ``torch.save`` makes of ``content``, whose tensors may be on the meta device.

    The file is laid out in full, but the tensors' bytes are skipped, so that it takes hardly any disk.
    """
    with tempfile.TemporaryDirectory() as folder, torch.serialization.skip_data():
        path = Path(folder, "checkpoint.pt")
        torch.save(_allocated(content, {}), path)
        return path.stat().st_size


def _allocated(content: object, copies: dict[int, Tensor]) -> object:
    """The same nested content with every tensor on the CPU, its memory reserved but never touched."""
    if isinstance(content, Tensor):
        storage = content.untyped_storage()
        key = storage._cdata  # two names of one Parameter, and two views of one tensor, stay one storage
        if key not in copies:
            copies[key] = torch.empty(storage.nbytes(), dtype=torch.uint8)
        whole = copies[key].view(content.dtype)  # a view is saved with all that it is a view of
        return whole.as_strided(content.shape, content.stride(), content.storage_offset())
    if isinstance(content, dict):
        twin = copy.copy(content)  # with the attributes that a module's state dict has
        twin.update((name, _allocated(value, copies)) for name, value in content.items())
        return twin
    if isinstance(content, list | tuple):
        return type(content)([_allocated(value, copies) for value in content])
    return content
