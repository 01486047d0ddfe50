"""The sixteen bytes of a parameter in mixed-precision training with Adam."""

from snippets.training_memory import MIXED_PRECISION, bytes_per_parameter, training_bytes

state = MIXED_PRECISION

print(f"FP16 weight        {state.weights}")
print(f"FP16 gradient      {state.gradients}")
print(f"FP32 master weight {state.master_weights}")
print(f"FP32 first moment  {state.first_moments}")
print(f"FP32 second moment {state.second_moments}")
print(f"bytes per parameter: {bytes_per_parameter(state)}")
print(f"70B parameters: {training_bytes(70e9, state) / 1e9:.0f} GB")
