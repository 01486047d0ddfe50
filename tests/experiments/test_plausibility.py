"""Records that cannot be true are refused, with the reason; those that are published are not."""

import copy
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from scripts.core.faults import BadInput
from scripts.experiments.expected import Expected, at
from scripts.experiments.measurement import publish
from scripts.experiments.plausibility import expected, implausible
from scripts.records.record import LOCAL, RECORDS, Record, read_all, write_record
from scripts.records.samples import quantity

ROOT = Path(__file__).parents[2]
GiB = 2**30

BYTES = 2**29 + 2 * 2 * 16384  # a matrix in FP16, a vector, and their product
LARGE = 2**29 + 4096 * 2 * 2 * 16384
WORK = 2 * 16384**2


def timed(count: float, rate: float, unit: str = "bytes", **more: Any) -> dict[str, Any]:
    """A piece of work that took as long as its rate says; `more` counts have their rates."""
    found: dict[str, Any] = {"seconds": quantity([count / rate] * 20)}
    for name, value in {unit: count, **more}.items():
        found |= {name: value, f"{name}_per_second": value / found["seconds"]["median"]}
    return found


H100: dict[str, Any] = {
    "slug": "h100-sxm",
    "name": "NVIDIA H100 80GB HBM3",
    "kind": "cuda",
    "memory_bytes": 79 * GiB,
    "cache_bytes": 50 * 2**20,
    "cores": 132,
    "dtypes": ["fp16"],
    "driver": "580.65",
    "clocks": {"sm_hertz": 1.98e9},
}
XEON = H100 | {
    "slug": "xeon-gold-6330-56-cores",
    "name": "Intel(R) Xeon(R) Gold 6330 CPU @ 2.00GHz",
    "kind": "cpu",
    "cores": 56,
    "dtypes": ["fp16"],
}
VECTOR = timed(BYTES, 3.2e12, operations=WORK)
BATCH = timed(4096 * WORK, 700e12, "operations", bytes=LARGE)


def products(vector: dict[str, Any] = VECTOR, batch: dict[str, Any] = BATCH) -> dict[str, Any]:
    speedup = batch["operations_per_second"] / vector["operations_per_second"]
    return {
        "matrix_vector": vector,
        "matrix_batch": {"4096": batch},
        "batch_speedup": max(1, speedup),
    }


RECORD = Record(
    experiment="bandwidth",
    parameters={
        "copy_bytes": GiB,
        "matrix_width": 16384,
        "batches": {"fp16": [1, 4096]},
        "samples": 20,
    },
    device=H100,
    software={"python": "3.12.0", "torch": "2.13.0", "cuda": "13.0", "commit": None},
    when="2026-01-01T00:00:00Z",
    provenance={"kind": "measured", "command": "python scripts/build.py"},
    fingerprint="0" * 64,
    results={
        "disturbances_before": [],
        "copy": {"buffer_bytes": GiB, **timed(2 * GiB, 3.1e12)},
        "read": {"buffer_bytes": GiB, **timed(GiB, 3.1e12)},
        "matrix": {"rows": 16384, "columns": 16384},
        "fp16": products(),
        "disturbances_after": [],
    },
)
PUBLISHED = {key: each for key, each in read_all(ROOT).items() if each.when}


def held_of(record: Record) -> Expected:
    found = expected(record.experiment)
    assert found
    return found


def messages(record: Record) -> list[str]:
    return [f"{fault.message} / {fault.remedy}" for fault in implausible(record)]


def changed(**results: Any) -> Record:
    return replace(RECORD, results={**RECORD.results, **results})


def of(device: dict[str, Any], **changes: Any) -> Record:
    return replace(RECORD, device=device | changes)


def with_copy(**changes: Any) -> Record:
    return changed(copy=RECORD.results["copy"] | changes)


def product(rate: float) -> Record:
    batch = timed(4096 * WORK, rate, "operations", bytes=LARGE)
    return changed(fp16=products(batch=batch))


