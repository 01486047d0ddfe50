"""Where a number comes from, told whole."""

import re
from pathlib import Path

import pytest

import snippets
from scripts.handbook.lab_source import parse_source
from scripts.handbook.origins import lines, origin
from scripts.handbook.this_book import page_paths
from scripts.proof.bibliography import read_bibliography
from scripts.proof.evaluate import Evaluator
from scripts.proof.namespace import names_of
from scripts.records import record as records

ROOT = Path(__file__).parents[2]


NUMBER = re.compile(r"\d[\d,]*(\.\d+)?")


def digits(number: str) -> int:
    return len(re.sub(r"\D", "", number.partition("e")[0]).strip("0"))


def whole(number: str) -> bool:
    return "e" not in number and "." not in number


@pytest.fixture(scope="module")
def evaluator() -> Evaluator:
    entries = read_bibliography(ROOT / "docs/data/bibliography.bib")
    return Evaluator(names_of(snippets), records.read_all(ROOT), entries)


def test_an_expression_comes_with_its_values(evaluator: Evaluator) -> None:
    said = "decode_ceiling(h100_sxm.memory_bandwidth, weight_bytes(8e9, FP16.bytes)) in tokens/s"
    assert lines(origin("calc", said.partition(" in ")[0], evaluator)) == [
        "h100_sxm.memory_bandwidth = 3,350,000,000,000",
        "FP16.bytes = 2",
        "gives 209.375",
    ]
    record = "record('rtx-3060-transcribed/bandwidth: copy.bytes_per_second')"
    found = origin("calc", f"{record} / rtx_3060.memory_bandwidth in %", evaluator)
    assert found["values"] == {record: 333e9, "rtx_3060.memory_bandwidth": 360e9}
    assert found["value"] == pytest.approx(0.925)
    entry = origin("calc", "WEIGHT_FORMATS['q4_0'].matrix_bits", evaluator)
    assert entry["values"] == {}
    assert lines(entry) == ["gives 4.5"]


def test_a_whole_number_is_told_whole_and_an_entry_by_its_figures(evaluator: Evaluator) -> None:
    assert lines(origin("calc", "checkpoint_bytes(llama_3_1_8b) * 4", evaluator))[-1] == (
        "gives 64,242,089,984"
    )
    model, gives = lines(origin("calc", "total_parameters(llama_3_1_8b)", evaluator))
    assert model == (
        "llama_3_1_8b: layers 32, hidden_size 4,096, heads 32, kv_heads 8, head_dim 128, "
        "intermediate_size 14,336, vocabulary 128,256, context 131,072"
    )
    assert gives == "gives 8,030,261,248"
    assert (
        "model Llama 3.1 405B"
        in lines(origin("calc", "fullest_stage(llama_3_405b_run).total", evaluator))[0]
    )
    assert lines(origin("calc", "1234567.89 / 1", evaluator)) == ["gives 1,234,567.9"]
    assert lines(origin("calc", "1 / 3000", evaluator)) == ["gives 0.0003333333"]
    assert lines(origin("calc", "3.4e38 / 1", evaluator)) == ["gives 3.4e+38"]


def test_a_result_is_told_to_at_least_the_digits_that_a_page_writes(evaluator: Evaluator) -> None:
    seen = 0
    for path in [*page_paths(ROOT), *(each.as_posix() for each in ROOT.glob("docs/tables/*.md"))]:
        page = parse_source(path, (ROOT / path).read_text("utf-8"))
        for reference in page.references:
            definition = page.definitions[reference.label]
            if definition.kind == "calc" and (written := NUMBER.search(reference.text)):
                gives = lines(origin("calc", definition.expression, evaluator))[-1]
                value = gives.removeprefix("gives ")
                assert digits(value) >= digits(written[0]) or whole(value), (reference, gives)
                seen += 1
    assert seen > 1000


def test_a_measurement_says_device_date_median_quartiles_samples_and_command(
    evaluator: Evaluator,
) -> None:
    place = "epyc-2-cores/bandwidth: copy.bytes_per_second in GB/s"
    seconds = evaluator.published["epyc-2-cores/bandwidth"].results["copy"]["seconds"]
    device, samples, command = lines(origin("record", place, evaluator))
    assert device.startswith("AMD EPYC, measured 20")
    median, low, high = (
        f"{seconds[name] * 1e3:.3g} ms" for name in ("median", "lower_quartile", "upper_quartile")
    )
    count = len(seconds["samples"])
    assert samples == f"seconds: median {median}, quartiles {low} and {high}, {count} samples"
    assert command.startswith("again: python scripts/build.py --only bandwidth ")


def test_a_sampled_field_is_told_by_its_own_samples(evaluator: Evaluator) -> None:
    found = origin("record", "epyc-2-cores/bandwidth: copy.seconds in ms", evaluator)
    assert found["samples"]["of"] == "copy.seconds"
    assert found["value"] == found["samples"]["median"]
    counted = origin("record", "epyc-2-cores/bandwidth: matrix.rows", evaluator)
    assert "samples" not in counted
    assert len(lines(counted)) == 2


def test_what_was_transcribed_says_from_where(evaluator: Evaluator) -> None:
    place = "rtx-3060-transcribed/bandwidth: copy.bytes_per_second"
    device, source = lines(origin("record", place, evaluator))
    assert device == "NVIDIA GeForce RTX 3060"
    assert source.startswith("transcribed from the lesson")
    assert "“Bandwidth: the ceiling on decoding”" in source


def test_a_citation_names_the_work_and_the_place(evaluator: Evaluator) -> None:
    assert lines(origin("cite", "rajbhandari2020: section 3.1", evaluator)) == [
        "Rajbhandari et al. 2020. ZeRO: Memory Optimizations Toward Training Trillion "
        "Parameter Models.",
        "section 3.1",
    ]
    title, place, read = lines(origin("cite", "h100_sxm.memory_bandwidth", evaluator))
    assert "H100" in title
    assert "3.35 TB/s" in place
    assert read.startswith("not read there; also in NVIDIA AIConfigurator")
    *_, unread = lines(origin("cite", "epyc_9654.power", evaluator))
    assert unread == "entered from memory, not checked in the document"
    *_, read = lines(origin("cite", "m1_max.memory_bandwidth", evaluator))
    assert read.startswith("read 2026-11-29; also in llmfit")
    assert origin("cite", "h100_sxm.memory_bandwidth", evaluator)["value"] == 3.35e12
