# %% [markdown]
# # Plan a training run
#
# Will it fit, how long will it take, and which of your choices matters most?
#
# This lab answers with the planner's own arithmetic: memory on the fullest GPU part by part, for
# every ZeRO stage; the time that the operations need at a share of the peak; what fits beside it;
# and by how much each choice moves the memory. Nothing is measured here, so it runs anywhere. The
# [planner](../planner.md) answers the same questions in the page.

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
# `scripts/plan.py --list` names all models and cards. `UTILISATION` is the share of the dense peak
# that your training reaches. It is an assumption, and the time is inversely proportional to it:
# measure yours over a few steps.

# %%
MODEL = "llama-3.1-8b"
CARD = "h100-sxm"
CARDS = 8
TENSOR = 1  # GPUs that split each matrix
PIPELINE = 1  # stages
SEQUENCE = 4096  # tokens
MICRO_BATCH = 1  # sequences on a GPU at once
RECOMPUTE = False  # keep the inputs of layers alone, and compute the rest again
TRAINING_TOKENS = 10e9
UTILISATION = 0.4

# %% [markdown]
# ## What does each GPU hold?
#
# With mixed precision and Adam a parameter costs [16 bytes][state]: weights and gradients in two
# each, and twelve for the optimizer. Llama 3.1 8B needs [128.5 GB][bytes] for them alone, more than
# the [80 GiB][w-card] of an H100. ZeRO divides them among the replicas: the optimizer's
# from the first stage on, then the gradients, then the weights ([Rajbhandari et al. 2020, section
# 5][zero]).
#
# [w-card]: #cite "h100_sxm.memory"
# [state]: #calc "bytes_per_parameter()"
# [bytes]: #calc "training_bytes(total_parameters(llama_3_1_8b))"
# [zero]: #cite "rajbhandari2020: section 5"

# %%
from dataclasses import replace

from scripts.labs.training_run import answer_each_stage, possible, settle
from snippets.hardware import ACCELERATORS
from snippets.models import MODELS
from snippets.stage_memory import fullest_stage
from snippets.training_plan import TrainingPlan

GIB = 2**30
card = ACCELERATORS[CARD]
asked = TrainingPlan(
    model=MODELS[MODEL],
    tokens=SEQUENCE,
    micro_batch=MICRO_BATCH,
    micro_batches=PIPELINE,
    tensor=TENSOR,
    pipeline=PIPELINE,
    data=0,  # as many copies as the cards make
    recompute=RECOMPUTE,
)
plan = settle(asked, gpus=CARDS)
stages = answer_each_stage(plan, card)
parts = list(dict.fromkeys(part for answer in stages.values() for part in answer.memory))

print(f"{plan.model.name} on {CARDS} × {card.name}, {plan.data} copies")
print(f"GiB on the fullest GPU{'':6}" + "".join(f"  ZeRO-{stage}" for stage in stages))
for part in parts:
    row = "".join(f"{answer.memory.get(part, 0) / GIB:8.1f}" for answer in stages.values())
    print(f"{part.replace('_', ' '):28}{row}")
print(f"{'total':28}" + "".join(f"{answer.total / GIB:8.1f}" for answer in stages.values()))
fit = "".join(f"{'fits' if answer.fits else '–':>8}" for answer in stages.values())
print(f"{'of ' + format(card.memory / GIB, '.1f'):28}{fit}")

# %%
from IPython.display import display

from scripts.labs import charts

words = (
    "A bar for each ZeRO stage, made of weights, gradients, optimizer, activations and CUDA's own"
    " memory, beside a dashed line for the memory of one card. The bars grow shorter stage by stage."
)
display(charts.picture(charts.stages(stages, card=card.name), words))

# %% [markdown]
# ## How long?
#
# Training takes about [six operations][w-operations] per parameter and token, and attention some
# more. Divide by what the cards deliver: their dense sixteen-bit peak times the utilisation. Reading data,
# checkpoints and failures come on top.
#
# [w-operations]: #calc "training_operations(1, 1)"

