"""A server that is stopped stops within ten seconds, and goes on with its work when it starts again."""

import json
import pathlib
import subprocess
import tempfile
import time

import requests

from tern import PROGRAM, Serve
from test_extremes import create_app

ROWS = 150_000


def export():
    """An export of many rows."""
    now = int(time.time() * 1000)
    yield {"tern": "export", "version": 1, "server": "tests", "app": 1, "name": "Tests", "timeZone": "UTC"}
    for row in range(ROWS):
        yield {"row": row + 1, "kind": "event", "name": f"event {row % 20}", "time": now - row, "received": now,
               "install": f"install {row % 1000}", "properties": [{"name": "n", "integer": row}]}
    yield {"end": True}


def stored(server, app):
    body = {"metrics": ["events"], "date_range": "7d"}
    answer = requests.post(
        f"{server.address}/api/v1/apps/{app['id']}/query", json=body, headers=server.authorization, timeout=60)
    answer.raise_for_status()
    return sum(sum(row["metrics"]) for row in answer.json()["results"])


def stop(server):
    """Stops a server, and returns how long it took."""
    start = time.monotonic()
    server.stop()
    assert server.process.returncode == 0, server.log.read_text(encoding="utf-8")
    return time.monotonic() - start


def begin_import(server, app, directory):
    """Begins an import of standard input, and returns when the command has said that it waits."""
    log = pathlib.Path(directory) / "import.txt"
    with open(log, "w", encoding="utf-8") as output:
        command = subprocess.Popen(
            [PROGRAM, "import", "--app", str(app["id"]), "-", "--data", str(server.data)], stdin=subprocess.PIPE,
            stdout=output, stderr=subprocess.STDOUT, text=True)
    for line in export():
        print(json.dumps(line), file=command.stdin)
    command.stdin.close()
    deadline = time.monotonic() + 120
    while "Waiting for the server" not in log.read_text(encoding="utf-8"):
        assert command.poll() is None and time.monotonic() < deadline, log.read_text(encoding="utf-8")
        time.sleep(0.05)
    return command, log


def test_an_import_stops_with_the_server_and_goes_on_with_the_next_one():
    with tempfile.TemporaryDirectory(prefix="tern-stopping-") as directory:
        server = Serve(directory)
        authorization = {"Authorization": f"Bearer {server.token()}"}
        server.authorization = authorization
        app = create_app(server, "Imported")
        command, _ = begin_import(server, app, directory)
        # Otherwise the command does the rest itself when the server has stopped.
        command.kill()
        command.wait()
        assert stop(server) < 10
        assert list(server.data.glob("import-*")), "the copy of standard input stays until its import is done"
        server = Serve(directory)
        server.authorization = authorization
        try:
            first = stored(server, app)
            assert first < ROWS, "the import was done before the server stopped"
            deadline = time.monotonic() + 240
            while stored(server, app) < ROWS or list(server.data.glob("import-*")):
                assert time.monotonic() < deadline
                time.sleep(0.2)
            assert stored(server, app) == ROWS
        finally:
            server.stop()
        server.command("verify")


def test_a_command_whose_server_stops_does_the_work_itself():
    with tempfile.TemporaryDirectory(prefix="tern-stopping-") as directory:
        server = Serve(directory)
        server.authorization = {"Authorization": f"Bearer {server.token()}"}
        app = create_app(server, "Imported")
        command, log = begin_import(server, app, directory)
        assert stop(server) < 10
        assert command.wait(240) == 0, log.read_text(encoding="utf-8")
        assert "stored already" in log.read_text(encoding="utf-8")
        assert not list(server.data.glob("import-*"))
