"""Rows whose values programs like to read as something else: versions and users that look like numbers, the country NA, line breaks in
texts, and whole numbers that no floating-point number has. What is rare comes after the rows by which programs guess types."""

import dataclasses
import json
import time
import uuid

import requests

# DuckDB guesses types by the first 20,480 rows.
GUESSED = 20_480
NOW = int(time.time()) * 1000 - 3_600_000
CLIENT = "1437671202.1600267853"
USERS = ["007", "12345678901234567890", "NA", "1e5", "null", "true", "ann", ""]
VERSIONS = ["1.10", "1.1", "2E5", "3.0"]
TEXTS = [
    "one\ntwo", "one\r\ntwo", 'say "hi"', "a,b;c\td", "NA", "null", "", " 1 ", "0.10", "2026-01-01", "1,5", "\\n", "'", "ü€😀", "=1+1",
]
NUMBERS = [9_007_199_254_740_993, -9_007_199_254_740_993, -(2**63), 2**63 - 1, 0.1, 1e300, 3.0, -1]


@dataclasses.dataclass
class Row:
    """A row as it was sent, and as it must be read."""

    name: str
    install: str
    kind: str = "event"
    user: str = ""
    app_version: str = "1.10"
    app_build: str = "007"
    os_version: str = "2E5"
    country: str = "NA"
    time: int = NOW
    properties: dict = dataclasses.field(default_factory=dict)
    error: dict | None = None

    def identifiers(self):
        """The values that every format and program must show alike."""
        return (self.name, self.install, self.user, self.app_version, self.app_build, self.os_version, self.country, self.time)

    def line(self):
        """The row as a line of Tern's own protocol."""
        line = {
            "id": str(uuid.uuid4()), "type": self.kind, "name": self.name, "install": self.install, "time": self.time,
            "properties": self.properties, "app": {"version": self.app_version, "build": self.app_build},
            "device": {"osName": "iOS", "osVersion": self.os_version, "model": "iPhone15,2", "country": self.country}}
        if self.user:
            line["user"] = self.user
        if self.error:
            line["exception"] = self.error
        return json.dumps(line)


def install(number):
    return str(uuid.uuid5(uuid.NAMESPACE_DNS, str(number)))


def rows(fillers):
    """The rows in the order in which they are sent: first those that have nothing rare."""
    made = [Row("Filler", install(number % 50), properties={"Length": number % 7, "all": 1}) for number in range(fillers)]
    for number, user in enumerate(USERS):
        made.append(Row("User", install(number), user=user, app_version=VERSIONS[number % 4], country="DE" if number % 2 else "NA"))
    for number, text in enumerate(TEXTS):
        made.append(Row(f"Text {number}", install(number), user="007", properties={"text": text, "Length": number}))
        if text.strip():
            made.append(Row(text, install(number), time=NOW + number))
    for number, value in enumerate(NUMBERS):
        made.append(Row(f"Number {number}", install(number), properties={"all": value, "Length": -number}))
    made.append(Row("Kinds", install(0), properties={
        "flag": True, "date": {"date": -5}, "a,\"b\"": "x", "a name\nof two lines": "y"}))
    for kind, more in [("crash", {"message": "disk\nfull"}), ("handled_error", {"stackTrace": "at Store.swift:12"})]:
        made.append(Row("IOError", install(1), kind=kind, error={"type": "IOError"} | more))
    return made


def send(server, app, made):
    """Sends the rows, and after them one of a client of the Measurement Protocol."""
    for start in range(0, len(made), 2_000):
        server.send(app, [row.line() for row in made[start:start + 2_000]])
    answer = requests.post(f"{server.address}/collect", timeout=60, data={
        "v": "1", "tid": app["trackingId"], "cid": CLIENT, "t": "screenview", "cd": "007", "an": "App", "av": "1.10", "uid": "1e5"})
    assert answer.status_code == 200, answer.text


def sent(server, app, made):
    """The rows as they were sent, the client's included, and their lines in an export of NDJSON."""
    lines = [json.loads(line) for line in server.command("export", "--app", str(app["id"])).splitlines()]
    stored = [line for line in lines if "row" in line]
    hit = Row("007", CLIENT, kind="screen", user="1e5", app_build="", os_version="", country="", time=stored[-1]["time"])
    return [*made, hit], stored


def exported(value):
    """A property's value as a row of NDJSON has it."""
    match value:
        case bool():
            return {"boolean": value}
        case int():
            return {"integer": value}
        case float():
            return {"double": value}
        case {"date": milliseconds}:
            return {"date": milliseconds}
        case _:
            return {"string": value}
