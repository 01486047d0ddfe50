"""Clusters of GPUs, and training runs on them that were published.

What the registries hold cannot be changed:

>>> llama_3_cluster.server_gpus = 4
Traceback (most recent call last):
dataclasses.FrozenInstanceError: cannot assign to field 'server_gpus'
>>> llama_3_405b_run.data = 64
Traceback (most recent call last):
dataclasses.FrozenInstanceError: cannot assign to field 'data'
>>> Cluster("one server")
Traceback (most recent call last):
TypeError: Cluster.__init__() takes 1 positional argument but 2 were given
>>> ClusterPlan("a plan")
Traceback (most recent call last):
TypeError: ClusterPlan.__init__() takes 1 positional argument but 2 were given

The published figures, and what a plan assumes where nothing is said:

>>> cluster = llama_3_cluster
>>> cluster.server_gpus, cluster.network_bandwidth, cluster.product_operations
(8, 50000000000.0, 794500000000000.0)
>>> for run in (llama_3_405b_run, llama_3_405b_long_run):
...     print(run.tokens, run.sequences, run.utilisation)
...     print(run.tensor, run.context, run.pipeline, run.data, run.chunks)
8192 2048 0.41
8 1 16 128 8
131072 128 0.38
8 16 16 8 8
>>> plan = ClusterPlan(model=llama_3_1_405b, cluster=cluster, tokens=3, sequences=5)
>>> plan.tensor, plan.pipeline, plan.data, plan.context, plan.chunks, plan.zero_stage
(1, 1, 1, 1, 1, 1)
>>> plan.recompute, plan.state.gradients, plan.utilisation
(False, 2, 0)
"""

from dataclasses import dataclass, field

from snippets.hardware import Accelerator, h100_sxm
from snippets.models import Model, llama_3_1_405b
from snippets.sources import Source
from snippets.training_memory import FP32_GRADIENTS, MIXED_PRECISION, TrainingState


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
class ClusterPlan:
    """A model on a cluster: `sequences` of `tokens` make one step, one to each micro-batch.

    `chunks` are the runs of layers that each pipeline rank has (1: not interleaved), and
    `utilisation` the share of the peak that was published (0: none was).
    """

    model: Model
    cluster: Cluster
    tokens: int
    sequences: int
    tensor: int = 1
    pipeline: int = 1
    data: int = 1
    context: int = 1
    chunks: int = 1
    zero_stage: int = 1
    recompute: bool = False
    state: TrainingState = MIXED_PRECISION
    utilisation: float = 0
    sources: dict[str, Source] = field(default_factory=dict)


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

PUBLISHED = ("tensor", "pipeline", "data", "context", "tokens", "sequences", "utilisation")
FROM_THE_TEXT = {
    "state": _llama_3("section 3.3.2: gradients accumulated in FP32"),
    "chunks": _llama_3("section 3.3.2: one layer less leaves a chunk with only the embedding"),
}

llama_3_405b_run = ClusterPlan(
    model=llama_3_1_405b,
    cluster=llama_3_cluster,
    tokens=8192,
    sequences=2048,
    tensor=8,
    pipeline=16,
    data=128,
    chunks=8,
    state=FP32_GRADIENTS,
    utilisation=0.41,
    sources=dict.fromkeys(PUBLISHED, _llama_3("table 4, second row")) | FROM_THE_TEXT,
)

llama_3_405b_long_run = ClusterPlan(
    model=llama_3_1_405b,
    cluster=llama_3_cluster,
    tokens=131072,
    sequences=128,
    tensor=8,
    pipeline=16,
    data=8,
    context=16,
    chunks=8,
    state=FP32_GRADIENTS,
    utilisation=0.38,
    sources=dict.fromkeys(PUBLISHED, _llama_3("table 4, third row")) | FROM_THE_TEXT,
)
