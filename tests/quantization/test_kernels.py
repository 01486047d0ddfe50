"""The kernels that are timed compute the product, and a wrong one is noticed."""

import pytest
import torch

from scripts.core.faults import BadInput
from scripts.kernels import few_bit_products as kernels

KINDS = {"fp32": 32, "fp32-mv": 32, "fp16": 16, "bf16-mv": 16, "int8": 8, "int4": 4}


def operands(width: int = 512) -> tuple[torch.Tensor, torch.Tensor]:
    generator = torch.Generator().manual_seed(0)
    return torch.randn(width, width, generator=generator), torch.randn(
        1, width, generator=generator
    )


@pytest.mark.parametrize("kind", KINDS)
def test_products_are_right_and_count_their_bytes(kind: str) -> None:
    matrix, vector = operands()
    prepared = kernels.product(kind, matrix, vector)
    bits = prepared.weight_bytes * 8 / matrix.numel()
    scales = {"int8": 16 / 512, "int4": 32 / 32}.get(kind, 0)  # int4's kernel adds an offset
    assert bits == KINDS[kind] + scales
    expected = (matrix @ vector[0]).double()
    error = (prepared.call().flatten().double() - expected).norm() / expected.norm()
    assert error < {"int8": 0.02, "int4": 0.13}.get(kind, 0.01)


def test_a_wrong_product_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    matrix, vector = operands()
    monkeypatch.setattr(
        kernels, "_int8", lambda *_: kernels.Product(1, lambda: torch.zeros(512, 1), "none")
    )
    with pytest.raises(BadInput, match="the product int8: wrong result"):
        kernels.product("int8", matrix, vector)
