"""The GPUs of Llama 3.1 405B's training, as the product of its splits."""

from snippets.parallelism import gpus

print("8 tensor x 16 pipeline x 128 data =", gpus(tensor=8, pipeline=16, data=128))
print(
    "8 tensor x 16 context x 16 pipeline x 8 data =",
    gpus(tensor=8, context=16, pipeline=16, data=8),
)
