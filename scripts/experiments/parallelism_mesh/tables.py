"""What a rank of the mesh sends in a step, by the group of ranks that it talks to."""

from scripts.tables.table import Column, Table, Values


def mesh(values: Values) -> Table:
    """Each kind of transfer, counted and by formula."""
    table = Table(
        *("device", "split", "collective"),
        Column("count", record="{place}.count"),
        Column("a rank sends (bytes)", record="{place}.bytes_sent", decimals=0),
        Column("formula (bytes)", calc="{formula}", decimals=0),
        values=values,
    )
    for name, _ in table.each("parallelism-mesh"):
        model, layout = f"record('{name}: model", f"record('{name}: layout"
        hidden = f"{model}.sequence_length') * {model}.hidden_size') * 4"
        weights = f"2 * record('{name}: ranks.0.weight_bytes')"
        halved = f"all_reduce_bytes({weights}, {layout}.data')) / 2"
        formulas = {
            "tensor_all_reduce": f"{model}.layers') / {layout}.pipeline') * "
            f"{model}.micro_batches') * 4 * all_reduce_bytes({hidden}, {layout}.tensor'))",
            "pipeline_send": f"{model}.micro_batches') * {hidden}",
            "data_all_gather": halved,
            "data_reduce_scatter": halved,
        }
        for kind, formula in formulas.items():
            split, _, collective = kind.partition("_")
            words = (split, collective.replace("_", "-"))
            table.row(*words, place=f"{name}: transfers.{kind}", formula=formula)
    return table


TABLES = {"parallelism-mesh": mesh}