def quantized(rate: float) -> Record:
    """Products of 16 and 8 bits, of which the first reads at a rate."""
    results: dict[str, Any] = {}
    for kind, size in {"fp16": 2, "int8": 1}.items():
        found = timed(size * 16384**2, rate * size / 2, "weight_bytes")
        found["bytes_per_second"] = found.pop("weight_bytes_per_second")
        results[kind] = found | {"bits_per_weight": 8 * size, "speedup_over_16_bits": 1.0}
    asked = {"kinds": list(results), "matrix_width": 16384}
    return replace(RECORD, experiment="quantization-speed", parameters=asked, results=results)


def of_a_card(experiment: str, **parameters: Any) -> Record:
    """The published record of a CPU as one of a GPU would be, which lacks what only a CPU fills."""
    record = copy.deepcopy(PUBLISHED[f"epyc-2-cores/{experiment}"])
    for only_a_cpu in ("resident", "wire_bytes", "header_bytes"):
        record.results.pop(only_a_cpu, None)
    return replace(record, device=H100, parameters=record.parameters | parameters)


def tiled(rate: float, reading: float) -> Record:
    """Kernels in Triton at so many operations/s, the few-bit product reading at so many bytes/s."""
    shape = {"matmul": [8192] * 3 + [64], "softmax": [8192, 8192, 1024]}
    shape |= {"attention": [32, 8192, 128, 64], "int4_matvec": [16384, 16384, 32, 32]}
    results = {name: timed(1e12, rate, "operations", bytes=1e11) for name in shape}
    results["int4_matvec"] = timed(2**27, reading, operations=2 * 16384**2)
    return replace(RECORD, experiment="tiled-kernels", parameters=shape, results=results)


B200 = H100 | {"slug": "b200-sxm", "name": "NVIDIA B200", "memory_bytes": 178 * GiB}
B200 |= {"cache_bytes": 126 * 2**20}
EPYC = XEON | {"slug": "epyc-9654-192-cores", "cores": 192}
EPYC |= {"name": "AMD EPYC 9654 96-Core Processor"}
THEIRS = {"kind": "transcribed", "source": "a page", "section": "1", "read": "2026-01-01"}
GOOD = [
    RECORD,
    of(XEON),
    product(1.2 * 989e12),  # a higher clock explains it
    quantized(3.3e12),
    changed(copy=timed(2 * GiB, 3.36e12)),  # the cache gave what it had kept of the pass before
    replace(changed(fp16=products(timed(BYTES, 8.9e12, operations=WORK))), device=B200),
    of_a_card("training-memory"),
    of_a_card("parallelism-mesh", ranks_on="cuda"),
    tiled(700e12, 2.9e12),  # tiles that many programs load come from the cache
    replace(changed(copy=timed(2 * GiB, 9e12)), provenance=THEIRS),  # what others report is theirs
    *read_all(ROOT).values(),
]
REFUSED = {  # each for one reason
    "copy.bytes_per_second is 3,500 GB/s, above the 3,350 of NVIDIA H100 SXM": changed(
        copy=timed(2 * GiB, 3.5e12)
    ),
    "fp16.matrix_vector.bytes_per_second is 4,000 GB/s": changed(
        fp16=products(timed(BYTES, 4e12, operations=WORK))
    ),
    "1,979.0 TFLOP/s, above the 989.0": product(1979e12),  # the datasheet's figure with sparsity
    "fp16.bytes_per_second is 3,900 GB/s, above the 3,350": quantized(3.9e12),
    "copy.bytes_per_second is 1,000,000 GB/s, above the 8,000 of": replace(
        changed(copy=timed(2 * GiB, 1e15)), device=XEON
    ),
    "copy.bytes_per_second is 310000000000.0, but": with_copy(bytes_per_second=3.1e11),
    "copy.bytes_per_second is 0, but": with_copy(bytes_per_second=0),
    "copy.noise is 0.5, but": with_copy(noise=0.5, too_noisy=True),
    "copy.seconds has a sample of -1.0 s": with_copy(seconds=quantity([-1.0] * 20)),
    "measured at 2099-01-01T00:00:00Z, which is in the future": replace(
        RECORD, when="2099-01-01T00:00:00Z"
    ),
    "2026-02-30T00:00:00Z is no date": replace(RECORD, when="2026-02-30T00:00:00Z"),
    "a measured record without when": replace(RECORD, when=None),
    "slug is 'my-box', but that of Intel(R) Xeon(R) Gold 6330 CPU": of(XEON, slug="my-box"),
    "is 'h200-sxm', but that of NVIDIA H100 80GB HBM3 is 'h100-sxm'": of(H100, slug="h200-sxm"),
    "no accelerator is called 'rubin' (NVIDIA Rubin)": of(H100, slug="rubin", name="NVIDIA Rubin"),
    "86,973,087,744 bytes of memory": of(H100, memory_bytes=81 * GiB),
    "no experiment is called 'speed-of-light'": replace(RECORD, experiment="speed-of-light"),
    "what was measured cannot be told from it: KeyError('batches')": replace(RECORD, parameters={}),
    "fp16.matrix_batch.4096 was timed, but the parameters do not say so": replace(
        RECORD, parameters=RECORD.parameters | {"batches": {"fp16": [1]}}
    ),
}
REFUSED |= {
    "matmul.operations_per_second is 1,979.0 TFLOP/s, above": tiled(1979e12, 2.9e12),
    "int4_matvec.bytes_per_second is 9,000 GB/s, above the 3,350": tiled(700e12, 9e12),
}
ALSO_REFUSED = {  # among other reasons
    "copy.bytes_per_second is nan": with_copy(bytes_per_second=float("nan")),
    "copy.bytes is 2000000000.0, but the record's own samples give 2147483648": with_copy(
        bytes=2e9
    ),
    "above the 922 of 2 × AMD EPYC 9654": of(EPYC),
}


