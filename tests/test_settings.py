"""What libraries may decide is settled before anything is measured, and stands in the record."""

from dataclasses import replace

import pytest
import torch

from scripts.devices import settings
from scripts.devices.device import cpu
from scripts.devices.settings import settle

CARD = replace(cpu(), kind="cuda", index=1)


@pytest.fixture
def chosen(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    names: list[str] = []
    monkeypatch.setattr(torch.cuda, "set_device", names.append)
    return names


def test_sums_are_settled_and_said(chosen: list[str]) -> None:
    matmul = torch.backends.cuda.matmul
    matmul.fp32_precision = "tf32"
    matmul.allow_fp16_reduced_precision_reduction = True
    held = settle(CARD)
    assert matmul.fp32_precision == held["fp32_precision"] == "ieee"
    assert held["fp16_reduced_precision_reduction"] is False
    assert matmul.allow_fp16_reduced_precision_reduction is False
    assert chosen == ["cuda:1"]
    assert settle(cpu()) == {}


def test_the_environment_changes_nothing_unless_it_is_too_late(
    chosen: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PYTORCH_CUDA_ALLOC_CONF", "expandable_segments:True")
    monkeypatch.setattr(torch.cuda, "is_initialized", lambda: True)
    assert settle(CARD)["PYTORCH_CUDA_ALLOC_CONF"] == "expandable_segments:True"
    monkeypatch.setattr(torch.cuda, "is_initialized", lambda: False)
    assert "PYTORCH_CUDA_ALLOC_CONF" not in settle(CARD)
    assert "PYTORCH_CUDA_ALLOC_CONF" not in settings.os.environ
