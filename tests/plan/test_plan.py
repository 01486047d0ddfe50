"""The command line: answers, refusals, nearest plans, speed."""

import json
import random
import re
import subprocess
import sys
from pathlib import Path

import pytest

from scripts import plan
from snippets.hardware import ACCELERATORS
from snippets.models import MODELS
from snippets.weight_formats import WEIGHT_FORMATS
from tests.javascript.plans import command, options, random_plan, taken

ROOT = Path(__file__).parents[2]
ISSUED = "llama-3.1-70b --gpu h100-sxm --gpus 8 --format int4-g32 --context 32k --batch 16"
GiB = 2**30


def run(capsys: pytest.CaptureFixture[str], line: str | list[str]) -> tuple[int, str, str]:
    status = plan.main(line.split() if isinstance(line, str) else line)
    out, err = capsys.readouterr()
    return status, out, err


def ask(capsys: pytest.CaptureFixture[str], line: str | list[str]) -> dict:
    words = line.split() if isinstance(line, str) else line
    status, out, err = run(capsys, [*words, "--json"])
    assert err == ""
    answer = json.loads(out)
    assert status == (0 if answer["fits"] else 1)
    assert sum(answer["memory_bytes"].values()) == pytest.approx(answer["total_bytes"])
    assert answer["left_bytes"] == answer["available_bytes"] - answer["total_bytes"]
    assert answer["assumptions"]
    return answer


def test_shows_table_bar_and_assumptions(capsys: pytest.CaptureFixture[str]) -> None:
    status, out, _ = run(capsys, ISSUED)
    assert status == 0
    assert "Llama 3.1 70B" in out
    assert re.search(r"weights .* 4\.97", out)
    assert "█" in out
    assert "It fits: 53.83 GiB left." in out
    assert "tokens/s" in out
    assert "Assumed:" in out


@pytest.mark.parametrize("gpu", ["t4", "Tesla T4"])
def test_memory_that_the_driver_keeps_is_not_free(
    capsys: pytest.CaptureFixture[str], gpu: str
) -> None:
    answer = ask(capsys, ["llama-2-7b", "--gpu", gpu, "--format", "fp16", "--context", "4096"])
    assert not answer["fits"]
    assert answer["total_bytes"] < 16 * GiB  # it would fit into what is sold


def test_a_mac_offers_a_part_and_has_no_cuda_context(capsys: pytest.CaptureFixture[str]) -> None:
    answer = ask(capsys, "llama-3.1-8b --gpu m2-ultra")
    assert answer["available_bytes"] == 144 * GiB
    assert "driver" not in answer["memory_bytes"]
    assert "driver" not in ask(capsys, "llama-3.1-8b --gpu m2-ultra --train")["memory_bytes"]


def test_bar_marks_the_end_of_memory(capsys: pytest.CaptureFixture[str]) -> None:
    status, out, _ = run(capsys, "llama-3.1-70b --gpu rtx-4090")
    assert status == 1
    (bar,) = [line for line in out.splitlines() if line.startswith("█")]
    before, after = bar.split("|")
    assert len(before) / 60 == pytest.approx(24 / 134, abs=0.02)
    assert set(after) == {"█"}


@pytest.mark.parametrize(
    "line",
    [
        "llama-3.1-70b --gpu h100-sxm --context 32k --batch 16",
        "llama-3.1-8b --gpu rtx-3060 --context 128k --format int4-g32",
        "deepseek-v3 --gpu h200-sxm --gpus 8 --format bf16",
        "llama-3.1-405b --gpu rtx-4090 --batch 3",
    ],
)
def test_nearest_plan_fits_when_asked_for(capsys: pytest.CaptureFixture[str], line: str) -> None:
    nearest = ask(capsys, line)["nearest"]
    changes = " ".join(f"--{name} {value}" for name, value in nearest["changes"].items())
    again = ask(capsys, f"{line} {changes}")
    assert again["fits"]
    assert again["total_bytes"] == pytest.approx(nearest["total_bytes"])


