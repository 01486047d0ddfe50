"""The sixteen bytes of a parameter in mixed-precision training with Adam."""

from snippets.training_memory import MIXED_PRECISION, bytes_per_parameter, training_bytes

state = MIXED_PRECISION

print(f"weight in FP16         {state.weights}")
print(f"its gradient in FP16   {state.gradients}")
print(f"master copy in FP32    {state.master_weights}")
print(f"average of gradients   {state.first_moments}")
print(f"average of squares     {state.second_moments}")
print(f"bytes per parameter: {bytes_per_parameter(state)}")
print(f"70B parameters: {training_bytes(70e9, state) / 1e9:.0f} GB")
