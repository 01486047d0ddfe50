"""Answers "will it fit?" for a model, a card and a way of using them."""
