"""Every row is on the cluster exactly once, whatever happens to the server and to its requests.

`Scripts/clickhouse test` starts the cluster. SEED repeats a run.
"""

import http.client
import http.server
import os
import random
import signal
import subprocess
import tempfile
import threading
import time
from urllib.parse import parse_qs, urlsplit

import pytest
import requests

from tern import PROGRAM, ROOT, Serve
from test_extremes import create_app, line

SCRIPT = ROOT / "Scripts/clickhouse"
# The folder of the cluster, for the test that kills its nodes.
FOLDER = os.environ.get("TERN_CLICKHOUSE_FOLDER")
SERVERS = [address for address in os.environ.get("TERN_CLICKHOUSE", "").split(",") if address]
SEED = int(os.environ.get("SEED") or random.randrange(1 << 32))
EVENTS, ROUNDS = 60_000, 24

pytestmark = pytest.mark.skipif(not SERVERS, reason="run Scripts/clickhouse test")


class Deck:
    """Deals kinds in random order, but each as often as it is in the deck, so that few requests meet all of them."""

    def __init__(self, chance, kinds):
        self.chance, self.kinds, self.left = chance, kinds, []
        self.lock = threading.Lock()

    def deal(self):
        with self.lock:
            if not self.left:
                self.left = self.chance.sample(self.kinds, len(self.kinds))
            return self.left.pop()


