"""Measuring: only what is stale, resumed after a kill, written whole."""

import errno
import os
import signal
import subprocess
import sys
import textwrap
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from scripts import experiments as package
from scripts.core.faults import BadInput
from scripts.core.freshness import Modules
from scripts.devices.device import Device
from scripts.experiments import measurement as module
from scripts.experiments import plausibility
from scripts.experiments.measurement import local_path, measure, publish
from scripts.records.record import lookup, read_all, read_record

ROOT = Path(__file__).parents[1]

CARD = Device(
    slug="test-card",
    name="Test Card",
    kind="cpu",
    memory_bytes=2**30,
    cache_bytes=2**20,
    cores=3,
    dtypes=("fp32",),
)

COUNTING = '''
"""Count how often something was taken."""

from typing import TYPE_CHECKING

from snippets.counted import base

if TYPE_CHECKING:
    from scripts.records.journal import Journal

taken = 0


def parameters(*, preset, device):
    return {"preset": preset, "count": {"quick": 3, "full": 5}[preset]}


def measure(*, device, parameters, run: "Journal"):
    def take():
        global taken
        taken += 1
        return base() + taken

    return {"taken": {"last": run.samples("a", take, count=parameters["count"])[-1]}}
'''


@pytest.fixture
def experiment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder of code with an experiment "counting-up" and the snippet that it imports."""
    import snippets

    room = tmp_path / "scripts/experiments/counting_up"
    room.mkdir(parents=True)
    (room / "__init__.py").touch()
    (room / "measure.py").write_text(COUNTING)
    (tmp_path / "snippets").mkdir()
    (tmp_path / "snippets/counted.py").write_text("def base():\n    return 0\n")
    monkeypatch.setattr(package, "__path__", [str(room.parent)])
    monkeypatch.setattr(snippets, "__path__", [str(tmp_path / "snippets")])
    yield tmp_path
    room_name = "scripts.experiments.counting_up"
    for name in (room_name, f"{room_name}.measure", "snippets.counted"):
        sys.modules.pop(name, None)
    for owner, name in ((package, "counting_up"), (snippets, "counted")):
        vars(owner).pop(name, None)


@pytest.fixture
def last(experiment: Path, tmp_path: Path) -> Callable[..., tuple[int, str]]:
    """Measures, and says what was counted to and whether it was reused."""

    def measured(device: Device = CARD, **options: object) -> tuple[int, str]:
        record, how = measure("counting-up", device=device, root=tmp_path, **options)  # type: ignore[arg-type]
        return lookup(record, "taken.last"), how

    return measured


def test_a_fresh_record_is_reused(last: Callable[..., tuple[int, str]], tmp_path: Path) -> None:
    assert last() == (3, "measured")
    assert last() == (3, "reused")
    record = read_record(local_path(tmp_path, "counting-up"))
    assert record.key == "test-card/counting-up"
    assert record.parameters == {"preset": "quick", "count": 3}
    assert record.provenance == {
        "kind": "measured",
        "command": "python scripts/build.py --only counting-up --device cpu --preset quick",
    }
    assert record.software["torch"].startswith("2.13.0")
    assert not list((tmp_path / ".cache/partial").glob("*"))


def test_force_measures_again(last: Callable[..., tuple[int, str]]) -> None:
    assert last() == (3, "measured")
    assert last(force=True) == (6, "measured")


def test_a_full_record_serves_as_a_quick_one_but_not_the_reverse(
    last: Callable[..., tuple[int, str]],
) -> None:
    assert last(preset="quick") == (3, "measured")
    assert last(preset="full") == (8, "measured")
    assert last(preset="quick") == (8, "reused")


def test_another_device_is_measured(last: Callable[..., tuple[int, str]]) -> None:
    last()
    assert last(replace(CARD, cores=4))[1] == "measured"
    assert last(replace(CARD, cores=4, memory_bytes=2**31))[1] == "reused"
    assert last(replace(CARD, cores=4, driver="580.1"))[1] == "measured"


@pytest.mark.parametrize(
    "file", ["scripts/experiments/counting_up/measure.py", "snippets/counted.py"]
)
def test_changed_code_is_measured(
    last: Callable[..., tuple[int, str]], experiment: Path, file: str
) -> None:
    last()
    text = (experiment / file).read_text()
    (experiment / file).write_text("# A comment changes nothing.\n\n" + text)
    assert last()[1] == "reused"
    (experiment / file).write_text(text + "\nANYTHING = 1\n")
    assert last()[1] == "measured"


def test_another_torch_is_measured(
    last: Callable[..., tuple[int, str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    last()
    monkeypatch.setattr(module.importlib.metadata, "version", lambda name: "9.9")
    assert last()[1] == "measured"


def test_only_modules_that_run_count_as_code() -> None:
    code = Modules(ROOT).imported("scripts.experiments.bandwidth.measure")
    assert {"scripts.kernels.copying", "scripts.devices.timing"} <= code
    assert not {"scripts.records.journal", "scripts.devices.device"} & code


def test_a_killed_run_resumes(experiment: Path, tmp_path: Path) -> None:
    (experiment / "scripts/experiments/counting_up/measure.py").write_text(
        COUNTING.replace("taken += 1\n", "taken += 1\n        time.sleep(0.2)\n").replace(
            "from typing", "import time\nfrom typing", 1
        )
    )
    program = textwrap.dedent(
        """
        import sys
        from pathlib import Path
        import snippets
        from scripts import experiments
        from scripts.experiments import measurement as measure
        from tests.test_measure import CARD

        root = Path(sys.argv[1])
        experiments.__path__ = [str(root / "scripts/experiments")]
        snippets.__path__ = [str(root / "snippets")]
        record, how = measure.measure("counting-up", device=CARD, preset="full", root=root)
        print(record.results["taken"]["last"], how)
        """
    )
    command = [sys.executable, "-c", program, str(tmp_path)]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    process = subprocess.Popen(command, cwd=ROOT, env=environment)
    partial = tmp_path / ".cache/partial"
    while sum(len(file.read_bytes().splitlines()) for file in partial.glob("*")) < 2:
        time.sleep(0.02)
    process.send_signal(signal.SIGKILL)
    process.wait()
    finished = sum(len(file.read_bytes().splitlines()) for file in partial.glob("*"))
    assert not local_path(tmp_path, "counting-up").exists()
    done = subprocess.run(
        command, cwd=ROOT, env=environment, capture_output=True, text=True, check=True
    )
    assert done.stdout.split() == [str(5 - finished), "measured"]
    assert not list(partial.glob("*"))


def test_a_full_disk_keeps_the_old_record_and_the_samples(
    last: Callable[..., tuple[int, str]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    last()
    before = local_path(tmp_path, "counting-up").read_bytes()

    def full(source: str, target: Path) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    with monkeypatch.context() as patch:
        patch.setattr(os, "replace", full)
        with pytest.raises(BadInput, match="No space left on device"):
            last(force=True)
    assert local_path(tmp_path, "counting-up").read_bytes() == before
    assert last(force=True) == (6, "measured")


def test_a_local_record_that_cannot_be_used_is_said_and_left(
    last: Callable[..., tuple[int, str]], tmp_path: Path
) -> None:
    last()
    path = local_path(tmp_path, "counting-up")
    path.write_text(path.read_text()[:200])
    with pytest.raises(BadInput, match="--force --only counting-up"):
        last()
    assert len(path.read_text()) == 200
    assert last(force=True)[1] == "measured"


def test_publishing_copies_to_the_devices_folder(
    last: Callable[..., tuple[int, str]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(plausibility, "implausible", lambda record: [])  # no card is called so
    with pytest.raises(BadInput, match="no such file"):
        publish(tmp_path, "counting-up")
    last()
    path = publish(tmp_path, "counting-up")
    assert path == tmp_path / "docs/data/records/test-card/counting-up.json"
    assert lookup(read_all(tmp_path)["test-card/counting-up"], "taken.last") == 3
    local_path(tmp_path, "counting-up").rename(local_path(tmp_path, "counted"))
    with pytest.raises(BadInput, match="holds the record of counting-up"):
        publish(tmp_path, "counted")


def test_what_names_nothing(tmp_path: Path, experiment: Path) -> None:
    with pytest.raises(BadInput, match="use one of: counting-up"):
        measure("nonsense", device=CARD, root=tmp_path)
    with pytest.raises(BadInput, match="use quick or full"):
        measure("counting-up", device=CARD, root=tmp_path, preset="slow")
