"""The page *Coming from MLIR's bindings* says of each of their names what it is here."""

import mlir_table


def test_the_page_has_the_table():
    """`mlir_table.py --write` writes it again."""
    _, _, rest = mlir_table.PAGE.read_text().partition(mlir_table.BEGIN)
    assert rest.partition(mlir_table.END)[0] == mlir_table.table()


def test_what_is_said_is_of_names_that_there_are():
    assert mlir_table.stale() == set()
