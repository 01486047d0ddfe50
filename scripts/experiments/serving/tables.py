"""What the engine was counted to do: pages, guesses, and a cache in fewer bits."""

from scripts.tables.table import Column, Table, Values


def pages(values: Values) -> Table:
    """Empty places by the size of a page, beside what half a page a conversation would waste."""
    table = Table(
        "device",
        Column("tokens in a page", record="{place}.page_tokens"),
        Column("empty, by the formula", calc="{formula}", suffix="%", decimals=1),
        Column("empty, counted", record="{place}.waste", suffix="%", decimals=1),
        values=values,
    )
    for key, record in table.each("serving"):
        for name in record.results["pages"]:
            place = f"{key}: pages.{name}"
            tokens, size = f"record('{place}.mean_tokens')", f"record('{place}.page_tokens')"
            table.row(place=place, formula=f"expected_page_waste({tokens}, {size})")
    return table


def speculation(values: Values) -> Table:
    """Each draft's acceptance, and the tokens of a round: expected from it, and counted."""
    table = Table(
        "device",
        "draft",
        Column("guesses that were right", record="{place}.acceptance", suffix="%", decimals=1),
        Column("tokens of a round, expected", calc="{formula}", decimals=2),
        Column("counted", record="{place}.tokens_per_round", decimals=2),
        values=values,
    )
    for key, record in table.each("serving"):
        guesses = record.parameters["guesses"]
        for name, draft in record.results["speculation"].items():
            place = f"{key}: speculation.{name}"
            formula = f"expected_tokens(record('{place}.acceptance'), {guesses})"
            table.row(draft["title"], place=place, formula=formula)
    return table


def cache(values: Values) -> Table:
    """The loss with keys and values in fewer bits, scales included."""
    table = Table(
        "device",
        "keys and values in",
        Column("bits per number", record="{place}.bits"),
        Column("loss", record="{place}.loss", decimals=4),
        Column("more", calc="record('{place}.loss') - record('{plain}')", decimals=4),
        values=values,
    )
    for key, record in table.each("serving"):
        for name, found in record.results["cache"].items():
            place, plain = f"{key}: cache.{name}", f"{key}: cache.native.loss"
            table.row(found["title"], place=place, plain=plain)
    return table


TABLES = {"serving-pages": pages, "serving-speculation": speculation, "serving-cache": cache}
