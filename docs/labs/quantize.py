# %% [markdown]
# # Quantize a model of yours
#
# How few bits can its weights have before the model gets worse, and what does that save?
#
# This lab rounds every matrix of a model's layers, for many widths and two ways to share a scale,
# and measures the loss on a text that the model has not seen. It runs on the small model that ships
# with this handbook, without a network, or on a checkpoint of yours.

# %%
# Where the project is not at hand, in Colab for one, it is fetched first.
import importlib.util
import subprocess
import sys

REPOSITORY = ""  # where the project is published

if importlib.util.find_spec("snippets") is None:
    if not REPOSITORY:
        raise ModuleNotFoundError("set REPOSITORY to the address that this notebook came from")
    subprocess.run(["git", "clone", "--depth", "1", REPOSITORY, "sixteen-bytes"], check=True)
    sys.path.insert(0, "sixteen-bytes")

# %% [markdown]
# ## Your turn: the parameters
#
# `MODEL` is the embedded model, a folder with `config.json`, `tokenizer.json` and safetensors, or a
# name on the hub, such as `EleutherAI/pythia-160m`; GPT-NeoX and Llama checkpoints can be read.
# `TEXT` is a file of yours, or WikiText-2, which the package `datasets` fetches. The embedded model
# brings its own: a novel by Jane Austen that it was not trained on.

# %%
MODEL = "embedded"
TEXT = "WikiText-2"  # for a model of yours
DEVICE = "cpu"  # or "cuda"
BITS = (8, 6, 5, 4, 3, 2)
GROUP = 32  # weights that share a scale; it must divide the rows
WINDOWS = 8  # of the text; all of it takes longer and scatters less
TOLERANCE = 0.05  # nats per token that you would give away

# %% [markdown]
# ## The model and its text

# %%
from scripts.labs.model_sweep import load_subject

choice, subject = load_subject(MODEL, TEXT, dtype="fp32", device=DEVICE)
parameters = sum(parameter.numel() for parameter in subject.model.parameters())

print(f"model    {choice.model}, {parameters:,} parameters")
print(f"text     {choice.text}, {len(subject.tokens):,} tokens")
print(f"measured {WINDOWS} windows of {subject.context} tokens")

# %% [markdown]
# ## Round and measure
#
# Weights that share a scale $s$ become whole multiples of it. With $b$ bits the largest multiple is
# $q_{\max} = 2^{b-1} - 1$, and the largest weight decides the scale:
# [Quantization](../chapters/05-quantization.md) shows what that does to the others. A scale for
# each group costs sixteen bits more a group; one for the whole matrix costs nothing, and one
# outlier sets it for all.
#
# [f-levels]: #formula "q_{\max} = largest_level(b)"

# %%
from scripts.labs.model_sweep import sweep_bits

sweep, found = sweep_bits(subject, group=GROUP, bits=BITS, windows=WINDOWS)

GROUPS, MATRIX = f"groups of {GROUP}", "one scale per matrix"
SCALES = {GROUPS: "per_group", MATRIX: "per_matrix"}
baseline = found["loss"]["per_group"]["16"]
rises = {
    name: {bits: found["loss"][key][str(bits)] - baseline for bits in BITS}
    for name, key in SCALES.items()
}
print(f"loss without rounding: {baseline:.4f} nats per token\n")
print("how much rounding raises it:")
print(f"bits{GROUPS:>16}{MATRIX:>24}")
for bits in BITS:
    print(f"{bits:4}{rises[GROUPS][bits]:+16.4f}{rises[MATRIX][bits]:+24.4f}")

# %% [markdown]
# A small rise says little: so few windows do not tell it from nothing, and
# it can even be negative. What matters is where the column leaves that noise.
#
# ## How should it rise?
#
# One bit less makes the step about twice as wide, and the squared error [four times][w-error] as
# large. Near a minimum the loss rises with the square of the error, so on a logarithmic axis each bit
# should cost about the same. The dashed line is that rule, drawn through the rise with the fewest bits
# that stay within the tolerance.
#
# [w-error]: #calc "2 ** 2"

