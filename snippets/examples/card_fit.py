"""What the weights of Llama 3.1 8B leave of a 12 GiB card."""

from snippets.formats import BF16, INT4, INT8
from snippets.hardware import rtx_3060
from snippets.model_parameters import total_parameters
from snippets.models import llama_3_1_8b
from snippets.number_formats import weight_bytes

parameters = total_parameters(llama_3_1_8b)
print(f"{parameters:,} parameters")

for number_format in (BF16, INT8, INT4):
    weights = weight_bytes(parameters, number_format.bytes)
    left = (rtx_3060.memory - weights) / 1e9
    print(f"{number_format.name}: {weights / 1e9:.1f} GB, leaves {left:+.1f} GB")
