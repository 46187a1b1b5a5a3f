"""Snippets of the documents: what they say must work, with values that programs like to read as something else."""

import json
import re
import subprocess
import tempfile
import time

import pandas
import pytest
import requests

from hard_rows import Row, install
from reader import Page, Reader
from tern import PROGRAM, ROOT

# Versions without a build, so that they look like numbers, and a day for each.
VERSIONS = {"1.1": 2, "1.10": 3, "2E5": 5}
DAY = 86_400_000
NOW = int(time.time()) * 1000


@pytest.fixture(scope="module")
def reader():
    rows = [
        row for index, (version, users) in enumerate(VERSIONS.items()) for user in range(users)
        for row in (
            Row("Home", install(user), kind="screen", app_version=version, app_build="", country="DE", time=NOW - index * DAY - 2),
            Row("Play", install(user), app_version=version, app_build="", country="DE", time=NOW - index * DAY - 1,
                properties={"Length": 11 + user}))]
    with tempfile.TemporaryDirectory(prefix="tern-documents-") as directory:
        reader = Reader(directory, rows)
        try:
            yield reader
        finally:
            reader.server.stop()


def day(milliseconds):
    return time.strftime("%Y-%m-%d", time.gmtime(milliseconds / 1000))


def test_programs_ask_as_the_page_says(reader):
    request, releases, commands = Page("questions.md").snippets("sh")
    # This app has other names.
    asked = json.loads(reader.shell(releases.replace("Purchase", "Play").replace("Cart", "Home")))
    assert {row["version"] for row in asked["results"]} <= set(VERSIONS) and asked["results"]
    answer = json.loads(reader.shell(request))
    expected = {(day(NOW - index * DAY), version): [users, users] for index, (version, users) in enumerate(VERSIONS.items())}
    assert {tuple(row["dimensions"]): row["metrics"] for row in answer["results"]} == expected
    shown = json.loads(Page("questions.md").snippets("json")[0])
    assert set(shown) == set(answer) and set(shown["results"][0]) == set(answer["results"][0])
    assert set(shown["meta"]) <= set(answer["meta"])

    (reader.folder / "question.json").write_text('{"metrics": ["events"]}', encoding="utf-8")
    one, two, three = (reader.shell(line) for line in commands.splitlines())
    assert json.loads(one)["results"][0]["metrics"] == [sum(VERSIONS.values())]
    header, *lines = two.splitlines()
    # The client of the Measurement Protocol has a version, too.
    assert header == "version,users" and set(lines) == {"1.1,2", "1.10,4", "2E5,5"}
    assert [step["persons"] for step in json.loads(three)["results"][0]["steps"]] == [5, 5]


def test_a_notebook_keeps_versions_apart(reader, monkeypatch):
    drawn = []
    monkeypatch.setattr(pandas.DataFrame, "plot", lambda frame: drawn.append(frame))
    notebook, = Page("questions.md").snippets("python")
    exec(reader.here(notebook), {"TOKEN": reader.token})  # pylint: disable=exec-used
    table, = drawn
    assert sorted(table.columns) == sorted(VERSIONS)
    assert [table.loc[day(NOW - index * DAY), version] for index, version in enumerate(VERSIONS)] == list(VERSIONS.values())
    # The client of the Measurement Protocol.
    assert table.loc[day(reader.rows[-1].time), "1.10"] == 1


def test_grafana_gets_rows(reader):
    question = next(text for text in Page("questions.md").snippets("json") if "${__from" in text)
    for name in ("from", "to"):
        question = question.replace(f"${{__{name}:date:YYYY-MM-DD}}", day(NOW))
    answer = requests.post(
        f"{reader.server.address}/api/v1/apps/1/query?format=rows", data=question, timeout=60,
        headers={"Authorization": f"Bearer {reader.token}"})
    assert answer.json() == [{"time:day": day(NOW), "users": len({row.install for row in reader.rows if day(row.time) == day(NOW)})}]


def commands(text):
    """The commands that a page shows, each as its words up to the end of what is Tern's."""
    blocks = re.findall(r"^ *```(?:sh)?\n(.*?)^ *```", text, re.M | re.S)
    lines = [line for block in blocks for line in re.sub(r"\\\n", " ", block).splitlines()]
    inline = re.findall(r"`([^`]+)`", re.sub(r"^ *```.*?^ *```", "", text, flags=re.M | re.S))
    for line in lines + inline:
        if found := re.match(r"\s*(?:sudo )?tern ((?:[^|>#&;]|\n)+)", line):
            yield found.group(1).split()


def test_commands_in_pages_have_these_options():
    known = {
        tuple(name.split()) for name in re.findall(r"^\| `tern ([a-z -]+)` \|", Page("commands.md").text, re.M)}
    helps, faults, compared = {}, [], 0
    for page in [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]:
        for words in commands(page.read_text(encoding="utf-8")):
            options = {re.match(r"--[a-z0-9-]*", word).group() for word in words if re.match(r"--[a-z]", word)} - {"--help", "--version"}
            command = next((tuple(words[:length]) for length in (3, 2, 1) if tuple(words[:length]) in known), None)
            if re.fullmatch("[a-z-]+", words[0]) and all(name[0] != words[0] for name in known):
                faults.append(f"{page.name}: there is no tern {words[0]}")
            if not options or not command:
                continue
            if command not in helps:
                done = subprocess.run([PROGRAM, *command, "--help"], capture_output=True, text=True, timeout=60, check=True)
                helps[command] = set(re.findall(r"--[a-z0-9-]+", done.stdout))
            compared += 1
            faults += [f"{page.name}: tern {' '.join(command)} has no {option}" for option in sorted(options - helps[command])]
    assert not faults and compared > 50
