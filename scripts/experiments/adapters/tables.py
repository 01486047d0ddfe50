"""Bytes of fine-tuning with adapters, planned beside counted; and a tuned model's loss."""

from scripts.tables.table import Column, Table, Values

TITLES = {
    "llama_3_1_8b": "Llama 3.1 8B, frozen in BF16",
    "smollm2_135m": "SmolLM2 135M, frozen in BF16",
    "smollm2_135m_nf4": "SmolLM2 135M, frozen in NF4",
}
# What was counted, in words, and which parts of the plan it is. After the forward pass logits are there in 16
# bits and in FP32, not yet their gradients.
PARTS = {
    "frozen_bytes": ("frozen weights", "{plan}.frozen_weights"),
    "weight_bytes": ("adapters", "{plan}.weights"),
    "gradient_bytes": ("their gradients", "{plan}.gradients"),
    "optimizer_bytes": ("their master weights and moments", "{plan}.optimizer"),
    "activation_bytes": (
        "activations and logits after the forward pass",
        "({plan}.activations + 0.6 * {plan}.logits)",
    ),
    "peak_bytes": (
        "all, at most",
        "({plan}.total - {plan}.overhead - {plan}.workspace - {plan}.driver)",
    ),
}


def adapters(values: Values) -> Table:
    """Each part of each model's step."""
    table = Table(
        *("device", "model", "what"),
        Column("planned (MB)", calc="{planned}", unit="MB", decimals=1),
        Column("counted (MB)", record="{place}", unit="MB", decimals=1),
        Column("counted over planned", calc="record('{place}') / {planned}", decimals=3),
        values=values,
    )
    for key, record in table.each("adapters"):
        rank = record.parameters["rank"]
        for name, (slug, four_bits, tokens) in record.parameters["cases"].items():
            frozen = "nf4_double" if four_bits else "bf16_weights"
            model = slug.replace("-", "_").replace(".", "_")
            plan = (
                f"fullest_stage(TrainingPlan(model={model}, tokens={tokens},"
                f" adapter_rank={rank}, frozen={frozen}))"
            )
            for part, (words, planned) in PARTS.items():
                place = f"{key}: counted.{name}.{part}"
                table.row(TITLES[name], words, planned=planned.format(plan=plan), place=place)
    return table


def tuned(values: Values) -> Table:
    """The loss on the held-out end of the novel, before and after."""
    table = Table(
        *("device", "frozen weights"),
        Column("trained parameters", record="{place}.trained_parameters", decimals=0),
        Column("loss before (nats)", record="{place}.loss_before", decimals=4),
        Column("loss after (nats)", record="{place}.loss_after", decimals=4),
        values=values,
    )
    for key, record in table.each("adapters"):
        for name in record.results["tuned"]:
            table.row(name.upper(), place=f"{key}: tuned.{name}")
    return table


TABLES = {"adapters": adapters, "adapters-tuned": tuned}
