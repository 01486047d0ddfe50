"""When each split waits for its links: thresholds for three cards, by NVLink and by a network port."""

from scripts.figures.drawing import Figure, figure, label_ends
from scripts.figures.palette import BLUE, GREEN, ORANGE
from scripts.tables.table import Column, Table, Values
from snippets.bandwidth import balance_point
from snippets.hardware import a100_80gb_sxm, b200_sxm, h100_sxm
from snippets.link_balance import data_tokens

CARDS = {"H100": h100_sxm, "B200": b200_sxm, "A100": a100_80gb_sxm}
NAMES = {"H100": "h100_sxm", "B200": "b200_sxm", "A100": "a100_80gb_sxm"}
COLOURS = (BLUE, GREEN, ORANGE)
PORT = "llama_3_cluster.network_bandwidth"  # one for each card
BALANCE = "balance_point({card}.dense_bf16, {link})"


def thresholds(values: Values) -> Table:
    """A row for each card and link: the quotient, and what each split needs of it."""
    table = Table(
        "card and link",
        Column("operations per byte", calc=BALANCE, decimals=0),
        Column("data, ZeRO-3, tokens a rank", calc=f"data_tokens({BALANCE})", decimals=0),
        Column(
            "tensor, ranks for Llama 3.1 70B",
            calc=f"tensor_ranks(llama_3_1_70b.hidden_size, {BALANCE})",
            decimals=1,
        ),
        Column("pipeline, width × layers", calc=f"pipeline_width({BALANCE})", decimals=0),
        Column("experts, inner width", calc=f"expert_width({BALANCE})", decimals=0),
        Column(
            "context, tokens a rank for Llama 3.1 70B",
            calc=f"context_tokens({BALANCE}, llama_3_1_70b.kv_heads / llama_3_1_70b.heads)",
            decimals=0,
        ),
        values=values,
    )
    for name, slug in NAMES.items():
        table.row(f"{name}, NVLink", card=slug, link=f"{slug}.link_bandwidth")
        table.row(f"{name}, network port", card=slug, link=PORT)
    return table


TABLES = {"link-thresholds": thresholds}


@figure("link-thresholds", "Tokens on each rank that hide the gradients' way", height=3.6)
def link_thresholds(sheet: Figure) -> None:
    """Tokens over a link's bandwidth, a line for each card, a dot at its NVLink."""
    axes = sheet.axes()
    links = [25e9 * 2 ** (step / 2) for step in range(12)]
    for (name, card), colour in zip(CARDS.items(), COLOURS, strict=True):
        tokens = [data_tokens(balance_point(card.dense_bf16 or 0, link)) for link in links]
        axes.plot([link / 1e9 for link in links], tokens, color=colour, label=name)
    axes.set(xscale="log", yscale="log")
    axes.set_xticks([25, 50, 100, 200, 450, 900], ["25", "50", "100", "200", "450", "900"])
    axes.set_xlabel("GB/s of each card's link, one way")
    axes.set_ylabel("tokens on each rank")
    axes.set_xlim(22, 2200)
    axes.minorticks_off()
    axes.grid(visible=True)
    label_ends(axes)
    for (name, card), colour in zip(CARDS.items(), COLOURS, strict=True):
        own = card.link_bandwidth or 0
        at = data_tokens(balance_point(card.dense_bf16 or 0, own))
        axes.plot([own / 1e9], [at], "o", color=colour, ms=8, label=f"{name}, NVLink")
