"""What a record of a count of activations must hold."""

from scripts.experiments.expected import Expected

EXPECTED = Expected(sections=("gpt", "llama", "stack", "pythia", "published_shape", "really_run"))
