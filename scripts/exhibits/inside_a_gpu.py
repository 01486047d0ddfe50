"""Inside a GPU: the sizes and speeds of its memories, and what a tile saves of the way between them."""

from scripts.figures.drawing import Figure, figure, label_ends
from scripts.figures.palette import BLUE, GREEN, INK, ORANGE
from scripts.tables.table import Column, Table, Values
from snippets.bandwidth import balance_point, product_operations
from snippets.hardware import ACCELERATORS, h100_sxm
from snippets.tiles import attention_elements, balanced_tile, matmul_elements

EDGE = 4096  # of the three square matrices
TILES = [2**power for power in range(13)]
LEVELS = (
    Column("SMs", cite="{card}.multiprocessors"),
    Column("registers, MiB", calc="register_bytes({card})", unit="MiB", decimals=1),
    Column("shared, MiB", calc="shared_bytes({card})", unit="MiB", decimals=1),
    Column("L2, MiB", cite="{card}.level_two", unit="MiB"),
    Column("memory, GiB", cite="{card}.memory", unit="GiB"),
    Column("shared, TB/s", calc="shared_bandwidth({card})", unit="TB/s", decimals=1),
    Column("memory, TB/s", cite="{card}.memory_bandwidth", unit="TB/s", decimals=2),
    Column(
        "balance, shared, op/B",
        calc="balance_point({card}.dense_fp16, shared_bandwidth({card}))",
        decimals=0,
    ),
    Column(
        "balance, memory, op/B",
        calc="balance_point({card}.dense_fp16, {card}.memory_bandwidth)",
        decimals=0,
    ),
)


def levels(values: Values) -> Table:
    """The cards of which somebody has read what is inside."""
    table = Table("card", *LEVELS, values=values)
    for slug, card in ACCELERATORS.items():
        if card.clock and card.dense_fp16:
            table.row(card.name, card=slug.replace("-", "_"))
    return table


TABLES = {"gpu-levels": levels}


@figure("tile-sizes", "A product of 4,096 × 4,096 matrices on an H100, by its tile", height=3.8)
def tile_sizes(sheet: Figure) -> None:
    """Milliseconds of loading and storing over the tile's edge, and those of the arithmetic."""
    peak, bandwidth = h100_sxm.dense_fp16 or 0, h100_sxm.memory_bandwidth
    arithmetic = product_operations(rows=EDGE, columns=EDGE, vectors=EDGE) / peak * 1e3
    moving = [
        2 * matmul_elements(rows=EDGE, columns=EDGE, inner=EDGE, tile=tile) / bandwidth * 1e3
        for tile in TILES
    ]
    axes = sheet.axes()
    axes.plot(TILES, moving, "o-", color=BLUE, ms=5, label="moving, every tile from memory")
    axes.axhline(arithmetic, color=ORANGE, label="arithmetic at the FP16 peak")
    edge = balanced_tile(balance_point(peak, bandwidth), 2)
    axes.plot([edge], [arithmetic], "D", color=GREEN, ms=8, label="where both take as long")
    axes.annotate(
        f"tile of {edge:.0f}",
        (edge, arithmetic),
        xytext=(8, 10),
        textcoords="offset points",
        color=INK,
        fontsize=11,
    )
    axes.set_xscale("log", base=2)
    axes.set_yscale("log")
    axes.set_xticks(TILES[::2], [f"{tile:,}" for tile in TILES[::2]])
    axes.set(xlabel="edge of the output tile, elements", ylabel="milliseconds")
    axes.grid(visible=True, axis="y")
    axes.legend(frameon=False)


@figure(
    "attention-moves", "What one head of attention moves, by the length of its text", height=3.8
)
def attention_moves(sheet: Figure) -> None:
    """Bytes over tokens: scores in memory, blocks of 128, and keys and values loaded once."""
    lengths = [2**power for power in range(8, 17)]
    axes = sheet.axes()
    for label, block, colour in (
        ("scores in memory", 0, ORANGE),
        ("blocks of 128", 128, BLUE),
        ("keys, values once", lengths[-1], GREEN),
    ):
        moved = [
            2 * attention_elements(tokens=tokens, head_dim=128, block=block) for tokens in lengths
        ]
        axes.plot(lengths, moved, color=colour, label=label)
    axes.set_xscale("log", base=2)
    axes.set_yscale("log")
    axes.set_xticks(lengths[::2], [f"{tokens:,}" for tokens in lengths[::2]])
    axes.set(xlabel="tokens", ylabel="bytes")
    axes.set_xlim(lengths[0], lengths[-1] * 14)
    axes.grid(visible=True, axis="y")
    label_ends(axes, fontsize=11)
