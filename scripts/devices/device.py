"""`build.py` asks `detect` for "auto", "cpu" or "cuda:N" and hands the Device that comes back to every
experiment: what it is called, its memory and caches, what it multiplies.

Nothing here imports torch, which takes seconds: a run that finds everything up to date needs none.
"""

import contextlib
import functools
import importlib.util
import os
import platform
import re
import subprocess
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from scripts.core.faults import BadInput
from scripts.devices import cuda_driver, under_load
from snippets.hardware import slug_of

# Where a machine does not say how large its last-level cache is, assume a large one: too large a
# buffer only takes longer, too small a one measures the cache.
ASSUMED_CACHE_BYTES = 64 * 2**20
# HIP states the second level alone. Behind it lies a last one that it does not state, of up to so much
# (AMD CDNA 3 white paper: MI300X).
INFINITY_CACHE_BYTES = 256 * 2**20


@dataclass(frozen=True)
class Device:
    """A processor to measure. `cores` are CPU cores, or a GPU's streaming multiprocessors."""

    slug: str
    name: str
    kind: str
    memory_bytes: int
    cache_bytes: int
    cores: int
    dtypes: tuple[str, ...]
    index: int = 0
    driver: str | None = None
    clocks: dict[str, float] | None = field(default=None, compare=False)

    @property
    def torch_name(self) -> str:
        """What torch calls it."""
        return f"cuda:{self.index}" if self.kind == "cuda" else "cpu"

    @property
    def smi_id(self) -> str:
        """What nvidia-smi calls it, which counts all cards, CUDA those that are visible."""
        return cuda_driver.bus_id(self.index) or str(self.index)

    @property
    def identity(self) -> dict[str, Any]:
        """What a measurement depends on; memory is left out: its size is in the parameters."""
        return {"name": self.name, "cores": self.cores, "driver": self.driver}

    def as_record(self) -> dict[str, Any]:
        """The device as a record describes it."""
        described = asdict(self)
        del described["index"]
        return {**described, "dtypes": list(self.dtypes)}


def detect(name: str = "auto") -> Device:
    """The device for "auto" (the first GPU, else the CPU), "cpu", "cuda" or "cuda:N".

    AMD's cards are "cuda" too where torch was built for ROCm: torch itself calls them so.

    Raises BadInput when there is no such device, saying why not.
    """
    match = re.fullmatch(r"auto|cpu|cuda(?::(\d+))?", name)
    if name == "mps":
        raise BadInput("--device mps", 0, "work on Metal is not timed here", "use --device cpu")
    if match is None:
        raise BadInput(
            f"--device {name}", 0, "no such kind of device", "use auto, cpu, cuda or cuda:N"
        )
    if name == "cpu":
        return cpu()
    index = int(match.group(1) or 0)
    if _torch_is_built_for("hip") and (found := rocm(index)):
        return found
    obstacle = broken = cuda_driver.obstacle()
    if broken is None:
        obstacle = _cuda_obstacle(index)
    if obstacle is None:
        return cuda(index)
    if name == "auto" and broken is None:  # else a card would be taken for none without a word
        return cpu()
    raise BadInput(f"--device {name}", 0, *obstacle)


def _cuda_obstacle(index: int) -> tuple[str, str] | None:
    """Why GPU `index` cannot be used and what to do about it; None if it can."""
    count = cuda_driver.device_count()
    if count == 0:
        if (visible := os.environ.get("CUDA_VISIBLE_DEVICES")) is not None:
            hidden = f"CUDA_VISIBLE_DEVICES={visible} leaves no CUDA device"
            return hidden, "unset it, or name a card in it that nvidia-smi -L lists"
        return "this machine has no CUDA device", "use --device cpu, or a machine with a GPU"
    if index >= count:
        return f"this machine has {count} CUDA device(s), counted from 0", "use a lower number"
    if not _torch_is_built_for("cuda"):
        return (
            "the installed torch was built without CUDA",
            "install the CUDA build of the same torch version into .venv",
        )
    return None


def _torch_is_built_for(platform: str) -> bool:
    """Whether torch was built for "cuda" or "hip", read from its version file without importing it."""
    torch = importlib.util.find_spec("torch")
    if torch is None or torch.origin is None:
        return False
    version = (Path(torch.origin).parent / "version.py").read_text(encoding="utf-8")
    return re.search(rf"^{platform}\b.*= *['\"]", version, re.MULTILINE) is not None


def rocm(index: int) -> Device | None:
    """AMD's GPU `index`, described by torch, which takes seconds to import; None if there is none."""
    import torch

    if index >= torch.cuda.device_count():
        return None
    facts = torch.cuda.get_device_properties(index)
    return Device(
        slug=slug(facts.name, facts.total_memory),
        name=facts.name,
        kind="cuda",
        memory_bytes=facts.total_memory,
        cache_bytes=max(getattr(facts, "L2_cache_size", 0), INFINITY_CACHE_BYTES),
        cores=facts.multi_processor_count,
        dtypes=("fp32", "fp16", "bf16"),
        index=index,
        driver=torch.version.hip,
    )


def gpu_names() -> list[str]:
    """What each GPU here is called, by its number; for AMD's, torch is asked, which takes seconds."""
    if not _torch_is_built_for("hip"):
        return [cuda_driver.device_facts(index).name for index in range(cuda_driver.device_count())]
    import torch

    return [torch.cuda.get_device_name(index) for index in range(torch.cuda.device_count())]


