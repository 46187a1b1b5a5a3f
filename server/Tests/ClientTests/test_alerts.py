"""Notifications to real receivers: mail servers with and without TLS, that refuse, wait and die, and an HTTP server."""

import contextlib
import email
import email.policy
import hashlib
import hmac
import http.server
import json
import pathlib
import re
import signal
import socket
import ssl
import subprocess
import tempfile
import threading
import time
import uuid

import pytest
import requests
from aiosmtpd.controller import Controller
from aiosmtpd.smtp import AuthResult

from tern import PROGRAM, Serve

TO, FROM = "someone@example.org", "tern@example.org"
PASSWORD = "correct horse"
INSTALL = str(uuid.uuid4())


class Mailbox:
    """A handler of aiosmtpd that keeps what it takes."""

    def __init__(self, recipient="250 OK", data="250 Message accepted for delivery"):
        self.recipient, self.data, self.mails = recipient, data, []

    async def handle_RCPT(self, server, session, envelope, address, options):
        if self.recipient.startswith("250"):
            envelope.rcpt_tos.append(address)
        return self.recipient

    async def handle_DATA(self, server, session, envelope):
        if self.data is None:
            server.transport.abort()
            return "421 Gone"
        self.mails.append((session, envelope))
        return self.data


@pytest.fixture(scope="module")
def folder():
    with tempfile.TemporaryDirectory(prefix="tern-alerts-") as directory:
        directory = pathlib.Path(directory)
        subprocess.run(
            ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=localhost", "-addext",
             "subjectAltName=DNS:localhost", "-keyout", directory / "key.pem", "-out", directory / "cert.pem"],
            check=True, capture_output=True)
        (directory / "password").write_text(PASSWORD + "\n", encoding="utf-8")
        subprocess.run(
            [PROGRAM, "apps", "create", "Tests", "--data", directory / "data"], check=True, capture_output=True)
        yield directory


@pytest.fixture
def context(folder):
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(folder / "cert.pem", folder / "key.pem")
    return context


def free_port():
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


@contextlib.contextmanager
def mail_server(handler, **options):
    """A real mail server, and its port."""
    controller = Controller(handler, hostname="127.0.0.1", port=free_port(), **options)
    controller.start()
    try:
        yield controller.port
    finally:
        controller.stop()


def check_login(server, session, envelope, mechanism, data):
    return AuthResult(success=data.login == b"tern" and data.password == PASSWORD.encode(), handled=False)


def test(folder, *arguments, to=f"mail:{TO}", environment=None):
    """Runs `tern notify test`; returns its exit code and output."""
    result = subprocess.run(
        [PROGRAM, "notify", "test", "--to", to, "--data", folder / "data", *arguments], capture_output=True, text=True,
        timeout=90, check=False, env=environment)
    return result.returncode, result.stdout + result.stderr


test.__test__ = False


def mail(folder, port, *arguments, scheme="smtp", query="", to=f"mail:{TO}"):
    return test(folder, "--smtp", f"{scheme}://localhost:{port}{query}", "--mail-from", FROM, *arguments, to=to)


def test_a_mail_goes_out_with_starttls_and_a_login(folder, context):
    box = Mailbox()
    with mail_server(box, tls_context=context, require_starttls=True, authenticator=check_login, auth_required=True) as port:
        code, output = mail(
            folder, port, "--smtp-ca", folder / "cert.pem", "--smtp-user", "tern", "--smtp-password-file",
            folder / "password", "--portal-url", "https://tern.example.org/", query="?tls=required")
    assert code == 0 and "250 Message accepted" in output, output
    [(session, envelope)] = box.mails
    assert session.ssl and envelope.mail_from == FROM and envelope.rcpt_tos == [TO]
    message = email.message_from_bytes(envelope.content, policy=email.policy.default)
    assert not message.defects and message["From"].addresses[0].addr_spec == FROM
    assert message["To"].addresses[0].addr_spec == TO and message["Subject"] == "Tern: a test message"
    assert re.fullmatch(rf"<{message['X-Tern-Id']}\.[0-9a-z]+@example\.org>", message["Message-ID"])
    assert message["Date"].datetime is not None
    plain, html = message.get_body(("plain",)).get_content(), message.get_body(("html",)).get_content()
    assert "Nothing is wrong." in plain and "https://tern.example.org" in plain
    assert html.startswith("<!doctype html>") and "Nothing is wrong." in html


