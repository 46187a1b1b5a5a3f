"""Statements for Scripts/clickhouse: `ready` and the parts of its check. The environment names the servers, as `up` prints them."""

import gzip
import http.client
import os
import random
import ssl
import sys
import time
import urllib.error
import urllib.parse
import urllib.request

SERVERS = os.environ["TERN_CLICKHOUSE"].split(",")  # s1r1, s1r2, s2r1, s2r2
MODERN = os.environ["TERN_CLICKHOUSE_MODERN"]
USER, PASSWORD = os.environ["TERN_CLICKHOUSE_USER"], os.environ["TERN_CLICKHOUSE_PASSWORD"]
REPLICATED = "ENGINE = ReplicatedMergeTree('/clickhouse/tables/{shard}/%s', '{replica}') ORDER BY n"


def ask(server, query, body=b"", password=PASSWORD, authority=None, encoding=None, **parameters):
    """The status, the code of an exception and the text that a server answers a statement with."""
    url = server + "/?" + urllib.parse.urlencode({"query": query, **parameters})
    headers = {"X-ClickHouse-User": USER, "X-ClickHouse-Key": password, "Content-Type": "application/octet-stream"}
    if encoding:
        headers["Content-Encoding"] = encoding
    handlers = [urllib.request.ProxyHandler({})]
    if server.startswith("https:"):
        handlers.append(urllib.request.HTTPSHandler(context=ssl.create_default_context(cafile=authority)))
    request = urllib.request.Request(url, data=body, headers=headers, method="POST")
    try:
        with urllib.request.build_opener(*handlers).open(request, timeout=40) as answer:
            return answer.status, answer.headers.get("X-ClickHouse-Exception-Code"), answer.read().decode(errors="replace")
    except urllib.error.HTTPError as error:
        return error.code, error.headers.get("X-ClickHouse-Exception-Code"), error.read().decode(errors="replace")


def done(server, query, body=b"", **others):
    status, code, text = ask(server, query, body, **others)
    if status != 200 or code:
        raise SystemExit(f"{server} answered {status} to: {query}\n{text}")
    return text.strip()


def expect(what, found, expected):
    if found != expected:
        raise SystemExit(f"{what}: {found!r}, not {expected!r}")


def eventually(what, function, expected, seconds=60):
    until = time.monotonic() + seconds
    while (found := function()) != expected and time.monotonic() < until:
        time.sleep(0.1)
    expect(what, found, expected)


def native(*columns):
    """A block of columns: pairs of a name and either numbers (UInt32) or texts (String)."""
    block = bytes([len(columns), len(columns[0][1])])
    for name, values in columns:
        numbers = isinstance(values[0], int)
        kind = b"UInt32" if numbers else b"String"
        block += bytes([len(name)]) + name.encode() + bytes([len(kind)]) + kind
        for value in values:
            block += value.to_bytes(4, "little") if numbers else bytes([len(value)]) + value.encode()
    return block


def ready():
    name = f"ready_{random.getrandbits(64):x}"
    for server in SERVERS + [MODERN]:
        expect(f"{server} adds", done(server, "SELECT 1 + 1"), "2")
    # Again and again, because a server whose ZooKeeper was away notices that only with a statement.
    create = f"CREATE TABLE IF NOT EXISTS {name} ON CLUSTER tern (n UInt8) " + REPLICATED % name
    eventually("the table is made", lambda: ask(SERVERS[0], create)[0], 200)
    for server in SERVERS:
        eventually(f"{server} has the table", lambda: done(server, f"EXISTS TABLE {name}"), "1")
    done(SERVERS[0], f"DROP TABLE {name} ON CLUSTER tern")


def check():
    columns = ", ".join(["n UInt32"] + [f"c{i} String" for i in range(9)])
    done(SERVERS[0], f"CREATE TABLE spans ON CLUSTER tern ({columns}) " + REPLICATED % "spans")
    done(MODERN, f"CREATE TABLE spans ({columns}) ENGINE = MergeTree ORDER BY n")
    # Ten columns, because such a block begins with the byte of a line's end, which a server must not skip.
    rows = native(("n", [1, 2, 3]), *((f"c{i}", ["a", "b", f"c{i}"]) for i in range(9)))
    packed = gzip.compress(rows)
    for server in SERVERS[0], SERVERS[2], MODERN:
        for length in range(len(packed)):
            status, code, text = ask(server, "INSERT INTO spans FORMAT Native", packed[:length], encoding="gzip")
            if status == 200 and not code and length > 0:
                raise SystemExit(f"{server} accepted {length} of {len(packed)} bytes of a gzip body")
        expect("rows of cut bodies", done(server, "SELECT count() FROM spans"), "0")
        done(server, "INSERT INTO spans FORMAT Native", packed, encoding="gzip")
        expect("rows of a whole body", done(server, "SELECT sum(n), groupArray(c8) FROM spans"), "6\t['a','b','c8']")
        status, _, text = ask(server, "SELECT 1", password="wrong")
        if status == 200:
            raise SystemExit(f"{server} accepted a wrong password")
    for replica in SERVERS[1], SERVERS[3]:
        eventually(f"rows on {replica}", lambda: done(replica, "SELECT sum(n) FROM spans"), "6")
    tls, authority = os.environ["TERN_CLICKHOUSE_TLS"], os.environ["TERN_CLICKHOUSE_CA"]
    expect("an answer over TLS", done(tls, "SELECT sum(n) FROM spans", authority=authority), "6")
    try:
        ask(tls, "SELECT 1")
    except urllib.error.URLError as error:
        expect("the reason", isinstance(error.reason, ssl.SSLCertVerificationError), True)
    else:
        raise SystemExit("TLS works without the CA's file")
    for fault, rows in [("exception", "3"), ("exception-after", "4"), ("cut-before", "4"), ("cut-after", "5"), ("cut-answer", "6")]:
        try:
            status, code, _ = ask(MODERN, "INSERT INTO spans (n) VALUES (9)", tern_fault=fault)
            expect(f"status and code of {fault}", (status, code), (200, "241"))
        except (http.client.HTTPException, OSError):
            expect(f"{fault} cuts", fault.startswith("cut"), True)
        expect(f"rows after {fault}", done(MODERN, "SELECT count() FROM spans"), rows)


def away():
    """While s1r2 is away."""
    done(SERVERS[0], "INSERT INTO spans (n) VALUES (100)")


def back():
    eventually("rows on s1r2, which was away", lambda: done(SERVERS[1], "SELECT sum(n) FROM spans"), "106")


if __name__ == "__main__":
    {"ready": ready, "check": check, "away": away, "back": back}[sys.argv[1]]()
