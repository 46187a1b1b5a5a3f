"""The sample of docs/nginx.conf in front of a server: large bodies, restarts, live pages, clients' addresses, closed metrics."""

import base64
import json
import pathlib
import re
import socket
import subprocess
import tempfile
import time
import uuid

import pytest
import requests
from requests.adapters import HTTPAdapter

from tern import ROOT, Serve
from test_extremes import line

INSTALL = "7d444840-9dc0-11d1-b245-5ffdce74fad2"


class From(HTTPAdapter):
    """Connects from another address of this machine."""

    def __init__(self, address):
        self.address = address
        super().__init__()

    def init_poolmanager(self, *arguments, **options):
        super().init_poolmanager(*arguments, source_address=(self.address, 0), **options)


def free_port():
    with socket.create_server(("127.0.0.1", 0)) as server:
        return server.getsockname()[1]


class Nginx:
    """nginx with the sample, except for ports and the certificate."""

    def __init__(self, directory, server):
        directory = pathlib.Path(directory)
        port = free_port()
        subprocess.run(
            ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2",
             "-subj", "/CN=tern.example.com", "-addext", "subjectAltName=IP:127.0.0.1",
             "-keyout", directory / "key.pem", "-out", directory / "cert.pem"],
            check=True, capture_output=True)
        sample = (ROOT / "docs/nginx.conf").read_text(encoding="utf-8")
        for old, new in [
            ("127.0.0.1:8787", server.removeprefix("http://")), ("listen 443 ssl", f"listen 127.0.0.1:{port} ssl"),
            ("/etc/letsencrypt/live/tern.example.com/fullchain.pem", str(directory / "cert.pem")),
            ("/etc/letsencrypt/live/tern.example.com/privkey.pem", str(directory / "key.pem")),
        ]:
            assert old in sample
            sample = sample.replace(old, new)
        (directory / "tern.conf").write_text(sample, encoding="utf-8")
        paths = "".join(f"{name}_temp_path {directory}/{name}; " for name in
                        ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"])
        user = "user root; " if pathlib.Path(directory).owner() == "root" else ""
        (directory / "nginx.conf").write_text(
            f"{user}daemon off; pid {directory}/nginx.pid; events {{}} "
            f"http {{ access_log off; {paths} include {directory}/tern.conf; }}", encoding="utf-8")
        self.process = subprocess.Popen(
            ["/usr/sbin/nginx", "-c", str(directory / "nginx.conf"), "-e", str(directory / "error.log")])
        self.address = f"https://127.0.0.1:{port}"
        self.certificate = str(directory / "cert.pem")
        deadline = time.monotonic() + 30
        while time.monotonic() < deadline and self.process.poll() is None:
            try:
                socket.create_connection(("127.0.0.1", port)).close()
                return
            except OSError:
                time.sleep(0.05)
        raise RuntimeError((directory / "error.log").read_text(encoding="utf-8"))

    def stop(self):
        self.process.terminate()
        self.process.wait(30)


@pytest.fixture(scope="module")
def setting():
    with tempfile.TemporaryDirectory(prefix="tern-proxy-") as directory:
        server = Serve(
            directory, "--trusted-proxy", "127.0.0.1", "--access-log", f"{directory}/access.log", "--access-log-addresses")
        proxy = None
        try:
            proxy = Nginx(directory, server.address)
            yield server, proxy, pathlib.Path(directory) / "access.log"
        finally:
            if proxy:
                proxy.stop()
            server.stop()


def client(proxy, source="127.0.0.2"):
    session = requests.Session()
    session.verify = proxy.certificate
    session.trust_env = False
    session.mount("https://", From(source))
    return session


def create_app(server):
    return json.loads(server.command("apps", "create", "Behind nginx", "--json"))


@pytest.mark.parametrize("path, delay", [
    ("/v1/logs", "1"), ("/track", "1"), ("/import/", "1"), ("/v1/import", "5"), ("/v1/batch", "5"), ("/batch/", "30"),
    ("/2/httpapi", "30"), ("/v1/events", "5"),
])
def test_a_server_that_restarts_is_answered_for(tmp_path, path, delay):
    proxy = Nginx(tmp_path, f"http://127.0.0.1:{free_port()}")
    try:
        answer = client(proxy).post(proxy.address + path, data="{}", timeout=30)
        assert (answer.status_code, answer.headers["Retry-After"]) == (503, delay)
        body = answer.json()
        # Amplitude reads the code, Mixpanel the status, Segment the code and the message.
        assert (body["code"], body["status"], body["success"]) == (503, 0, False) and body["message"] and body["error"]
    finally:
        proxy.stop()


def test_a_large_attachment_passes(setting):
    server, proxy, _ = setting
    app = create_app(server)
    content = base64.b64encode(bytes(7 << 20)).decode()
    log = {"type": "errorAttachment", "timestamp": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
           "id": str(uuid.uuid4()), "errorId": str(uuid.uuid4()), "contentType": "application/octet-stream",
           "fileName": "screen.bin", "data": content, "device": {"osName": "Linux", "appVersion": "1"}}
    answer = client(proxy).post(
        f"{proxy.address}/logs?api-version=1.0.0", json={"logs": [log]},
        headers={"App-Secret": app["appSecret"], "Install-ID": INSTALL}, timeout=60)
    assert answer.status_code == 200, answer.text
    metrics = requests.get(
        f"{server.address}/metrics", headers={"Authorization": f"Bearer {server.token()}"}, timeout=60).text
    stored = re.search(r'tern_disk_used_bytes{part="warehouse"} (\d+)', metrics).group(1)
    assert int(stored) > 7 << 20, metrics


def test_live_rows_arrive_at_once_and_the_session_is_for_https(setting):
    server, proxy, _ = setting
    app = create_app(server)
    browser = client(proxy)
    link = server.command("login-link", "--url", proxy.address).split()[-1]
    answer = browser.get(link, timeout=60, allow_redirects=False)
    if answer.status_code == 200:  # The page that asks before a link is used.
        answer = browser.post(link, timeout=60, allow_redirects=False)
    assert "Secure" in answer.headers["Set-Cookie"], answer.headers
    with browser.get(f"{proxy.address}/apps/{app['id']}/live/events?after=0", stream=True, timeout=30) as stream:
        assert stream.status_code == 200
        lines = stream.iter_lines(chunk_size=1)
        assert next(lines) == b"retry: 2000"
        server.send(app, [line("event", "Seen live", INSTALL)])
        started = time.monotonic()
        assert any(b"Seen live" in text for text in lines)
        assert time.monotonic() - started < 10


def test_limits_and_logs_see_the_client_and_not_what_it_claims(setting):
    server, proxy, log = setting
    for source in ["127.0.0.2", "127.0.0.3"]:
        client(proxy, source).get(f"{proxy.address}/healthz", headers={"X-Forwarded-For": "192.0.2.1"}, timeout=60)
    client(proxy, "127.0.0.4").get(f"{proxy.address}/nowhere", timeout=60)
    deadline = time.monotonic() + 30
    while "127.0.0.4" not in log.read_text() and time.monotonic() < deadline:
        time.sleep(0.05)
    entries = [json.loads(text) for text in log.read_text(encoding="utf-8").splitlines()]
    assert {"127.0.0.2", "127.0.0.3"} <= {entry["client"] for entry in entries if entry["route"] == "/healthz"}
    assert all(entry["client"] != "192.0.2.1" for entry in entries)


def test_metrics_are_closed(setting):
    server, proxy, _ = setting
    headers = {"Authorization": f"Bearer {server.token()}"}
    for path in ["/metrics", "/metrics/", "//metrics"]:
        assert client(proxy).get(f"{proxy.address}{path}", headers=headers, timeout=60).status_code == 403
    assert requests.get(f"{server.address}/metrics", headers=headers, timeout=60).status_code == 200