def test_a_running_server_sends_the_test_with_its_own_settings():
    box = Mailbox()
    with tempfile.TemporaryDirectory(prefix="tern-alerts-") as directory, mail_server(box) as port:
        server = Serve(directory, "--smtp", f"smtp://localhost:{port}", "--mail-from", FROM)
        try:
            code, output = test(pathlib.Path(directory))
            assert code == 0 and "250 Message accepted" in output, output
            assert [envelope.rcpt_tos for _, envelope in box.mails] == [[TO]]
            box.recipient = "550 No such user"
            code, output = test(pathlib.Path(directory))
            assert code == 1 and "550 No such user" in output, output
        finally:
            server.stop()


def test_a_mail_goes_out_over_implicit_tls(folder, context):
    box = Mailbox()
    with mail_server(box, ssl_context=context) as port:
        code, output = mail(folder, port, "--smtp-ca", folder / "cert.pem", scheme="smtps")
    assert code == 0 and len(box.mails) == 1, output


def test_a_server_on_the_same_machine_needs_no_tls(folder):
    box = Mailbox()
    with mail_server(box) as port:
        code, output = mail(folder, port)
    assert code == 0 and len(box.mails) == 1 and not box.mails[0][0].ssl, output


def test_a_server_on_the_same_machine_gets_tls_where_it_offers_it(folder, context):
    box = Mailbox()
    # Its certificate need not be trusted, as that of a local Postfix usually isn't.
    with mail_server(box, tls_context=context, require_starttls=True) as port:
        code, output = mail(folder, port)
        assert code == 0 and len(box.mails) == 1 and box.mails[0][0].ssl, output
        code, output = mail(folder, port, query="?tls=none")
        assert code == 1 and "530" in output and "leave out ?tls=none" in output and len(box.mails) == 1, output


def test_nothing_is_sent_without_a_login_if_there_is_a_user(folder):
    box = Mailbox()
    with mail_server(box) as port:
        code, output = mail(
            folder, port, "--smtp-user", "tern", "--smtp-password-file", folder / "password")
    assert code == 1 and "offers no login" in output and not box.mails, output


def test_a_file_without_authorities_is_told_at_the_start(folder):
    (folder / "empty.pem").write_text("hello\n", encoding="utf-8")
    code, output = mail(folder, 1, "--smtp-ca", folder / "empty.pem")
    assert code == 2 and "no certificate" in output, output


@pytest.mark.parametrize("address", ["jörg@example.org", "x@bücher.example"])
def test_addresses_that_are_not_supported_are_told(folder, address):
    code, output = test(folder, "--smtp", "smtp://localhost:1", "--mail-from", FROM, to=f"mail:{address}")
    assert code != 0 and "supported" in output, output


def test_mails_of_one_message_have_different_identifiers(folder):
    box = Mailbox()
    with mail_server(box) as port:
        for to in [TO, "other@example.org", TO]:
            assert mail(folder, port, to=f"mail:{to}")[0] == 0
    names = [email.message_from_bytes(mail.content)["Message-ID"].split(".")[1] for _, mail in box.mails]
    assert names[0] == names[2] != names[1]


def test_nothing_is_sent_without_the_tls_that_is_required(folder):
    box = Mailbox()
    with mail_server(box) as port:
        code, output = mail(folder, port, query="?tls=required")
    assert code == 1 and "failed" in output and not box.mails, output


def test_nothing_is_sent_to_a_server_whose_certificate_is_not_trusted(folder, context):
    box = Mailbox()
    with mail_server(box, tls_context=context) as port:
        code, output = mail(folder, port, query="?tls=required")
    assert code == 1 and "certificate" in output and not box.mails, output


def test_a_wrong_password_is_told(folder, context):
    (folder / "wrong").write_text("wrong\n", encoding="utf-8")
    with mail_server(Mailbox(), tls_context=context, authenticator=check_login, auth_required=True) as port:
        code, output = mail(
            folder, port, "--smtp-ca", folder / "cert.pem", "--smtp-user", "tern", "--smtp-password-file",
            folder / "wrong", query="?tls=required")
    assert code == 1 and "535" in output and "wrong" not in output.split(":", 1)[1].replace("Wrong", ""), output


