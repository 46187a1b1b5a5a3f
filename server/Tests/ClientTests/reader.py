"""A reader of the documents: a server with rows, a folder, and a shell in which the pages' snippets run."""

import os
import pathlib
import re
import subprocess

import requests

import hard_rows
from tern import PROGRAM, ROOT, Serve


class Page:
    """A page of the documents."""

    def __init__(self, name):
        self.text = (ROOT / "docs" / name).read_text(encoding="utf-8")

    def snippets(self, language):
        """The blocks in a language, in their order."""
        return re.findall(rf"^```{language}\n(.*?)^```", self.text, re.M | re.S)


class Reader:
    """Someone who has sent rows to a server and does what a page says."""

    def __init__(self, directory, made):
        self.folder = pathlib.Path(directory)
        self.server = Serve(directory)
        self.token = self.server.token()
        app = requests.post(
            f"{self.server.address}/api/v1/apps", json={"name": "Hard"}, headers={"Authorization": f"Bearer {self.token}"},
            timeout=60).json()
        hard_rows.send(self.server, app, made)
        self.rows, self.stored = hard_rows.sent(self.server, app, made)
        (self.folder / "bin").mkdir()
        (self.folder / "bin/tern").symlink_to(PROGRAM)

    def here(self, snippet):
        """A snippet with the address of the server."""
        return re.sub(r"https://tern\.example\.com|http://127\.0\.0\.1:8787", self.server.address, snippet)

    def shell(self, snippet):
        """Runs a snippet, and returns its output."""
        environment = os.environ | {
            "PATH": f"{self.folder / 'bin'}:{os.environ['PATH']}", "TERN_DATA": str(self.server.data), "TOKEN": self.token}
        done = subprocess.run(
            ["bash", "-euo", "pipefail", "-c", self.here(snippet)], cwd=self.folder, env=environment, capture_output=True,
            timeout=300)
        output = done.stdout.decode()
        assert done.returncode == 0, output + done.stderr.decode()
        return output
