"""What each token adds to the cache, and what a conversation of 32,768 tokens keeps."""

from snippets.kv_cache import cache_bytes, cache_growth
from snippets.models import deepseek_v3, gemma_3_27b, llama_2_7b, llama_3_1_8b, llama_3_1_70b

for model in (llama_2_7b, llama_3_1_70b, llama_3_1_8b, gemma_3_27b, deepseek_v3):
    kept = cache_bytes(model, tokens=2**15)
    print(f"{model.name}: {cache_growth(model):.0f} bytes a token, {kept / 1e9:.2f} GB kept")