@pytest.mark.parametrize("record", GOOD, ids=lambda record: record.key)
def test_what_can_be_true_is_not_refused(record: Record) -> None:
    assert messages(record) == []


@pytest.mark.parametrize("said", REFUSED)
def test_what_cannot_be_true_is_refused_with_the_reason(said: str) -> None:
    first, *others = messages(REFUSED[said])
    assert said in first
    several = ("quantization-speed", "tiled-kernels")
    assert others == [] or REFUSED[said].experiment in several


@pytest.mark.parametrize("said", ALSO_REFUSED)
def test_what_is_wrong_in_more_than_one_way(said: str) -> None:
    assert said in "\n".join(messages(ALSO_REFUSED[said]))


@pytest.mark.parametrize(
    "seconds", [quantity([2 * GiB / 3.1e12] * 19), 2 * GiB / 3.1e12, {"median": 1e-3}, None]
)
def test_missing_samples(seconds: Any) -> None:
    copied = {**RECORD.results["copy"], "seconds": seconds}
    for found in (copied, {k: v for k, v in copied.items() if v is not None}):
        [message] = messages(changed(copy=found))
        assert "copy.seconds has" in message
        assert "fewer than 20" in message


def test_a_summary_that_its_samples_do_not_give(tmp_path: Path) -> None:
    seconds = RECORD.results["copy"]["seconds"] | {"median": 1e-4}
    record = with_copy(seconds=seconds)
    (tmp_path / RECORDS / LOCAL).mkdir(parents=True)
    with pytest.raises(BadInput, match=r"copy\.seconds: the samples' median is 0\.0006927"):
        write_record(tmp_path / RECORDS / LOCAL / "bandwidth.json", record)


@pytest.mark.parametrize("section", RECORD.results)
def test_a_missing_section(section: str) -> None:
    rest = {name: value for name, value in RECORD.results.items() if name != section}
    found = messages(replace(RECORD, results=rest))
    assert found
    assert all(f"{section}." in each or f"{section} is missing" in each for each in found)


@pytest.mark.parametrize(
    "change",
    [
        {"device": XEON | {"cores": None}},
        {"device": H100 | {"dtypes": None}},
        {"results": RECORD.results | {"copy": 3}},
        {"results": RECORD.results | {"more": 10**400}},
        {"experiment": "staircase"},
        {"experiment": "decoding"},
    ],
)
def test_what_is_malformed_is_refused_with_words(change: dict[str, Any]) -> None:
    assert messages(replace(RECORD, **change))


