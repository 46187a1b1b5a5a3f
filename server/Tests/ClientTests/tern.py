"""A Tern server as a process, for tests with other programs."""

import os
import pathlib
import re
import signal
import subprocess
import time

import requests

ROOT = pathlib.Path(__file__).resolve().parents[3]
PROGRAM = os.environ.get("TERN_PROGRAM", str(ROOT / "server/.build/debug/tern"))
PLAYER = os.path.join(os.environ.get("TERN_EXAMPLES", ROOT / "Examples/.build/debug"), "demo-player")


class Server:
    """A process that ends with the test run. Its output is in a file, so that it never waits for a reader."""

    def __init__(self, directory, *arguments):
        self.log = pathlib.Path(directory) / "output.txt"
        with open(self.log, "w", encoding="utf-8") as output:
            self.process = subprocess.Popen(
                [PROGRAM, *arguments], stdout=output, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL)

    def find(self, expression, seconds):
        """Waits for a text in the output, and returns its first group."""
        deadline = time.monotonic() + seconds
        while True:
            text = self.log.read_text(encoding="utf-8")
            if found := re.search(expression, text):
                return found.group(1)
            if self.process.poll() is not None or time.monotonic() > deadline:
                raise RuntimeError(f"The server did not print {expression!r}:\n{text}")
            time.sleep(0.05)

    def send(self, app, lines):
        """Stores events."""
        answer = requests.post(
            f"{self.address}/v1/events", data="\n".join(lines).encode(), headers={"Tern-Key": app["key"]}, timeout=60)
        answer.raise_for_status()
        assert answer.json()["rejected"] == [], answer.text

    def stop(self):
        self.process.send_signal(signal.SIGTERM)
        try:
            self.process.wait(60)
        except subprocess.TimeoutExpired:
            self.process.kill()


class Serve(Server):
    """`tern serve` on a new directory, with further options."""

    def __init__(self, directory, *options):
        self.data = pathlib.Path(directory) / "data"
        super().__init__(directory, "serve", "--data", str(self.data), "--port", "0", *options)
        self.address = self.find(r"listens on (http://127\.0\.0\.1:\d+)", 60)

    def command(self, *arguments):
        """Runs another command of the same data directory and returns its output."""
        return subprocess.run(
            [PROGRAM, *arguments, "--data", str(self.data)], check=True, capture_output=True, text=True).stdout

    def token(self):
        """Creates a token that may do everything."""
        return self.command("tokens", "create", "tests", "--scope", "manage").strip()

    def login_link(self):
        """Creates a link that logs a browser in once."""
        return self.command("login-link").split()[-1]


class Demo(Server):
    """`tern demo`, after it has played its history."""

    def __init__(self, directory, installs):
        super().__init__(
            directory, "demo", "--player", PLAYER, "--data", str(pathlib.Path(directory) / "demo"), "--port", "0",
            "--installs", str(installs))
        self.link = self.find(r"(http://127\.0\.0\.1:\d+/login\S+)", 60)
        self.address = re.match(r"http://[^/]+", self.link).group(0)
