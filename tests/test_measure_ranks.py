"""Under torchrun every rank measures, one fails, and rank 0 writes a record of all."""

import json
import os
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

from scripts import measure_ranks
from scripts.records.record import read_record

ROOT = Path(__file__).parents[1]

# An experiment that costs nothing and fails on the second rank.
PROGRAM = textwrap.dedent("""
    import os, sys
    from scripts import measure_ranks
    from scripts.experiments.staircase import measure as staircase
    from scripts.core.faults import BadInput

    def measure(*, device, parameters, run):
        if os.environ["RANK"] == os.environ["FAILS"]:
            raise BadInput("card", 0, "another process holds it", "wait")
        return {"rank": int(os.environ["RANK"])}

    staircase.measure = measure
    measure_ranks.SUMMED_BYTES = {"cpu": 2**12}
    sys.argv = ["measure_ranks", "staircase", "--root", os.environ["WRITES"]]
    measure_ranks.main()
""")


def torchrun(folder: Path, *, fails: str) -> subprocess.CompletedProcess[str]:
    program = folder / "program.py"
    program.write_text(PROGRAM)
    command = [sys.executable, "-m", "torch.distributed.run", "--standalone"]
    return subprocess.run(
        [*command, "--nproc-per-node", "2", str(program)],
        env={
            **os.environ,
            "FAILS": fails,
            "WRITES": str(folder),
            "OMP_NUM_THREADS": "1",
            "PYTHONPATH": str(ROOT),
        },
        capture_output=True,
        text=True,
        check=False,
        timeout=240,
    )


@pytest.mark.parametrize("fails", ["1", "none"])
def test_rank_0_writes_what_all_ranks_found(tmp_path: Path, fails: str) -> None:
    done = torchrun(tmp_path, fails=fails)
    assert done.returncode == 0, done.stderr
    path = tmp_path / "docs/data/records/local/staircase-ranks.json"
    record = read_record(path)
    ranks = record.results["ranks"]
    assert ranks["0"]["rank"] == 0
    if fails == "1":
        assert "another process holds it" in ranks["1"]["not_run"]
    else:
        assert ranks["1"]["rank"] == 1
    summed = record.results["all_reduce"]
    assert summed["ranks"] == 2
    # Each of two ranks sends 2 (n - 1) / n of the buffer.
    assert summed["bytes_sent"] == summed["buffer_bytes"] == 2**12
    assert summed["bytes_sent_per_second"] == summed["bytes_sent"] / summed["seconds"]["median"]
    assert "torchrun" in record.provenance["command"]
    assert json.loads(path.read_text())["experiment"] == "staircase-ranks"


def test_more_ranks_than_cards_are_refused_with_words(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LOCAL_WORLD_SIZE", "8")
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "0,1")
    with pytest.raises(SystemExit) as refused:
        measure_ranks._expect_cards(2)
    said = "8 ranks on this node, and 2 card(s) in CUDA_VISIBLE_DEVICES=0,1"
    assert str(refused.value) == f"{said}: torchrun --nproc-per-node 2"
    measure_ranks._expect_cards(8)


def test_what_starts_ranks_of_its_own_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "argv", ["measure_ranks", "parallelism-data"])
    with pytest.raises(SystemExit, match="starts ranks of its own"):
        measure_ranks.main()
