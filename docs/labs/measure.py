# %% [markdown]
# # Measure your own card
#
# How many bytes per second does your machine's memory really move, how much of what its maker
# states is that, and what does it promise a language model?
#
# This lab measures it with the code that measured this handbook's records, sets it beside them, and
# predicts from it how fast a model can write. What is printed below was measured on the machine
# that built this page; run the notebook, and it is yours.

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
# As they stand, they suit a small machine and take seconds. Change them and run everything again.

# %%
DEVICE = "auto"  # the first GPU, else the CPU; or "cpu", "cuda", "cuda:1"
BUFFER_BYTES = 2**28  # what is copied and read: at least several times the cache
WIDTH = 8192  # rows and columns of the matrix
SAMPLES = 20  # of each time; the median counts
MODEL = "llama-3.1-8b"  # whose speed is predicted; scripts/plan.py --list names them all

# %% [markdown]
# ## What is there?
#
# A buffer or a matrix that fits the cache would measure the cache. So both are made larger here
# where the cache asks for it.

# %%
from scripts.labs.machine import find_device, smallest_buffer, smallest_width

device = find_device(DEVICE)
buffer_bytes = max(BUFFER_BYTES, smallest_buffer(device))
width = max(WIDTH, smallest_width(device))
dtype = device.dtypes[-1]  # the shortest that it multiplies in hardware

print(f"device   {device.name}, in records called {device.slug}")
print(f"memory   {device.memory_bytes / 2**30:.1f} GiB")
print(f"cache    {device.cache_bytes / 2**20:.0f} MiB")
print(f"buffer   {buffer_bytes / 2**20:.0f} MiB")
print(f"matrix   {width:,} × {width:,} in {dtype.upper()}")

# %% [markdown]
# ## Measure
#
# Three pieces of work move memory and hardly compute. A copy reads each byte and writes it, so it
# moves twice its buffer. A sum reads each byte once. A matrix times one vector reads the matrix
# once, which is what a model does for every token that it writes. Each result is checked against a
# reference before anything is timed, and where samples scatter, they are taken again: [how we
# measure](../reference/how-we-measure.md) says why.

# %%
from datetime import UTC, datetime

from scripts.labs.machine import measure_bandwidth

results = measure_bandwidth(
    device,
    buffer_bytes=buffer_bytes,
    matrix_width=width,
    batches={dtype: [1]},
    samples=SAMPLES,
)
work = {
    "copy": results["copy"],
    "read": results["read"],
    "matrix times vector": results[dtype]["matrix_vector"],
}
print(f"{device.name}, {datetime.now(UTC):%Y-%m-%d}\n")
print(f"{'':20}{'moved':>10}{'median':>10}{'quartiles':>18}{'rate':>12}")
for name, found in work.items():
    times = found["seconds"]
    low, middle, high = (
        1e3 * times[each] for each in ("lower_quartile", "median", "upper_quartile")
    )
    print(
        f"{name:20}{found['bytes'] / 2**20:6.0f} MiB{middle:7.2f} ms{low:9.2f} – {high:.2f} ms"
        f"{found['bytes_per_second'] / 1e9:7.1f} GB/s"
        f"{'  too noisy to trust' if found['too_noisy'] else ''}"
    )
for found in (results["disturbances_before"], results["disturbances_after"]):
    print("disturbed:" if found else "nothing disturbed it", *found)

# %% [markdown]
# If a line says that it is too noisy, or that something disturbed it, believe it: end what else is
# running and measure again. A laptop on battery and a card that draws the desktop too are the usual
# reasons.
#
# ## Beside the datasheet
#
# A maker's figure is a peak: every wire of the memory busy in every cycle. Real work stays below
# it, since memory also refreshes its rows and turns between reading and writing. A share well below
# those of other cards is worth a look.

# %%
from snippets.hardware import ACCELERATORS

card = ACCELERATORS.get(device.slug)
if card is None:
    print(f"{device.name} is not in the registry: no entry is called {device.slug}.")
    print("To compare it, add a row to docs/data/hardware/cards.csv, each figure with its source.")
