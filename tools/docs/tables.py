"""The SQL of the documentation: asked of the database of a page's folder, and
its rows as a table of text.
"""
import sqlite3


def _shown(value):
    if value is None:
        return "NULL"
    return f"{value:.6g}" if isinstance(value, float) else str(value)


def answer(database, statements):
    """The rows of the last one, under their columns' names."""
    if not database.exists():
        raise ValueError(f"no {database.name}: a command before it makes one")
    with sqlite3.connect(f"file:{database}?mode=ro", uri=True) as connection:
        *before, last = [text for text in statements.split(";") if text.strip()]
        try:
            for statement in before:
                # Attached databases lie beside it.
                connection.execute(
                    statement.replace("ATTACH '", f"ATTACH '{database.parent}/"))
            rows = connection.execute(last)
        except sqlite3.Error as error:
            raise ValueError(f"{error} in: {last.strip()}") from error
        table = [[column[0] for column in rows.description],
                 *([_shown(value) for value in row] for row in rows)]
    connection.close()
    widths = [max(map(len, column)) for column in zip(*table)]
    table.insert(1, ["-" * width for width in widths])
    return "\n".join(
        "  ".join(value.ljust(width) for value, width in zip(row, widths)).rstrip()
        for row in table)
