"""A stand-in for a machine with GPUs, so that what needs one runs without: `python -m tests.rehearsal`."""
