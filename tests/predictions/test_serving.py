"""Serving: a step's work counted by hand, what is refused and why, and the command."""

import csv
import json
import statistics
from dataclasses import replace
from pathlib import Path

import pytest

from scripts.core.faults import BadInput
from scripts.predictions import serving_fit
from scripts.predictions.serving import errors, load, predict, predictable
from scripts.predictions.serving_memory import memory_errors, predicted_bytes
from scripts.predictions.serving_report import digest, report, show, show_json
from scripts.predictions.serving_runs import (
    RUNS,
    held_back,
    model_named,
    read_runs,
    service,
    weight_bits,
)
from scripts.records.record import read_all
from snippets.hardware import h100_sxm
from snippets.models import Layer, Model, Tensor
from snippets.serving_constants import HELD_BACK, NAMES, SERVING, SERVING_VALIDATED
from snippets.serving_work import Worker, step_work, weights_on_card

ROOT = Path(__file__).parents[2]
ROW = {
    "backend": "vllm",
    "model_path": "meta-llama/Llama-3.1-8B-Instruct",
    "system": "h100_sxm",
    "mode": "agg",
    "isl": "1000",
    "osl": "100",
    "concurrency": "8",
    "batch_size": "8",
    "tp_size": "2",
    "silicon_ttft_ms": "200",
    "silicon_tpot_ms": "5",
}
DISAGGREGATED = ROW | {
    "mode": "disagg",
    "prefill_num_workers": "1",
    "prefill_tp_size": "1",
    "decode_num_workers": "2",
    "decode_tp_size": "2",
}


def written(path: Path, *rows: dict[str, str]) -> Path:
    """A file of rows with the columns of the published one."""
    with RUNS.open(encoding="utf-8", newline="") as file:
        columns = next(line for line in file if not line.startswith("#")).strip().split(",")
    with path.open("w", encoding="utf-8", newline="") as file:
        file.write("# where they are from\n")
        writer = csv.DictWriter(file, columns)
        writer.writeheader()
        writer.writerows(rows)
    return path


def run_of(path: Path, **changes: str):
    return read_runs(written(path / "runs.csv", ROW | changes))[0]


def tiny(**changes) -> Worker:
    """Four cards, two for each half of the attention; two plain layers and one with experts."""
    attention = [Tensor(name="query", part="attention", inputs=8, outputs=24)]
    dense = Layer(
        tensors=[*attention, Tensor(name="up", part="mlp", inputs=8, outputs=32)],
        cache=16,
        cache_pieces=2,
        scores=16,
    )
    routed = Layer(
        tensors=[
            *attention,
            Tensor(name="up", part="experts", inputs=8, outputs=32, count=4, idle=3),
            Tensor(name="router", part="router", inputs=8, outputs=4, pieces=1),
        ],
        cache=16,
        cache_pieces=2,
        scores=16,
        window=10,
    )
    model = Model(
        name="tiny",
        layers=3,
        hidden_size=8,
        heads=2,
        kv_heads=2,
        head_dim=4,
        intermediate_size=32,
        vocabulary=100,
        context=1000,
        experts=4,
        experts_per_token=1,
        kinds=[dense, routed],
        order=[0, 0, 1],
        around=[Tensor(name="head", part="head", inputs=8, outputs=100)],
    )
    card = replace(h100_sxm, memory_bandwidth=1.0, dense_bf16=1.0, dense_fp8=2.0)
    bits = {"attention": 8, "mlp": 16, "experts": 8}
    return Worker(
        model=model, card=card, bits=bits, tensor=2, attention_data=2, link=1.0, **changes
    )


