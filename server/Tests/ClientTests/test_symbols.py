"""A crash of a C program, on a server that gets its symbols later, in a zip over HTTP."""

import io
import json
import re
import subprocess
import tempfile
import time
import uuid
import zipfile

import requests

from tern import Serve
from test_alerts import wait_for

SOURCE = """
int volatile level;
__attribute__((noinline)) static void stop_player(void) {
  *(int volatile *)0 = level; // the line
}
int main(void) {
  stop_player();
  return level;
}
"""


def build(folder, version):
    """Compiles the program; returns its path, its build identifier and the offset of the faulting function."""
    source, program = f"{folder}/player.c", f"{folder}/Player{version}"
    with open(source, "w", encoding="utf-8") as file:
        # Each build has the function at another place.
        file.write(f"int volatile padding[{version}] = {{1}};\nvoid pad(void) {{ {'padding[0]++;' * version} }}\n{SOURCE}")
    subprocess.run(["cc", "-g", "-O0", "-Wl,--build-id=sha1", "-o", program, source], check=True)
    notes = subprocess.run(["readelf", "-n", program], check=True, capture_output=True, text=True).stdout
    symbols = subprocess.run(["readelf", "-sW", program], check=True, capture_output=True, text=True).stdout
    address = next(line.split()[1] for line in symbols.splitlines() if line.endswith(" stop_player"))
    return program, re.search(r"Build ID: ([0-9a-f]+)", notes).group(1), int(address, 16)


def crash(version, identifier, offset):
    """A report as the SDK sends it."""
    frames = [
        {"address": hex(0x7f00_0000_0000 + place), "code": f"{image} [{build}]"} for image, build, place in [
            (f"Player{version}(+{hex(offset + 4)})", identifier, offset), ("libc.so.6(+0x2724a)", "ab" * 20, 0x2724a)]]
    return json.dumps({
        "id": str(uuid.uuid4()), "type": "crash", "name": "SIGSEGV", "install": str(uuid.UUID(int=7, version=4)),
        "time": int(time.time() * 1000), "session": str(uuid.uuid4()), "device": {"osName": "Linux"},
        "app": {"version": f"{version}.0", "build": "1"},
        "exception": {"type": "SIGSEGV", "message": "invalid memory access at 0x0", "frames": frames}})


def test_two_builds_of_a_crash_are_one_group_with_symbols_from_a_zip():
    with tempfile.TemporaryDirectory(prefix="tern-symbols-") as directory:
        server = Serve(directory)
        try:
            headers = {"Authorization": f"Bearer {server.token()}"}
            app = requests.post(
                f"{server.address}/api/v1/apps", json={"name": "Player"}, headers=headers, timeout=60).json()
            api = f"{server.address}/api/v1/apps/{app['id']}"

            def get(path):
                answer = requests.get(f"{api}/{path}", headers=headers, timeout=60)
                assert answer.ok, answer.text
                return answer.json()

            builds = [build(directory, version) for version in (1, 2)]
            for version, (_, identifier, offset) in enumerate(builds, 1):
                server.send(app, [crash(version, identifier, offset)])
            wait_for(lambda: len(get("reports/errors")["crashes"]) == 2)
            waiting = {row["build"]: row["image"] for row in get("reports/symbols")["builds"]}
            assert waiting == {identifier: f"Player{number}" for number, (_, identifier, _) in enumerate(builds, 1)}
            systems = get("reports/symbols")["systems"]
            assert [(row["image"], row["count"]) for row in systems] == [("libc.so.6", 2)]

            archive = io.BytesIO()
            with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as file:
                for program, _, _ in builds:
                    file.write(program, f"deep/down.dSYM/{program.rsplit('/', 1)[1]}")
                file.writestr("readme.txt", "no symbols")
            answer = requests.post(f"{api}/symbols", data=archive.getvalue(), headers=headers, timeout=60)
            assert answer.ok, answer.text
            stored = {symbols["buildId"]: symbols["result"] for symbols in answer.json()["symbols"]}
            assert stored == {identifier: "new" for _, identifier, _ in builds} and not answer.json()["refused"]

            wait_for(lambda: len(get("reports/errors")["crashes"]) == 1)
            [group] = get("reports/errors")["crashes"]
            assert group["count"] == 2 and "stop_player" in group["place"], group
            assert not get("reports/symbols")["builds"]
            browser = requests.Session()
            browser.get(server.login_link(), timeout=60)
            page = browser.get(f"{server.address}/apps/{app['id']}/error?group={group['group']}", timeout=60).text
            assert "stop_player" in page
            shown = re.search(r'href="(/apps/\d+/error\?occurrence=\d+)"', page).group(1)
            page = browser.get(f"{server.address}{shown}", timeout=60).text
            assert re.search(r"stop_player[^\n]*player\.c:\d+", page), page
            assert "libc.so.6" in page
        finally:
            server.stop()
