"""Four stages and eight micro-batches under each schedule: who waits, and what it keeps."""

from snippets.pipeline_schedule import gpipe, one_forward_one_backward, zero_bubble
from snippets.pipeline_timeline import idle_fraction, peak_in_flight, play

for name, orders, chunks in (
    ("GPipe", gpipe(4, 8), 1),
    ("1F1B", one_forward_one_backward(4, 8), 1),
    ("interleaved", one_forward_one_backward(4, 8, chunks=2), 2),
    ("zero-bubble", zero_bubble(4, 8), 1),
):
    idle = idle_fraction(play(orders))
    kept = peak_in_flight(orders[0]) / chunks
    print(f"{name}: {idle:.1%} idle, stage 1 keeps {kept:.1f} micro-batches")
