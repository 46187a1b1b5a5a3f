"""Opens what Tern gives out with programs that people use, compares each value with what was sent, and prints a table of programs and
outputs. Ends with 1 if a program reads other columns wrongly than is known of it."""

import csv
import json
import sys
import tempfile

import hard_rows
from reader import Page, Reader
from table_programs import PROGRAMS, Missing

# An average of 1.125: three digits after the point, which some countries write between thousands.
UNEVEN = [hard_rows.Row("Uneven", hard_rows.install(number % 8), app_version="9.9") for number in range(9)]
QUESTION = {"metrics": ["events", "events_per_user"], "dimensions": ["version", "country", "user"], "filters": [["set", "country"]]}


class Outputs:
    """The files that Tern writes, and the values that each must show, as texts: a header and rows."""

    def __init__(self, reader):
        self.folder = reader.folder
        reader.shell("tern export --app 1 --format csv > rows.csv")
        reader.shell("tern export --schema duckdb > tern.sql; tern export --schema frictionless > schema.json")
        reader.shell(Page("export-format.md").snippets("sh")[2])
        (self.folder / "question.json").write_text(json.dumps(QUESTION), encoding="utf-8")
        reader.shell("tern query question.json --app 1 --format csv > answer.csv")
        reader.shell("tern query question.json --app 1 --format csv --decimal comma > comma.csv")
        names = ["name", "install", "user", "app_version", "app_build", "os_version", "country", "time", "all"]
        rows = [[*map(str, row.identifiers()), number(row.properties.get("all"))] for row in reader.rows]
        in_cells = [["'" + row[0] if row[0].startswith("=") else row[0], *row[1:]] for row in rows]
        metrics = ["version", "country", "user", "events", "events_per_user"]
        self.expected = {"rows.csv": (names, in_cells), "rows.ndjson": (names, rows), "rows.parquet": (names, rows),
                         "answer.csv": (metrics, answer(reader.rows, self.folder / "answer.csv")),
                         "comma.csv": (metrics, answer(reader.rows, self.folder / "answer.csv"))}


def number(value):
    """A property that a program may round; an empty text for none."""
    return str(value) if isinstance(value, int) else ""


def answer(rows, file):
    """The rows of the question's answer, in the order of the file."""
    groups = {}
    for row in rows:
        if row.country:
            key = (f"{row.app_version} ({row.app_build})" if row.app_build else row.app_version, row.country, row.user)
            groups.setdefault(key, []).extend([row.install] * (row.kind == "event"))
    with open(file, encoding="utf-8", newline="") as source:
        keys = [tuple(row[:3]) for row in list(csv.reader(source))[1:]]
    assert sorted(keys) == sorted(groups)
    return [[*key, len(groups[key]), len(groups[key]) / len(set(groups[key]))] for key in keys]


def is_same(sent, shown):
    """True if a program shows a value as it was sent: a number as a number with this value, anything else as this text."""
    if isinstance(sent, str):
        return sent == ("" if shown is None else str(shown))
    return isinstance(shown, (int, float)) and shown == sent


def differences(expected, found):
    """The columns with other values, each with their number and an example."""
    names, rows = expected
    if len(found) != len(rows):
        return {"rows": f"{len(found)} instead of {len(rows)}"}
    different = {}
    for sent, row in zip(rows, found, strict=True):
        for name, value, shown in zip(names, sent, row, strict=True):
            if not is_same(value, shown):
                count, example = different.get(name, (0, f"{value!r} → {shown!r}"))
                different[name] = (count + 1, example)
    return {name: f"{count} of {len(rows)}: {example}" for name, (count, example) in different.items()}


def main():
    surprises = 0
    with tempfile.TemporaryDirectory(prefix="tern-outputs-") as directory:
        reader = Reader(directory, hard_rows.rows(200) + UNEVEN)
        try:
            outputs = Outputs(reader)
        finally:
            reader.server.stop()
        for name, output, version, read, known in PROGRAMS:
            try:
                program = f"{name} {version()}"
                names, rows = outputs.expected[output]
                found = [list(row) for row in read(outputs.folder, names)]
            except Missing as reason:
                print(f"{name:28} {output:13} skipped: {reason}")
                continue
            different = differences((names, rows), found)
            is_known = different.keys() == known
            surprises += not is_known
            mark = "" if is_known else "NEW: "
            print(f"{program:28} {output:13} {mark}{'; '.join(f'{column} {text}' for column, text in different.items()) or 'as sent'}")
    return 1 if surprises else 0


if __name__ == "__main__":
    sys.exit(main())
