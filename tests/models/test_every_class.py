"""Every model type that transformers builds: its class's own sizes, and each of its flags turned over.

What a flag changes is counted, or the configuration is refused by the flag's name.
"""

from typing import Any

import pytest
import torch
from huggingface_hub.errors import StrictDataclassError
from transformers import AutoConfig, AutoModelForCausalLM
from transformers.models.auto.configuration_auto import CONFIG_MAPPING
from transformers.models.auto.modeling_auto import MODEL_FOR_CAUSAL_LM_MAPPING_NAMES

from snippets.model_parameters import total_parameters
from snippets.models import model_from_config
from snippets.models.families import FAMILIES

KINDS = [kind for kind in FAMILIES if kind in MODEL_FOR_CAUSAL_LM_MAPPING_NAMES]
# Of these, defaults of the class alone do not make a model; published.jsonl has files.
NOT_ALONE = {"dbrx", "deepseek_v2", "dots1", "glm4_moe", "lfm2_moe", "nemotron", "nemotron_h"}
NOT_ALONE |= {"hunyuan_v1_dense", "hunyuan_v1_moe", "ministral", "ministral3"}
# Its class makes room for the first matrices of the experts that do nothing; no checkpoint has them.
ROOM_FOR_IDLE = {"longcat_flash": 28 * 256 * 4096 * 6144}
# Its class has two heads of its own whatever the file says; published ones are not tied.
NEVER_TIED = {"kimi_linear": "tie_word_embeddings"}
NOT_OF_THE_MODEL = ("use_cache", "return_dict", "is_", "output_", "chunk_", "dtype", "token")


def built(kind: str, said: dict[str, Any]) -> int:
    """Parameters that its class makes of a configuration, with learned corrections kept as buffers."""
    made = AutoConfig.for_model(kind, **said)
    with torch.device("meta"):
        model = AutoModelForCausalLM.from_config(made)
    buffers = dict(model.named_buffers())
    corrections = [key for key in buffers if key.endswith(("correction_bias", "expert_bias"))]
    held = [*model.parameters(), *(buffers[key] for key in corrections)]
    return sum(each.numel() for each in held) - ROOM_FOR_IDLE.get(kind, 0)


def flags(kind: str) -> list[dict[str, bool]]:
    """Each flag of its class the other way round."""
    said = CONFIG_MAPPING[kind]().to_dict()
    return [
        {key: not value}
        for key, value in said.items()
        if isinstance(value, bool) and not any(part in key for part in NOT_OF_THE_MODEL)
    ]


def counted(kind: str, said: dict[str, Any]) -> int:
    """Parameters as the reader counts them; 0 where it refuses the configuration."""
    try:
        return total_parameters(model_from_config({"model_type": kind} | said, name=kind))
    except ValueError:
        return 0


@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind not in NOT_ALONE])
def test_flags_are_counted_or_refused(kind: str) -> None:
    assert counted(kind, {}) == built(kind, {})
    for said in flags(kind):
        read = 0 if NEVER_TIED.get(kind) in said else counted(kind, said)
        try:
            assert read in (0, built(kind, said)), said
        except (StrictDataclassError, ValueError, TypeError, AttributeError, NotImplementedError):
            continue  # its class refuses it
