"""The machines that are rehearsed: what their drivers say of their cards, and what is odd about them.

Speeds are not here: the stand-in takes them from the registry's row of each card.
"""

from dataclasses import dataclass

from scripts.devices.device import slug
from snippets.hardware import ACCELERATORS, Accelerator


@dataclass(frozen=True)
class Card:
    """A card as its driver describes it; sizes in bytes."""

    name: str
    memory_bytes: int
    cache_bytes: int
    multiprocessors: int
    capability: tuple[int, int]
    speed_of: str = ""  # the row whose speeds it has, where it has none of its own

    @property
    def row(self) -> Accelerator:
        return ACCELERATORS[self.speed_of or slug(self.name, self.memory_bytes)]


@dataclass(frozen=True)
class Machine:
    """Cards by their address on the bus, and how much of them can be seen.

    `visible`: CUDA_VISIBLE_DEVICES. `built`: the platform of the installed torch, "cuda" or "hip".
    `smi`: nvidia-smi is there. `stated`: it says clocks; of a slice of a card it answers [N/A].
    `pid`: what it calls this process, where that has another number outside its container.
    """

    cards: tuple[Card, ...]
    visible: str | None = None
    built: str = "cuda"
    smi: bool = True
    stated: bool = True
    pid: int | None = None

    def seen(self) -> list[int]:
        """Numbers of the cards that CUDA shows, in its order."""
        if self.visible is None:
            return list(range(len(self.cards)))
        return [int(number) for number in self.visible.split(",") if number]


MiB = 2**20
RTX_3060 = Card("NVIDIA GeForce RTX 3060", 12622168064, 2359296, 28, (8, 6))
LAPTOP = Card("NVIDIA GeForce RTX 4060 Laptop GPU", 8187 * MiB, 32 * MiB, 24, (8, 9))
T4 = Card("Tesla T4", 15637086208, 4 * MiB, 40, (7, 5))
A100 = Card("NVIDIA A100-PCIE-40GB", 42298834944, 40 * MiB, 108, (8, 0))
H200 = Card("NVIDIA H200", 150754820096, 60 * MiB, 132, (9, 0))
SLICE = Card("NVIDIA H100 80GB HBM3 MIG 1g.10gb", 10468982784, 7 * MiB, 16, (9, 0), "h100-sxm")
MI300X = Card("AMD Instinct MI300X", 206141652992, 4 * MiB, 304, (9, 4))

MACHINES = {
    "rtx-3060": Machine((RTX_3060,)),
    "laptop": Machine((LAPTOP,)),
    "t4": Machine((T4,)),
    "a100": Machine((A100,)),
    "h200": Machine((H200,)),
    "two-kinds": Machine((RTX_3060, A100), visible="1,0", pid=4242),
    "mig-slice": Machine((SLICE,), stated=False),
    "container": Machine((RTX_3060,), smi=False),
    "rocm": Machine((MI300X,), built="hip", smi=False),
}
