"""The experiment `activations` asks it for a layer tensor by tensor: back comes what each is, and which
term of 34sbh + 5as²b it belongs to.
"""

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from snippets.training_memory import STORED_TENSORS

if TYPE_CHECKING:
    from scripts.accounting.activations import Kept, Shape
    from scripts.accounting.saved_tensors import SavedTensor

# Which saved tensor is which term of the formula, by module, operation and the operation's name for
# it. Where one tensor is two terms' worth, the first save counts and names it.
TERMS = (
    (r"input_layernorm-.*-input", "input of the first layer norm"),
    (r"attention_query_key_value-.*-mat1", "input of the attention products"),
    (r"attention-Bmm_1-.*|attention-ScaledDot.*-(query|key)", "queries and keys"),
    (r"attention-Softmax-result", "softmax output"),
    (r"attention-NativeDropout_1-result1", "softmax dropout mask"),
    (r"attention-Bmm_2-self", "softmax dropout output"),
    (r"attention-Bmm_2-mat2|attention-ScaledDot.*-value", "values"),
    (r"attention_dense-.*-mat1|attention-ScaledDot.*-output", "input of the output product"),
    (r"attention-NativeDropout(_2)?-result1", "attention dropout mask"),
    (r"post_attention_layernorm-.*-input", "input of the second layer norm"),
    (r"mlp_dense_h_to_4h-.*-mat1", "input of the first MLP product"),
    (r"mlp-Gelu-self", "input of the activation function"),
    (r"mlp_dense_4h_to_h-.*-mat1", "input of the second MLP product"),
    (r"mlp-NativeDropout-result1", "MLP dropout mask"),
)
NO_TERM = "not in the formula"


def items(kept: "Kept", shape: "Shape") -> dict[str, Any]:
    """Every tensor that is kept: whose it is, and its bytes."""
    return {
        name: {
            "bytes": tensor.bytes,
            "bytes_per_hidden": tensor.bytes / shape.hidden_elements,
            "shape": " x ".join(map(str, tensor.shape)),
            "dtype": tensor.dtype,
        }
        for name, tensor in _named(kept.saved)
    }


def _named(saved: "list[SavedTensor]") -> "Iterator[tuple[str, SavedTensor]]":
    """Each tensor with a name: module, operation (numbered where a module has several), tensor."""
    sequences: dict[tuple[str, str], list[int]] = {}
    for tensor in saved:
        numbers = sequences.setdefault((tensor.module, tensor.operation), [])
        if tensor.sequence not in numbers:
            numbers.append(tensor.sequence)
    for tensor in saved:
        numbers = sequences[tensor.module, tensor.operation]
        operation = re.sub(r"Backward\d*$", "", tensor.operation)
        if len(numbers) > 1:
            operation += f"_{numbers.index(tensor.sequence) + 1}"
        yield "-".join((tensor.module.replace(".", "_") or "layer", operation, tensor.name)), tensor


def terms(kept: "Kept", shape: "Shape") -> dict[str, Any]:
    """Bytes by term of the formula, and what it does not count; together exactly all."""
    scores = shape.heads * shape.tokens**2 * shape.sequences
    found = {
        _slug(name): {
            "bytes": 0,
            "formula_bytes": stored.bytes_per_hidden * shape.hidden_elements
            + stored.bytes_per_score * scores,
        }
        for name, stored in STORED_TENSORS.items()
    }
    found[_slug(NO_TERM)] = {"bytes": 0, "formula_bytes": 0}
    for name, tensor in _named(kept.saved):
        term = next((term for pattern, term in TERMS if re.fullmatch(pattern, name)), NO_TERM)
        found[_slug(term)]["bytes"] += tensor.bytes
    return found


def _slug(name: str) -> str:
    return re.sub(r"[^a-z0-9]+", "_", name.lower())
