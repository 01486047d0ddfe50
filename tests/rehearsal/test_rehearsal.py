"""What a GPU would run, on a stand-in: every machine measures, and its records are true."""

import functools
import io
import os
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import redirect_stdout, suppress
from pathlib import Path

import pytest

from scripts import build, changes
from scripts.devices.device import detect
from scripts.devices.not_run import TooFewCards
from scripts.experiments import measurement
from scripts.experiments.plausibility import implausible
from scripts.records.record import Record
from tests.rehearsal.asking import Lines, asking, noting
from tests.rehearsal.brief import brief
from tests.rehearsal.machines import MACHINES
from tests.rehearsal.stand_in import rehearsing

ROOT = Path(__file__).parents[2]
TIMED = ("bandwidth", "quantization-speed")
COUNTED = ("staircase", "decoding", "activations", "training-memory")
SLUGS = {
    "rtx-3060": "rtx-3060",
    "laptop": "rtx-4060-laptop",
    "t4": "t4",
    "a100": "a100-40gb-pcie",
    "h200": "h200-sxm",
    "two-kinds": "a100-40gb-pcie",
    "mig-slice": "h100-80gb-hbm3-mig-1g-10gb",
    "container": "rtx-3060",
    "rocm": "mi300x",
}
# Of files in which no rehearsal runs every line that asks: why.
NOT_REHEARSED = {
    "scripts/experiments/parallelism_collectives/measure.py": "NCCL, on two cards alike",
    "scripts/experiments/quantization/sweep_ranks.py": "NCCL, on two cards alike",
    "scripts/experiments/tiled_kernels/measure.py": "Triton compiles for a card",
    "scripts/measure_ranks.py": "NCCL, on two cards alike",
    "scripts/parallel/collectives.py": "NCCL, on two cards alike",
    "scripts/parallel/pipeline.py": "NCCL, on two cards alike",
    "scripts/parallel/worker.py": "NCCL, on two cards alike",
    "scripts/planner/answer.py": "asks a registry's row, not a device",
}


@pytest.fixture(scope="module")
def ran() -> Lines:
    """Lines that ask what a device is, and that the tests of this module ran."""
    return {}


def measured(name: str, machine: str, folder: Path) -> Record:
    """An experiment's record of a rehearsed machine."""
    card = detect("cuda")
    assert card.slug == SLUGS[machine]
    record, _ = measurement.measure(name, device=card, root=folder, code=ROOT)
    return record


def check(record: Record, machine: str) -> None:
    faults = [fault.message for fault in implausible(record)]
    if machine == "mig-slice":  # a slice has no row of its own
        faults = [fault for fault in faults if "no accelerator is called" not in fault]
    assert not faults
    smi = MACHINES[machine].smi
    for place in ("disturbances_before", "disturbances_after"):
        for said in record.results.get(place, ()):
            assert not smi, said
            assert "nvidia-smi does not answer" in said
    stated = record.device["clocks"] or {}
    assert ("sm_max_hertz" in stated) == (smi and MACHINES[machine].stated)


@pytest.mark.parametrize("name", TIMED)
@pytest.mark.parametrize("machine", ["t4", "two-kinds", "rocm"])
def test_some_machines_measure(machine: str, name: str, ran: Lines, tmp_path: Path) -> None:
    with rehearsing(MACHINES[machine]), brief(), noting(ran, asking()):
        check(measured(name, machine, tmp_path), machine)


@pytest.mark.thorough
@pytest.mark.parametrize("name", [*TIMED, *COUNTED])
@pytest.mark.parametrize("machine", MACHINES)
def test_every_machine_measures(machine: str, name: str, ran: Lines, tmp_path: Path) -> None:
    with rehearsing(MACHINES[machine]), brief(), noting(ran, asking()):
        check(measured(name, machine, tmp_path), machine)


@pytest.mark.thorough
@pytest.mark.parametrize("name", ["quantization", "quantization-methods"])
def test_a_model_is_quantized(name: str, ran: Lines, tmp_path: Path) -> None:
    if measurement.missing_files(name, root=ROOT):
        pytest.skip("the embedded model is not there")
    with rehearsing(MACHINES["rtx-3060"]), brief(), noting(ran, asking()):
        check(measured(name, "rtx-3060", tmp_path), "rtx-3060")


@pytest.mark.thorough
def test_the_lab_measures_a_card(ran: Lines, monkeypatch: pytest.MonkeyPatch) -> None:
    from scripts.labs import machine

    monkeypatch.setattr(machine, "smallest_width", lambda device: 512)
    monkeypatch.setattr(machine, "smallest_buffer", lambda device: 2**22)
    source = (ROOT / "docs/labs/measure.py").read_text(encoding="utf-8")
    for name, small in (("BUFFER_BYTES", "2**22"), ("WIDTH", "512")):
        source = re.sub(rf"^{name} = \S+", f"{name} = {small}", source, flags=re.MULTILINE)
    said = io.StringIO()
    with rehearsing(MACHINES["a100"]), noting(ran, asking()), redirect_stdout(said):
        exec(compile(source, "measure.py", "exec"), {"__name__": "lab"})
    assert "in records called a100-40gb-pcie" in said.getvalue()
    assert "NVIDIA A100 PCIe 40 GB: 1,555 GB/s" in said.getvalue()


