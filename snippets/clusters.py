"""Clusters of GPUs, and training runs on them that were published.

>>> from snippets.training_plan import plan_gpus, plan_sequences
>>> cluster = llama_3_cluster
>>> cluster.server_gpus, cluster.network_bandwidth, cluster.product_operations
(8, 50000000000.0, 794500000000000.0)
>>> for run in (llama_3_405b_run, llama_3_405b_long_run):
...     print(run.tokens, plan_sequences(run), plan_gpus(run), run.utilisation)
...     print(run.tensor, run.context, run.pipeline, run.data, run.chunks, run.state.gradients)
8192 2048 16384 0.41
8 1 16 128 8 4
131072 128 16384 0.38
8 16 16 8 8 4
"""

from dataclasses import dataclass

from snippets.hardware import Accelerator, h100_sxm
from snippets.models import llama_3_1_405b
from snippets.sources import Source
from snippets.training_memory import FP32_GRADIENTS
from snippets.training_plan import TrainingPlan


@dataclass(frozen=True, kw_only=True)
class Cluster:
    """Servers of GPUs. `network_bandwidth` (bytes/s) is one GPU's share between servers, in one
    direction; `product_operations` (operations/s) what large matrix products reach."""

    name: str
    accelerator: Accelerator
    server_gpus: int
    network_bandwidth: float
    product_operations: float
    sources: dict[str, Source]


@dataclass(frozen=True, kw_only=True)
class PublishedRun(TrainingPlan):
    """A plan that was run: on which cluster, and the share of the peak that it reached."""

    name: str
    cluster: Cluster
    utilisation: float
    sources: dict[str, Source]


def _llama_3(section: str) -> Source:
    return Source(
        "Llama Team 2024, The Llama 3 herd of models",
        section,
        "https://arxiv.org/abs/2407.21783",
        "2026-11-29",
    )


llama_3_cluster = Cluster(
    name="H100 servers of eight, 400 Gbit/s for each GPU between them",
    accelerator=h100_sxm,
    server_gpus=8,
    network_bandwidth=50e9,
    product_operations=794.5e12,
    sources={
        "server_gpus": _llama_3("section 3.3.1: eight GPUs a server"),
        "network_bandwidth": _llama_3("section 3.3.1: 400 Gbps between GPUs"),
        "product_operations": Source(
            "Bekman 2023, Machine learning engineering",
            "maximum achievable matmul FLOPS: H100 SXM, BF16",
            "https://github.com/stas00/ml-engineering/tree/master/compute/accelerator",
            "2026-11-29",
        ),
    },
)

PUBLISHED = ("tensor", "pipeline", "data", "context", "tokens", "micro_batches", "utilisation")
FROM_THE_TEXT = {
    "state": _llama_3("section 3.3.2: gradients accumulated in FP32"),
    "chunks": _llama_3("section 3.3.2: one layer less leaves a chunk with only the embedding"),
}

llama_3_405b_run = PublishedRun(
    name="Llama 3.1 405B, most of its training",
    model=llama_3_1_405b,
    cluster=llama_3_cluster,
    tokens=8192,
    micro_batches=2048 // 128,
    tensor=8,
    pipeline=16,
    data=128,
    chunks=8,
    zero_stage=1,
    state=FP32_GRADIENTS,
    utilisation=0.41,
    sources=dict.fromkeys(PUBLISHED, _llama_3("table 4, second row")) | FROM_THE_TEXT,
)

llama_3_405b_long_run = PublishedRun(
    name="Llama 3.1 405B, long sequences",
    model=llama_3_1_405b,
    cluster=llama_3_cluster,
    tokens=131072,
    micro_batches=128 // 8,
    tensor=8,
    pipeline=16,
    data=8,
    context=16,
    chunks=8,
    zero_stage=1,
    state=FP32_GRADIENTS,
    utilisation=0.38,
    sources=dict.fromkeys(PUBLISHED, _llama_3("table 4, third row")) | FROM_THE_TEXT,
)
