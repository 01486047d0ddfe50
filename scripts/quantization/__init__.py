"""The quantization lab: what each bit costs a model, and why."""
