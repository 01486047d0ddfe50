"""Accounting of memory: which tensors exist when, how large they are, and what an allocator adds."""
