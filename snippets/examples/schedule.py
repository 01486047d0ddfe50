"""A GPipe step drawn as a schedule: F forward, B backward, a dot where a stage waits."""

from snippets.pipeline_schedule import gpipe, idle_fraction, play

played = play(gpipe(4, 6), forward=1, backward_input=1 / 2, backward_weight=1 / 2)

for stage in range(4):
    slots = [" ."] * 18
    for block in played:
        if block.rank == stage:
            task = block.task
            slots[round(block.start)] = f"{task.kind[0].upper()}{task.micro_batch + 1}"
    print(f"stage {stage + 1}:", " ".join(slots))
print(f"idle: {idle_fraction(played):.1%}")
