"""The experiments of the quantization lab on a small checkpoint, and what they leave out."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch

from scripts.devices.device import cpu
from scripts.experiments.quantization import measure as quantization
from scripts.experiments.quantization_methods import measure as quantization_methods
from scripts.experiments.quantization_smollm2 import measure as quantization_smollm2
from scripts.experiments.quantization_speed import measure as quantization_speed
from scripts.quantization import comparison, subjects
from scripts.quantization.calibration import hessians
from scripts.quantization.methods import methods
from scripts.records.record import Record
from snippets.activation_aware import int8_product
from tests.experiments.measuring import CARD, measured
from tests.quantization.tiny import write_checkpoint


@pytest.fixture
def checkpoint(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A small checkpoint, chosen as a user would choose one."""
    for name, value in write_checkpoint(tmp_path / "tiny").items():
        monkeypatch.setenv(name, value)
    return tmp_path / "tiny"


def test_methods_are_compared(checkpoint: Path, tmp_path: Path) -> None:
    device = replace(cpu(), cores=1)
    results = measured(quantization_methods, tmp_path, device)
    assert list(results["method"]) == [method.name for method in methods()]
    found = results["method"]
    assert found["nearest_4"]["bits_per_weight"] == found["gptq_4"]["bits_per_weight"] == 4.5
    assert found["mxfp4"]["bits_per_weight"] == 4.25
    assert found["nearest_3"]["relative_error"] > found["clipped_3"]["relative_error"]
    assert found["nearest_3"]["relative_error"] > 1.8 * found["nearest_4"]["relative_error"]
    for method in found.values():
        assert method["loss"] == pytest.approx(results["baseline"], abs=1)
    assert results["int8_product"]["int8"]["share_of_columns_in_16_bits"] == 0
    assert measured(quantization_methods, tmp_path, device) == results
    windows = quantization_methods.QUICK_WINDOWS
    sweep = measured(quantization, tmp_path / "sweep", device, windows=windows)
    assert sweep["loss"]["per_group_32"]["16"] == results["baseline"]
    for bits in (4, 3):
        swept = sweep["loss"]["per_group_32"][str(bits)]
        assert found[f"nearest_{bits}"]["loss"] == pytest.approx(swept, abs=1e-6)
    # Products in 8 bits are of the weights as they were, not as the last method left them.
    assert results["int8_product"]["int8"]["loss"] == pytest.approx(results["baseline"], abs=2e-3)


def test_hessians_are_gram_matrices_of_the_inputs(checkpoint: Path) -> None:
    subject = subjects.load(subjects.chosen(), dtype="fp32", device="cpu")
    seen: list[torch.Tensor] = []
    module = subject.model.layers[1].mlp.dense_4h_to_h
    handle = module.register_forward_hook(lambda m, inputs, output: seen.append(inputs[0]))
    found = hessians(subject.model, subject.tokens, context=32, windows=3)
    handle.remove()
    rows = torch.cat([each.flatten(0, 1) for each in seen])
    assert len(rows) == 96
    gram = found["layers.1.mlp.dense_4h_to_h.weight"]
    assert torch.allclose(gram, rows.T @ rows, rtol=1e-4, atol=1e-4)
    assert len(found) == 8


@pytest.mark.parametrize("threshold", [1.5, 1e9])
def test_the_model_multiplies_as_the_snippet_does(threshold: float) -> None:
    generator = torch.Generator().manual_seed(0)
    linear = torch.nn.Linear(64, 48)
    inputs = torch.randn(2, 8, 64, generator=generator) * torch.linspace(0.1, 1, 64)
    kept: list[float] = []
    with torch.no_grad(), comparison.int8_products([linear], threshold=threshold, kept=kept):
        found = linear(inputs)
    expected = int8_product(
        inputs.flatten(0, 1).numpy(), linear.weight.detach().numpy(), threshold=threshold
    )
    bias = linear.bias.detach().numpy()
    assert np.allclose(found.flatten(0, 1).numpy(), expected + bias, atol=1e-5)
    assert (kept[0] > 0) == (threshold == 1.5)


def test_speeds_are_rates_of_bytes(tmp_path: Path) -> None:
    device = replace(cpu(), cache_bytes=1)
    assert quantization_speed.parameters(preset="quick", device=device)["matrix_width"] == 4096
    results = measured(quantization_speed, tmp_path, matrix_width=512, samples=3)
    assert list(results) == list(quantization_speed.KINDS)
    assert results["int4"]["bits_per_weight"] == 5  # a BF16 scale and a BF16 offset for each 32


def test_a_kernel_that_is_not_there_is_left_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from scripts.kernels import few_bit_products as kernels

    def absent(*_: object) -> None:
        raise NotImplementedError("not for this device")

    monkeypatch.setattr(kernels, "_int4", absent)
    results = measured(quantization_speed, tmp_path, matrix_width=512, samples=3)
    assert "not for this device" in results["int4"]["left_out"]