# %%
from IPython.display import display

from scripts.labs import charts

widths = {
    name: {bits: found["bits_per_weight"][key][str(bits)] for bits in BITS}
    for name, key in SCALES.items()
}
within = [bits for bits in BITS if rises[GROUPS][bits] <= TOLERANCE]
fewest = min(within, default=max(BITS))
words = (
    "Rise in loss on a logarithmic axis over ever fewer bits per weight. Both curves rise, that of"
    " groups later than that of one scale per matrix; a green line marks the tolerance."
)
drawing = charts.losses(rises, widths, tolerance=TOLERANCE, ruled=GROUPS, through=fewest)
display(charts.picture(drawing, words))

# %% [markdown]
# Rises that are not above zero have no place on this axis and are left out. Where a curve bends above
# the rule, the errors are no longer small: the model has left the neighbourhood of its minimum.
# Rounding to nearest goes little further than that; methods that look at the data do, and
# [the chapter](../chapters/05-quantization.md) compares them.
#
# ## How far can one go, and what does it save?
#
# The matrices of the layers are rounded; embeddings and norms stay in sixteen bits. In a small
# model they weigh much, in a large one little.

# %%
from snippets.quantized_size import quantized_bytes

rounded = found["weights"]
others = parameters - rounded
whole = quantized_bytes(parameters, 16)
print(f"{rounded:,} weights are rounded, {others:,} are not\n")
for bits in BITS:
    size = quantized_bytes(rounded, widths[GROUPS][bits]) + quantized_bytes(others, 16)
    verdict = "within the tolerance" if bits in within else "too much"
    print(f"{bits} bits: {size / 1e6:8.2f} MB, {size / whole:4.0%} of 16 bits, {verdict}")

# %% [markdown]
# What the same widths would save on a large model needs no measurement. Whether it would bear them
# does: larger models were recorded to lose less at the same width, so take the width from a model
# near to yours.

# %%
from snippets.bandwidth import decode_ceiling
from snippets.hardware import h100_sxm
from snippets.model_parameters import total_parameters
from snippets.models import llama_3_1_8b

print(f"{llama_3_1_8b.name}, all weights, on an {h100_sxm.name}:")
for bits in (16, fewest):
    width = widths[GROUPS].get(bits, 16)
    size = quantized_bytes(total_parameters(llama_3_1_8b), width)
    ceiling = decode_ceiling(h100_sxm.memory_bandwidth, size)
    print(f"{bits:2} bits: {size / 1e9:5.2f} GB, under {ceiling:4.0f} tokens/s for one reader")

# %% [markdown]
# ## Your turn: which layer minds most?
#
# Nothing says that all layers must have the same width. Here one layer at a time gets `FEW` bits
# and the others stay whole. Change `FEW`, or round two layers together: do their rises add up?

# %%
from scripts.labs.model_sweep import layers_of, round_layer

FEW = 3

for layer in layers_of(sweep):
    round_layer(sweep, layer, bits=FEW, group=GROUP)
    print(f"layer {layer} in {FEW} bits: {sweep.loss() - baseline:+.4f} nats per token")
    sweep.restore()

# %% [markdown]
# ## Exercises
#
# **One.** Which group size makes three bits as good as four with groups of the size above?
#
# <details markdown>
# <summary>Answer</summary>
#
# Probably none: halving the group lowers the largest weight in it only a little, while a bit halves
# the step. Set `GROUP` to powers of two and compare at equal bits per weight, scales included.
#
# </details>
#
# **Two.** Compute in sixteen bits: replace `"fp32"` by `"bf16"` where the model is loaded. What
# changes?
#
# <details markdown>
# <summary>Answer</summary>
#
# The loss without rounding moves a little, since BF16 rounds the weights as well. The rises stay
# where they were, except the smallest.
#
# </details>