@pytest.mark.parametrize("key", PUBLISHED)
def test_nothing_can_be_left_out_of_what_is_published(key: str) -> None:
    record = PUBLISHED[key]
    held = held_of(record)
    needed = [*held.filled(record), *held.works(record)]
    assert needed
    for place in needed:
        results = copy.deepcopy(record.results)
        *path, last = place.split(".")
        del (at(results, ".".join(path)) if path else results)[last]
        assert messages(replace(record, results=results)), place


@pytest.mark.parametrize("key", PUBLISHED)
def test_no_figure_of_what_is_published_can_be_changed(key: str) -> None:
    record = PUBLISHED[key]
    for place, _ in held_of(record).figures(record):
        results = copy.deepcopy(record.results)
        *path, last = place.split(".")
        of = at(results, ".".join(path))
        where = int(last) if isinstance(of, list) else last
        of[where] = (
            1
            if of[where] is None
            else not of[where]
            if of[where] in (True, False)
            else 10 * of[where]
        )
        assert messages(replace(record, results=results)), place


def of_ranks(**ranks: dict[str, Any]) -> Record:
    summed = timed(2**28, 1e11, "bytes_sent", ranks=2) | {"ranks": 2, "buffer_bytes": 2**28}
    del summed["ranks_per_second"]
    results = {"ranks": {name[1:]: found for name, found in ranks.items()}, "all_reduce": summed}
    return replace(RECORD, experiment="bandwidth-ranks", results=results)


def test_several_ranks_are_judged_one_by_one() -> None:
    own = {"device": H100["name"], **RECORD.results}
    assert messages(of_ranks(r0=own, r1={"not_run": "out of memory"})) == []
    [message] = messages(of_ranks(r0=own, r1=own | {"copy": timed(2 * GiB, 3.5e12)}))
    assert "ranks.1.copy.bytes_per_second is 3,500 GB/s, above the 3,350" in message
    record = of_ranks(r0=own)
    record.results["all_reduce"]["bytes_sent"] *= 2
    assert "all_reduce.bytes_sent is" in "\n".join(messages(record))
    del record.results["all_reduce"]
    assert "all_reduce is missing" in "\n".join(messages(record))
    [message] = messages(replace(record, experiment="nothing-ranks"))
    assert "no experiment is called 'nothing-ranks'" in message


def test_decoding_faster_than_reading() -> None:
    record = PUBLISHED["epyc-2-cores/decoding"]
    results = copy.deepcopy(record.results)
    model = results["models"]["100M"]
    step = model["batch"]["1"]
    step["read_seconds"] = quantity([1.4 * each for each in step["seconds"]["samples"]])
    for place, value in held_of(record).figures(replace(record, results=results)):
        if place.startswith("models.100M.batch.1.") and ".samples." not in place:
            at(results, place.rpartition(".")[0])[place.rpartition(".")[2]] = value
    samples = [
        value
        for place, value in held_of(record).figures(replace(record, results=results))
        if place.startswith("models.100M.batch.1.of_ceiling")
    ]
    step["of_ceiling"] = quantity(samples)
    [message] = messages(replace(record, results=results))
    assert "models.100M.batch.1.of_ceiling is 1.4" in message
    assert "faster than reading the same bytes" in message


def test_a_record_of_several_ranks_is_published(tmp_path: Path) -> None:
    record = of_ranks(r0={"device": H100["name"], **RECORD.results})
    (tmp_path / RECORDS / LOCAL).mkdir(parents=True)
    write_record(tmp_path / RECORDS / LOCAL / "bandwidth-ranks.json", record)
    publish(tmp_path, "bandwidth-ranks")
    assert read_all(tmp_path) == {"h100-sxm/bandwidth-ranks": record}


def test_it_is_not_published(tmp_path: Path) -> None:
    record = changed(copy=timed(2 * GiB, 9e12))
    (tmp_path / RECORDS / LOCAL).mkdir(parents=True)
    write_record(tmp_path / RECORDS / LOCAL / "bandwidth.json", record)
    with pytest.raises(BadInput, match="9,000 GB/s, above"):
        publish(tmp_path, "bandwidth")
    assert not (tmp_path / RECORDS / "h100-sxm").exists()
