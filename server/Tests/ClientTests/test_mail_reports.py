"""Reports by mail to a real mail server: what a mail says, unsubscribing, and a server that is killed while it sends."""

import asyncio
import contextlib
import datetime
import email
import email.policy
import json
import re
import signal
import tempfile
import time
from urllib.parse import urlsplit

import requests

from tern import Serve
from test_alerts import FROM, Mailbox, event, mail_server, wait_for

ANN, BOB = "ann@example.org", "bob@example.org"
PORTAL = "https://tern.example.org"


class SlowMailbox(Mailbox):
    """A handler that doesn't answer, once it has a mail, until it is told to."""

    def __init__(self):
        super().__init__()
        self.is_slow = True

    async def handle_DATA(self, server, session, envelope):
        answer = await super().handle_DATA(server, session, envelope)
        while self.is_slow:
            await asyncio.sleep(0.05)
        return answer


def parsed(envelope):
    message = email.message_from_bytes(envelope.content, policy=email.policy.default)
    assert not message.defects, message.defects
    return message


def texts(message):
    return [message.get_body((kind,)).get_content().replace("\r\n", "\n") for kind in ("plain", "html")]


@contextlib.contextmanager
def serving(box):
    """A server with an app that has events of yesterday and the day before."""
    with tempfile.TemporaryDirectory(prefix="tern-mail-") as directory, mail_server(box) as port:
        options = ("--smtp", f"smtp://localhost:{port}", "--mail-from", FROM, "--portal-url", PORTAL)
        server = Serve(directory, *options)
        try:
            server.headers = {"Authorization": f"Bearer {server.token()}"}
            app = requests.post(
                f"{server.address}/api/v1/apps", json={"name": "Radio & Co", "timeZone": "UTC"}, headers=server.headers,
                timeout=60).json()
            today = datetime.datetime.now(datetime.UTC).replace(hour=0, minute=0, second=0, microsecond=0)
            lines = []
            for back, count in [(1, 34), (2, 17)]:
                at = (today - datetime.timedelta(days=back)).timestamp() + 43_200
                lines += [event("event", "<b>Order</b>", at + index) for index in range(count)]
            server.send(app, lines)
            server.restart = lambda: Serve(directory, *options)
            server.yesterday = (today - datetime.timedelta(days=1)).date()
            yield server
        finally:
            server.stop()


def test_a_mail_has_the_figures_of_the_report_and_ends_with_one_click():
    box = Mailbox()
    with serving(box) as server:
        output = server.command("mail-reports", "add", "--app", "1", "--every", "day", "--to", ANN, "--to", BOB)
        assert "every day at 07:00" in output, output
        server.command("mail-reports", "send-now", "1")
        wait_for(lambda: len(box.mails) == 2, 60)
        mails = {envelope.rcpt_tos[0]: parsed(envelope) for _, envelope in box.mails}
        day = str(server.yesterday)
        totals = requests.get(
            f"{server.address}/api/v1/apps/1/reports/overview", params={"from": day, "to": day}, headers=server.headers,
            timeout=60).json()["totals"]
        assert totals["events"] == 34 and totals["users"] == 1
        message = mails[ANN]
        assert message.get_content_type() == "multipart/alternative"
        assert [part.get_content_type() for part in message.iter_parts()] == ["text/plain", "text/html"]
        assert message["Subject"].startswith("Radio & Co: Overview, ") and str(server.yesterday.year) in message["Subject"]
        plain, html = texts(message)
        rows = {name: re.search(rf"^{name} +(\S+) +(.+?) +(\S+)$", plain, re.M).groups() for name in
                ("Active users", "Sessions", "Events")}
        assert rows["Events"] == (str(totals["events"]), "+100.0 %", "17"), plain
        assert rows["Active users"][0] == str(totals["users"]) and rows["Sessions"][0] == str(totals["sessions"]), plain
        for name in rows:
            cells = re.search(rf">{name}</th>(.*?)</tr>", html).group(1)
            assert re.findall(r">([^<>]+)</td>", cells)[0] == rows[name][0], html
        assert "<b>Order</b>" in plain and "&lt;b&gt;Order&lt;/b&gt;" in html and "<b>" not in html
        # Nothing is loaded from elsewhere.
        assert not re.search(r"<(img|link|script|iframe)|src=|url\(", html), html
        links = {who: mail["List-Unsubscribe"].strip("<>") for who, mail in mails.items()}
        assert links[ANN] != links[BOB] and links[ANN] in plain and links[ANN] in html
        assert message["List-Unsubscribe-Post"] == "List-Unsubscribe=One-Click" and links[ANN].startswith(PORTAL)
        address = server.address + urlsplit(links[ANN]).path
        page = requests.get(address, timeout=60)
        assert page.status_code == 200 and ANN in page.text and '"recipients":["ann' in server.command(
            "mail-reports", "list", "--json")
        for _ in range(2):
            answer = requests.post(address, data={"List-Unsubscribe": "One-Click"}, timeout=60)
            assert answer.status_code == 200, answer.text
        assert requests.post(address[:-1] + ("0" if address[-1] != "0" else "1"), timeout=60).status_code == 404
        server.command("mail-reports", "send-now", "1")
        wait_for(lambda: len(box.mails) == 3, 60)
        assert box.mails[2][1].rcpt_tos == [BOB]
        wait_for(lambda: server.command("mail-reports", "history", "1").count("delivered") == 3)
        audit = server.command("audit")
        assert "unsubscribed from mail report" in audit and ANN in audit, audit


