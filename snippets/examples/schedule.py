"""A GPipe step drawn as a schedule: F forward, B backward, a dot where a stage waits."""

from snippets.parallelism import pipeline_bubble, pipeline_schedule

stages, micro_batches = 4, 6

for stage, slots in enumerate(pipeline_schedule(stages, micro_batches), start=1):
    row = (f"F{slot}" if slot > 0 else f"B{-slot}" if slot < 0 else " ." for slot in slots)
    print(f"stage {stage}:", " ".join(row))
print(f"idle: {pipeline_bubble(stages, micro_batches):.1%}")
