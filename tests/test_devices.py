"""Devices: named, described and refused without importing torch."""

import ctypes
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any, ClassVar

import pytest

from scripts.core.faults import BadInput
from scripts.devices import cuda_driver
from scripts.devices import device as devices

ROOT = Path(__file__).parents[1]


class FakeDriver:
    """The CUDA driver of a machine with one RTX 3060, as ctypes would call it."""

    attributes: ClassVar = {16: 28, 38: 2359296, 75: 8, 76: 6}

    def cuInit(self, flags: int) -> int:
        return 0

    def cuDeviceGetCount(self, count: Any) -> int:
        count._obj.value = 1
        return 0

    def cuDeviceGet(self, device: Any, index: int) -> int:
        device._obj.value = index
        return 0 if index == 0 else 101

    def cuDeviceGetName(self, name: Any, length: int, device: Any) -> int:
        name.value = b"NVIDIA GeForce RTX 3060"
        return 0

    def cuDeviceTotalMem_v2(self, memory: Any, device: Any) -> int:
        memory._obj.value = 12622168064
        return 0

    def cuDeviceGetAttribute(self, value: Any, number: int, device: Any) -> int:
        value._obj.value = self.attributes[number]
        return 0

    def cuDeviceGetPCIBusId(self, address: Any, length: int, device: Any) -> int:
        address.value = b"0000:65:00.0"
        return 0

    def nvmlInit_v2(self) -> int:
        return 0

    def nvmlSystemGetDriverVersion(self, text: Any, length: int) -> int:
        text.value = b"570.86.15"
        return 0


@pytest.fixture
def driver(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ctypes, "CDLL", lambda name: FakeDriver())
    cuda_driver._library.cache_clear()
    monkeypatch.setattr(devices, "_torch_is_built_for", lambda platform: platform == "cuda")


