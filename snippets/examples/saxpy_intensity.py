"""Operations per byte of y = a x + y: the count includes writing y back."""

from snippets.bandwidth import arithmetic_intensity, saxpy_bytes, saxpy_operations

elements = 2**28

operations, moved = saxpy_operations(elements), saxpy_bytes(elements)
print(f"{operations / 1e9:.2f} GFLOP, {moved / 1e9:.2f} GB moved")
print(f"{arithmetic_intensity(operations, moved):.4f} operations per byte")
