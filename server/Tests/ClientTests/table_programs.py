"""Programs that read tables: each gives the values of a file as texts."""

import csv
import importlib.metadata
import io
import json
import os
import re
import shutil
import subprocess

from reader import Page

PAGE = Page("export-format.md")
# The Python of packages that the tests of every day don't need.
TABLES = os.environ.get("TERN_TABLES", "")


class Missing(Exception):
    """The reason for which a program is not tried."""


def run(folder, *command, text=""):
    done = subprocess.run(command, cwd=folder, input=text.encode(), capture_output=True, timeout=120)
    if done.returncode:
        raise RuntimeError(f"{command}: {done.stdout.decode()}{done.stderr.decode()}")
    return done.stdout.decode()


def line_for(program):
    return re.search(rf"^\| {program} \| `([^`]*)`", PAGE.text, re.M).group(1)


def installed(program, *arguments, pattern=r"\d+(\.\d+)+"):
    """The version of a program on the path."""
    def version():
        if not shutil.which(program):
            raise Missing(f"{program} is not installed")
        done = subprocess.run([program, *arguments], capture_output=True, text=True, timeout=60)
        if not (found := re.search(pattern, done.stdout + done.stderr)):
            raise Missing(f"{program} doesn't have it")
        return found.group()
    return version


def package(name):
    """The version of a Python package of this program's environment."""
    return lambda: importlib.metadata.version(name)


def table_package(name):
    """The version of a Python package of the other environment."""
    def version():
        if not TABLES:
            raise Missing("TERN_TABLES names no Python that has it")
        return run(".", TABLES, "-c", f"import importlib.metadata; print(importlib.metadata.version({name!r}))").strip()
    return version


def whole(cell):
    """The property `all` of a cell with an object, if it is a whole number."""
    value = json.loads(cell).get("all") if cell else None
    return str(value) if isinstance(value, int) else ""


def from_records(records, names):
    """The values of rows of CSV, whose properties are JSON."""
    for record in records:
        yield [whole(record["properties"]) if name == "all" else record[name] for name in names]


def python_csv(file):
    def read(folder, names):
        with open(folder / file, encoding="utf-8", newline="") as source:
            yield from from_records(csv.DictReader(source), names)
    return read


def python_line(program, module):
    """A data frame, by the line of the page."""
    def read(folder, names):
        code = (f"import json, {module}\nframe = {line_for(program)}\n"
                + "records = frame.to_dict('records') if hasattr(frame, 'iloc') else frame.to_dicts()\nprint(json.dumps(records))")
        return from_records(json.loads(run(folder, "python", "-c", code)), names)
    return read


def csvkit(folder, names):
    return from_records(json.loads(run(folder, "sh", "-c", line_for("csvkit"))), names)


def duckdb(source):
    def read(folder, names):
        facts = source.endswith("csv')")
        columns = names[:-1] if facts else [
            "name", "install", "user", "device.appVersion", "device.appBuild", "device.osVersion", "device.country", "time"]
        last = ("properties->>'all'" if facts else
                "list_filter(properties, lambda p: p.name = 'all' AND p.integer IS NOT NULL)[1].integer")
        query = f"SELECT {', '.join(columns)}, {last} AS \"all\" FROM {source} ORDER BY row"
        rows = json.loads(run(folder, "duckdb", "-json", "-c", ".read tern.sql", "-c", query))
        for row in rows:
            values = list(row.values())
            yield [*values[:-1], values[-1] if re.fullmatch(r"-?\d+", str(values[-1])) else ""]
    return read


def r(folder, names):
    code = f"""x <- suppressWarnings({line_for("R")})
      for (n in c("row", "time", "received")) x[[n]] <- sprintf("%.0f", x[[n]])
      cat(readr::format_csv(x, na = ""))"""
    return from_records(csv.DictReader(io.StringIO(run(folder, "Rscript", "-e", code), newline="")), names)


def miller(folder, names):
    return from_records(json.loads(run(folder, "sh", "-c", line_for("Miller"))), names)


def visidata(folder, names):
    run(folder, "vd", "-b", "rows.csv", "-o", "visidata.json")
    return from_records(json.loads((folder / "visidata.json").read_text(encoding="utf-8")), names)


def spreadsheet(file, convert, *arguments):
    """What the cells of a spreadsheet have after it has opened a file."""
    def read(folder, names):
        target = file.replace(".csv", ".xlsx")
        (folder / target).unlink(missing_ok=True)
        if convert == "soffice":
            run(folder, "soffice", f"-env:UserInstallation=file://{folder}/profile", "--headless", *arguments, "--convert-to", "xlsx",
                file)
        else:
            run(folder, convert, *arguments, file, target)
        code = ("import json, openpyxl\n"
                f"header, *rows = openpyxl.load_workbook({target!r}).active.iter_rows(values_only=True)\n"
                "print(json.dumps([dict(zip(header, row)) for row in rows], default=str))")
        records = json.loads(run(folder, TABLES or "python", "-c", code))
        return from_records(records, names) if file == "rows.csv" else ([record[name] for name in names] for record in records)
    return read


def jq(folder, names):
    query = """select(.row) | [.name, .install, .user, .device.appVersion, .device.appBuild, .device.osVersion, .device.country, .time,
      ((.properties // [])[] | select(.name == "all") | .integer) // null] | tojson"""
    return (json.loads(line) for line in run(folder, "jq", "-r", query, "rows.ndjson").splitlines())


