"""What disturbs a measurement is noticed: other programs, lowered clocks, another process's memory."""

import os
import subprocess
from dataclasses import replace
from typing import Any

import pytest

from scripts.devices import conditions, cuda_driver
from scripts.devices.conditions import disturbances
from scripts.devices.device import cpu

CARD = replace(cpu(), kind="cuda", index=1)


@pytest.fixture(autouse=True)
def card(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cuda_driver, "bus_id", lambda index: f"0000:0{index}:00.0")


def answers(monkeypatch: pytest.MonkeyPatch, *, apps: str, reasons: str) -> None:
    def ask(command: list[str], **_: Any) -> subprocess.CompletedProcess[str]:
        assert "--id=0000:01:00.0" in command
        text = apps if any("compute-apps" in part for part in command) else reasons
        return subprocess.CompletedProcess(command, 0, text)

    monkeypatch.setattr(subprocess, "run", ask)


def test_a_quiet_card(monkeypatch: pytest.MonkeyPatch) -> None:
    answers(monkeypatch, apps=f"{os.getpid()}\n", reasons="0x0000000000000000\n")
    assert disturbances(CARD) == []


def test_another_process_on_the_card(monkeypatch: pytest.MonkeyPatch) -> None:
    answers(monkeypatch, apps=f"{os.getpid()}\n1\n", reasons="0x0000000000000000\n")
    assert disturbances(CARD) == ["1 other process(es) use the card"]


def test_a_card_that_is_too_hot(monkeypatch: pytest.MonkeyPatch) -> None:
    answers(monkeypatch, apps="", reasons="0x0000000000000024\n")
    assert disturbances(CARD) == [
        "clocks are lowered by a software power cap",
        "clocks are lowered by a software thermal limit",
    ]


def test_a_machine_without_nvidia_smi_says_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(*_: Any, **__: Any) -> None:
        raise FileNotFoundError

    monkeypatch.setattr(subprocess, "run", missing)
    assert disturbances(CARD) == []


@pytest.mark.parametrize(("busy", "expected"), [(0.0, []), (0.45, ["1.5"])])
def test_other_programs_on_a_cpu(
    monkeypatch: pytest.MonkeyPatch, busy: float, expected: list[str]
) -> None:
    clock = iter([10.0, 10.3])
    cores = iter([100.0, 100.0 + busy])
    monkeypatch.setattr(conditions.time, "monotonic", lambda: next(clock))
    monkeypatch.setattr(conditions.time, "sleep", lambda _: None)
    monkeypatch.setattr(conditions, "_busy_seconds", lambda: next(cores))
    monkeypatch.setattr("psutil.Process.cpu_times", lambda _: (1.0, 1.0))
    found = disturbances(cpu())
    assert len(found) == len(expected)
    assert all(number in text for number, text in zip(expected, found, strict=True))
