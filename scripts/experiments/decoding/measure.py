"""Decoding: tokens per second of a plain Llama, against the ceiling that memory sets."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

from scripts.devices.conditions import disturbances
from scripts.devices.noisy_samples import steady_samples
from scripts.devices.not_run import attempt
from scripts.devices.pace import pace
from scripts.devices.timing import seconds_per_call
from scripts.records.samples import FEWEST_SAMPLES, quantity
from snippets.bandwidth import batched_decode_ceiling

if TYPE_CHECKING:
    from scripts.devices.device import Device
    from scripts.models.llama_fused import Llama, LlamaConfig
    from scripts.records.journal import Journal

BYTES_PER_ELEMENT = {"fp32": 4, "fp16": 2, "bf16": 2}
# Small to large; the last three are the shapes of Llama 3.2 1B, 3.2 3B and 3.1 8B (Llama Team 2024,
# arXiv:2407.21783, and the published configurations), each with an output matrix of its own.
LADDER = {
    "100M": (32000, 768, 12, 12, 4, 2048),
    "1B": (128256, 2048, 16, 32, 8, 8192),
    "3B": (128256, 3072, 28, 24, 8, 8192),
    "8B": (128256, 4096, 32, 32, 8, 14336),
}
WARM_UP_STEPS = 3
COMPILING_SECONDS = 60.0  # expected of one model, most of it on one core of the host
LARGEST_BUFFER_BYTES = 2**30


def parameters(*, preset: str, device: "Device") -> dict[str, Any]:
    """Which models, smallest first, in which format; those that this device's memory holds."""
    full = preset == "full"
    dtype = next(d for d in ("bf16", "fp16", "fp32") if d in device.dtypes)
    names = list(LADDER) if device.kind == "cuda" else list(LADDER)[: 2 if full else 1]
    element, room = BYTES_PER_ELEMENT[dtype], 0.8 * device.memory_bytes
    fitting = [name for name in names if _elements(name) * element <= room]
    return {
        "preset": preset,
        "models": fitting,
        "dtype": dtype,
        "batches": [1, 2, 4, 8, 16] if full else [1, 4],
        "tokens": 128,
        "samples": FEWEST_SAMPLES,
        "threads": device.cores if device.kind == "cpu" else None,
    }


def _elements(name: str) -> int:
    """About how many weights a model has."""
    vocab, width, layers, _, _, intermediate = LADDER[name]
    return 2 * vocab * width + layers * width * (3 * width + 3 * intermediate)


def expected_seconds(*, device: "Device", parameters: dict[str, Any]) -> float:
    """How long all of it takes on a device as fast as its datasheet lets one hope.

    Each sample reads the weights three times, and a GPU's step is compiled once.
    """
    at, works = pace(device), 1 + len(parameters["batches"])
    compiling = COMPILING_SECONDS * len(parameters["models"]) if device.kind == "cuda" else 0.0
    element = BYTES_PER_ELEMENT[parameters["dtype"]]
    weights = (3 * element * _elements(name) for name in parameters["models"])
    samples = parameters["samples"]
    each = (at.seconds(moved=size, samples=samples, shortest=0.01) for size in weights)
    return works * sum(each) + compiling


def measure(*, device: "Device", parameters: dict[str, Any], run: "Journal") -> dict[str, Any]:
    """Each model at each batch; of a model that does not fit, or goes wrong, the reason."""
    import torch

    if parameters["threads"]:
        torch.set_num_threads(parameters["threads"])
    else:
        torch.cuda.set_device(device.torch_name)
    batches = (2 if device.kind == "cuda" else 1) + len(parameters["batches"])
    run.progress(total=len(parameters["models"]) * batches * parameters["samples"])
    results: dict[str, Any] = {"disturbances_before": disturbances(device), "models": {}}
    for name in parameters["models"]:
        take = partial(_model, name, device=device, parameters=parameters, run=run)
        results["models"][name] = attempt(take, device=device)
    results["disturbances_after"] = disturbances(device)
    return results


def _model(
    name: str, *, device: "Device", parameters: dict[str, Any], run: "Journal"
) -> dict[str, Any]:
    """As PyTorch's linear layers multiply, and at each batch with the matrices packed for it.

    On a GPU every step is a CUDA graph's, and at batch one beside it that of a compiled step.
    """
    from scripts.models.llama_fused import LlamaConfig
    from scripts.serving.plain_decoding import check, pack, random_llama, read_bytes

    config = LlamaConfig(*LADDER[name])
    model = random_llama(config, dtype=_dtype(parameters), device=device.torch_name)
    weights, embedding = read_bytes(model)
    size = _Size(weights, embedding, model.cache_bytes_per_token() * parameters["tokens"])
    measured = partial(_batch, model, size, device=device, parameters=parameters, run=run)
    check(model)
    found: dict[str, Any] = {
        "parameters": sum(weight.numel() for weight in model.parameters()),
        "read_weight_bytes": weights,
        "embedding_bytes": embedding,
        "cache_bytes_per_sequence": size.cache,
        "plain": attempt(partial(measured, f"{name} × 1, plain", 1), device=device),
        "packed": pack(model, sequences=1),
        "batch": {},
    }
    if device.kind == "cuda":
        found["compiled"] = _compiled(model, partial(measured, f"{name} × 1, compiled", 1), device)
    check(model)
    for sequences in parameters["batches"]:
        pack(model, sequences=sequences)
        batch = attempt(partial(measured, f"{name} × {sequences}", sequences), device=device)
        found["batch"][str(sequences)] = batch
        if "not_run" in batch:
            break
    return found