else:
    source = card.sources["memory_bandwidth"]
    print(f"{card.name}: {card.memory_bandwidth / 1e9:,.0f} GB/s ({source.title})")
    for name, found in work.items():
        print(f"{name:20}{found['bytes_per_second'] / card.memory_bandwidth:.0%} of that")

# %% [markdown]
# ## Beside the published records
#
# The same code measured the machines whose records this handbook publishes. Here is yours among
# them.

# %%
from IPython.display import display

from scripts.labs import charts
from scripts.labs.machine import published_copies

here = {name: found["bytes_per_second"] for name, found in work.items()}
words = "Bars of the rates measured here, in one colour, above those of the published copies."
display(charts.picture(charts.rates(here, published_copies()), words))

# %% [markdown]
# ## What it promises
#
# To generate one token at batch size one, a model reads each weight once. With a bandwidth
# $\beta$ and weights of $W$ bytes it cannot take less than $W / \beta$ seconds, so it stays under
# $\beta / W$ tokens per second. On an H100 that is [209 tokens/s][ceiling] for eight billion
# weights in FP16; [Bandwidth](../chapters/03-bandwidth.md) derives it. Yours:
#
# [ceiling]: #calc "decode_ceiling(h100_sxm.memory_bandwidth, weight_bytes(8e9, FP16.bytes))"

# %%
from snippets.bandwidth import decode_ceiling, transfer_seconds
from snippets.model_parameters import total_parameters
from snippets.models import MODELS
from snippets.quantized_size import quantized_bytes
from snippets.weight_formats import WEIGHT_FORMATS

model = MODELS[MODEL]
reading = results["read"]["bytes_per_second"]
print(f"{model.name} on {device.name}, reading {reading / 1e9:.1f} GB/s:")
for key in ("fp16", "int8", "int4-g32"):
    stored = WEIGHT_FORMATS[key]
    size = quantized_bytes(total_parameters(model), stored.matrix_bits)
    fits = "" if size < device.memory_bytes else ", if its memory held them"
    ceiling = decode_ceiling(reading, size)
    print(f"{stored.name:28}{size / 1e9:6.1f} GB, under {ceiling:6.2f} tokens/s{fits}")

# %% [markdown]
# ## Is the prediction any good?
#
# The product above is such a reading: one matrix, once. If time were reading alone, the rate of the
# sum would predict it.

# %%
product = work["matrix times vector"]
predicted = transfer_seconds(product["bytes"], reading)
measured = product["seconds"]["median"]
print(f"predicted {1e3 * predicted:.2f} ms, measured {1e3 * measured:.2f} ms")
print(f"the product takes {measured / predicted:.2f} times as long as the reading predicts")

# %% [markdown]
# Near one, the product waits for memory as the formula assumes. Far above, its library does not
# keep up with the memory; far below, the sum does not, and the ceiling above is too low by that
# factor. Which it is depends on the library, the type and the threads: change `DEVICE` and `WIDTH`
# and see.
#
# ## Publish it
#
# A record holds every sample, the versions, the device and a digest over all of it. With the
# project's sources at hand, the first command measures everything at full length; the second puts
# your record under your device's name, ready to be proposed.
#
# ```console
# $ .venv/bin/python scripts/build.py --device cuda --preset full --only bandwidth
# $ .venv/bin/python scripts/build.py --publish --only bandwidth
# ```
#
# A record that cannot be true, faster than the datasheet or short of samples, is refused with a
# reason.
#
# ## Exercises
#
# **One.** Halve `BUFFER_BYTES` until it is smaller than your cache, and take the line out that
# makes it larger. From where on does the rate rise?
#
# <details markdown>
# <summary>Answer</summary>
#
# From about where the buffer and its copy fit the cache together. Above it each byte comes from
# memory in every pass. [Bandwidth](../chapters/03-bandwidth.md) has the whole staircase.
#
# </details>
#
# **Two.** Raise `batches={dtype: [1]}` by a second batch, in powers of two. By how much does the
# time grow?
#
# <details markdown>
# <summary>Answer</summary>
#
# Hardly at all at first: the matrix is read once for the whole batch. It grows in proportion once
# the arithmetic takes longer than the reading, which is the balance point of your machine.
#
# </details>