class FaultyProxy:
    """Stands before a server. Of inserts it repeats some, cuts some off, and keeps some answers to itself, as the deck for
    inserts says. With one for reads, it changes a byte of some rows, cuts some off, and answers some late or with an error."""

    INSERTS = ["repeated", "repeated", "cut", "unanswered", "lost", "passed"]
    READS = ["lied", "halved", "late", "refused"] + ["passed"] * 9

    def __init__(self, target, chance, inserts, reads=None):
        names = ["repeated", "cut", "unanswered", "lost", "passed", "lied", "halved", "late", "refused"]
        self.faults = dict.fromkeys(names, 0)
        proxy = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self):
                body = self.rfile.read(int(self.headers["Content-Length"]))
                isInsert = parse_qs(urlsplit(self.path).query).get("query", [""])[0].startswith("INSERT")
                fault = "passed"
                if isInsert:
                    fault = inserts.deal()
                elif reads and b"property_values" in body:
                    fault = reads.deal()
                proxy.faults[fault] += 1
                if fault == "cut":
                    proxy.forward(target, self, body, len(body) * chance.randrange(100) // 100)
                    fault = "unanswered"
                elif fault != "lost":
                    for _ in range(2 if fault == "repeated" else 1):
                        status, headers, answer = proxy.forward(target, self, body)
                if fault in ("unanswered", "lost"):
                    self.close_connection = True
                    return
                if fault == "late":
                    time.sleep(0.5)
                if fault == "refused":
                    status, answer = 500, b"Code: 999, e.displayText() = DB::Exception: not now"
                if fault == "lied" and answer:
                    place = chance.randrange(len(answer))
                    answer = answer[:place] + bytes([answer[place] ^ 1 << chance.randrange(8)]) + answer[place + 1:]
                self.send_response(status)
                for name in ("X-ClickHouse-Exception-Code", "Content-Type"):
                    if name in headers:
                        self.send_header(name, headers[name])
                self.send_header("Content-Length", str(len(answer)))
                self.end_headers()
                self.wfile.write(answer[:len(answer) // 2] if fault == "halved" else answer)
                self.close_connection = fault == "halved"

            def log_message(self, *_):
                pass

        class Listener(http.server.ThreadingHTTPServer):
            def handle_error(self, *_):
                """A client that is killed ends its connections."""

        self.server = Listener(("127.0.0.1", 0), Handler)
        self.address = f"http://127.0.0.1:{self.server.server_port}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    @staticmethod
    def forward(target, request, body, length=None):
        connection = http.client.HTTPConnection(urlsplit(target).netloc, timeout=60)
        connection.putrequest("POST", request.path, skip_accept_encoding=True)
        for name, value in request.headers.items():
            if name.lower() not in ("host", "connection", "expect"):
                connection.putheader(name, value)
        connection.endheaders()
        try:
            connection.send(body[:length])
            if length is not None:
                return None
            answer = connection.getresponse()
            return answer.status, answer.headers, answer.read()
        finally:
            connection.close()


class Outages:
    """Kills nodes of the cluster and starts them again, one after the other or several at once, until it is told to stop."""

    NODES = ["s1r1", "s1r2", "s2r1", "s2r2", "zookeeper"]

    def __init__(self, chance):
        self.chance, self.killed, self.down = chance, [], set()
        self.isOver = threading.Event()
        self.thread = threading.Thread(target=self.run)
        self.thread.start()

    def kill(self, node):
        subprocess.run([SCRIPT, "kill", node, FOLDER], check=True, capture_output=True, timeout=90)
        self.down.add(node)
        self.killed.append(node)

    def start(self, node):
        """A server that starts without ZooKeeper lacks its replicated tables until it is started again, which is done later."""
        subprocess.run([SCRIPT, "kill", node, FOLDER], capture_output=True, timeout=90)
        done = subprocess.run([SCRIPT, "start", node, FOLDER], capture_output=True, text=True, timeout=90)
        if done.returncode == 0:
            self.down.discard(node)

    def run(self):
        while not self.isOver.wait(self.chance.random() * 3):
            node = self.chance.choice(self.NODES)
            if node in self.down:
                self.start(node)
            else:
                self.kill(node)

    def end(self):
        self.isOver.set()
        self.thread.join()
        for _ in range(3):
            for node in sorted(self.down, key=self.NODES.index, reverse=True):
                self.start(node)
        assert not self.down, f"{self.down} did not start again"
        for _ in range(60):
            status = subprocess.run([SCRIPT, "status", FOLDER], capture_output=True, text=True, timeout=90)
            if status.returncode == 0:
                return
            time.sleep(1)
        raise AssertionError(f"not all nodes answer: {status.stdout} {status.stderr}")


def query(statement, server):
    headers = {"X-ClickHouse-User": os.environ["TERN_CLICKHOUSE_USER"],
               "X-ClickHouse-Key": os.environ["TERN_CLICKHOUSE_PASSWORD"]}
    answer = requests.post(server, data=statement.encode(), headers=headers, timeout=60)
    answer.raise_for_status()
    return [row.split("\t") for row in answer.text.splitlines()]


def homes():
    """The homes of which the cluster has rows."""
    return {home for server in SERVERS[::2] if query("EXISTS TABLE tern_row", server) == [["1"]]
            for home, in query("SELECT DISTINCT home FROM tern_row", server)}


def command(data, *arguments, check=True):
    done = subprocess.run(
        [PROGRAM, "clickhouse", *arguments, "--data", str(data)], capture_output=True, text=True, timeout=120)
    if check and done.returncode:
        raise AssertionError(done.stdout + done.stderr)
    return done.stdout + done.stderr


def options(servers):
    return ["--clickhouse", ",".join(servers)]


class Home:
    """A server that is killed at any moment, and the events that it has confirmed."""

    def __init__(self, directory, servers):
        self.directory, self.servers = directory, servers
        self.sent = 0
        self.start()
        self.server.authorization = {"Authorization": f"Bearer {self.server.token()}"}
        self.app = create_app(self.server, "shop")

    def start(self):
        self.server = Serve(self.directory, *options(self.servers))
        self.data = self.server.data

    def kill(self):
        self.server.process.send_signal(signal.SIGKILL)
        self.server.process.wait()

    def backfill(self, seconds):
        """Ships for a time, and is killed then."""
        process = subprocess.Popen(
            [PROGRAM, "clickhouse", "backfill", "--data", str(self.data), *options(self.servers)],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            process.wait(seconds)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()

    def check(self, before):
        """Count = distinct = stored = confirmed, on each replica."""
        said = command(self.data, "backfill", *options(SERVERS))
        assert f"{self.sent:,}" in said, said
        assert f"{self.sent:,} rows are the same on every replica" in command(self.data, "verify", *options(SERVERS))
        mine, = homes() - before
        for half in (SERVERS[0::2], SERVERS[1::2]):
            counts = [query(f"SELECT count(), uniqExact(id) FROM tern_row WHERE home = {mine}", server)[0] for server in half]
            assert sum(int(count) for count, _ in counts) == sum(int(unique) for _, unique in counts) == self.sent
        assert "Every row is on the cluster" in command(self.data, "status", *options(SERVERS))

    def send(self, count, person=None):
        lines = [line("event", f"Event {number % 7}", f"00000000-0000-4000-8000-{number % 500:012}", user=person or f"user-{number % 90}",
                      properties={"n": number, "text": f"täxt {number}"}) for number in range(count)]
        for start in range(0, count, 500):
            self.server.send(self.app, lines[start:start + 500])
        self.sent += count


def wait_until(condition, seconds=60):
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.2)


@pytest.fixture
def before():
    return homes()


def test_60_000_events_are_there_once_after_faults_and_kills(before):
    print(f"SEED={SEED}")
    chance = random.Random(SEED)
    inserts = Deck(chance, FaultyProxy.INSERTS)
    proxies = [FaultyProxy(server, random.Random(chance.random()), inserts) for server in SERVERS]

    def faults():
        return {name: sum(proxy.faults[name] for proxy in proxies) for name in proxies[0].faults}

    with tempfile.TemporaryDirectory() as directory:
        home = Home(directory, [proxy.address for proxy in proxies])
        command(home.data, "setup", "--cluster", "tern", *options(SERVERS))
        for _ in range(ROUNDS):
            home.send(EVENTS // ROUNDS)
            home.kill()
            # Whatever it is doing then: before its first request, in the middle of one, after the last.
            for _ in range(2):
                home.backfill(0.3 + chance.random() * 2)
            home.start()
        # On a busy machine, few requests were sent until then. A server waits a minute for more rows; a backfill doesn't.
        for seconds in range(5, 65, 5):
            if all(faults()[name] for name in FaultyProxy.INSERTS):
                break
            home.send(500)
            home.kill()
            home.backfill(seconds)
            home.start()
        assert all(faults()[name] for name in FaultyProxy.INSERTS), faults()
        home.server.stop()
        print(faults())
        home.check(before)


@pytest.mark.skipif(not FOLDER, reason="run Scripts/clickhouse outage")
def test_rows_are_there_once_after_nodes_were_killed(before):
    seconds = int(os.environ.get("OUTAGE_SECONDS", "240"))
    print(f"SEED={SEED}")
    chance = random.Random(SEED)
    with tempfile.TemporaryDirectory() as directory:
        home = Home(directory, SERVERS)
        command(home.data, "setup", "--cluster", "tern", *options(SERVERS))
        outages = Outages(random.Random(chance.random()))
        end = time.monotonic() + seconds
        try:
            while time.monotonic() < end:
                home.send(2_000)
                home.kill()
                home.backfill(chance.random() * 8)
                home.start()
        finally:
            outages.end()
        home.server.stop()
        print(f"{home.sent} events, killed: {' '.join(outages.killed)}")
        assert outages.killed
        home.check(before)


def test_a_person_who_was_deleted_is_on_no_replica(before):
    with tempfile.TemporaryDirectory() as directory:
        home = Home(directory, SERVERS)
        command(home.data, "setup", "--cluster", "tern", *options(SERVERS))
        home.send(1_000)
        home.send(20, person="Ada Deleted")
        home.server.stop()
        command(home.data, "backfill", *options(SERVERS))
        home.start()
        mine, = homes() - before
        wanted = f"SELECT count() FROM tern_row WHERE home = {mine} AND user = 'Ada Deleted'"
        assert sum(int(query(wanted, server)[0][0]) for server in SERVERS[::2]) == 20
        said = home.server.command("persons", "delete", "--app", str(home.app["id"]), "--user", "Ada Deleted", "--yes")
        assert "Deleted the person" in said
        # As soon as it says so.
        assert [query(wanted, server) for server in SERVERS] == [[["0"]]] * len(SERVERS)
        home.server.stop()
        command(home.data, "backfill", *options(SERVERS))
        assert "1,000 rows are the same" in command(home.data, "verify", *options(SERVERS))
        assert sum(int(query(f"SELECT count() FROM tern_row WHERE home = {mine}", server)[0][0])
                   for server in SERVERS[::2]) == 1_000


@pytest.mark.skipif(not FOLDER, reason="run Scripts/clickhouse outage: a server removes nothing before its clock was steady for ten minutes")
def test_rows_beyond_their_keeping_leave_every_replica_while_the_server_runs(before):
    with tempfile.TemporaryDirectory() as directory:
        home = Home(directory, SERVERS)
        command(home.data, "setup", "--cluster", "tern", *options(SERVERS))
        home.send(1_000)
        old = int((time.time() - 60 * 86_400) * 1000)
        home.server.send(home.app, [line("event", "Old", "00000000-0000-4000-8000-000000000000", {"time": old + number})
                                    for number in range(50)])
        home.server.stop()
        command(home.data, "backfill", *options(SERVERS))
        mine, = homes() - before
        wanted = f"SELECT count() FROM tern_row WHERE home = {mine} AND name = 'Old'"
        assert sum(int(query(wanted, server)[0][0]) for server in SERVERS[::2]) == 50
        home.start()
        home.server.command("apps", "set", str(home.app["id"]), "--keep", "30d", "--yes")
        wait_until(lambda: [query(wanted, server) for server in SERVERS] == [[["0"]]] * len(SERVERS), seconds=900)
        home.server.stop()
        assert "1,000 rows are the same" in command(home.data, "verify", *options(SERVERS))


def test_the_password_is_in_no_list_of_processes_and_in_no_log(before):
    with tempfile.TemporaryDirectory() as directory:
        home = Home(directory, SERVERS)
        command(home.data, "setup", "--cluster", "tern", *options(SERVERS))
        password = os.environ["TERN_CLICKHOUSE_PASSWORD"]
        listing = subprocess.run(["ps", "-eo", "args"], capture_output=True, text=True, check=True).stdout
        assert f"{PROGRAM} serve" in listing and password not in listing
        wrong = subprocess.run(
            [PROGRAM, "clickhouse", "verify", "--data", str(home.data), *options(SERVERS)], capture_output=True, text=True,
            env={**os.environ, "TERN_CLICKHOUSE_PASSWORD": password + "x"}, timeout=60)
        assert wrong.returncode == 2 and password not in wrong.stdout + wrong.stderr
        home.server.stop()
        assert password not in home.server.log.read_text(encoding="utf-8")
