"""The sweep on a small checkpoint: right losses, resumable, and the same from several processes."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
import torch
import torch.nn.functional as F

from scripts.core.faults import BadInput
from scripts.devices import device as devices
from scripts.experiments.quantization import measure as quantization
from scripts.models.checkpoints import matrices_by_arithmetic
from scripts.quantization import subjects
from scripts.quantization.loss import nats_per_token, windows_in
from scripts.quantization.rounding import PER_GROUP_32, PER_MATRIX, round_to_nearest_
from scripts.quantization.statistics import (
    histogram,
    outlier_deviations,
    relative_error,
    share_at_zero,
)
from scripts.quantization.subjects import Subject
from scripts.quantization.sweep import BITS, Sweep
from scripts.records.journal import Journal

ROOT = Path(__file__).parents[2]


def load() -> Subject:
    return subjects.load(subjects.chosen(), dtype="fp32", device="cpu")


def run_in(folder: Path) -> Journal:
    return Journal(experiment="sweep", device="cpu", fingerprint="0" * 64, root=folder)


def plain_loss(subject: Subject, windows: int) -> float:
    context = subject.context
    losses = []
    for window in range(windows):
        inputs = subject.tokens[window * context : (window + 1) * context]
        targets = subject.tokens[window * context + 1 : (window + 1) * context + 1]
        with torch.no_grad():
            losses.append(F.cross_entropy(subject.model(inputs[None])[0].double(), targets))
    return float(torch.stack(losses).mean())


def test_the_loss_is_the_mean_over_all_predicted_tokens(checkpoint: Path) -> None:
    subject = load()
    count = windows_in(subject.tokens, context=subject.context)
    assert count == (len(subject.tokens) - 1) // 32
    found = nats_per_token(subject.model, subject.tokens, context=32, windows=range(count))
    assert found == pytest.approx(plain_loss(subject, count), rel=1e-6)


def test_results(checkpoint: Path, tmp_path: Path) -> None:
    subject = load()
    sweep = Sweep(subject, windows=5, run=run_in(tmp_path))
    results = sweep.results()
    assert (results["matrices"], results["weights"]) == (8, 2 * (4 * 128**2 + 2 * 128 * 256))
    assert results["tokens"] == 5 * 32
    assert set(results["loss"]) == {"per_group_32", "per_group_128", "per_row", "per_matrix"}
    assert results["bits_per_weight"]["per_group_32"]["4"] == 4.5
    assert results["bits_per_weight"]["per_matrix"]["4"] == 4 + 8 * 16 / results["weights"]
    assert results["loss"]["per_row"]["16"] == pytest.approx(plain_loss(subject, 5), rel=1e-6)
    names = results["matrix"]["names"]
    assert names[0] == "layers.0.attention.query_key_value.weight"
    outliers = results["matrix"]["outlier_standard_deviations"]["of_each"]
    middle = results["median_matrix"]
    assert middle["largest_outlier_standard_deviations"] == sorted(outliers)[3]
    assert sum(middle["histogram"]) == sweep.originals[middle["name"]].numel()
    for bits in BITS:
        found = results["matrix"]["per_matrix"][str(bits)]
        for name, original, share, error in zip(
            names,
            sweep.originals.values(),
            found["share_at_zero"]["of_each"],
            found["relative_error"]["of_each"],
            strict=True,
        ):
            rounded = torch.empty_like(original)
            round_to_nearest_(rounded, original, bits=bits, granularity=PER_MATRIX, name=name)
            assert share == pytest.approx(float((rounded == 0).float().mean()))
            assert error == pytest.approx(float((rounded - original).norm() / original.norm()))
    for name, matrix in sweep.matrices.items():
        assert torch.equal(matrix, sweep.originals[name])  # as it was before


def test_a_killed_sweep_resumes(
    checkpoint: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = Sweep(load(), windows=3, run=run_in(tmp_path / "whole")).results()
    taken = []
    loss = Sweep.loss

    def counted(self: Sweep) -> float:
        taken.append(1)
        if len(taken) == 8:
            raise KeyboardInterrupt
        return loss(self)

    monkeypatch.setattr(Sweep, "loss", counted)
    with pytest.raises(KeyboardInterrupt):
        Sweep(load(), windows=3, run=run_in(tmp_path / "killed")).results()
    resumed = Sweep(load(), windows=3, run=run_in(tmp_path / "killed")).results()
    assert resumed == whole
    assert len(taken) == 8 + (1 + 4 * len(BITS)) - 7


def test_processes_share_the_windows(checkpoint: Path, tmp_path: Path) -> None:
    device = devices.cpu()
    parameters = quantization.parameters(preset="quick", device=device)
    assert parameters["subject"]["model"] == str(checkpoint)
    alone = quantization.measure(device=device, parameters=parameters, run=run_in(tmp_path))
    done = subprocess.run(
        [
            *(sys.executable, "-m", "torch.distributed.run", "--standalone"),
            *(
                "--nproc-per-node",
                "2",
                "-m",
                "scripts.experiments.quantization.sweep_ranks",
                "--preset",
                "quick",
            ),
        ],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(ROOT), "OMP_NUM_THREADS": "1"},
        capture_output=True,
        text=True,
        check=True,
    )
    shared = json.loads(done.stdout[done.stdout.index("{") :])
    for name, losses in alone["loss"].items():
        for bits, loss in losses.items():
            assert shared[name][bits] == pytest.approx(loss, abs=1e-6)


def test_statistics() -> None:
    matrix = torch.tensor([[1.0, -1.0, 1.0, -3.0]])
    assert outlier_deviations(matrix) == pytest.approx(3 / 2.75**0.5)
    rounded = torch.empty_like(matrix)
    round_to_nearest_(rounded, matrix, bits=2, granularity=PER_MATRIX, name="matrix")
    assert rounded.tolist() == [[0.0, 0.0, 0.0, -3.0]]
    assert share_at_zero(rounded) == 0.75
    assert relative_error(matrix, rounded) == pytest.approx((3 / 12) ** 0.5)


def test_the_granularities_order_the_errors(checkpoint: Path) -> None:
    subject = load()
    matrix = subject.model.layers[0].mlp.dense_h_to_4h.weight.detach()
    matrix[3, 5] = 2.0  # one outlier
    errors = []
    for granularity in (PER_GROUP_32, PER_MATRIX):
        rounded = torch.empty_like(matrix)
        round_to_nearest_(rounded, matrix, bits=4, granularity=granularity, name="matrix")
        errors.append(relative_error(matrix, rounded))
    assert errors[1] > 3 * errors[0]


def test_a_matrix_of_zeros_or_of_one_number_has_statistics() -> None:
    zeros = torch.zeros(4, 32)
    assert outlier_deviations(zeros) == 0
    assert relative_error(zeros, zeros) == 0
    assert histogram(zeros, bins=3) == [0, 128, 0]
    assert outlier_deviations(torch.full((4, 32), 0.5)) == 0


def test_a_loss_that_is_no_number_is_refused(checkpoint: Path) -> None:
    subject = load()
    next(iter(subject.model.parameters())).data.fill_(float("nan"))
    with pytest.raises(BadInput, match="its loss is infinite or not a number"):
        nats_per_token(subject.model, subject.tokens, context=subject.context, windows=range(1))


def test_matrices_are_counted_against_the_configuration(
    checkpoint: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    subject = load()
    Sweep(subject, windows=1, run=run_in(tmp_path))
    count, weights = matrices_by_arithmetic(subject.model.config)
    assert f"{count} matrices in the layers, {weights:,} weights" in capsys.readouterr().out
    del subject.model.layers[-1]
    with pytest.raises(BadInput, match="as its configuration says"):
        Sweep(subject, windows=1, run=run_in(tmp_path))
