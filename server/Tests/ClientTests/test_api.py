"""The description of the API, compared with a running server."""

import os
import pathlib
import subprocess
import tempfile

import requests

from tern import Serve
from test_extremes import line

INSTALL = "7d444840-9dc0-11d1-b245-5ffdce74fad2"
HERE = pathlib.Path(__file__).parent


def test_the_server_does_what_its_description_says():
    with tempfile.TemporaryDirectory(prefix="tern-api-") as directory:
        server = Serve(directory)
        try:
            token = server.command("tokens", "create", "tests", "--scope", "administer").strip()
            app = requests.post(
                f"{server.address}/api/v1/apps", json={"name": "Described"}, headers={"Authorization": f"Bearer {token}"},
                timeout=60).json()
            server.send(app, [line("event", f"Event {number}", INSTALL)
                              for number in range(20)])
            found = subprocess.run(
                ["schemathesis", "--config-file", str(HERE / "schemathesis.toml"), "run",
                 f"{server.address}/api/openapi.json"],
                env=environment(token, app), capture_output=True, text=True, check=False)
            assert found.returncode == 0, found.stdout + found.stderr + server.log.read_text(encoding="utf-8")
        finally:
            server.stop()


def environment(token, app):
    return os.environ | {
        "TERN_TOKEN": token, "TERN_KEY": app["key"], "TERN_SECRET": app["appSecret"], "TERN_INSTALL": INSTALL,
        "SCHEMATHESIS_HOOKS": "hooks", "PYTHONPATH": str(HERE)}