# %%
fitting = next((stage for stage, answer in stages.items() if answer.fits), None)
stage = 3 if fitting is None else fitting
speed = stages[stage].speed
if speed:
    rate = speed["tokens_per_second_at_peak"] * UTILISATION
    days = TRAINING_TOKENS / rate / 86_400
    print(f"{speed['operations_per_token']:.3g} operations per token")
    print(f"{rate:,.0f} tokens/s on {CARDS} GPUs at {UTILISATION:.0%} of the peak")
    print(f"{TRAINING_TOKENS:.3g} tokens take {days:.1f} days, {days * 24 * CARDS:,.0f} GPU hours")
else:
    print(f"no dense sixteen-bit peak is published for {card.name}")

# %% [markdown]
# ## What fits?
#
# The first stage that fits costs the least communication. What else would fit with it: how long a
# sequence, or how many sequences at once?


# %%
def largest(change: str, unit: int) -> int:
    """The largest value, in doublings of `unit`, with which the chosen stage fits; 0 for none."""
    best = 0
    value = unit
    while value <= (plan.model.context if change == "tokens" else 4096):
        changed = replace(plan, zero_stage=stage, **{change: value})
        if fullest_stage(changed).total > card.memory:
            break
        best, value = value, 2 * value
    return best


if fitting is None:
    near = stages[stage].nearest
    print("no ZeRO stage fits;", f"nearest that does: {near['changes']}" if near else "none near")
else:
    print(f"the first that fits: ZeRO-{fitting}")
    print(f"longest sequence, in doublings: {largest('tokens', 1024):,} tokens")
    print(f"most sequences of {SEQUENCE:,} at once, in doublings: {largest('micro_batch', 1)}")

# %% [markdown]
# ## Which choice matters most?
#
# Change one thing at a time, from the plan with that stage, and see by how much the fullest GPU's
# memory moves.

# %%
base = replace(plan, zero_stage=stage)
trials = {
    "twice the sequence": {"tokens": 2 * base.tokens},
    "twice the micro-batch": {"micro_batch": 2 * base.micro_batch},
    "recompute activations": {"recompute": True},
    "twice the copies": {"data": 2 * base.data},
    "split matrices in two": {"tensor": 2 * base.tensor},
    "two pipeline stages": {"pipeline": 2 * base.pipeline, "micro_batches": 2 * base.pipeline},
    "ZeRO, the last stage": {"zero_stage": 3},
}
start = fullest_stage(base).total
moves = {}
for words, change in trials.items():
    changed = replace(base, **change)
    if possible(changed):
        moves[words] = fullest_stage(changed).total - start
words = (
    "One bar for each change to the plan: to the left what lowers the memory of the fullest GPU, to"
    " the right what raises it, ordered by how far."
)
display(charts.picture(charts.changes(moves, start=start), words))

# %% [markdown]
# Long bars to the left are what to try first when it does not fit, and each has a price:
# recomputation more work, a tensor split much communication inside a server, a pipeline its
# bubble ([Parallelism](../chapters/04-parallelism.md)). Twice the copies need twice the cards.
#
# ## What was assumed?
#
# An answer is worth what its assumptions are. These are the planner's for your plan:

# %%
print("\n".join(f"- {each}" for each in stages[stage].assumptions))

# %% [markdown]
# ## Exercises
#
# **One.** Set `MODEL` to a much larger model and leave the cards. What is the nearest plan
# that fits?
#
# <details markdown>
# <summary>Answer</summary>
#
# The cell after "What fits?" names it: more GPUs, split so that each part fits, with the cheapest
# changes on them. Whether the search finds the plan that you would choose depends on your network,
# which it does not know.
#
# </details>
#
# **Two.** At which `SEQUENCE` do activations outweigh the optimizer's share of the chosen stage?
#
# <details markdown>
# <summary>Answer</summary>
#
# Activations grow in proportion to the sequence; the optimizer's share does not move. Divide one by
# the other in the first table and scale the sequence by it.
#
# </details>