@pytest.mark.parametrize("box", [
    Mailbox(recipient="550 No such user here"), Mailbox(recipient="451 Try later"), Mailbox(data="554 It looks like spam")])
def test_a_refusal_is_told_in_the_words_of_the_server(folder, box):
    with mail_server(box) as port:
        code, output = mail(folder, port)
    words = box.data if box.recipient.startswith("250") else box.recipient
    assert code == 1 and words in output, output


def test_a_server_that_dies_is_told(folder):
    with mail_server(Mailbox(data=None)) as port:
        code, output = mail(folder, port)
    assert code == 1 and "failed" in output, output


def test_a_server_that_says_nothing_is_given_up_after_half_a_minute(folder):
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        listener.listen()
        start = time.monotonic()
        code, output = mail(folder, listener.getsockname()[1])
    assert code == 1 and "timed out" in output.lower() and 25 < time.monotonic() - start < 45, output


class Hook:
    """A real HTTP server that keeps what it gets."""

    def __init__(self, status=200, headers=(), body=b"ok", hangs=False):
        self.requests, self.hanging, hook = [], threading.Event(), self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_POST(self):
                body = self.rfile.read(int(self.headers["Content-Length"]))
                hook.requests.append((self.path, self.headers, body))
                if hook.hangs:
                    hook.hanging.set()
                    time.sleep(60)
                self.send_response(status)
                for name, value in headers:
                    self.send_header(name, value)
                self.end_headers()
                with contextlib.suppress(ConnectionError):
                    self.wfile.write(hook.body)

            def log_message(self, *arguments):
                pass

        self.hangs, self.body = hangs, body
        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        self.address = f"http://127.0.0.1:{self.server.server_port}/hook"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.server.shutdown()
        self.server.server_close()


def secret(data, address):
    return subprocess.run(
        [PROGRAM, "notify", "secret", address, "--data", data], check=True, capture_output=True, text=True).stdout.strip()


def check_signature(request, secret):
    _, headers, body = request
    fields = dict(part.split("=") for part in headers["X-Tern-Signature"].split(","))
    expected = hmac.new(secret.encode(), fields["t"].encode() + b"." + body, hashlib.sha256).hexdigest()
    assert fields["v1"] == expected and abs(time.time() - int(fields["t"])) < 60
    message = json.loads(body)
    assert message["id"] == headers["X-Tern-Id"] and headers["Content-Type"] == "application/json"
    return message


def test_a_webhook_is_signed(folder):
    with Hook() as hook:
        code, output = test(folder, "--allow-webhooks-to", "127.0.0.1", to=f"webhook:{hook.address}")
        assert code == 0 and "200 OK: ok" in output, output
        message = check_signature(hook.requests[0], secret(folder / "data", hook.address))
    assert message["event"] == "notify.test" and hook.requests[0][0] == "/hook"


def test_a_chat_gets_one_text(folder):
    with Hook() as hook:
        code, output = test(folder, "--allow-webhooks-to", "all", to=f"chat:{hook.address}")
        assert code == 0, output
        body = json.loads(hook.requests[0][2])
    assert list(body) == ["text"] and "Nothing is wrong." in body["text"] and "hook" not in output, output


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "[::ffff:127.0.0.1]", "2130706433", "0"])
def test_an_address_inside_is_not_connected_to(folder, host):
    with Hook() as hook:
        address = hook.address.replace("127.0.0.1", host)
        code, output = test(folder, "--allow-webhooks-to", "10.0.0.0/8", to=f"webhook:{address}")
        assert code == 1 and "--allow-webhooks-to" in output and not hook.requests, output


def test_a_proxy_of_the_environment_is_not_used(folder):
    with Hook() as hook:
        proxy = hook.address.rsplit("/", 1)[0]
        code, output = test(
            folder, to="webhook:http://192.168.255.254:9/", environment={"http_proxy": proxy, "ALL_PROXY": proxy})
        assert code == 1 and "--allow-webhooks-to" in output and not hook.requests, output


