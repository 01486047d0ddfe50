"""The training-memory experiment on a small model: every recipe, the scan, what could not be run."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import torch

from scripts.accounting import pythia
from scripts.devices.device import cpu
from scripts.experiments.training_memory import measure as training_memory
from scripts.experiments.training_memory import tables
from scripts.models.gpt_neox import GPTNeoXConfig
from scripts.records.record import Record, fields
from tests.experiments.measuring import CARD, measured
from tests.rendered import values_of

SMALL = GPTNeoXConfig(
    vocab_size=512,
    hidden_size=64,
    num_hidden_layers=1,
    num_attention_heads=4,
    intermediate_size=256,
    max_position_embeddings=64,
)
TINY: dict[str, Any] = {
    "sequences": 1,
    "tokens": 16,
    "recipes": ["fp32_adamw_fused", "bf16_master", "fp32_adamw_8bit"],
    "scanned_tokens": [8, 16],
    "resident": [],
    "large": {"model": "tiny", "recipe": "bf16_master", "tokens": 8},
}


@pytest.fixture(autouse=True)
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pythia, "PYTHIA_160M", SMALL)
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    shape = {"layers": 2, "width": 128, "intermediate": 96, "heads": 16}
    monkeypatch.setattr(training_memory, "LARGE", {"tiny": shape})


def measure(root: Path, **changes: Any) -> dict[str, Any]:
    return measured(training_memory, root, **{**TINY, **changes})


def test_results(tmp_path: Path) -> None:
    results = measure(tmp_path)
    for name in ("fp32_adamw_fused", "bf16_master"):
        recipe = results["recipes"][name]
        assert recipe["bytes_per_parameter"] == pytest.approx(16, abs=0.01)
        assert sum(recipe["parts"].values()) == pytest.approx(recipe["bytes_per_parameter"])
        for phase in recipe["phases"].values():
            assert sum(phase["by_category"].values()) == phase["bytes"] <= phase["peak_bytes"]
        for usage in recipe["simulated_allocator"].values():
            assert usage["allocated_bytes"] == (
                recipe["phases"]["first_step"]["bytes"]
                + usage["workspace_bytes"]
                + usage["rounding_bytes"]
                + usage["remainder_bytes"]
            )
    assert "torchao" in results["recipes"]["fp32_adamw_8bit"]["not_run"]
    timeline = results["timelines"]["bf16_master"]
    assert all(len(series) == len(timeline["operations"]) for series in timeline["bytes"].values())
    assert results["large"]["bytes_per_parameter"] == pytest.approx(16, abs=0.1)
    scan = results["scan"]["bf16_master"]["one_workspace"]
    assert scan["least"] <= scan["bytes_per_parameter"]["8"] <= scan["most"]
    assert "recipes.bf16_master.phases.first_step.by_category.optimizer" in set(fields(results))


def test_a_recipe_that_does_not_fit_lets_the_others_go_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    phases = training_memory._phases

    def out_of_memory(name: str, **rest: Any) -> dict[str, Any]:
        if name == "fp32_adamw_fused":
            raise torch.OutOfMemoryError("CUDA out of memory. Tried to allocate 2.42 GiB.")
        return phases(name, **rest)

    monkeypatch.setattr(training_memory, "_phases", out_of_memory)
    recipes = measure(tmp_path, scanned_tokens=[])["recipes"]
    assert recipes["fp32_adamw_fused"] == {
        "not_run": "out of memory: CUDA out of memory. Tried to allocate 2.42 GiB."
    }
    assert recipes["bf16_master"]["bytes_per_parameter"] > 16


def test_a_real_process_grows_phase_by_phase(monkeypatch: pytest.MonkeyPatch) -> None:
    from scripts.accounting import resident

    monkeypatch.setattr(resident, "PYTHIA_160M", replace(SMALL, vocab_size=100_000))
    phases = resident._measure("fp32_adamw_fused", sequences=1, tokens=4)
    embeddings = 2 * 100_000 * SMALL.hidden_size
    assert 4 * embeddings <= phases["model"] < 5 * embeddings
    # The test's own process may reuse some memory; a process of its own, as measured, has none.
    assert 14 * embeddings < phases["first_step"] < 18 * embeddings


def test_a_cards_own_figure_stands_beside_the_sum_of_tensors(tmp_path: Path) -> None:
    found = measure(tmp_path, scanned_tokens=[])
    found["recipes"]["bf16_master"]["allocator"] = {"bytes_per_parameter": 16.19}
    record = Record(
        "training-memory", {}, {"slug": "h100-sxm"}, {}, None, {"kind": "measured"}, None, found
    )
    table = tables.recipes(values_of({"h100-sxm/training-memory": record}))
    shown = {row[1][0]: row[5][0] for row in table.rows}
    assert shown["BF16 with an FP32 master copy"].digits == "16.1900"
    assert shown["FP32, AdamW fused"] == ""


def test_a_gpu_is_asked_its_allocator() -> None:
    assert training_memory.parameters(preset="full", device=CARD)["method"] == "allocator"
    quick = training_memory.parameters(preset="quick", device=cpu())
    full = training_memory.parameters(preset="full", device=cpu())
    assert set(quick["recipes"]) < set(full["recipes"])
