"""The training of the shipped model asks it for the novels as tokens, and for the tokenizer that is
trained on them.
"""

import torch
from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers

from scripts.quantization.novels import HELD_OUT, TRAINED_ON, novel


class Corpus:
    """The novels as tokens of a tokenizer trained on the five, not on the one held out."""

    def __init__(self, *, vocab_size: int) -> None:
        texts = [novel(name) for name in TRAINED_ON]
        self.tokenizer = train_tokenizer(texts, vocab_size=vocab_size)
        encoded = self.tokenizer.encode_batch(texts)
        self.training = torch.tensor([token for each in encoded for token in each.ids])
        self.training_bytes = sum(len(text.encode()) for text in texts)
        held_out = novel(HELD_OUT)
        self.held_out = torch.tensor(self.tokenizer.encode(held_out).ids)
        self.held_out_bytes = len(held_out.encode())


def train_tokenizer(texts: list[str], *, vocab_size: int) -> Tokenizer:
    """A byte-level BPE (Sennrich et al. 2016, arXiv:1508.07909); it can spell any text."""
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=vocab_size,
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    tokenizer.train_from_iterator(texts, trainer)
    return tokenizer
