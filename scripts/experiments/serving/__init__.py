"""The engine on the model that ships: pages, prefixes, batching, guesses, and a cache in fewer bits."""