def test_redirects_are_not_followed(folder):
    with Hook() as target, Hook(307, [("Location", target.address)]) as hook:
        code, output = test(folder, "--allow-webhooks-to", "127.0.0.1", to=f"webhook:{hook.address}")
        assert code == 1 and "307" in output and len(hook.requests) == 1 and not target.requests, output


def test_a_refusal_of_a_receiver_is_told_and_a_long_answer_is_cut(folder):
    with Hook(410, body=b"moved away\r\nfor good") as hook:
        code, output = test(folder, "--allow-webhooks-to", "127.0.0.1", to=f"webhook:{hook.address}")
        assert code == 1 and "410 Gone: moved away for good" in output, output
    with Hook(body=b"x" * 50_000_000) as hook:
        code, output = test(folder, "--allow-webhooks-to", "127.0.0.1", to=f"webhook:{hook.address}")
        assert code == 0 and len(output) < 1000, output


def test_no_password_is_in_the_settings_that_are_shown(folder):
    result = subprocess.run(
        [PROGRAM, "config", "--data", folder / "data"], capture_output=True, text=True, check=True,
        env={"TERN_SMTP_PASSWORD": PASSWORD, "TERN_SMTP": "smtp://localhost"})
    assert PASSWORD not in result.stdout and "smtp" in result.stdout


def wait_for(condition, seconds=30):
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, "it did not happen"
        time.sleep(0.05)


def test_a_killed_server_repeats_a_notification_with_the_same_identifier():
    with tempfile.TemporaryDirectory(prefix="tern-alerts-") as directory, Hook(hangs=True) as hook:
        server = Serve(directory)
        server.command("alerts", "add", "--server", "--name", "Ops", "--to", f"webhook:{hook.address}")
        server.stop()
        # More than any disk has: the server has something to say.
        options = ("--disk-reserve", "8000000GiB", "--allow-webhooks-to", "127.0.0.1")
        server = Serve(directory, *options)
        assert hook.hanging.wait(60)
        server.process.send_signal(signal.SIGKILL)
        server.process.wait()
        hook.hangs = False
        server = Serve(directory, *options)
        try:
            wait_for(lambda: len(hook.requests) == 2)
            key = secret(server.data, hook.address)
            first, second = (check_signature(request, key) for request in hook.requests)
            assert first == second and first["event"] == "server.problem" and "disk" in first["title"]
            wait_for(lambda: "delivered" in server.command("alerts", "history", "1"))
            assert '"status":"raised"' in server.command("alerts", "list", "--json")
            time.sleep(6)
            assert len(hook.requests) == 2, "it was told once"
        finally:
            server.stop()


def event(kind, name, at, version="1.0", more=None):
    """A line of the native protocol."""
    return json.dumps({
        "id": str(uuid.uuid4()), "type": kind, "name": name, "install": INSTALL, "time": int(at * 1000),
        "session": str(uuid.uuid4()), "properties": {}, "device": {"osName": "iOS", "osVersion": "18.0"},
        "app": {"version": version, "build": "1"}} | (more or {}))