@pytest.mark.parametrize(
    "line",
    [
        "llama-3.1-70b --train --gpus 8",
        "llama-3.1-8b --train --gpus 8",
        "falcon-7b --train --gpu a10 --gpus 8",
        "llama-3.1-70b --train --gpus 64 --tensor 8",
        "llama-3.1-70b --train --gpus 8 --micro-batches 1",
        "llama-3.1-8b --train --micro-batch 16 --gpu a100-80gb-sxm --zero 1 --data 4",
        "deepseek-v3 --train --data 8 --zero 1",
        "qwen3-0.6b --train --gpu rtx-3060 --micro-batch 64",
    ],
)
def test_nearest_training_plan_fits(capsys: pytest.CaptureFixture[str], line: str) -> None:
    nearest = ask(capsys, line)["nearest"]
    again = ask(capsys, " ".join([line, *options(taken({}, nearest["changes"]))]))
    assert again["fits"]
    assert again["total_bytes"] == nearest["total_bytes"]


def test_what_random_plans_are_offered_fits_and_takes_what_was_said(
    capsys: pytest.CaptureFixture[str],
) -> None:
    drawing = random.Random(3)
    offered = 0
    for _ in range(300):
        asked = random_plan(drawing)
        status, out, _ = run(capsys, " ".join([*command(asked), "--json"]))
        nearest = json.loads(out)["nearest"] if status == 1 else None
        if nearest is None:
            continue
        offered += 1
        again = ask(capsys, " ".join(command(taken(asked, nearest["changes"]))))
        assert again["fits"], asked
        assert again["total_bytes"] == nearest["total_bytes"], asked
    assert offered > 50


def test_nothing_within_reach(capsys: pytest.CaptureFixture[str]) -> None:
    line = "deepseek-v3 --train --gpu rtx-2080-ti"
    assert ask(capsys, line)["nearest"] is None
    assert "No plan within reach fits." in run(capsys, line)[1]


