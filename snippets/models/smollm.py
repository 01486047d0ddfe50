"""SmolLM2: Llama's architecture, small, with tied embeddings."""

from snippets.models.llama import llama

smollm2_135m = llama(
    name="SmolLM2 135M",
    repository="HuggingFaceTB/SmolLM2-135M",
    layers=30,
    hidden_size=576,
    heads=9,
    kv_heads=3,
    intermediate_size=1536,
    vocabulary=49152,
    context=8192,
    tied_embeddings=True,
)
smollm2_360m = llama(
    name="SmolLM2 360M",
    repository="HuggingFaceTB/SmolLM2-360M",
    layers=32,
    hidden_size=960,
    heads=15,
    kv_heads=5,
    intermediate_size=2560,
    vocabulary=49152,
    context=8192,
    tied_embeddings=True,
)
smollm2_1_7b = llama(
    name="SmolLM2 1.7B",
    repository="HuggingFaceTB/SmolLM2-1.7B",
    layers=24,
    hidden_size=2048,
    heads=32,
    kv_heads=32,
    intermediate_size=8192,
    vocabulary=49152,
    context=8192,
    tied_embeddings=True,
)
