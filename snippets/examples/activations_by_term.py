"""Where the 34 of 34sbh and the 5 of 5as^2b come from, tensor by tensor."""

from snippets.training_memory import STORED_TENSORS, bytes_per_hidden, bytes_per_score

for tensor in STORED_TENSORS.values():
    if tensor.bytes_per_hidden:
        print(f"{tensor.bytes_per_hidden:>2} sbh  {tensor.part}: {tensor.name}")
print(f"{bytes_per_hidden():>2} sbh  together\n")

for tensor in STORED_TENSORS.values():
    if tensor.bytes_per_score:
        print(f"{tensor.bytes_per_score:>2} as^2b  {tensor.part}: {tensor.name}")
print(f"{bytes_per_score():>2} as^2b  more, if attention stores its scores")