def test_a_decoding_step_by_hand() -> None:
    work = step_work(tiny(), sequences=4, new_tokens=1, context=30, decoding=True)
    by_rows = {(p.memory, p.operations, p.rows) for p in work.products}
    own, half = 2, 96  # sequences of a card; elements of a matrix of the attention on it
    share = 1 - (3 / 4) ** 4  # of the experts
    assert by_rows == {
        (2 * half, 2 * 2 * own * half / 2, own),
        (2 * 128 * 2, 2 * 2 * own * 128, own),
        (half, 2 * own * half / 2, own),
        (
            share * 256,
            2 * 1 * 256 / 2,
            1 / share,
        ),  # each expert's 256 elements on a card of its own
        (32 * 2, 2 * own * 32, own),
        (2 * 400, 2 * own * 400, own),  # the head
    }
    assert work.cache == own * 2 * (16 / 2) * (30 + 30 + 10)
    assert work.attention == 2 * own * 16 * (30 + 30 + 10) / 2
    assert work.launches == 2 * (9 + 2) + (9 + 2 + 2 + 4)
    reached = 3 * (1 / 4)
    state = own * 8 * 2
    assert work.exchanges == 2 + 2 + 1 + 1
    assert work.link == pytest.approx(5 * state + 2 * state * reached)


def test_a_prompt_reads_no_cache_and_weights_only_products_run_at_sixteen_bits() -> None:
    work = step_work(tiny(weight_only=True), sequences=2, new_tokens=5, context=2.5, decoding=False)
    assert work.cache == 0
    assert work.attention == 2 * 5 * 16 * 2.5 * 3 / 2
    assert work.products[0].operations == 2 * 2 * 5 * 96


def test_what_a_card_holds_by_hand() -> None:
    assert weights_on_card(tiny()) == 3 * 96 + 2 * 128 * 2 + 256 + 32 * 2 + 400 * 2


def test_a_card_whose_links_are_unknown_can_serve_alone_only() -> None:
    with pytest.raises(ValueError, match="links of NVIDIA H100 SXM 80 GB to other cards"):
        step_work(replace(tiny(), link=0), sequences=4, new_tokens=1, context=9, decoding=True)


@pytest.mark.parametrize(
    ("row", "reason"),
    [
        (ROW | {"model_path": "who/Knows-7B"}, "the model who/Knows-7B is not known"),
        (ROW | {"system": "h9000"}, "the card h9000 is not known"),
        (ROW | {"gemm_quant_mode": "fp3"}, "the weight format 'fp3' is not known"),
        (ROW | {"silicon_ttft_ms": ""}, "its times are not written"),
        (ROW | {"system": "l40s"}, "the links of NVIDIA L40S 48 GB to other cards"),
        (ROW | {"pp_size": "2"}, "its layers are split into pipeline stages"),
        (ROW | {"tp_size": "3"}, "a tensor split of 3 does not divide 32 heads"),
        (ROW | {"concurrency": "", "batch_size": ""}, "how many requests are in flight"),
        (ROW | {"model_path": "deepseek-ai/DeepSeek-V3"}, "its weights do not fit 2 of its cards"),
        (DISAGGREGATED | {"decode_num_workers": ""}, "over how many workers"),
        (DISAGGREGATED | {"prefill_num_workers": "0"}, "over how many workers"),
    ],
)
def test_what_cannot_be_predicted_says_why(
    tmp_path: Path, row: dict[str, str], reason: str
) -> None:
    (run,) = read_runs(written(tmp_path / "runs.csv", row))
    found, refused = predictable([run])
    assert found == {}
    assert reason in refused[run]


@pytest.mark.parametrize(
    ("changes", "split"),
    [
        ({}, (2, 1, 8)),
        ({"tp_size": "64", "moe_tp_size": "8", "moe_ep_size": "8"}, (8, 1, 8)),
        (
            {"tp_size": "1", "attention_dp_size": "16", "moe_tp_size": "4", "moe_ep_size": "4"},
            (1, 4, 8),
        ),
        ({"tp_size": "4", "concurrency": "16"}, (2, 2, 16)),  # batches of one copy of the attention
        (
            {"tp_size": "2", "concurrency": "32"},
            (2, 1, 8),
        ),  # four workers, of which one is looked at
        ({"concurrency": ""}, (2, 1, 8)),
    ],
)
def test_a_split_is_what_it_means(
    tmp_path: Path, changes: dict[str, str], split: tuple[int, int, int]
) -> None:
    found = service(run_of(tmp_path, **changes))
    assert (found.decode.tensor, found.decode.attention_data, found.concurrency) == split


