"""What disturbs a measurement is noticed: other programs, lowered clocks, another process's memory."""

import os
import subprocess
from dataclasses import replace
from typing import Any

import pytest

from scripts.devices import conditions, cuda_driver, under_load
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


def test_in_a_container_one_of_the_processes_is_this_one(monkeypatch: pytest.MonkeyPatch) -> None:
    """nvidia-smi lists the numbers that processes have outside."""
    answers(monkeypatch, apps="4242\n", reasons="0x0\n")
    assert disturbances(CARD) == ["1 other process(es) use the card"], "CUDA is not in use here"
    monkeypatch.setattr("torch.cuda.is_initialized", lambda: True)
    assert disturbances(CARD) == []
    answers(monkeypatch, apps="4242\n4243\n", reasons="0x0\n")
    assert disturbances(CARD) == ["1 other process(es) use the card"]


def test_an_older_nvidia_smi_calls_reasons_otherwise(monkeypatch: pytest.MonkeyPatch) -> None:
    def ask(command: list[str], **_: Any) -> subprocess.CompletedProcess[str]:
        if any("clocks_event_reasons" in part for part in command):
            raise subprocess.CalledProcessError(2, command)
        apps = any("compute-apps" in part for part in command)
        return subprocess.CompletedProcess(command, 0, "" if apps else "0x0000000000000040\n")

    monkeypatch.setattr(subprocess, "run", ask)
    assert disturbances(CARD) == ["clocks are lowered by a hardware thermal limit"]


def test_a_card_that_slowed_down_under_load_is_not_called_quiet_when_idle(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    class Library:
        """A card at its power limit whenever it is looked at: 1,410 and 1,215 MHz."""

        def nvmlDeviceGetHandleByPciBusId_v2(self, address: bytes, handle: Any) -> int:
            assert address == b"0000:01:00.0"
            return 0

        def nvmlDeviceGetClockInfo(self, handle: Any, clock: int, rate: Any) -> int:
            rate._obj.value = {1: 1410, 2: 1215}[clock]
            return 0

        def nvmlDeviceGetCurrentClocksThrottleReasons(self, handle: Any, active: Any) -> int:
            active._obj.value = 0x4
            return 0

    monkeypatch.setattr(under_load, "_library", Library)
    monkeypatch.setattr(under_load, "SECONDS_BETWEEN_LOOKS", 0)
    under_load._handle.cache_clear()
    answers(monkeypatch, apps="", reasons="0x0000000000000001\n")
    under_load.start()
    for _ in range(3):
        under_load.look(CARD)
    assert disturbances(CARD) == [
        "clocks were lowered by a software power cap in 3 of 3 looks under load"
    ]
    assert under_load.clocks() == {
        "sm_under_load_hertz": 1410e6,
        "memory_under_load_hertz": 1215e6,
    }
    under_load.start()
    under_load._handle.cache_clear()
    assert disturbances(CARD) == []


def test_a_machine_without_nvidia_smi_says_that_it_does_not_know(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def missing(*_: Any, **__: Any) -> None:
        raise FileNotFoundError

    monkeypatch.setattr(subprocess, "run", missing)
    assert disturbances(CARD) == [conditions.NOT_ASKED]
    monkeypatch.setattr(under_load, "_library", lambda: None)
    under_load.start()
    under_load.look(CARD)  # nothing to look with, and nothing wrong with that
    assert under_load.clocks() == {}


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
