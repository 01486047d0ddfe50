"""The trace of allocations: to the byte, against PyTorch's own tracker and by hand."""

import pytest
import torch
import torch.nn.functional as F
from torch import nn
from torch._subclasses.fake_tensor import FakeTensorMode
from torch.distributed._tools.mem_tracker import MemTracker

from scripts.accounting.allocations import AllocationTrace, thin, timeline


def test_births_and_deaths_are_counted_by_storage() -> None:
    with AllocationTrace() as trace:
        with trace.phase("forward"):
            a = torch.zeros(100)
            b = a[10:20] + 1
            view = a.view(10, 10)
        assert trace.by_category() == {"activations": 400 + 40}
        del a
        assert trace.live_bytes == 440, "a view keeps its storage alive"
        del view
        assert trace.live_bytes == 40
        with trace.phase("step"):
            b = b * 2
    assert trace.phase_peaks == {"forward": 440, "step": 80}
    assert [(event.allocated, event.allocation.bytes) for event in trace.events] == [
        (True, 400),
        (True, 40),
        (False, 400),
        (True, 40),
        (False, 40),
    ]
    assert b.sum() == 20


def test_a_label_holds_from_birth_on() -> None:
    with AllocationTrace() as trace, trace.phase("forward"):
        weights = torch.zeros(8)
        kept = weights + 1
        _ = weights + 2
        trace.label("weights", [weights, None])
    operations, series = timeline(trace.allocations, first=1, last=trace.operations)
    assert series["weights"] == [32] * len(operations)
    assert max(series["activations"]) == 64
    assert kept.sum() == 8


@pytest.mark.parametrize("real", [True, False])
def test_it_agrees_with_torchs_own_tracker_on_a_training_step(real: bool) -> None:
    def step(model: nn.Module, optimizer: torch.optim.Optimizer) -> None:
        x = torch.zeros(4, 16)
        F.mse_loss(model(x), x).backward()
        optimizer.step()

    def build() -> tuple[nn.Module, torch.optim.Optimizer]:
        model = nn.Sequential(nn.Linear(16, 64), nn.GELU(), nn.Linear(64, 16))
        return model, torch.optim.AdamW(model.parameters(), foreach=True)

    mode = torch.no_grad if real else FakeTensorMode
    with mode(), torch.enable_grad():
        model, optimizer = build()
        theirs = MemTracker()
        theirs.track_external(model, optimizer)
        with theirs:
            step(model, optimizer)
        expected = theirs.get_tracker_snapshot()[torch.device("cpu")]["Total"]
        with AllocationTrace() as trace:
            model, optimizer = build()
            step(model, optimizer)
        assert trace.live_bytes == expected


def test_thinning_keeps_both_ends_and_the_peak() -> None:
    operations = list(range(1000))
    series = {"a": [0] * 1000, "b": [1] * 1000}
    series["a"][567] = 9
    kept, thinned = thin(operations, series, points=10)
    assert len(kept) <= 12
    assert kept[0] == 0
    assert kept[-1] == 999
    assert max(thinned["a"]) == 9
    assert thin(operations[:5], series, points=10)[0] == operations[:5]
