"""Exports in the programs that read them, with the lines of docs/export-format.md: each value must be as it was sent."""

import collections
import csv
import json
import re
import shlex
import tempfile

import duckdb
import pandas
import polars
import pytest

import hard_rows
from reader import Page, Reader

PAGE = Page("export-format.md")
IDENTIFIERS = "name, install, user, app_version, app_build, os_version, country, time"
MEMBERS = "name, install, user, device.appVersion, device.appBuild, device.osVersion, device.country, time"


class Place(Reader):
    """A reader of an export with hard rows, most of them after those by which programs guess types."""

    def __init__(self, directory):
        super().__init__(directory, hard_rows.rows(hard_rows.GUESSED + 100))

    def export(self, name, *arguments):
        """Writes an export to a file of the folder, and returns its path."""
        path = self.folder / name
        path.write_text(self.shell(shlex.join(["tern", "export", *arguments])), encoding="utf-8", newline="")
        return path

    def database(self):
        """DuckDB with the tables of the schema."""
        database = duckdb.connect()
        database.execute(self.export("tern.sql", "--schema", "duckdb").read_text(encoding="utf-8"))
        return database

    def compare(self, found, name=lambda sent: sent):
        """Compares identifiers, `None` for an empty one, with what was sent; names after a change."""
        for row, values in zip(self.rows, found, strict=True):
            assert tuple(value or "" for value in values) == (name(row.name), *row.identifiers()[1:])

    def compare_csv(self, found, name=lambda sent: sent):
        """Compares identifiers of CSV, where no text begins like a formula."""
        self.compare(found, lambda sent: name(re.sub("^=", "'=", sent)))


@pytest.fixture(scope="module")
def place():
    with tempfile.TemporaryDirectory(prefix="tern-exports-") as directory:
        place = Place(directory)
        try:
            yield place
        finally:
            place.server.stop()


def line_for(program):
    """The line by which a program reads CSV."""
    return re.search(rf"^\| {program} \| `([^`]*)`", PAGE.text, re.M).group(1)


def properties(row):
    return [{"name": name} | hard_rows.exported(value) for name, value in row.properties.items()]


def test_ndjson_has_what_was_sent(place):
    place.compare(
        (row["name"], row["install"], row.get("user"), *(row["device"].get(name) for name in (
            "appVersion", "appBuild", "osVersion", "country")), row["time"]) for row in place.stored)
    for row, stored in zip(place.rows, place.stored, strict=True):
        assert stored["kind"] == row.kind and stored.get("properties", []) == properties(row)


def compare_rows(place, database, source):
    """Compares rows with the types of the schema with those of the export."""
    place.compare(database.sql(f"SELECT {MEMBERS} FROM {source} ORDER BY row").fetchall())
    # All members of the rows that aren't alike.
    rare = [row for row in place.stored if row["name"] != "Filler"]
    cursor = database.sql(f"SELECT * FROM {source} WHERE name <> 'Filler' ORDER BY row")
    found = [dict(zip(cursor.columns, values)) for values in cursor.fetchall()]
    for row, stored in zip(found, rare, strict=True):
        row["error"] = json.loads(row["error"]) if row["error"] else None
        assert without_nulls(row) == stored


def without_nulls(value):
    match value:
        case dict():
            return {name: without_nulls(member) for name, member in value.items() if member is not None}
        case list():
            return [without_nulls(element) for element in value]
        case _:
            return value


def test_duckdb_reads_ndjson_with_the_schema(place):
    file = place.export("rows.ndjson", "--app", "1")
    compare_rows(place, place.database(), f"tern_rows('{file}')")


def test_duckdb_reads_what_a_later_version_adds(place):
    file = place.folder / "later.ndjson"
    row = {"row": 1, "install": "007", "new": {"a": 1}, "device": {"appVersion": "1.10", "new": [1]},
           "properties": [{"name": "a", "double": "-inf", "new": 1}]}
    file.write_text(json.dumps({"tern": "export", "version": 1}) + "\n" + json.dumps(row) + "\n", encoding="utf-8")
    found = place.database().sql(f"SELECT install, device.appVersion, properties[1].double FROM tern_rows('{file}')").fetchall()
    assert found == [("007", "1.10", float("-inf"))]


def test_parquet_keeps_every_value(place):
    place.shell(PAGE.snippets("sh")[2])
    file = place.folder / "rows.parquet"
    compare_rows(place, duckdb.connect(), f"'{file}'")
    frame = polars.read_parquet(file)
    place.compare(frame.sort("row").select(
        "name", "install", "user", *(polars.col("device").struct.field(name) for name in (
            "appVersion", "appBuild", "osVersion", "country")), "time").iter_rows())


def test_the_values_of_a_property_are_counted(place, monkeypatch):
    place.export("rows.ndjson", "--app", "1")
    monkeypatch.chdir(place.folder)
    query, = PAGE.snippets("sql")
    counts = collections.Counter(
        (row.app_version, row.properties["Length"]) for row in place.rows if "Length" in row.properties)
    assert place.database().sql(query).fetchall() == sorted((*key, count) for key, count in counts.items())


