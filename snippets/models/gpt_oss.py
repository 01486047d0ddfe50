"""gpt-oss: experts stored in MXFP4, the rest in BF16; attention sinks; every second layer windowed."""

from snippets.models.model import Model, config_json


def _gpt_oss(*, size: str, layers: int, experts: int) -> Model:
    return Model(
        name=f"gpt-oss {size}",
        layers=layers,
        hidden_size=2880,
        heads=64,
        kv_heads=8,
        head_dim=64,
        intermediate_size=2880,
        vocabulary=201088,
        context=131072,
        query_key_value_bias=True,
        output_bias=True,
        mlp_bias=True,
        router_bias=True,
        attention_sinks=True,
        window=128,
        windowed_layers=layers // 2,
        experts=experts,
        experts_per_token=4,
        expert_size=2880,
        stored_expert_bits=4.25,
        sources=config_json(
            f"openai/gpt-oss-{size.lower()}",
            query_key_value_bias="attention_bias",
            output_bias="attention_bias",
            stored_expert_bits="quantization_config: mxfp4, 32 elements and one 8-bit scale",
        ),
    )


gpt_oss_20b = _gpt_oss(size="20B", layers=24, experts=32)
gpt_oss_120b = _gpt_oss(size="120B", layers=36, experts=128)
