"""Every function refuses bad arguments with a sentence that names them."""

import inspect
import math
from collections.abc import Callable
from typing import Any

import pytest

from snippets import bandwidth, number_formats, parallelism, quantized_size, training_memory
from snippets.arguments import require_count, require_not_negative, require_positive

GOOD: dict[Callable[..., Any], dict[str, float]] = {
    number_formats.weight_bytes: {"parameters": 7e9, "bytes_per_parameter": 2},
    number_formats.decimal_digits: {"mantissa_bits": 10},
    number_formats.exponent_bias: {"exponent_bits": 5},
    number_formats.largest_finite: {"exponent_bits": 5, "mantissa_bits": 10},
    number_formats.smallest_normal: {"exponent_bits": 5},
    number_formats.smallest_subnormal: {"exponent_bits": 5, "mantissa_bits": 10},
    number_formats.unit_roundoff: {"mantissa_bits": 10},
    number_formats.always_lost_ratio: {"mantissa_bits": 10},
    training_memory.training_bytes: {"parameters": 7e9},
    training_memory.zero_bytes_per_parameter: {"stage": 1, "copies": 8},
    training_memory.layer_activation_bytes: {"tokens": 3, "sequences": 5, "width": 7},
    training_memory.score_activation_bytes: {"tokens": 3, "sequences": 5, "heads": 7},
    training_memory.materialised_activation_bytes: {
        "tokens": 3,
        "sequences": 5,
        "width": 14,
        "heads": 7,
    },
    training_memory.recomputed_activation_bytes: {
        "tokens": 3,
        "sequences": 5,
        "width": 7,
        "layers": 11,
    },
    bandwidth.transfer_seconds: {"bytes_moved": 3, "bandwidth": 5},
    bandwidth.decode_ceiling: {"memory_bandwidth": 3, "bytes_per_token": 5},
    bandwidth.balance_point: {"peak_operations": 3, "memory_bandwidth": 5},
    bandwidth.arithmetic_intensity: {"operations": 3, "bytes_moved": 5},
    bandwidth.attainable_operations: {
        "intensity": 3,
        "peak_operations": 5,
        "memory_bandwidth": 7,
    },
    bandwidth.roofline_seconds: {
        "operations": 3,
        "bytes_moved": 5,
        "peak_operations": 7,
        "memory_bandwidth": 11,
    },
    bandwidth.product_operations: {"rows": 3, "columns": 5, "vectors": 7},
    bandwidth.product_bytes: {"rows": 3, "columns": 5, "vectors": 7, "bytes_per_element": 2},
    bandwidth.product_intensity: {"rows": 3, "columns": 5, "vectors": 7, "bytes_per_element": 2},
    bandwidth.balanced_vectors: {"balance": 295, "bytes_per_element": 2},
    bandwidth.compute_bound_vectors: {
        "rows": 300,
        "columns": 600,
        "bytes_per_element": 2,
        "balance": 50,
    },
    bandwidth.saxpy_operations: {"elements": 7},
    bandwidth.saxpy_bytes: {"elements": 7},
    bandwidth.copy_bytes: {"buffer_bytes": 7},
    bandwidth.kv_cache_bytes_per_token: {
        "layers": 3,
        "kv_heads": 5,
        "head_dim": 7,
        "bytes_per_element": 2,
    },
    bandwidth.batched_decode_ceiling: {
        "memory_bandwidth": 380,
        "weight_bytes": 4,
        "cache_bytes": 5,
        "sequences": 3,
    },
    parallelism.gpus: {"tensor": 3, "pipeline": 5, "data": 7, "context": 2},
    parallelism.all_reduce_bytes: {"buffer_bytes": 70, "ranks": 5},
    parallelism.all_reduce_seconds: {"buffer_bytes": 70, "ranks": 5, "link_bandwidth": 7},
    parallelism.tensor_parallel_bytes: {
        "tokens": 3,
        "sequences": 5,
        "width": 7,
        "bytes_per_element": 2,
        "ranks": 4,
    },
    parallelism.pipeline_bubble: {"stages": 3, "micro_batches": 7},
    parallelism.micro_batches_for_bubble: {"stages": 5, "bubble": 0.3},
    parallelism.fits: {"needed_bytes": 21, "gpus": 3, "memory_per_gpu": 7},
    parallelism.training_operations: {"parameters": 7, "tokens": 11},
    quantized_size.largest_level: {"bits": 4},
    quantized_size.quantization_levels: {"bits": 4},
    quantized_size.normal_share_at_zero: {"largest_deviation": 3, "bits": 4},
    quantized_size.bits_per_weight: {"bits": 4, "group": 32, "scale_bits": 16, "zero_bits": 4},
    quantized_size.quantized_bytes: {"parameters": 7e9, "bits_each": 4.5},
}
CASES = [
    pytest.param(function, name, bad, id=f"{function.__name__}-{name}-{bad}")
    for function, arguments in GOOD.items()
    for name in arguments
    for bad in (-1, math.nan)
]


@pytest.mark.parametrize(("function", "name", "bad"), CASES)
def test_a_bad_argument_is_named(function: Callable[..., Any], name: str, bad: float) -> None:
    function(**GOOD[function])
    with pytest.raises(ValueError, match=rf"^\w+ must be .+, not {bad}$") as raised:
        function(**{**GOOD[function], name: bad})
    assert str(raised.value).startswith(name)


def test_every_function_of_numbers_is_tried() -> None:
    functions = [
        function
        for module in (bandwidth, number_formats, parallelism, quantized_size, training_memory)
        for name, function in inspect.getmembers(module, inspect.isfunction)
        if function.__module__ == module.__name__ and not name.startswith("_")
    ]
    of_numbers = {
        function
        for function in functions
        if (parameters := inspect.signature(function).parameters)
        and all(parameter.annotation in (int, float) for parameter in parameters.values())
    }
    assert of_numbers <= set(GOOD) <= set(functions)


@pytest.mark.parametrize("bad", [0, -1, -0.5, math.inf, -math.inf, math.nan])
def test_require_positive_refuses(bad: float) -> None:
    with pytest.raises(ValueError, match=r"^rows must be a positive number, not"):
        require_positive(rows=bad, columns=1)


@pytest.mark.parametrize("good", [1e-300, 0.5, 1, 1e300])
def test_require_positive_accepts(good: float) -> None:
    require_positive(rows=good)
    require_not_negative(rows=good)


@pytest.mark.parametrize("bad", [-1, -1e-300, math.inf, math.nan])
def test_require_not_negative_refuses(bad: float) -> None:
    with pytest.raises(ValueError, match=r"^rows must be zero or a positive number, not"):
        require_not_negative(columns=0, rows=bad)


@pytest.mark.parametrize("bad", [0, -1, 0.5, 1.5, math.inf, math.nan])
def test_require_count_refuses(bad: float) -> None:
    with pytest.raises(ValueError, match=r"^stages must be a whole number from 1 up, not"):
        require_count(copies=1, stages=bad)


@pytest.mark.parametrize("good", [1, 2, 3.0, 2**53])
def test_require_count_accepts(good: float) -> None:
    require_count(stages=good)