def test_a_dashboard_has_the_figures_of_its_questions():
    box = Mailbox()
    with serving(box) as server:
        cards = [{"name": "Orders", "page": "explore", "query": "metric=events&days=90"},
                 {"name": "By version", "page": "explore", "query": "metric=users&by=version"},
                 {"name": "Back", "page": "retention", "query": "days=90"}]
        board = requests.post(
            f"{server.address}/api/v1/apps/1/dashboards", json={"name": "Board", "cards": cards}, headers=server.headers,
            timeout=60).json()
        created = requests.post(
            f"{server.address}/api/v1/apps/1/mail-reports", headers=server.headers, timeout=60,
            json={"every": "day", "hour": 23, "dashboard": board["id"], "recipients": [ANN]})
        assert created.status_code == 201 and created.json()["name"] == "Board", created.text
        sent = requests.post(
            f"{server.address}/api/v1/apps/1/mail-reports/{created.json()['id']}/send", headers=server.headers, timeout=60)
        assert sent.status_code == 204
        wait_for(lambda: box.mails, 60)
        plain, html = texts(parsed(box.mails[0][1]))
        day = str(server.yesterday)
        answer = requests.post(
            f"{server.address}/api/v1/apps/1/query", headers=server.headers, timeout=60,
            json={"metrics": ["events"], "date_range": [day, day]}).json()
        [[events]] = [row["metrics"] for row in answer["results"]]
        assert re.search(rf"^Events +{int(events)} +\+100\.0 % +17$", plain, re.M), plain
        assert re.search(r"^– 1\.0 \(1\) +1 +0\.0 % +1 ", plain, re.M), plain
        for card in cards:
            assert f"\n{card['name']}\n---" in plain and f">{card['name']}</h2>" in html
        assert f"{PORTAL}/apps/1/dashboards/{board['id']}" in plain


def test_a_killed_server_repeats_a_mail_with_the_same_identifier_and_no_other():
    box = SlowMailbox()
    with serving(box) as server:
        server.command("mail-reports", "add", "--app", "1", "--every", "month", "--to", ANN)
        server.command("mail-reports", "send-now", "1")
        wait_for(lambda: box.mails, 60)
        server.process.send_signal(signal.SIGKILL)
        server.process.wait()
        box.is_slow = False
        again = server.restart()
        try:
            wait_for(lambda: len(box.mails) == 2, 60)
            first, second = (parsed(envelope) for _, envelope in box.mails)
            assert first["Message-ID"] == second["Message-ID"] and first.as_bytes() == second.as_bytes()
            wait_for(lambda: "delivered" in again.command("mail-reports", "history", "1"))
            again.command("mail-reports", "send-now", "1")
            wait_for(lambda: len(box.mails) == 3, 60)
            assert parsed(box.mails[2][1])["Message-ID"] != first["Message-ID"]
            assert json.loads(again.command("mail-reports", "list", "--json"))[0]["every"] == "month"
        finally:
            again.stop()


def test_a_mail_server_that_takes_long_gets_a_mail_once_and_holds_up_no_stop():
    box = SlowMailbox()
    with serving(box) as server:
        server.command("mail-reports", "add", "--app", "1", "--every", "day", "--to", ANN)
        server.command("mail-reports", "send-now", "1")
        wait_for(lambda: box.mails, 60)
        # Longer than an attempt may take otherwise.
        time.sleep(35)
        assert "waiting" in server.command("mail-reports", "history", "1")
        box.is_slow = False
        wait_for(lambda: "delivered" in server.command("mail-reports", "history", "1"))
        assert len(box.mails) == 1
        box.is_slow = True
        server.command("mail-reports", "send-now", "1")
        wait_for(lambda: len(box.mails) == 2, 60)
        start = time.monotonic()
        server.process.send_signal(signal.SIGTERM)
        server.process.wait(60)
        box.is_slow = False
        assert time.monotonic() - start < 10, "the stop waited for the mail server"