def test_a_card_without_bf16_is_measured_in_what_it_has(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """On a T4 the BF16 kernels are empty: nothing is asked of them, and all else is measured."""
    from scripts.experiments.quantization_speed import limits

    t4 = replace(CARD, dtypes=("fp32", "fp16"))
    asked = quantization_speed._fastest
    assert asked("int4", lambda: [], device=t4) == {
        "left_out": "this device does not multiply bf16"
    }
    monkeypatch.setattr(
        quantization_speed,
        "_fastest",
        lambda kind, operands, *, device: (
            asked(kind, operands, device=t4)
            if kind in ("bf16", "int8", "int4")
            else asked(kind, operands, device=device)
        ),
    )
    results = measured(quantization_speed, tmp_path, matrix_width=512, samples=20)
    assert results["fp16"]["speedup_over_16_bits"] == 1
    assert set(results["int8"]) == {"left_out"}
    parameters = {"kinds": list(quantization_speed.KINDS), "matrix_width": 512}
    record = Record("quantization-speed", parameters, {}, {}, None, {}, None, results)
    assert list(limits.EXPECTED.works(record)) == ["fp32", "fp16"]


@pytest.mark.parametrize("kind", ["fp16", "bf16"])
def test_speeds_without_any_sixteen_bit_product(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    asked = quantization_speed._fastest
    monkeypatch.setattr(
        quantization_speed,
        "_fastest",
        lambda name, operands, *, device: (
            asked(name, operands, device=device) if name == "fp32" else {"left_out": "none"}
        ),
    )
    results = measured(quantization_speed, tmp_path, matrix_width=512, samples=3)
    assert "seconds" in results["fp32"]
    assert "speedup_over_16_bits" not in results["fp32"]
    assert results[kind] == {"left_out": "none"}


def test_out_of_memory_is_not_called_a_missing_kernel(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from scripts.kernels import few_bit_products as kernels

    def too_large(*_: object) -> None:
        raise torch.OutOfMemoryError("CUDA out of memory. Tried to allocate 4.00 GiB.")

    monkeypatch.setattr(kernels, "_int4", too_large)
    results = measured(quantization_speed, tmp_path, matrix_width=512, samples=3)
    assert results["int4"]["not_run"].startswith("out of memory")
    assert "seconds" in results["int8"]


def test_an_error_of_another_kind_is_one(monkeypatch: pytest.MonkeyPatch) -> None:
    from scripts.kernels import few_bit_products as kernels

    def broken(*_: object) -> None:
        raise RuntimeError("shapes do not match")

    monkeypatch.setattr(kernels, "_int4", broken)
    operands = [torch.ones(8, 64), torch.ones(1, 64)]
    with pytest.raises(RuntimeError, match="shapes"):
        quantization_speed._fastest("int4", lambda: operands, device=cpu())


@pytest.mark.parametrize(
    ("mebibytes", "gibibytes", "width"),
    [(2.25, 12, 8192), (32, 8, 16384), (72, 24, 28672), (50, 80, 32768), (126, 180, 49152)],
)
def test_four_bits_exceed_every_cards_cache(mebibytes: float, gibibytes: int, width: int) -> None:
    cache = int(mebibytes * 2**20)
    card = replace(CARD, cache_bytes=cache, memory_bytes=gibibytes * 2**30)
    for preset in ("quick", "full"):
        found = quantization_speed.parameters(preset=preset, device=card)["matrix_width"]
        assert found == width
        assert found**2 / 2 > 3.9 * cache


def test_smollm2_says_why_it_is_left_out(tmp_path: Path) -> None:
    results = measured(quantization_smollm2, tmp_path)
    assert "smollm2" in results["left_out"] or "--preset full" in results["left_out"]
    assert len(results) == 1


def test_smollm2_is_swept_and_its_distortion_measured(
    checkpoint: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    small = subjects.load(subjects.chosen(), dtype="fp32", device="cpu")
    device = replace(cpu(), cores=1)
    monkeypatch.setattr(quantization_smollm2, "_smollm2", lambda device: small)
    monkeypatch.setattr(quantization_smollm2, "DISTORTED_WINDOWS", 2)
    monkeypatch.setattr(subjects, "load", lambda choice, *, dtype, device: small)
    results = measured(quantization_smollm2, tmp_path, device, left_out="", windows=2)
    losses = results["loss"]["per_group_32"]
    assert list(losses) == ["16", "8", "6", "5", "4", "3"]
    distortion = results["q4_1_on_the_embedded_model"]
    assert distortion["own_weights"] == {bits: losses[bits] for bits in ("16", "4", "3")}
    found = distortion["q4_1_weights"]
    assert len({*found.values(), *distortion["own_weights"].values()}) == 6