def test_a_card_without_bf16_says_what_it_left_out(tmp_path: Path) -> None:
    with rehearsing(MACHINES["t4"]), brief():
        record = measured("bandwidth", "t4", tmp_path)
    assert "bf16" not in record.results
    assert "does not multiply bf16" in record.parameters["left_out"]["bf16"]


@pytest.mark.parametrize("machine", ["rtx-3060", "two-kinds", "rocm"])
def test_ranks_need_cards_alike(machine: str, ran: Lines, tmp_path: Path) -> None:
    with (
        rehearsing(MACHINES[machine]),
        noting(ran, asking()),
        pytest.raises(TooFewCards, match="2 ranks need 2 cards, and this machine shows 1"),
    ):
        measured("parallelism-pipeline", machine, tmp_path)


Run = Callable[..., int]


@pytest.fixture(scope="module")
def command(tree: Path) -> Iterator[Run]:
    """The command line on a copy of the project."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(build, "build", functools.partial(build.build, root=tree))
        yield lambda *arguments: build.main(arguments)


def test_a_first_contribution(
    tree: Path, command: Run, ran: Lines, capsys: pytest.CaptureFixture[str]
) -> None:
    """Measure, look at "This machine", publish, check, and see the new rows: as CONTRIBUTING has it."""
    pages = {path: path.read_text() for path in (tree / "docs/tables").glob("*.md")}
    with rehearsing(MACHINES["laptop"]), brief(), noting(ran, asking()):
        assert command("--only", "bandwidth", "--device", "cuda", "--no-site") == 0
        shown = [path.read_text() for path in (tree / "docs/tables/local").glob("*.md")]
        assert any("RTX 4060 Laptop" in text for text in shown)
        assert command("--publish", "--only", "bandwidth", "--no-site") == 0
        assert (tree / "docs/data/records/rtx-4060-laptop/bandwidth.json").is_file()
    assert command("--check") == 0, capsys.readouterr().err
    summary = changes.changes(
        [str(path.relative_to(tree)) for path in pages],
        old=lambda path: pages[tree / path],
        new=lambda path: (tree / path).read_text(),
    )
    assert 'record "rtx-4060-laptop/bandwidth: copy.bytes_per_second"' in summary


@pytest.mark.thorough
def test_the_site_shows_a_published_card(tree: Path) -> None:
    """In a process of its own, since the page's tables are read from beside the code."""
    (tree / "tests").symlink_to(ROOT / "tests")
    rehearse = [sys.executable, "-m", "tests.rehearsal", "laptop"]
    for arguments in (["--device", "cuda", "--no-site"], ["--publish"]):
        done = subprocess.run(
            [*rehearse, "--only", "bandwidth", *arguments],
            cwd=tree,
            env=os.environ | {"PYTHONPATH": str(tree)},
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr
    page = (tree / "site/chapters/03-bandwidth/index.html").read_text(encoding="utf-8")
    assert "rtx-4060-laptop" in page


@pytest.mark.thorough
def test_every_experiment_from_the_command_line(
    command: Run, ran: Lines, capsys: pytest.CaptureFixture[str]
) -> None:
    """Those on ranks say what they lack, and none ends the others."""
    with rehearsing(MACHINES["container"]), brief(), noting(ran, asking()):
        names = [name for name in measurement.experiments() if "quantization-" not in name]
        only = [word for name in names if name != "quantization" for word in ("--only", name)]
        status = command(*only, "--only", "quantization-speed", "--device", "cuda", "--no-site")
    said = capsys.readouterr()
    assert status == 0, said.err
    on_ranks = [name for name in names if name.startswith("parallelism-")]
    assert len(on_ranks) == said.out.count("ranks need")
    assert said.out.count("measured on rtx-3060") == len(only) // 2 + 1 - len(on_ranks)


@pytest.mark.thorough
def test_every_line_that_asks_for_a_device_was_rehearsed(ran: Lines, tmp_path: Path) -> None:
    for machine in ("rtx-3060", "rocm"):
        with rehearsing(MACHINES[machine]), noting(ran, asking()), suppress(TooFewCards):
            measured("parallelism-pipeline", machine, tmp_path)
    left = {name: sorted(lines - ran.get(name, set())) for name, lines in asking().items()}
    assert {name for name, lines in left.items() if lines} == set(NOT_REHEARSED), left