def cuda(index: int) -> Device:
    """GPU `index`, described by the CUDA driver."""
    facts = cuda_driver.device_facts(index)
    return Device(
        slug=slug(facts.name, facts.memory_bytes),
        name=facts.name,
        kind="cuda",
        memory_bytes=facts.memory_bytes,
        cache_bytes=facts.cache_bytes,
        cores=facts.multiprocessors,
        # BF16 came with compute capability 8.0 (Ampere), FP16 multiplication with 5.3.
        dtypes=tuple(
            dtype
            for dtype, since in (("fp32", (0, 0)), ("fp16", (5, 3)), ("bf16", (8, 0)))
            if facts.capability >= since
        ),
        index=index,
        driver=facts.driver,
    )


@functools.cache
def cpu() -> Device:
    """This machine's CPU, as far as the operating system tells."""
    import psutil

    name, flags = _cpu_name_and_flags()
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    cores = cores or 1
    native = {
        "fp16": {"avx512_fp16", "asimdhp", "fphp"},
        "bf16": {"avx512_bf16", "amx_bf16", "bf16"},
    }
    return Device(
        slug=cpu_slug(name, cores),
        name=name,
        kind="cpu",
        memory_bytes=psutil.virtual_memory().total,
        cache_bytes=_cpu_cache_bytes() or ASSUMED_CACHE_BYTES,
        cores=cores,
        dtypes=("fp32", *(dtype for dtype, any_of in native.items() if flags & any_of)),
    )


def slug(name: str, memory: int | None = None) -> str:
    """A short name for folders: that of the card's row in the registry, else of its name's words."""
    with contextlib.suppress(ValueError):
        return slug_of(name, memory)
    short = re.sub(r"\((R|TM|C)\)|@.*|\b\d+-Core Processor\b", " ", name, flags=re.IGNORECASE)
    dull = {"nvidia", "geforce", "tesla", "quadro", "amd", "instinct", "radeon", "intel", "apple"}
    dull |= {"cpu", "gpu", "processor"}
    words = re.findall(r"[a-z0-9]+", short.lower())
    return "-".join(word for word in words if word not in dull) or "unknown"


def cpu_slug(name: str, cores: int) -> str:
    """A CPU's name for folders, with the cores that could be used."""
    return f"{slug(name)}-{cores}-core{'s' if cores > 1 else ''}"


def _cpu_name_and_flags() -> tuple[str, set[str]]:
    found: dict[str, str] = {}
    with contextlib.suppress(OSError):
        for line in Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines():
            key, _, value = line.partition(":")
            found.setdefault(key.strip(), value.strip())
    name = (
        found.get("model name")
        or _sysctl("machdep.cpu.brand_string")
        or platform.processor()
        or platform.machine()
    )
    return name, set((found.get("flags") or found.get("Features") or "").split())


def _cpu_cache_bytes() -> int:
    """The largest cache that the operating system lists; 0 if it lists none."""
    sizes = [int(_sysctl("hw.l3cachesize") or 0), int(_sysctl("hw.perflevel0.l2cachesize") or 0)]
    for path in Path("/sys/devices/system/cpu/cpu0/cache").glob("index*/size"):
        with contextlib.suppress(OSError, ValueError):
            text = path.read_text(encoding="utf-8").strip()
            scale = {"K": 2**10, "M": 2**20, "G": 2**30}.get(text[-1:], 1)
            sizes.append(int(text.rstrip("KMG")) * scale)
    return max(sizes)


def _sysctl(name: str) -> str:
    """A fact from macOS; empty elsewhere, or when it does not say."""
    if platform.system() != "Darwin":
        return ""
    done = subprocess.run(
        ["/usr/sbin/sysctl", "-n", name], capture_output=True, text=True, check=False
    )
    return done.stdout.strip()


def clocks(device: Device) -> dict[str, float] | None:
    """Clock rates (hertz) and the power limit (watts) as the device states them now."""
    if device.kind == "cpu":
        import psutil

        with contextlib.suppress(Exception):  # psutil fails in its own ways on odd machines
            rate = psutil.cpu_freq()
            return {"current_hertz": round(rate.current * 1e6)} if rate else None
        return None
    queries = {
        "clocks.sm": ("sm_hertz", 1e6),
        "clocks.max.sm": ("sm_max_hertz", 1e6),
        "clocks.mem": ("memory_hertz", 1e6),
        "clocks.max.mem": ("memory_max_hertz", 1e6),
        "power.limit": ("power_limit_watts", 1.0),
    }
    try:
        done = subprocess.run(
            [
                "nvidia-smi",
                f"--id={device.smi_id}",
                f"--query-gpu={','.join(queries)}",
                "--format=csv,noheader,nounits",
            ],
            capture_output=True,
            text=True,
            check=True,
            timeout=20,
        )
    except (OSError, subprocess.SubprocessError):
        return under_load.clocks() or None
    stated = {}
    for value, (name, scale) in zip(done.stdout.split(","), queries.values(), strict=True):
        with contextlib.suppress(ValueError):  # "[N/A]" where the card does not say
            stated[name] = float(value) * scale
    return stated | under_load.clocks()
