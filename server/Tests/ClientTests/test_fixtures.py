"""Data in earlier formats, each named by its day (2026-11-25: an early format of 0.1.0): this program reads it, converts it, and says
the same of it."""

import json
import pathlib
import shutil
import sqlite3
import subprocess
import tempfile

import pytest
import requests

from make_fixture import FIXTURES, answers, command
from tern import PROGRAM, Serve

DAYS = sorted(path.name for path in FIXTURES.iterdir() if path.name[0].isdigit())


@pytest.fixture
def place():
    with tempfile.TemporaryDirectory(prefix="tern-fixture-") as directory:
        yield pathlib.Path(directory)


def copied(day, place):
    shutil.copytree(FIXTURES / day / "data", place / "data")
    shutil.copytree(FIXTURES / day / "queue", place / "queue")
    return json.loads((FIXTURES / day / "facts.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize("day", DAYS)
def test_data_in_an_earlier_format_says_the_same(day, place):
    facts = copied(day, place)
    server = Serve(place)
    try:
        for name, text in answers(server.data, facts, server).items():
            expected = (FIXTURES / day / "answers" / name).read_text(encoding="utf-8")
            assert text == expected, name
        # An event that the earlier program has stored is still known, or too old to be accepted once more.
        answer = requests.post(
            f"{server.address}/v1/events", data=facts["again"], headers={"Tern-Key": facts["key"]}, timeout=60)
        assert answer.ok and answer.json()["accepted"] == 0, answer.text
        assert answer.json()["duplicates"] or answer.json()["rejected"], answer.text
    finally:
        server.stop()
    assert "metrics match" in command(server.data, "verify")


@pytest.mark.parametrize("day", DAYS)
def test_a_queue_in_an_earlier_format_arrives(day, place):
    facts = copied(day, place)
    server = Serve(place)
    try:
        subprocess.run(
            [PROGRAM, "track", "Now", "--key", facts["key"], "--queue", str(place / "queue"), "--url", server.address],
            check=True, capture_output=True, timeout=60)
        lines = command(server.data, "export", "--app", str(facts["app"])).splitlines()
        names = [json.loads(line).get("name") for line in lines]
        assert sorted(name for name in names if name and name.startswith("Waiting")) == [
            "Waiting 0", "Waiting 1", "Waiting 2"]
        assert names.count("Now") == 1
    finally:
        server.stop()


@pytest.mark.parametrize("day", DAYS)
def test_a_backup_of_its_data_can_be_restored(day, place):
    copied(day, place)
    command(place / "data", "backup", str(place / "backup"))
    subprocess.run(
        [PROGRAM, "restore", str(place / "backup"), "--data", str(place / "restored")], check=True, capture_output=True,
        timeout=60)
    assert "metrics match" in command(place / "restored", "verify")


@pytest.mark.parametrize("name", ["catalog.sqlite", "warehouse.sqlite", "counts.sqlite"])
def test_a_file_of_a_newer_version_is_refused_and_left_alone(name, place):
    copied(DAYS[-1], place)
    database = sqlite3.connect(place / "data" / name)
    database.execute("PRAGMA user_version = 99")
    before = list(database.iterdump())
    result = subprocess.run(
        [PROGRAM, "serve", "--data", str(place / "data"), "--port", "0"], capture_output=True, text=True, timeout=60)
    assert result.returncode == 2
    assert f"{name} was written by a newer version of tern. Install that version" in result.stderr
    assert list(database.iterdump()) == before
    assert database.execute("PRAGMA user_version").fetchone() == (99,)
    database.close()