def test_formats_are_those_stated_or_those_of_the_checkpoint(tmp_path: Path) -> None:
    def bits(path: str, stated: str) -> list[float]:
        run = run_of(tmp_path, model_path=path, gemm_quant_mode=stated)
        return [round(each, 2) for each in weight_bits(run, model_named(path)).values()]

    assert bits("meta-llama/Llama-3.1-8B-Instruct", "") == [16, 16, 16]
    assert bits("nvidia/Llama-3.1-8B-Instruct-FP8", "") == [8, 8, 8]
    assert bits("nvidia/Llama-3.1-8B-Instruct-FP8", "nvfp4") == [4.5, 4.5, 4.5]
    assert bits("deepseek-ai/DeepSeek-R1", "") == [8, 8, 8]
    assert bits("deepseek-ai/DeepSeek-R1", "nvfp4") == [16, 4.5, 4.5]


def test_between_servers_the_network_is_the_link(tmp_path: Path) -> None:
    many = run_of(tmp_path, tp_size="16", concurrency="8")
    assert service(many).decode.link == 50e9
    assert service(run_of(tmp_path)).decode.link == 450e9


def test_requests_whose_caches_do_not_fit_wait(tmp_path: Path) -> None:
    few, many = (
        run_of(tmp_path, tp_size="1", concurrency=str(n), batch_size=str(n), isl="8000")
        for n in (16, 512)
    )
    assert load(few).admitted == 16
    # (81559 MiB - 16.06 GB) * 0.9 / (131072 bytes * 8050 tokens)
    assert load(many).admitted == pytest.approx(59.25, abs=0.01)
    assert predict(load(many)).ttft > 10 * predict(load(few)).ttft


def test_errors_are_of_the_ratio() -> None:
    found = errors([(1.1, 1.0), (0.8, 1.0), (1.3, 1.0)])
    assert (found.runs, round(found.median, 9), round(found.bias, 9)) == (3, 0.2, 0.1)
    assert round(found.ninetieth, 9) == 0.28


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ({"isl": "many"}, "runs.csv:4: is no serving run: invalid literal"),
        ({"osl": "0"}, "runs.csv:4: is no serving run: lengths must be above zero"),
        ({"tp_size": "-2"}, "runs.csv:4: is no serving run: '-2' is no count"),
        ({"mode": "both"}, "runs.csv:4: is no serving run: mode must be agg or disagg"),
    ],
)
def test_a_line_that_is_no_run_is_named(tmp_path: Path, row: dict[str, str], message: str) -> None:
    with pytest.raises(BadInput) as caught:
        read_runs(written(tmp_path / "runs.csv", ROW, ROW | row))
    assert message in str(caught.value)


def test_columns_that_are_missing_are_named(tmp_path: Path) -> None:
    file = tmp_path / "runs.csv"
    file.write_text("mode,isl\nagg,5\n", encoding="utf-8")
    with pytest.raises(BadInput, match=r"runs\.csv:2: is no serving run: has no 'osl'"):
        read_runs(file)
    with pytest.raises(BadInput, match="cannot be read"):
        read_runs(tmp_path / "none.csv")