@pytest.mark.parametrize(
    ("line", "said"),
    [
        (
            "llama-3.1-70 --gpu h100-sxm",
            "there is no model 'llama-3.1-70'; nearest are llama-3.1-70b",
        ),
        ("llama-3.1-70b --gpu h100", "there is no GPU 'h100'; nearest are"),
        ("llama-3.1-70b --gpu rubin", "docs/data/hardware/cards.csv has a row for each card"),
        ("llama-3.1-70b --format int4", "there is no format 'int4'; nearest are int"),
        ("llama-3.1-70b --cache fp7", "there is no cache format 'fp7'; nearest are fp"),
        (
            "llama-3.1-70b --gpus 3",
            "a tensor split of 3 does not divide 64 heads; 2 and 4 do, or let 3 stages split the layers",
        ),
        ("llama-3.1-70b --gpus 7 --pipeline 2", "7 GPUs are not a multiple of the 2 stages"),
        ("llama-3.1-70b --gpus 81 --pipeline 81", "81 pipeline stages are more than"),
        ("llama-3.1-70b --gpus 0", "--gpus must be a whole number from 1 up, not '0'"),
        ("llama-3.1-70b --batch -4", "--batch must be a whole number from 1 up, not '-4'"),
        ("llama-3.1-70b --context 129k", "132,096 tokens are beyond Llama 3.1 70B's 131,072"),
        (
            "llama-3.1-70b --context soon",
            "--context is written like 4096, 4,096, 32k or 1e6, not 'soon'",
        ),
        ("llama-3.1-70b --context -5", "a whole number from 1 up, not '-5'"),
        (
            "llama-3.1-70b --train --tensor 12",
            "a tensor split of 12 does not divide 64 heads; 8 and 16 do",
        ),
        ("llama-3.1-70b --train --pipeline 81", "81 pipeline stages are more than"),
        ("llama-3.1-70b --train --micro-batch -1", "--micro-batch must be a whole number"),
        ("llama-3.1-70b --train --zero 4", "the ZeRO stage must be 0, 1, 2 or 3, not 4"),
        ("llama-3.1-70b --train --bytes 17", "there is no number of bytes per parameter '17'"),
        ("llama-3.1-70b --train --gpus 12 --tensor 8", "12 GPUs are not a multiple of the 8"),
        ("llama-3.1-70b --train --gpus 9 --data 8", "9 GPUs are not the 8"),
        ("llama-3.1-70b --train --context 4099 --context-ranks 2", "do not split over 2"),
        ("--gpu h100-sxm", "name a model, or give --model path/to/config.json"),
        (
            "llama-3.1-70b --batch many",
            "--batch is written like 4096, 4,096, 32k or 1e6, not 'many'",
        ),
        (
            "llama-3.1-70b --batch 1,50",
            "--batch is written like 4096, 4,096, 32k or 1e6, not '1,50'",
        ),
        ("llama-3.1-70b --gpus 1.5", "--gpus must be a whole number from 1 up, not '1.5'"),
        ("llama-3.1-70b --gpus nan", "not 'nan'"),
        ("llama-3.1-70b --train --zero -1", "--zero must be a whole number from 0 up, not '-1'"),
        ("llama-3.1-70b --gpus 1000000000", "a tensor split of 1000000000 does not divide"),
        (f"llama-3.1-70b --batch {10**400}", "a number is too large for any plan"),
        (
            f"llama-3.1-70b --train --micro-batch {10**299} --json",
            "a number is too large for any plan",
        ),
        (f"llama-3.1-70b --batch {10**30}", "a number is too large for any plan"),
        (f"llama-3.1-70b --train --micro-batches {10**400}", "a number is too large for any plan"),
        (f"llama-3.1-70b --train --data {10**13}", "a number is too large for any plan"),
        (f"llama-3.1-70b --gpus {'9' * 5000}", "a number is too large for any plan"),
        (f"llama-3.1-70b --gpu {'h' * 5000}", f"there is no GPU '{'h' * 39}… known are a2,"),
        (f"llama-3.1-70b --context {10**400}", "a number is too large for any plan"),
        ("llama-3.1-70b --context 1m", "1,048,576 tokens are beyond Llama 3.1 70B's 131,072"),
        ("llama-3.1-70b --train --gpus 8 --tensor 0", "--tensor must be a whole number from 1 up"),
        ("llama-3.1-70b --train --gpus 8 --pipeline -4 --tensor -2", "--tensor must be a whole"),
        ("llama-3.1-70b --tensor 8", "--tensor is for training (--train)"),
        ("llama-3.1-70b --zero 1", "--zero is for training (--train)"),
        ("llama-3.1-70b --recompute", "--recompute is for training (--train)"),
        ("llama-3.1-70b --train --batch 4", "--batch is for using a model"),
        ("llama-3.1-70b --train --format int4-g32", "--format is for using a model"),
        ("llama-3.1-70b --train --cache fp8", "--cache is for using a model"),
        ("llama-3.1-70b --model a/config.json", "llama-3.1-70b or the configuration a/config"),
        ("llama-3.1-70b --nonsense", "unrecognized arguments: --nonsense"),
        ("--model nowhere/config.json", "nowhere/config.json: No such file or directory"),
    ],
)
def test_refusals_say_what_to_change(
    capsys: pytest.CaptureFixture[str], line: str, said: str
) -> None:
    status, out, err = run(capsys, line)
    assert status == 2
    assert out == ""
    assert said in err
    assert err.count("\n") == 1


def test_names_as_people_write_them(capsys: pytest.CaptureFixture[str]) -> None:
    written = ask(capsys, "meta-llama/Llama-3.1-8B --gpu H100_SXM --format INT4-G32")
    assert written == ask(capsys, "llama-3.1-8b --gpu h100-sxm --format int4-g32")


