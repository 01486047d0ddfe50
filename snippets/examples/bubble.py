"""Idle share of a pipeline, by stages and micro-batches."""

from snippets.parallelism import micro_batches_for_bubble, pipeline_bubble

for stages in (4, 8, 16):
    for micro_batches in (stages, 4 * stages, 16 * stages):
        bubble = pipeline_bubble(stages, micro_batches)
        print(f"{stages} stages, {micro_batches} micro-batches: {bubble:.0%} idle")

print("16 stages, 10% idle:", micro_batches_for_bubble(16, 0.10), "micro-batches")
