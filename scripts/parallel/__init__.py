"""The parallelism lab: processes that really split a model, and what they are measured with."""
