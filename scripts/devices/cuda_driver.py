"""`devices.device` and the labs of several GPUs ask the CUDA driver itself for its devices' names,
memory and clocks, since importing torch takes seconds; without a driver there are none.
"""

import ctypes
import ctypes.util
import functools
import platform
from dataclasses import dataclass

# From cuda.h, CUdevice_attribute: stable since CUDA 4.
MULTIPROCESSOR_COUNT = 16
L2_CACHE_SIZE = 38
CAPABILITY_MAJOR = 75
CAPABILITY_MINOR = 76


@dataclass(frozen=True)
class CudaFacts:
    """A device as its driver describes it. Sizes in bytes."""

    name: str
    memory_bytes: int
    cache_bytes: int
    multiprocessors: int
    capability: tuple[int, int]
    driver: str | None


# Of CUresult in cuda.h: what the driver says where there are cards and none can be used.
BROKEN = {
    34: ("libcuda.so.1 is the toolkit's stub", "take its folder out of LD_LIBRARY_PATH"),
    802: (
        "the CUDA driver says that the system is not ready (802)",
        "on a server with NVSwitch start nvidia-fabricmanager, of the driver's own version",
    ),
    803: (
        "the CUDA driver's library and its kernel module are of different versions (803)",
        "restart the machine; in a container, let it use the host's libcuda.so.1",
    ),
    804: (
        "the CUDA driver's compatibility library is not for this card (804)",
        "take cuda-compat out of LD_LIBRARY_PATH, or install a newer driver",
    ),
    999: (
        "the CUDA driver failed for a reason it does not know (999)",
        "as after a suspend: sudo rmmod nvidia_uvm && sudo modprobe nvidia_uvm, or restart",
    ),
}
NO_DEVICE = 100


@functools.cache
def _library() -> ctypes.CDLL | None:
    """The driver's library, initialised; None on a machine without it or without a device."""
    library = _loaded()
    return library if library is not None and library.cuInit(0) == 0 else None


def _loaded() -> ctypes.CDLL | None:
    name = "nvcuda.dll" if platform.system() == "Windows" else "libcuda.so.1"
    try:
        return ctypes.CDLL(name)
    except OSError:
        return None


def obstacle() -> tuple[str, str] | None:
    """What is wrong with a driver that is there and does not start, and what to do; else None."""
    library = _loaded()
    code = NO_DEVICE if library is None else int(library.cuInit(0))
    if code in (0, NO_DEVICE):
        return None
    unknown = (
        f"the CUDA driver does not start: error {code}",
        "see what nvidia-smi says, or restart",
    )
    return BROKEN.get(code, unknown)


def device_count() -> int:
    """How many CUDA devices can be used here; 0 without a driver."""
    library = _library()
    count = ctypes.c_int(0)
    if library is None or library.cuDeviceGetCount(ctypes.byref(count)) != 0:
        return 0
    return count.value


def device_facts(index: int) -> CudaFacts:
    """The facts of device `index`. Raises RuntimeError when the driver refuses."""
    library = _library()
    if library is None:
        raise RuntimeError("no CUDA driver")
    device = ctypes.c_int()
    _expect(library.cuDeviceGet(ctypes.byref(device), index))
    name = ctypes.create_string_buffer(256)
    _expect(library.cuDeviceGetName(name, len(name), device))
    memory = ctypes.c_size_t()
    _expect(library.cuDeviceTotalMem_v2(ctypes.byref(memory), device))

    def attribute(number: int) -> int:
        value = ctypes.c_int()
        _expect(library.cuDeviceGetAttribute(ctypes.byref(value), number, device))
        return value.value

    return CudaFacts(
        name=name.value.decode(),
        memory_bytes=memory.value,
        cache_bytes=attribute(L2_CACHE_SIZE),
        multiprocessors=attribute(MULTIPROCESSOR_COUNT),
        capability=(attribute(CAPABILITY_MAJOR), attribute(CAPABILITY_MINOR)),
        driver=_driver_version(),
    )


def bus_id(index: int) -> str | None:
    """The PCI address of device `index`, the same in every tool; None without a driver."""
    library = _library()
    if library is None:
        return None
    device = ctypes.c_int()
    _expect(library.cuDeviceGet(ctypes.byref(device), index))
    address = ctypes.create_string_buffer(32)
    _expect(library.cuDeviceGetPCIBusId(address, len(address), device))
    return address.value.decode()


def _expect(status: int) -> None:
    if status != 0:
        raise RuntimeError(f"the CUDA driver answered with error {status}")


def _driver_version() -> str | None:
    """The driver's version such as "570.86.15", from its management library."""
    name = "nvml.dll" if platform.system() == "Windows" else "libnvidia-ml.so.1"
    try:
        library = ctypes.CDLL(name)
    except OSError:
        return None
    text = ctypes.create_string_buffer(96)
    if library.nvmlInit_v2() != 0 or library.nvmlSystemGetDriverVersion(text, len(text)) != 0:
        return None
    return text.value.decode()