def perl(folder, names):
    code = """use JSON::PP; my $json = JSON::PP->new->utf8->allow_bignum;
      while (<STDIN>) { my $r = $json->decode($_); next unless $r->{row}; my $d = $r->{device};
        my ($all) = map { $_->{integer} } grep { $_->{name} eq "all" } @{$r->{properties} || []};
        my @values = ($r->{name}, $r->{install}, $r->{user}, @$d{qw(appVersion appBuild osVersion country)}, $r->{time}, $all);
        print $json->encode([map { defined $_ ? "$_" : undef } @values]), "\\n"; }"""
    output = run(folder, "perl", "-e", code, text=(folder / "rows.ndjson").read_text(encoding="utf-8"))
    return (json.loads(line) for line in output.splitlines())


def arrow_csv(folder, names):
    code = """import json, pyarrow.csv as c, pyarrow as p
types = {"integer": p.int64(), "boolean": p.bool_(), "string": p.string(), "object": p.string()}
fields = json.load(open("schema.json"))["fields"]
table = c.read_csv("rows.csv", parse_options=c.ParseOptions(newlines_in_values=True), convert_options=c.ConvertOptions(
    column_types={f["name"]: types[f["type"]] for f in fields}, null_values=[""], strings_can_be_null=True))
print(json.dumps(table.to_pylist()))"""
    return from_records(json.loads(run(folder, TABLES, "-c", code)), names)


def arrow_parquet(folder, names):
    code = """import json, pyarrow.parquet as q
print(json.dumps(sorted(q.read_table("rows.parquet").to_pylist(), key=lambda row: row["row"])))"""
    for row in json.loads(run(folder, TABLES, "-c", code)):
        device = row["device"]
        whole_number = [p["integer"] for p in row["properties"] or [] if p["name"] == "all"]
        yield [row["name"], row["install"], row["user"], device["appVersion"], device["appBuild"], device["osVersion"],
               device["country"], row["time"], whole_number[0] if whole_number else None]


def frictionless(folder, names):
    code = """import json, frictionless
rows = frictionless.Resource(path="rows.csv", schema=frictionless.Schema("schema.json")).read_rows()
assert not any(row.errors for row in rows), [row.errors for row in rows if row.errors][0]
print(json.dumps([{**row, "properties": row["properties"] and json.dumps(row["properties"])} for row in rows]))"""
    return from_records(json.loads(run(folder, TABLES, "-c", code)), names)


readr = installed("Rscript", "-e", "cat(as.character(packageVersion('readr')))", pattern=r"^\d+(\.\d+)+$")
office = installed("soffice", "--version")
# Separator, quote, UTF-8, first line, columns, language: English (US) or German.
ENGLISH, GERMAN = ("--infilter=CSV:44,34,76,1,,1033", ), ("--infilter=CSV:44,34,76,1,,1031", )
GERMAN_COMMA = ("--infilter=CSV:59,34,76,1,,1031", )
TEXTS = (f"--infilter=CSV:44,34,76,1,{'/'.join(f'{column}/2' for column in range(1, 23))},1033", )
# BREAKS: CR LF in texts becomes LF. GUESSED: what looks like a number becomes one.
BREAKS = {"name"}
GUESSED = {"name", "install", "user", "app_version", "app_build", "os_version"}
# The program, what it opens, its version, what it reads, and the columns that it is known to read wrongly.
PROGRAMS = [
    ("Python csv", "rows.csv", lambda: ".".join(map(str, __import__("sys").version_info[:3])), python_csv("rows.csv"), set()),
    ("pandas", "rows.csv", package("pandas"), python_line("pandas", "pandas"), set()),
    ("polars", "rows.csv", package("polars"), python_line("polars", "polars"), set()),
    ("DuckDB", "rows.csv", installed("duckdb", "--version"), duckdb("tern_csv('rows.csv')"), set()),
    ("DuckDB", "rows.ndjson", installed("duckdb", "--version"), duckdb("tern_rows('rows.ndjson')"), set()),
    ("DuckDB", "rows.parquet", installed("duckdb", "--version"), duckdb("'rows.parquet'"), set()),
    ("csvkit", "rows.csv", package("csvkit"), csvkit, BREAKS),
    ("pyarrow", "rows.csv", table_package("pyarrow"), arrow_csv, set()),
    ("pyarrow", "rows.parquet", table_package("pyarrow"), arrow_parquet, set()),
    ("frictionless", "rows.csv", table_package("frictionless"), frictionless, set()),
    ("R readr", "rows.csv", readr, r, set()),
    ("Miller", "rows.csv", installed("mlr", "--version"), miller, BREAKS),
    ("VisiData", "rows.csv", installed("vd", "--version"), visidata, BREAKS),
    ("jq", "rows.ndjson", installed("jq", "--version", pattern=r"\d+\.\d+"), jq, {"all"}),
    ("Perl JSON::PP", "rows.ndjson", installed("perl", "-e", "use JSON::PP; print $JSON::PP::VERSION"), perl, set()),
    ("LibreOffice, English", "rows.csv", office, spreadsheet("rows.csv", "soffice", *ENGLISH), GUESSED),
    ("LibreOffice, texts", "rows.csv", office, spreadsheet("rows.csv", "soffice", *TEXTS), BREAKS),
    ("LibreOffice, English", "answer.csv", office, spreadsheet("answer.csv", "soffice", *ENGLISH), {"user", "events_per_user"}),
    ("LibreOffice, German", "answer.csv", office, spreadsheet("answer.csv", "soffice", *GERMAN), {"user", "events_per_user"}),
    ("LibreOffice, German", "comma.csv", office, spreadsheet("comma.csv", "soffice", *GERMAN_COMMA), {"user", "events_per_user"}),
    ("Gnumeric", "rows.csv", installed("ssconvert", "--version"), spreadsheet("rows.csv", "ssconvert"), GUESSED),
    ("Gnumeric", "answer.csv", installed("ssconvert", "--version"), spreadsheet("answer.csv", "ssconvert"), {"user"}),
]