@pytest.mark.parametrize("gpus", [3, 7])
def test_stages_split_what_heads_do_not(capsys: pytest.CaptureFixture[str], gpus: int) -> None:
    """Each holds its layers' weights and caches; together they hold all of them once."""
    line = f"llama-3.1-8b --context 8k --batch 14 --gpus {gpus} --pipeline {gpus}"
    split, whole = ask(capsys, line), ask(capsys, "llama-3.1-8b --context 8k --batch 14")
    for part in ("weights", "cache"):
        assert 1 / gpus < split["memory_bytes"][part] / whole["memory_bytes"][part] < 1.5 / gpus
    layers = 32 * split["memory_bytes"]["cache"] / whole["memory_bytes"]["cache"]
    assert layers == round(layers)
    alone, rates = whole["speed"], split["speed"]
    assert rates["decode_tokens_per_second"] > 1.3 * alone["decode_tokens_per_second"]
    each = rates["decode_tokens_per_second_per_conversation"]
    assert each <= 3.35e12 / whole["memory_bytes"]["weights"] * 1.08


def test_an_eight_bit_cache_has_its_scales(capsys: pytest.CaptureFixture[str]) -> None:
    """INT8 with an FP16 scale for each 128 elements, a head's key or value; FP8 with one for all."""
    cache = {
        name: ask(capsys, f"llama-3.1-8b --context 8k --cache {name}")["memory_bytes"]["cache"]
        for name in ("fp16", "fp8", "int8")
    }
    assert cache["fp8"] == cache["fp16"] / 2
    assert cache["int8"] == cache["fp16"] / 2 * (1 + 2 / 128)


@pytest.mark.parametrize("name", WEIGHT_FORMATS)
def test_every_format_that_is_listed_is_understood(
    capsys: pytest.CaptureFixture[str], name: str
) -> None:
    answer = ask(capsys, f"gpt2 --format {name}")
    wanted = "BF16" if name == "published" else WEIGHT_FORMATS[name].name  # it is not quantized
    assert answer["question"]["format"] == wanted


def test_reads_a_config_json(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    config = {
        "model_type": "llama",
        "hidden_size": 4096,
        "intermediate_size": 14336,
        "num_hidden_layers": 32,
        "num_attention_heads": 32,
        "num_key_value_heads": 8,
        "vocab_size": 128256,
        "max_position_embeddings": 131072,
        "tie_word_embeddings": False,
        "torch_dtype": "bfloat16",
    }
    path = tmp_path / "Mine-8B" / "config.json"
    path.parent.mkdir()
    path.write_text(json.dumps(config))
    answer = ask(capsys, f"--model {path}")
    assert answer == ask(capsys, str(path))
    assert answer["question"]["model"] == "Mine-8B"
    assert answer["question"]["parameters"] == 8_030_261_248
    assert answer["memory_bytes"] == ask(capsys, "llama-3.1-8b")["memory_bytes"]


def test_options_are_those_of_one_kind_of_plan() -> None:
    """Each option that a plan would ignore is refused, so none is left out of the two lists."""
    of_both = {
        "help",
        "name",
        "model",
        "gpu",
        "gpus",
        "pipeline",
        "context",
        "train",
        "json",
        "list",
    }
    options = {action.dest.replace("_", "-") for action in plan.parser()._actions}
    assert options == of_both | {*plan.USING} | {*plan.TRAINING}


def test_reads_the_configuration_in_a_folder(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    config = {
        "model_type": "gpt2",
        "n_embd": 64,
        "n_head": 4,
        "n_layer": 2,
        "n_positions": 128,
        "vocab_size": 100,
    }
    text = "\ufeff" + json.dumps(config)  # as some editors save it
    (tmp_path / "config.json").write_text(text, encoding="utf-8")
    parameters = 2 * (12 * 64**2 + 13 * 64) + (100 + 128) * 64 + 2 * 64
    assert ask(capsys, f"--model {tmp_path}")["question"]["parameters"] == parameters


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("{", "is not JSON"),
        ("[" * 100_000, "is nested too deep"),
        ('{"hidden_size": ' + "9" * 5000 + "}", "is not JSON: Exceeds the limit"),
        ('{"model_type": "llama", "hidden_size": ' + "9" * 4000 + "}", "is missing"),
        ("[]", "a config.json holds one object"),
        ("{}", "model_type None is not known here"),
        (
            '{"model_type": "bert"}',
            "model_type 'bert' is not known here. Missing are the tensors of its layers",
        ),
        ('{"model_type": "llama", "hidden_size": -4}', "hidden_size must be a whole number"),
    ],
)
def test_refuses_what_is_no_configuration(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], text: str, said: str
) -> None:
    path = tmp_path / "config.json"
    path.write_text(text)
    status, _, err = run(capsys, f"--model {path}")
    assert status == 2
    assert said in err


