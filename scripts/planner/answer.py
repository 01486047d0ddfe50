"""What every answer holds, whatever was asked."""

from dataclasses import dataclass, field, replace
from typing import Any

from snippets.hardware import Accelerator
from snippets.runtimes import Runtime

MOST = 1e21  # bytes or a rate: beyond all memory and arithmetic there is


@dataclass
class Answer:
    """Memory by part on the fullest GPU, in bytes, and what follows from it."""

    question: dict[str, Any]
    memory: dict[str, float]
    available: float
    speed: dict[str, float] = field(default_factory=dict)
    nearest: dict[str, Any] | None = None
    assumptions: list[str] = field(default_factory=list)

    @property
    def total(self) -> float:
        """Bytes on the fullest GPU."""
        return sum(self.memory.values())

    @property
    def fits(self) -> bool:
        """Whether they are no more than what the GPU has for them."""
        return self.total <= self.available

    def to_json(self) -> dict[str, Any]:
        """All of it; sizes in bytes, rates per second."""
        return {
            "question": self.question,
            "fits": self.fits,
            "memory_bytes": self.memory,
            "total_bytes": self.total,
            "available_bytes": self.available,
            "left_bytes": self.available - self.total,
            "speed": self.speed,
            "nearest": self.nearest,
            "assumptions": self.assumptions,
        }


def checked(answer: Answer) -> Answer:
    """The answer without the parts that hold nothing; ValueError for sizes that say nothing."""
    for value in [answer.total, *answer.speed.values()]:
        if not value <= MOST:
            raise ValueError("a number is too large for any plan")
    memory = {name: value for name, value in answer.memory.items() if value}
    return replace(answer, memory=memory)


def near(before: dict[str, Any], after: dict[str, Any], total: float) -> dict[str, Any]:
    """What differs in the nearest plan, in the words of the command line, and what it takes."""
    changes = {name: value for name, value in after.items() if before[name] != value}
    return {"changes": changes, "total_bytes": total}


def runtime_on(gpu: Accelerator, runtime: Runtime) -> Runtime:
    """A runtime as it is on a card: what is no CUDA device has no CUDA context."""
    return runtime if gpu.kind == "cuda" else replace(runtime, driver=0)


def memory_assumptions(gpu: Accelerator) -> list[str]:
    """What an answer takes for granted of a card's memory."""
    context = "a CUDA context of half a GiB and " if gpu.kind == "cuda" else ""
    listed = [
        "all of the GPU's memory is free before: no other process, no display",
        f"{context}256 MiB of workspaces beside what the model needs",
    ]
    if gpu.usable_memory is None:
        listed.append("all memory that is sold can be used: what the driver has of it was not read")
    return listed


def sixteen_bit_peak(gpu: Accelerator) -> float | None:
    """Dense operations/s in 16 bits, BF16 before FP16; None where the maker gives neither."""
    return gpu.dense_bf16 or gpu.dense_fp16


SPEEDS = {  # each rate's words and unit
    "bandwidth_over_weights": ("bandwidth over weights, batch size one", "tokens/s"),
    "decode_tokens_per_second": ("decoding, all conversations", "tokens/s"),
    "decode_tokens_per_second_per_conversation": ("decoding, each conversation", "tokens/s"),
    "prefill_seconds_per_conversation": ("reading one prompt of that length", "s"),
    "balanced_batch": ("conversations at the balance point", ""),
    "tokens_per_second_at_peak": ("training, at the dense peak", "tokens/s"),
    "operations_per_token": ("operations per token", ""),
}