def test_the_server_reports_figures_and_errors_each_once():
    with tempfile.TemporaryDirectory(prefix="tern-alerts-") as directory, Hook() as hook:
        # The server looks when it starts, and then every two minutes.
        options = ("--allow-webhooks-to", "127.0.0.1", "--portal-url", "https://tern.example.org")
        server = Serve(directory, *options)
        headers = {"Authorization": f"Bearer {server.token()}"}
        app = requests.post(f"{server.address}/api/v1/apps", json={"name": "Radio"}, headers=headers, timeout=60).json()
        to = f"webhook:{hook.address}"
        for name, condition in [
                ("Orders", ["--question", "metric=events&event=Order", "--above", "2"]), ("New", ["--new-errors"]),
                ("Returned", ["--returned-errors"]), ("Many", ["--question", "metric=events", "--above", "3"])]:
            server.command("alerts", "add", "--app", "1", "--name", name, "--to", to, *condition)
        # Half an hour before the end of the last hour that is over by ten minutes.
        at = (time.time() - 600) // 3600 * 3600 - 1800
        server.send(app, [event("event", "Order", at + second) for second in range(3)])
        key, messages = secret(server.data, hook.address), []

        def told():
            # A server that ends while it sends sends again, with the same identifier.
            return len({json.loads(body)["id"] for _, _, body in hook.requests})

        def restart(count):
            nonlocal server
            # New errors are in no group for a moment, and a look before that leaves them to the next one.
            for _ in range(5):
                server.stop()
                server = Serve(directory, *options)
                deadline = time.monotonic() + 20
                while told() < count and time.monotonic() < deadline:
                    time.sleep(0.05)
                if told() >= count:
                    break
            assert told() == count
            messages.append(check_signature(hook.requests[-1], key))
            time.sleep(3)
            assert told() == count, "each is told once"

        try:
            restart(1)
            message = messages[-1]
            assert message["event"] == "alert.breached" and message["facts"]["value"] == 3, message
            assert message["facts"]["alert"] == "Orders" and message["facts"]["users"] == 1, message
            day = time.strftime("%Y-%m-%d", time.gmtime(at))
            assert message["link"] == (
                f"https://tern.example.org/apps/1/explore?metric=events&event=Order&interval=hour&from={day}&to={day}"), message
            assert message["text"].startswith("Events of Order: 3 from ") and "above the limit of 2." in message["text"], message
            crash = {"exception": {"type": "Index <out>", "message": "of range", "frames": []}}
            server.send(app, [event("crash", "", time.time(), more=crash)])
            restart(2)
            message = messages[-1]
            assert message["event"] == "alert.new_error" and "Index <out>" in message["text"], message
            assert message["link"] == "https://tern.example.org/apps/1/error?group=1"
            answer = requests.put(
                f"{server.address}/api/v1/apps/1/errors/1", json={"status": "closed", "version": "1.0 (1)"},
                headers=headers, timeout=60)
            answer.raise_for_status()
            server.send(app, [event("crash", "", time.time(), version="2.0", more=crash)])
            restart(3)
            message = messages[-1]
            assert message["event"] == "alert.error_came_back" and "2.0 (1)" in message["facts"]["error1"], message
            states = {line["name"]: line["status"] for line in json.loads(server.command("alerts", "list", "--json"))}
            assert states == {"Orders": "raised", "New": "quiet", "Returned": "quiet", "Many": "quiet"}
        finally:
            server.stop()


def test_the_page_sends_a_test_to_the_checked_destinations_and_saves_nothing():
    box = Mailbox()
    with tempfile.TemporaryDirectory(prefix="tern-alerts-") as directory, mail_server(box) as port:
        server = Serve(directory, "--smtp", f"smtp://localhost:{port}", "--mail-from", FROM)
        try:
            server.command("apps", "create", "Radio")
            server.command("alerts", "add", "--app", "1", "--name", "Errors", "--new-errors", "--to", f"mail:{TO}")
            browser = requests.Session()
            browser.get(server.login_link(), timeout=60)
            address, origin = f"{server.address}/apps/1/alerts", {"Origin": server.address}
            page = browser.get(address, timeout=60).text
            assert f'value="mail:{TO}"' in page and "Mail isn’t set up" not in page
            form = {"do": "test", "kind": "came_back", "d1": f"mail:{TO}", "to": "other@example.org", "tokind": "mail"}
            page = browser.post(address, form, headers=origin, timeout=90)
            assert page.status_code == 200, page.text
            assert f"mail:{TO}: accepted, 250 Message accepted for delivery" in page.text, page.text
            assert "mail:other@example.org: accepted" in page.text
            assert sorted(envelope.rcpt_tos[0] for _, envelope in box.mails) == sorted([TO, "other@example.org"])
            # What was chosen stays in the form.
            assert re.search(f'value="mail:{TO}" checked', page.text) and 'value="other@example.org"' in page.text
            box.recipient = "550 No such user"
            page = browser.post(address, form, headers=origin, timeout=90)
            assert page.status_code == 400 and f"mail:{TO}: failed, " in page.text and "550 No such user" in page.text
            page = browser.post(address, {"do": "test", "kind": "came_back"}, headers=origin, timeout=90)
            assert page.status_code == 400 and "Choose 1 to 10 destinations for the test." in page.text
            assert len(json.loads(server.command("alerts", "list", "--json"))) == 1
        finally:
            server.stop()