@pytest.fixture
def no_driver(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(name: str) -> None:
        raise OSError(name)

    monkeypatch.setattr(ctypes, "CDLL", missing)
    cuda_driver._library.cache_clear()


@pytest.fixture(autouse=True)
def forget() -> Any:
    yield
    cuda_driver._library.cache_clear()


def test_the_cpu_of_this_machine() -> None:
    cpu = devices.detect("cpu")
    assert cpu.kind == cpu.torch_name == "cpu"
    assert cpu.slug.endswith(("-core", "-cores"))
    assert cpu.memory_bytes > 2**28
    assert cpu.cache_bytes >= 2**20
    assert cpu.cores >= 1
    assert "fp32" in cpu.dtypes


def test_auto_takes_the_gpu_where_there_is_one(driver: None) -> None:
    card = devices.detect("auto")
    assert card == devices.detect("cuda") == devices.detect("cuda:0")
    assert card.slug == "rtx-3060"
    assert card.torch_name == "cuda:0"
    assert card.memory_bytes == 12622168064
    assert card.cache_bytes == 2359296
    assert card.cores == 28
    assert card.driver == "570.86.15"
    assert card.dtypes == ("fp32", "fp16", "bf16")


def test_dtypes_follow_the_compute_capability(
    driver: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(FakeDriver.attributes, 75, 7)
    monkeypatch.setitem(FakeDriver.attributes, 76, 5)
    assert devices.detect("cuda").dtypes == ("fp32", "fp16")


def test_auto_takes_the_cpu_where_there_is_no_gpu(no_driver: None) -> None:
    assert devices.detect("auto") == devices.detect("cpu")


def test_cuda_is_refused_without_a_gpu(no_driver: None) -> None:
    with pytest.raises(BadInput) as caught:
        devices.detect("cuda")
    assert caught.value.fault.path == "--device cuda"
    assert caught.value.fault.message == "this machine has no CUDA device"
    assert "--device cpu" in caught.value.fault.remedy


@pytest.mark.parametrize(
    ("code", "said"),
    [
        (802, "start nvidia-fabricmanager"),
        (803, "restart the machine"),
        (804, "cuda-compat"),
        (34, "stub"),
        (999, "nvidia_uvm"),
        (46, "error 46"),
    ],
)
@pytest.mark.parametrize("name", ["cuda", "auto"])
def test_a_driver_that_does_not_start_is_not_called_a_missing_card(
    driver: None, monkeypatch: pytest.MonkeyPatch, code: int, said: str, name: str
) -> None:
    monkeypatch.setattr(FakeDriver, "cuInit", lambda self, flags: code)
    with pytest.raises(BadInput) as caught:
        devices.detect(name)
    assert said in f"{caught.value.fault.message} {caught.value.fault.remedy}"
    assert devices.detect("cpu").kind == "cpu"


def test_a_driver_without_a_card_is_a_machine_without_one(
    driver: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(FakeDriver, "cuInit", lambda self, flags: cuda_driver.NO_DEVICE)
    assert devices.detect("auto").kind == "cpu"
    with pytest.raises(BadInput, match="this machine has no CUDA device"):
        devices.detect("cuda")
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "7")
    with pytest.raises(BadInput, match="CUDA_VISIBLE_DEVICES=7 leaves no CUDA device"):
        devices.detect("cuda")


def test_a_gpu_that_is_not_there(driver: None) -> None:
    with pytest.raises(BadInput, match=r"has 1 CUDA device\(s\), counted from 0"):
        devices.detect("cuda:1")


def test_a_torch_without_cuda(driver: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(devices, "_torch_is_built_for", lambda platform: False)
    assert devices.detect("auto").kind == "cpu"
    with pytest.raises(BadInput, match="built without CUDA"):
        devices.detect("cuda")


def test_amds_card_answers_as_cuda_where_torch_is_built_for_rocm(
    no_driver: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    facts = SimpleNamespace(
        name="AMD Instinct MI300X",
        total_memory=206141652992,
        multi_processor_count=304,
        L2_cache_size=4194304,
    )
    gpus = SimpleNamespace(device_count=lambda: 1, get_device_properties=lambda index: facts)
    torch = SimpleNamespace(cuda=gpus, version=SimpleNamespace(hip="6.4.1"))
    monkeypatch.setitem(sys.modules, "torch", torch)
    monkeypatch.setattr(devices, "_torch_is_built_for", lambda platform: platform == "hip")
    card = devices.detect("cuda")
    assert (card.slug, card.torch_name, card.driver) == ("mi300x", "cuda:0", "6.4.1")
    assert card == devices.detect("auto")
    assert card.cache_bytes == 256 * 2**20, "HIP does not state the last level"
    with pytest.raises(BadInput, match="no CUDA device"):
        devices.detect("cuda:1")


def test_metal_is_refused_with_a_reason() -> None:
    with pytest.raises(BadInput, match="Metal is not timed"):
        devices.detect("mps")


def test_torchs_version_file_says_whether_it_has_cuda(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    spec = SimpleNamespace(origin=str(tmp_path / "__init__.py"))
    monkeypatch.setattr(devices.importlib.util, "find_spec", lambda name: spec)
    for line, expected in {
        "cuda: Optional[str] = None": False,
        "cuda: Optional[str] = '13.0'": True,
        'cuda = "12.6"': True,
    }.items():
        (tmp_path / "version.py").write_text(f"from typing import Optional\n{line}\n")
        assert devices._torch_is_built_for("cuda") is expected
    monkeypatch.setattr(devices.importlib.util, "find_spec", lambda name: None)
    assert devices._torch_is_built_for("cuda") is False


@pytest.mark.parametrize("name", ["gpu", "", "cuda:", "cuda:x", "cpu:0", "CPU"])
def test_a_device_that_names_nothing(name: str) -> None:
    with pytest.raises(BadInput, match="use auto, cpu, cuda or cuda:N"):
        devices.detect(name)


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("NVIDIA GeForce RTX 3060", "rtx-3060"),
        ("NVIDIA H200", "h200-sxm"),
        ("NVIDIA H100 80GB HBM3", "h100-sxm"),
        ("NVIDIA A100-SXM4-80GB", "a100-80gb-sxm"),
        ("NVIDIA A100 80GB PCIe", "a100-80gb-pcie"),
        ("Tesla T4", "t4"),
        ("AMD EPYC", "epyc"),
        ("AMD EPYC 9654 96-Core Processor", "epyc-9654"),
        ("Tesla V100-SXM2-32GB", "v100-sxm"),
        ("AMD Instinct MI300X", "mi300x"),
        ("AMD Radeon RX 7900 XTX", "rx-7900-xtx"),
        ("Apple M4 Max", "m4-max"),
        ("AMD EPYC 7763 64-Core Processor", "epyc-7763"),
        ("Intel(R) Xeon(R) Platinum 8370C CPU @ 2.80GHz", "xeon-platinum-8370c"),
        ("Apple M2 Pro", "m2-pro"),
        ("", "unknown"),
    ],
)
def test_slugs(name: str, expected: str) -> None:
    assert devices.slug(name) == expected


def test_clocks_as_nvidia_smi_states_them(driver: None, monkeypatch: pytest.MonkeyPatch) -> None:
    def answer(command: list[str], **_: Any) -> Any:
        # Not "0", which to nvidia-smi is the first card of all, not of those that CUDA may see.
        assert command[:2] == ["nvidia-smi", "--id=0000:65:00.0"]
        return SimpleNamespace(stdout="1837, 2130, 7501, [N/A], 170.00\n")

    monkeypatch.setattr(subprocess, "run", answer)
    assert devices.clocks(devices.detect("cuda")) == {
        "sm_hertz": 1837e6,
        "sm_max_hertz": 2130e6,
        "memory_hertz": 7501e6,
        "power_limit_watts": 170.0,
    }


def test_clocks_without_nvidia_smi(driver: None, monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(command: list[str], **_: Any) -> Any:
        raise FileNotFoundError(command[0])

    monkeypatch.setattr(subprocess, "run", missing)
    assert devices.clocks(devices.detect("cuda")) is None


def test_detecting_does_not_import_torch() -> None:
    program = (
        "import sys, scripts.experiments.measurement, scripts.devices.device as d; d.detect(); "
        "print('torch' in sys.modules)"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "False"