def test_the_sample_of_the_page_can_be_imported(place):
    sample, = PAGE.snippets("json")
    (place.folder / "sample.ndjson").write_text(sample, encoding="utf-8")
    app = json.loads(place.shell("tern apps create Sample --time-zone Europe/Berlin --json"))["id"]
    place.shell(f"tern import --app {app} sample.ndjson")
    header, row, end = place.shell(f"tern export --app {app}").splitlines()
    sent = json.loads(sample.splitlines()[1])
    # The number of the row and its key are those of this server.
    assert json.loads(row) | {"row": 1, "key": sent["key"]} == sent
    assert json.loads(header).keys() == json.loads(sample.splitlines()[0]).keys() and json.loads(end) == {"end": True}


def test_an_export_is_fetched_and_continued(place):
    fetch, resume, _ = PAGE.snippets("sh")
    place.shell(fetch)
    lines = (place.folder / "app.ndjson").read_text(encoding="utf-8").splitlines(keepends=True)
    rows = [line for line in lines if line.startswith('{"row":')]
    assert [json.loads(line) for line in rows] == place.stored and lines[-1] == '{"end":true}\n'
    file = place.folder / "rows.ndjson"
    for kept in (0, len(rows) // 2, len(rows) - 1, len(rows)):
        file.write_text("".join(rows[:kept]), encoding="utf-8")
        place.shell(resume)
        assert file.read_text(encoding="utf-8") == "".join(rows), f"after {kept} rows"
    # A whole export, of which nothing is new.
    file.write_text("".join(lines), encoding="utf-8")
    place.shell(resume)
    assert file.read_text(encoding="utf-8") == "".join(lines)


def test_csv_has_the_types_of_its_table_schema(place):
    with open(place.export("rows.csv", "--app", "1", "--format", "csv"), encoding="utf-8", newline="") as file:
        names, *lines = csv.reader(file, strict=True)
    fields = json.loads(place.export("schema.json", "--schema", "frictionless").read_text(encoding="utf-8"))["fields"]
    assert names == [field["name"] for field in fields]
    read = {"integer": int, "string": str, "boolean": {"1": True, "0": False}.__getitem__, "object": json.loads}
    rows = [{
        field["name"]: read[field["type"]](cell) if cell else None for field, cell in zip(fields, line, strict=True)} for line in lines]
    place.compare_csv(tuple(row[name] for name in IDENTIFIERS.split(", ")) for row in rows)
    for row, stored in zip(rows, place.stored, strict=True):
        assert row["starts_session"] == stored.get("startsSession", False)
        assert (row["row"], row["received"], row["kind"]) == (stored["row"], stored["received"], stored["kind"])
    for row, sent in zip(rows, place.rows, strict=True):
        assert (row["properties"] or {}) == sent.properties


def test_each_program_reads_csv_with_its_line(place, monkeypatch):
    place.export("rows.csv", "--app", "1", "--format", "csv")
    monkeypatch.chdir(place.folder)
    names = IDENTIFIERS.split(", ")
    database = place.database()
    database.execute(f"CREATE TABLE rows AS {line_for('DuckDB')}")
    place.compare_csv(database.sql(f"SELECT {IDENTIFIERS} FROM rows ORDER BY row").fetchall())
    large = database.sql("SELECT properties->>'all' FROM rows WHERE name = 'Number 0'").fetchall()
    assert large == [("9007199254740993",)]

    frame = eval(line_for("pandas"), {"pandas": pandas})  # pylint: disable=eval-used
    place.compare_csv(frame[names].itertuples(index=False, name=None))
    frame = eval(line_for("polars"), {"polars": polars})  # pylint: disable=eval-used
    place.compare_csv(frame.select(names).iter_rows())

    rows = json.loads(place.shell(line_for("csvkit")))
    place.compare_csv(
        ((*(row[name] for name in names[:-1]), int(row["time"])) for row in rows), lambda sent: sent.replace("\r\n", "\n"))


def test_polars_reads_members_that_appear_late(place, monkeypatch):
    place.export("rows.ndjson", "--app", "1")
    monkeypatch.chdir(place.folder)
    call = re.search(r"`(polars\.read_ndjson\(.*\))`", PAGE.text).group(1)
    frame = eval(call, {"polars": polars}).filter(polars.col("row").is_not_null())  # pylint: disable=eval-used
    place.compare(frame.select(
        "name", "install", "user", *(polars.col("device").struct.field(name) for name in (
            "appVersion", "appBuild", "osVersion", "country")), "time").iter_rows())


def test_the_page_names_every_member(place):
    table = PAGE.text.split("\nA row:\n")[1].split("\n```")[0]
    file = place.export("rows.ndjson", "--app", "1")
    types = {name: kind for name, kind, *_ in place.database().sql(f"DESCRIBE FROM tern_rows('{file}')").fetchall()}
    named = re.findall(r"^\| ([^|]*) \|", table, re.M)
    assert set(re.findall(r"`(\w+)`", "".join(named))) == set(types)
    inner = "".join(types[name] for name in ("key", "device", "properties"))
    for member in re.findall(r'(\w+)"? (?:VARCHAR|BIGINT|DOUBLE|BOOLEAN)', inner):
        assert f"`{member}`" in table, member