def test_the_page_adds_mutes_and_deletes_alerts():
    name = "<script>document.title='taken'</script>"
    with tempfile.TemporaryDirectory(prefix="tern-alerts-") as directory:
        server = Serve(directory)
        try:
            server.command("apps", "create", "Radio")
            browser = requests.Session()
            browser.get(server.login_link(), timeout=60)
            address = f"{server.address}/apps/1/alerts"
            page = browser.get(address, params={"question": "metric=events&event=Order"}, timeout=60)
            assert page.status_code == 200 and "No alerts yet" in page.text, page.text
            assert re.search('name="n0" value="Order"', page.text) and "It would have fired" not in page.text
            origin = {"Origin": server.address}
            form = {"do": "create", "name": name, "kind": "above", "limit": "x", "period": "hour",
                    "question": f"{server.address}/apps/1/explore?metric=events",
                    "to": "mail:a@example.org\r\nchat:https://a.example/secret"}
            page = browser.post(address, form, headers=origin, timeout=60)
            assert page.status_code == 400 and "Enter a number as the limit." in page.text and name not in page.text
            page = browser.post(address, form | {"limit": "5"}, headers=origin, timeout=60)
            assert page.status_code == 200 and "Created." in page.text, page.text
            assert "Events above 5 per hour" in page.text and "&lt;script&gt;" in page.text
            assert name not in page.text and "secret" not in page.text and "Quiet" in page.text
            page = browser.post(address, {"do": "mute", "id": "1"}, headers=origin, timeout=60)
            assert "Muted until" in page.text
            page = browser.post(address, {"do": "unmute", "id": "1"}, headers=origin, timeout=60)
            assert "Muted until" not in page.text
            explore = browser.get(f"{server.address}/apps/1/explore?metric=events&event=a", timeout=60).text
            assert "/apps/1/alerts?question=metric%3Devents%26event%3Da#form" in explore
            page = browser.get(address, params={"edit": "1"}, timeout=60).text
            assert 'value="events" selected' in page and 'value="5"' in page and ">Save<" in page
            checked = re.findall('name="(d[0-9]+)" value="([^"]+)" checked', page)
            assert {text for _, text in checked} == {"mail:a@example.org", "chat:https://a.example/…"} and "secret" not in page
            version = re.search('name="version" value="([0-9]+)"', page)[1]
            edited = {"do": "change", "id": "1", "version": version, "name": "Sales", "kind": "below", "limit": "2.5", "period": "day",
                      "page": "explore", "metric": "events", "k0": "", "n0": "", "users": "x"} | dict(checked)
            page = browser.post(address, edited, headers=origin, timeout=60)
            assert page.status_code == 400 and "Enter a whole number of users" in page.text and ">Save<" in page.text
            page = browser.post(address, edited | {"users": "40"}, headers=origin, timeout=60)
            assert page.status_code == 200 and "Saved." in page.text and "below 2.5 per day" in page.text
            assert browser.post(address, edited | {"id": "9"}, headers=origin, timeout=60).status_code == 404
            page = browser.post(address, edited | {"users": "50", "name": "Late"}, headers=origin, timeout=60)
            assert page.status_code == 400 and "since you opened the form" in page.text and 'value="Late"' in page.text
            assert 'value="2.5"' in browser.get(address, params={"edit": "1"}, timeout=60).text

            server.command("alerts", "change", "1", "--above", "7", "--to", "chat:https://a.example/…")
            [alert] = json.loads(server.command("alerts", "list", "--json"))
            assert alert["text"] == "above 7 per day" and alert["minimumUsers"] == 40 and alert["name"] == "Sales"
            assert alert["destinations"] == ["chat:https://a.example/…"] and alert["condition"]["query"] == "metric=events"
            server.command("alerts", "change", "1", "--per", "hour", "--name", "All")
            server.command("alerts", "change", "1", "--changed", "50", "--question", "metric=users")
            [alert] = json.loads(server.command("alerts", "list", "--json"))
            assert alert["text"] == "changed by more than 50 % from one hour to the next" and alert["name"] == "All"
            assert alert["condition"]["query"] == "metric=users"
            page = browser.post(address, {"do": "delete", "id": "1"}, headers=origin, timeout=60)
            assert "No alerts yet" in page.text
        finally:
            server.stop()
