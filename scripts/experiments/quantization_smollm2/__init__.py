"""The same sweep on SmolLM2-135M."""
