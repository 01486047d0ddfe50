"""Data parallelism and ZeRO: what ranks send and hold."""
