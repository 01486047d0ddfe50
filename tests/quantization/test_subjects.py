"""Which model and text; what is said when they are not there."""

import lzma
from pathlib import Path

import pytest

from scripts.core.faults import BadInput
from scripts.quantization import subjects
from scripts.quantization.novels import HELD_OUT, TRAINED_ON, novel
from scripts.records.record import read_all


@pytest.fixture
def offline(monkeypatch: pytest.MonkeyPatch) -> None:
    from huggingface_hub import constants

    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", True)
    monkeypatch.setenv("HF_DATASETS_OFFLINE", "1")


def test_the_embedded_model_is_the_default(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv("SIXTEEN_BYTES_MODEL", raising=False)
    monkeypatch.setattr(subjects, "EMBEDDED", tmp_path)
    with pytest.raises(
        BadInput, match=r"train it: python -m scripts\.quantization\.train_embedded"
    ):
        subjects.chosen()
    (tmp_path / "model.safetensors").write_bytes(b"weights")
    choice = subjects.chosen()
    assert (choice.model, choice.text) == ("embedded", "persuasion")
    assert len(choice.weights_sha256 or "") == 64


def test_the_shipped_model_reads_the_whole_held_out_novel(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delenv("SIXTEEN_BYTES_MODEL", raising=False)
    subject = subjects.load(subjects.chosen(), dtype="fp32", device="cpu")
    assert subject.context == subject.model.config.max_position_embeddings
    assert subject.bytes_per_token * len(subject.tokens) == pytest.approx(466_854)
    published = read_all(Path(__file__).parents[2])["epyc-2-cores/embedded-training"].results
    assert sum(p.numel() for p in subject.model.parameters()) == published["parameters"]
    assert len(subject.tokens) == published["held_out_tokens"]


def test_a_local_checkpoint_with_its_text(checkpoint: Path) -> None:
    choice = subjects.chosen()
    subject = subjects.load(choice, dtype="bf16", device="cpu")
    assert subject.context == 32
    assert len(subjects.calibration_tokens(choice, device="cpu")) == len(subject.tokens)


def test_without_a_connection_the_message_says_which_model_to_fetch(
    offline: None,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setenv("HF_HOME", str(tmp_path))
    monkeypatch.setenv("SIXTEEN_BYTES_MODEL", "EleutherAI/pythia-1.4b")
    (tmp_path / "text.txt").write_text("Some text.")
    monkeypatch.setenv("SIXTEEN_BYTES_TEXT", str(tmp_path / "text.txt"))
    monkeypatch.setenv("SIXTEEN_BYTES_CALIBRATION", str(tmp_path / "text.txt"))
    asked = subjects.Choice("EleutherAI/pythia-1.4b", str(tmp_path / "text.txt"))
    with pytest.raises(BadInput, match=r"hf download EleutherAI/pythia-1\.4b"):
        subjects.load(asked, dtype="fp32", device="cpu")
    with pytest.raises(BadInput, match="hf download"):
        subjects.calibration_tokens(asked, device="cpu")
    subjects._to_be_had.cache_clear()
    (tmp_path / "model.safetensors").write_bytes(b"weights")
    monkeypatch.setattr(subjects, "EMBEDDED", tmp_path)
    assert subjects.chosen().is_embedded
    said = capsys.readouterr().err
    assert "hf download EleutherAI/pythia-1.4b" in said
    assert "meanwhile the embedded model is used" in said


def test_without_a_connection_the_message_says_which_text_to_fetch(
    offline: None, monkeypatch: pytest.MonkeyPatch, checkpoint: Path
) -> None:
    monkeypatch.delenv("SIXTEEN_BYTES_TEXT")
    monkeypatch.delenv("SIXTEEN_BYTES_CALIBRATION")
    asked = subjects.Choice(str(checkpoint), "WikiText-2")
    with pytest.raises(BadInput, match=r"raw test text to a\s+file and set SIXTEEN_BYTES_TEXT"):
        subjects.load(asked, dtype="fp32", device="cpu")
    with pytest.raises(BadInput, match=r"raw train text to a\s+file and set SIXTEEN_BYTES_CALI"):
        subjects.calibration_tokens(asked, device="cpu")


def test_novels_are_whole(tmp_path: Path) -> None:
    lengths = {name: len(novel(name).encode()) for name in (*TRAINED_ON, HELD_OUT)}
    assert sum(lengths.values()) == 4_025_029
    assert lengths[HELD_OUT] == 466_854
    assert novel(HELD_OUT).startswith("Persuasion\n")
    for broken in (b"", lzma.compress(b"text")[:-9], lzma.compress(b"\xff")):
        (tmp_path / "persuasion.txt.xz").write_bytes(broken)
        with pytest.raises(BadInput, match=r"persuasion\.txt\.xz: cannot be read"):
            novel(HELD_OUT, folder=tmp_path)
    with pytest.raises(BadInput, match=r"emma\.txt\.xz: cannot be read"):
        novel("emma", folder=tmp_path)
