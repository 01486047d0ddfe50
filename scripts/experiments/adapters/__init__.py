"""Fine-tuning with adapters: bytes counted beside the plan, and a tuned model."""
