"""What frameworks hold on a GPU beside what training needs."""

from dataclasses import dataclass

from snippets.sources import Source


@dataclass(frozen=True, kw_only=True)
class Runtime:
    """A framework's own memory, as PyTorch's allocator reserves it.

    `logit_bytes` per logit at the worst moment; `copied_states`, hidden states that each layer
    copies; `gathered_states`, undivided hidden states at work under a tensor split, and
    `waiting_states`, how many at most with those that wait for their backward pass or for
    communication (0 where none does); `bucket_bytes` per parameter of buffers in which data-parallel copies
    exchange it; `embedding_bytes` of buffers per embedding parameter; `overhead`, the share that
    the allocator adds to activations and logits; `workspace` and `driver` in bytes, inside and
    outside the allocator.
    """

    name: str
    logit_bytes: float
    copied_states: float
    gathered_states: float
    waiting_states: float
    bucket_bytes: float
    embedding_bytes: float
    overhead: float
    workspace: float
    driver: float
    sources: dict[str, Source]


READ = "2026-11-29"
NANOTRON = "https://github.com/huggingface/nanotron/blob/main/src/nanotron/"
RUNS = "https://huggingface.co/spaces/nanotron/ultrascale-playbook"


def _nanotron_code(section: str, path: str) -> Source:
    return Source("nanotron, source code", section, NANOTRON + path, READ)


def _fitted(section: str) -> Source:
    return Source("Fitted on one published nanotron run, rounded", section, RUNS, READ)


CROSS_ENTROPY = _nanotron_code(
    "sharded cross-entropy: 16-bit logits, their FP32 copy, and the softmax that becomes the"
    " gradient: 2 + 4 + 4 bytes",
    "parallel/tensor_parallel/functional.py",
)
COLUMN_LINEAR = _nanotron_code(
    "a gathered input, an undivided output, the gradient of either",
    "parallel/tensor_parallel/functional.py",
)
WORKSPACE = Source(
    "NVIDIA cuBLAS documentation",
    "cublasSetWorkspace: 32 MiB for each handle and stream on Hopper; eight of them",
    "https://docs.nvidia.com/cuda/cublas/",
    READ,
)
PREFETCHED = _nanotron_code(
    "a gathered input, an undivided output, the gradient of either, and the next one on its way",
    "parallel/tensor_parallel/functional.py",
)
ATTENTION_COPY = _nanotron_code("attention output, made contiguous", "models/llama.py")
OVERHEAD = _fitted("1.34B, 8 stages, no tensor split, micro-batches of 4, 32 of them")
EMBEDDING = _fitted("3.57B, 8 stages, no tensor split, micro-batches of 1")
WAITING = _fitted("8.86B, 8 stages, tensor split of 8, micro-batches of 8")

ASSUMED = Source(
    "Assumption of this handbook",
    "a CUDA context of half a GiB; drivers differ, and smaller GPUs need less",
    "https://github.com/sixteen-bytes/sixteen-bytes",
    READ,
)
NOT_MODELLED = Source(
    "Assumption of this handbook",
    "a framework that copies no hidden state and exchanges gradients where they lie",
    "https://github.com/sixteen-bytes/sixteen-bytes",
    READ,
)

PYTORCH = Runtime(
    name="PyTorch",
    logit_bytes=10,
    copied_states=0,
    gathered_states=4,
    waiting_states=0,
    bucket_bytes=0,
    embedding_bytes=0,
    overhead=0.05,
    workspace=2**28,
    driver=2**29,
    sources={
        "logit_bytes": CROSS_ENTROPY,
        "copied_states": NOT_MODELLED,
        "gathered_states": COLUMN_LINEAR,
        "waiting_states": NOT_MODELLED,
        "bucket_bytes": NOT_MODELLED,
        "embedding_bytes": NOT_MODELLED,
        "overhead": OVERHEAD,
        "workspace": WORKSPACE,
        "driver": ASSUMED,
    },
)

NANOTRON_GATHERS_AGAIN = Runtime(
    name="nanotron, inputs gathered again in the backward pass",
    logit_bytes=10,
    copied_states=1,
    gathered_states=5,
    waiting_states=0,
    bucket_bytes=2,
    embedding_bytes=4,
    overhead=0.05,
    workspace=2**28,
    driver=0,
    sources={
        "logit_bytes": CROSS_ENTROPY,
        "copied_states": ATTENTION_COPY,
        "gathered_states": PREFETCHED,
        "waiting_states": PREFETCHED,
        "bucket_bytes": _nanotron_code(
            "16-bit gradients in DistributedDataParallel's buckets, or with ZeRO the 16-bit weights"
            " that are gathered after the step",
            "optim/zero.py",
        ),
        "embedding_bytes": EMBEDDING,
        "overhead": OVERHEAD,
        "workspace": WORKSPACE,
        "driver": _nanotron_code("max_memory_reserved leaves it out", "helpers.py"),
    },
)

NANOTRON_KEEPS_GATHERED = Runtime(
    name="nanotron, gathered inputs kept",
    logit_bytes=10,
    copied_states=1,
    gathered_states=5,
    waiting_states=48,
    bucket_bytes=2,
    embedding_bytes=4,
    overhead=0.05,
    workspace=2**28,
    driver=0,
    sources=NANOTRON_GATHERS_AGAIN.sources | {"waiting_states": WAITING},
)

NANOTRON_RUNS_AHEAD = Runtime(
    name="nanotron, the host running ahead of the GPU",
    logit_bytes=10,
    copied_states=1,
    gathered_states=48,
    waiting_states=0,
    bucket_bytes=2,
    embedding_bytes=4,
    overhead=0.05,
    workspace=2**28,
    driver=0,
    sources=NANOTRON_GATHERS_AGAIN.sources | {"gathered_states": WAITING},
)