def _compiled(model: "Llama", measured: Callable[..., Any], device: "Device") -> dict[str, Any]:
    """The same step compiled; or why it was not, as where Triton or a compiler is missing."""
    import torch
    from torch._dynamo.exc import TorchDynamoException

    from scripts.serving.plain_decoding import check

    def compile_and_measure() -> dict[str, Any]:
        torch._dynamo.reset()  # it runs plain what it has compiled for more than a few shapes
        check(model, compiled=True)
        found: dict[str, Any] = measured(compiled=True)
        return found

    try:
        return attempt(compile_and_measure, device=device)
    except (ImportError, TorchDynamoException) as error:
        return {"not_run": f"cannot be compiled here: {str(error).strip().splitlines()[0]}"}


@dataclass(frozen=True)
class _Size:
    """Bytes: of the weights that a step reads, of the embedding, of one sequence's cache."""

    weights: int
    embedding: int
    cache: int


def _dtype(parameters: dict[str, Any]) -> Any:
    import torch

    names = {"fp32": torch.float32, "fp16": torch.float16, "bf16": torch.bfloat16}
    return names[parameters["dtype"]]


def _batch(
    model: "Llama",
    size: _Size,
    key: str,
    sequences: int,
    *,
    device: "Device",
    parameters: dict[str, Any],
    run: "Journal",
    compiled: bool = False,
) -> dict[str, Any]:
    """Reading, steps, products alone and a model without weights, in turn: what disturbs one
    disturbs all, and their ratios hold."""
    works = _Works(model, size, sequences, device=device, parameters=parameters, compiled=compiled)
    count = parameters["samples"]
    found = steady_samples(
        run, key, works.sample, count=count, value=lambda s: s["step"] / s["read"]
    )
    samples: list[dict[str, float]] = found.samples
    seconds = {part: quantity([sample[part] for sample in samples]) for part in samples[0]}
    middle = {part: sampled["median"] for part, sampled in seconds.items()}
    bandwidth = works.bytes_read / middle["read"]
    cached = sequences * size.cache
    moved = size.weights + cached
    ceiling = partial(
        batched_decode_ceiling,
        memory_bandwidth=bandwidth,
        cache_bytes=size.cache,
        sequences=sequences,
    )
    # Each step beside the reading done just before it.
    shares = [moved / each["step"] / (works.bytes_read / each["read"]) for each in samples]
    return {
        "seconds": seconds["step"],
        "read_seconds": seconds["read"],
        "products_seconds": seconds["products"],
        "dispatch_seconds": seconds["dispatch"],
        "sequences": sequences,
        "bytes": moved,
        "tokens_per_second": sequences / middle["step"],
        "bytes_per_second": moved / middle["step"],
        "read_bytes_per_second": bandwidth,
        "products_bytes_per_second": size.weights / middle["products"],
        "ceiling_tokens_per_second": ceiling(weight_bytes=size.weights),
        "ceiling_with_embedding_tokens_per_second": ceiling(
            weight_bytes=size.weights + size.embedding
        ),
        "of_ceiling": quantity(shares),
        "between": {
            "reading_seconds": moved / bandwidth,
            "slower_products_seconds": middle["products"] - size.weights / bandwidth,
            "dispatch_seconds": middle["dispatch"],
            "rest_seconds": middle["step"]
            - (middle["products"] + middle["dispatch"] + cached / bandwidth),
        },
        **found.as_record(),
    }


class _Works:
    """What is timed, prepared when the first sample is taken; a resumed run may need none."""

    def __init__(
        self,
        model: "Llama",
        size: _Size,
        sequences: int,
        *,
        device: "Device",
        parameters: dict[str, Any],
        compiled: bool,
    ) -> None:
        self._compiled = compiled
        self._buffer_bytes = min(size.weights, LARGEST_BUFFER_BYTES) // 4 * 4
        self._times = round(size.weights / self._buffer_bytes)
        self._model, self._sequences = model, sequences
        self._device, self._parameters = device, parameters
        self._calls: dict[str, Callable[[], object]] = {}

    @property
    def bytes_read(self) -> int:
        """By the reading that the step is held against: about what the step reads."""
        return self._times * self._buffer_bytes

    def sample(self) -> dict[str, float]:
        """Seconds of one call of each."""
        if not self._calls:
            self._calls = self._prepare()
            for call in self._calls.values():
                seconds_per_call(call, repeats=WARM_UP_STEPS, device=self._device)
        return {
            name: seconds_per_call(call, repeats=1, device=self._device)
            for name, call in self._calls.items()
        }

    def _prepare(self) -> dict[str, Callable[[], object]]:
        from scripts.serving.plain_decoding import Decoder, products, random_llama, reading, stepper

        device, tokens = self._device, self._parameters["tokens"]
        batch = {"sequences": self._sequences, "tokens": tokens, "compiled": self._compiled}
        decoder = Decoder(self._model, **batch)
        weightless = random_llama(
            _weightless(self._model.config),
            dtype=_dtype(self._parameters),
            device=device.torch_name,
        )
        idle = Decoder(weightless, **batch)
        return {
            "read": reading(buffer_bytes=self._buffer_bytes, times=self._times, device=device),
            "step": stepper(decoder, device=device),
            "products": products(self._model, sequences=self._sequences, device=device),
            "dispatch": stepper(idle, device=device),
        }


def _weightless(config: "LlamaConfig") -> "LlamaConfig":
    """As many operations on next to nothing: what starting them costs."""
    from dataclasses import replace

    return replace(
        config,
        vocab_size=32,
        hidden_size=32,
        num_attention_heads=2,
        num_key_value_heads=1,
        intermediate_size=32,
    )
