"""Four stages and eight micro-batches under each schedule: who waits, and what it keeps."""

from snippets.pipeline_schedule import (
    gpipe,
    idle_fraction,
    one_forward_one_backward,
    peak_in_flight,
    play,
    zero_bubble,
)

for name, orders, chunks in (
    ("GPipe", gpipe(4, 8), 1),
    ("1F1B", one_forward_one_backward(4, 8), 1),
    ("interleaved", one_forward_one_backward(4, 8, chunks=2), 2),
    ("zero-bubble", zero_bubble(4, 8), 1),
):
    idle = idle_fraction(play(orders))
    kept = peak_in_flight(orders[0]) / chunks
    print(f"{name}: {idle:.1%} idle, stage 1 keeps {kept:.1f} micro-batches")
