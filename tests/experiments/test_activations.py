"""The activations experiment: terms sum exactly, ratios follow from bytes, names are findable."""

from pathlib import Path
from typing import Any

import pytest

import snippets
from scripts.experiments.activations import measure as activations
from scripts.proof.evaluate import Evaluator
from scripts.proof.namespace import names_of
from scripts.records.record import Record, fields
from snippets.training_memory import STORED_TENSORS
from tests.experiments.measuring import measured

TINY: dict[str, Any] = {
    "sequences": 1,
    "tokens": 32,
    "width": 48,
    "heads": 4,
    "kv_heads": 2,
    "intermediate": 64,
    "layers": 2,
    "checked_tokens": 16,
    "published_shape": {
        "sequences": 1,
        "tokens": 16,
        "width": 32,
        "heads": 2,
        "kv_heads": 2,
        "intermediate": 64,
        "layers": 3,
    },
}


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    with pytest.MonkeyPatch.context() as fewer:
        fewer.setattr(activations, "PRECISIONS", ("bf16", "autocast"))
        fewer.setattr(activations, "STACKED", ("materialised",))
        fewer.setattr(activations, "FUSED", ("flash",))
        return measured(activations, tmp_path_factory.mktemp("run"), **TINY)


def layers(results: dict[str, Any]) -> list[tuple[tuple[str, ...], dict[str, Any]]]:
    return [
        ((block, kernel, dropout, precision, recompute), found)
        for block in ("gpt", "llama")
        for kernel, by_dropout in results[block].items()
        for dropout, by_precision in by_dropout.items()
        for precision, by_recompute in by_precision.items()
        for recompute, found in by_recompute.items()
    ]


def test_terms_sum_to_all_bytes(results: dict[str, Any]) -> None:
    with_terms = [(path, found) for path, found in layers(results) if "terms" in found]
    assert len(with_terms) == 2 * (3 * 2 + 1), "every way to run a GPT layer"
    for path, found in with_terms:
        terms = found["terms"]
        assert sum(term["bytes"] for term in terms.values()) == found["bytes"], path
        assert len(terms) == len(STORED_TENSORS) + 1
        other = terms["not_in_the_formula"]["bytes"]
        assert other < 0.04 * found["bytes"], "only statistics and the kernels' own small tensors"


def test_each_term_of_the_papers_layer_is_the_formulas(results: dict[str, Any]) -> None:
    terms = results["gpt"]["materialised"]["with_dropout"]["bf16"]["none"]["terms"]
    for name, term in terms.items():
        if name != "not_in_the_formula":
            assert term["bytes"] == term["formula_bytes"] > 0, name


def test_items_sum_to_all_bytes(results: dict[str, Any]) -> None:
    itemised = [(path, found) for path, found in layers(results) if "items" in found]
    assert {path[:4] for path, _ in itemised} == set(activations.ITEMISED)
    for path, found in itemised:
        assert sum(item["bytes"] for item in found["items"].values()) == found["bytes"], path


def test_what_lives_is_what_is_saved(results: dict[str, Any]) -> None:
    for path, found in layers(results):
        if path[-1] == "none":
            assert found["storage_bytes"] == found["live_bytes"], path
        assert found["over_formula"] == found["bytes"] / found["formula_bytes"]


def test_real_tensors_agree(results: dict[str, Any]) -> None:
    assert len(results["really_run"]) == 8
    for name, found in results["really_run"].items():
        assert found["bytes"] == found["fake_bytes"], name
        assert found["live_bytes"] == found["fake_live_bytes"], name


def test_a_killed_run_goes_on_where_it_was(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    taken = []
    layer = activations._layer

    def counted(case: Any, *arguments: Any, **named: Any) -> dict[str, Any]:
        if len(taken) == 3:
            raise KeyboardInterrupt
        taken.append(case)
        return layer(case, *arguments, **named)

    monkeypatch.setattr(activations, "_layer", counted)
    for _ in range(2):
        taken.clear()
        with pytest.raises(KeyboardInterrupt):
            measured(activations, tmp_path, **TINY)
    cases = [case for _, case in activations._cases()]
    assert taken == cases[3:6]


def test_every_value_has_a_name(results: dict[str, Any]) -> None:
    names = set(fields(results))
    assert "gpt.flash.no_dropout.bf16.none.over_formula" in names
    assert "pythia.bf16.flash.with_last_hidden_state_over_formula" in names
    assert "stack.materialised-selective.kept_bytes" in names


def test_a_card_without_flash_attention_keeps_all_other_counts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A T4: the first flash case must not end the record."""
    from scripts.experiments.activations import tables
    from scripts.models import gpt, llama_fused

    real = gpt.causal_attention

    def refused(*tensors: Any, kernel: str, **options: Any) -> Any:
        if kernel == "flash":
            raise RuntimeError("FlashAttention only supports Ampere GPUs or newer.")
        return real(*tensors, kernel=kernel, **options)

    for module in (gpt, llama_fused):
        monkeypatch.setattr(module, "causal_attention", refused)
    monkeypatch.setattr(activations, "PRECISIONS", ("bf16",))
    monkeypatch.setattr(activations, "FUSED", ("flash",))
    monkeypatch.setattr(activations, "_published_shape", lambda _: {})  # by accounting, on a CPU
    found = measured(activations, tmp_path, **TINY)
    reason = {"not_run": "FlashAttention only supports Ampere GPUs or newer."}
    assert found["gpt"]["flash"]["no_dropout"]["bf16"]["none"] == reason
    assert found["stack"]["flash-none"] == reason
    assert found["gpt"]["materialised"]["with_dropout"]["bf16"]["none"]["bytes"] > 0
    record = Record("activations", {}, {"slug": "t4"}, {}, None, {"kind": "measured"}, None, found)
    values = Evaluator(names_of(snippets), {"t4/activations": record}, {})
    for make in tables.TABLES.values():
        make(values)  # every row that there is, and no error for those that are not


def test_the_kernel_that_is_chosen_is_named(results: dict[str, Any]) -> None:
    assert results["chosen_kernels"]["gpt-bf16"] in {"flash_attention", "math"}