def test_the_report_is_printed_and_is_json(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    runs = read_runs(written(tmp_path / "runs.csv", ROW, ROW | {"system": "h9000"}, DISAGGREGATED))
    show(runs)
    text = capsys.readouterr().out
    assert "2 of 3 runs predicted" in text
    assert "the card h9000 is not known" in text
    show_json(runs)
    found = json.loads(capsys.readouterr().out)
    assert found["predicted"] == 2
    assert set(found["groups"]["mode"]) == {"agg", "disagg"}
    assert found["groups"]["card"]["h100_sxm"]["tpot"]["runs"] == 2
    assert found["refused"] == {"the card h9000 is not known": 1}


def test_nothing_predictable_is_a_report_too(tmp_path: Path) -> None:
    found = report(read_runs(written(tmp_path / "runs.csv", ROW | {"system": "h9000"})))
    assert (found["predicted"], found["parts"]) == (0, {})


@pytest.fixture(scope="module")
def published():
    return read_runs()


def test_the_page_and_the_record_are_what_the_code_says(published) -> None:
    """A registry may correct a figure meanwhile: errors may move by a point until measured again."""
    (record,) = (
        each for each in read_all(ROOT).values() if each.experiment == "serving-predictions"
    )
    page = (ROOT / "docs/reference/predictions.md").read_text(encoding="utf-8")
    assert record.results["validated_digest"] in page
    found = report(published)
    assert found["predicted"] == record.results["predicted"]
    for section in ("parts", "validation"):
        for part, both in found[section].items():
            recorded = record.results[section][part]["tpot"]["median"]
            assert both["tpot"].median == pytest.approx(recorded, abs=0.01), part


def test_a_digest_is_of_all_predictions_to_four_digits(published) -> None:
    found, _ = predictable(published[:40])
    assert len(digest(found)) == 64
    assert digest(dict(reversed(found.items()))) == digest(found)
    run = next(iter(found))
    for change, same in ((1 + 1e-9, True), (1.01, False)):
        moved = found | {run: replace(found[run], ttft=found[run].ttft * change)}
        assert (digest(moved) == digest(found)) == same


def test_the_constants_are_where_a_fit_ends(published) -> None:
    """Two percent more or less of any of them is no better, but for their rounding."""
    found, _ = predictable(published)
    loads = [(run, load(run)) for run in found]
    least = serving_fit.loss(loads, SERVING)
    for name in NAMES:
        for factor in (1.02, 1 / 1.02):
            moved = replace(SERVING, **{name: getattr(SERVING, name) * factor})
            assert serving_fit.loss(loads, moved) > least - 5e-4, name


def test_a_fit_finds_the_constants_that_made_the_times(published) -> None:
    known = replace(SERVING, memory_share=0.7, launch=9e-6)
    some = [run for run in published if not held_back(run)][::40]
    made = []
    for run in predictable(some)[0]:
        times = predict(load(run), known)
        made.append(replace(run, tpot=times.tpot * 1e3, ttft=times.ttft * 1e3))
    found = serving_fit.fit(made)
    assert found.memory_share == pytest.approx(0.7, rel=0.05)
    assert found.launch == pytest.approx(9e-6, rel=0.05)


def test_memory_in_use_is_weights_and_cache() -> None:
    row = {"model": "Qwen3-0.6B", "format": "BF16", "batch": "1", "prompt_tokens": "14336"}
    held = predicted_bytes(row | {"output_tokens": "2048"})
    assert held == 596049920 * 2 + 114688 * 16384
    packed = predicted_bytes(row | {"output_tokens": "2048", "format": "FP8"})
    halved = 28 * (2 * 1024 * (2048 + 1024) + 2 * 128 + 3 * 1024 * 3072)
    assert held - packed == halved - 2 * 151936 * 1024  # the output head is stored again
    found, unknown = memory_errors()
    assert found["all"].runs + unknown == 62
    assert found["all"].median < 0.02


def test_the_interval_of_a_service_is_where_nine_in_ten_held_back_runs_lie() -> None:
    runs = read_runs()
    found, _ = predictable(runs, SERVING_VALIDATED)
    for time, low, high in (
        ("tpot", HELD_BACK.tpot_low, HELD_BACK.tpot_high),
        ("ttft", HELD_BACK.ttft_low, HELD_BACK.ttft_high),
    ):
        ratios = [
            getattr(run, time) / (getattr(found[run], time) * 1e3)
            for run in found
            if held_back(run)
        ]
        cuts = statistics.quantiles(ratios, n=20, method="inclusive")
        assert [low, high] == pytest.approx([cuts[0], cuts[-1]], rel=5e-3)
