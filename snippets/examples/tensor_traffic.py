"""What a tensor split of 8 sends per layer, inside a server and between servers."""

from snippets.bandwidth import transfer_seconds
from snippets.clusters import llama_3_cluster
from snippets.formats import BF16
from snippets.hardware import h100_sxm
from snippets.parallelism import tensor_parallel_bytes

network = llama_3_cluster.network_bandwidth

sent = tensor_parallel_bytes(
    tokens=8192, sequences=1, width=16384, bytes_per_element=BF16.bytes, ranks=8
)

print(f"each GPU sends {sent / 1e9:.2f} GB per layer and step")
print(f"over NVLink: {transfer_seconds(sent, h100_sxm.link_bandwidth) * 1e3:.1f} ms")
print(f"over the network: {transfer_seconds(sent, network) * 1e3:.1f} ms")