@pytest.mark.parametrize("slug", MODELS)
def test_every_model_is_answered(capsys: pytest.CaptureFixture[str], slug: str) -> None:
    assert ask(capsys, f"{slug} --gpu b200-sxm --context 1k")["total_bytes"] > 0
    assert ask(capsys, f"{slug} --train --context 512")["total_bytes"] > 0


@pytest.mark.parametrize("slug", ACCELERATORS)
def test_every_card_is_answered(capsys: pytest.CaptureFixture[str], slug: str) -> None:
    answer = ask(capsys, f"gpt2 --gpu {slug} --context 1k")
    assert answer["fits"]
    assert answer["speed"]["decode_tokens_per_second"] > 0


@pytest.mark.parametrize(
    ("line", "shown"),
    [
        ("gpt2 --gpu b200-sxm --context 16", "µs"),
        ("llama-3.1-8b --gpu h100-sxm --context 4k", "ms"),
        ("llama-3.1-70b --gpu h100-sxm --context 128k --gpus 4", "s"),
    ],
)
def test_seconds_are_written_with_their_prefix(
    capsys: pytest.CaptureFixture[str], line: str, shown: str
) -> None:
    seconds = ask(capsys, line)["speed"]["prefill_seconds_per_conversation"]
    (row,) = re.findall(r"reading one prompt .*", run(capsys, line)[1])
    number, unit = re.findall(r"([0-9.]+) │ (\S+)", row.replace("┃", "│"))[0]
    assert unit == shown
    assert 1 <= float(number) < 1000
    assert float(number) * {"s": 1, "ms": 1e-3, "µs": 1e-6}[unit] == pytest.approx(seconds, 5e-3)


def test_numbers_of_tokens_as_they_are_typed(capsys: pytest.CaptureFixture[str]) -> None:
    written = {"+3": 3, "1.5k": 1536, "2K": 2048, "1,000": 1000, "1e5": 100_000, "1.2e4": 12_000}
    for typed, tokens in written.items():
        assert ask(capsys, f"llama-3.1-8b --context {typed}")["question"]["context"] == tokens
    assert "a whole number" in run(capsys, "llama-3.1-8b --context 0.00001m")[2]
    assert ask(capsys, "gpt2 --train --data 1e12")["question"]["gpus"] == 10**12
    assert ask(capsys, "gpt2 --train --gpus 1,000")["question"]["data"] == 1000


def test_lists_what_it_knows(capsys: pytest.CaptureFixture[str]) -> None:
    status, out, _ = run(capsys, "--list")
    assert status == 0
    for name in (*MODELS, *ACCELERATORS):
        assert name in out


def test_answers_without_the_libraries_that_take_long_to_load() -> None:
    code = (
        "import sys; from scripts.plan import main;"
        f"main({[*ISSUED.split(), '--json']!r});"
        "assert not {'torch', 'numpy', 'transformers', 'rich'} & set(sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code], cwd=ROOT, check=True, capture_output=True)
