"""What frameworks hold on a GPU beside what training needs."""

from dataclasses import dataclass, replace

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
ARGUED = "chapters/06-will-it-fit/#what-a-step-needs-and-what-software-keeps"


def _nanotron(section: str, path: str) -> Source:
    site = "https://github.com/huggingface/nanotron/blob/main/src/nanotron/"
    return Source("nanotron, source code", section, site + path, READ)


def _fitted(section: str) -> Source:
    runs = "https://huggingface.co/spaces/nanotron/ultrascale-playbook"
    return Source("Fitted on one published nanotron run, rounded", section, runs, READ)


def _assumed(section: str) -> Source:
    return Source("Assumption of this handbook", section, ARGUED, READ)


TENSOR_PARALLEL = "parallel/tensor_parallel/functional.py"
CROSS_ENTROPY = _nanotron(
    "sharded cross-entropy: 16-bit logits, their FP32 copy, and the softmax that becomes the"
    " gradient: 2 + 4 + 4 bytes",
    TENSOR_PARALLEL,
)
GATHERED = "a gathered input, an undivided output, the gradient of either"
PREFETCHED = _nanotron(f"{GATHERED}, and the next one on its way", TENSOR_PARALLEL)
OVERHEAD = _fitted("1.34B, 8 stages, no tensor split, micro-batches of 4, 32 of them")
WAITING = _fitted("8.86B, 8 stages, tensor split of 8, micro-batches of 8")
WORKSPACE = Source(
    "NVIDIA cuBLAS documentation",
    "cublasSetWorkspace: 32 MiB for each handle and stream on Hopper; eight of them",
    "https://docs.nvidia.com/cuda/cublas/",
    READ,
)
NOT_MODELLED = _assumed(
    "a framework that copies no hidden state and exchanges gradients where they lie"
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
        "gathered_states": _nanotron(GATHERED, TENSOR_PARALLEL),
        "waiting_states": NOT_MODELLED,
        "bucket_bytes": NOT_MODELLED,
        "embedding_bytes": NOT_MODELLED,
        "overhead": OVERHEAD,
        "workspace": WORKSPACE,
        "driver": _assumed("a CUDA context of half a GiB; drivers differ, smaller GPUs need less"),
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
        "copied_states": _nanotron("attention output, made contiguous", "models/llama.py"),
        "gathered_states": PREFETCHED,
        "waiting_states": PREFETCHED,
        "bucket_bytes": _nanotron(
            "16-bit gradients in DistributedDataParallel's buckets, or with ZeRO the 16-bit weights"
            " that are gathered after the step",
            "optim/zero.py",
        ),
        "embedding_bytes": _fitted("3.57B, 8 stages, no tensor split, micro-batches of 1"),
        "overhead": OVERHEAD,
        "workspace": WORKSPACE,
        "driver": _nanotron("max_memory_reserved leaves it out", "helpers.py"),
    },
)

NANOTRON_KEEPS_GATHERED = replace(
    NANOTRON_GATHERS_AGAIN,
    name="nanotron, gathered inputs kept",
    waiting_states=48,
    sources=NANOTRON_GATHERS_AGAIN.sources | {"waiting_states": WAITING},
)

NANOTRON_RUNS_AHEAD = replace(
    NANOTRON_GATHERS_AGAIN,
    name="nanotron, the host running ahead of the GPU",
    gathered_states=48,
    sources=NANOTRON_GATHERS_AGAIN.sources | {"gathered_states": WAITING},
)
