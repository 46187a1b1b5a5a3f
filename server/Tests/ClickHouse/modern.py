"""A recent ClickHouse for the tests: runs statements in process with chdb and answers over HTTP as a ClickHouse server does.

Usage: modern.py PORT FOLDER    (TERN_CLICKHOUSE_USER and TERN_CLICKHOUSE_PASSWORD say who may ask)

The user `profiled` has the same password, and a profile with settings that change what statements mean.

One statement runs at a time. There is no replication, no cluster and no session: a statement `SET` or `USE` has no effect. A body
is read whole before its statement runs, so a connection that ends in it stores nothing, in any format.

A test asks for a fault with the parameter `tern_fault`, or for those of the next requests with `/tern-fault?kind=KIND&count=N`:
  exception         the statement doesn't run; the status is 200, with the header of an exception
  exception-after   the statement runs; the same answer
  cut-before        the statement doesn't run, and the connection is closed without an answer
  cut-after         the statement runs, and the connection is closed without an answer
  cut-answer        the statement runs, and the connection is closed in the middle of the answer
"""

import base64
import gzip
import hmac
import os
import re
import signal
import socket
import sys
import tempfile
import threading
import urllib.parse
import uuid
import zlib
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from chdb.session import Session

# What people set in profiles, for example to have SQL's usual NULL.
PROFILE = {"additional_result_filter": "1", "aggregate_functions_null_for_empty": "1", "async_insert": "1",
           "data_type_default_nullable": "1", "empty_result_for_aggregation_by_empty_set": "1", "extremes": "1", "final": "1",
           "force_index_by_date": "1", "force_primary_key": "1", "group_by_use_nulls": "1",
           "input_format_native_decode_types_in_binary_format": "1", "insert_deduplicate": "0",
           "insert_deduplication_token": "same", "limit": "3", "offset": "1",
           "output_format_native_encode_types_in_binary_format": "1", "prefer_column_name_to_alias": "1",
           "session_timezone": "Asia/Tokyo", "transform_null_in": "1", "use_query_cache": "1", "wait_for_async_insert": "0"}
PROFILED = "profiled"
FAULTS = {"exception", "exception-after", "cut-before", "cut-after", "cut-answer"}
# Parameters of a request that aren't settings of its statement.
OTHER_PARAMETERS = {"query", "user", "password", "database", "default_format", "query_id", "session_id", "session_timeout",
                    "session_check", "quota_key", "compress", "decompress", "stacktrace", "wait_end_of_query", "buffer_size",
                    "readonly", "tern_fault"}
STATUS = {194: 401, 193: 403, 192: 403, 497: 403, 516: 403, 48: 501, 209: 503}
STATUS |= dict.fromkeys([6, 25, 26, 27, 36, 38, 41, 43, 53, 62, 69, 70, 72, 117, 158, 321, 386, 456], 400)
STATUS |= dict.fromkeys([16, 46, 47, 50, 56, 60, 63, 73, 81, 115, 336], 404)
# An INSERT whose rows follow the name of their format: after it, spaces and one line's end belong to neither.
INSERT = re.compile(rb"(?is)^\s*(insert\s+into\s(?:(?!\b(?:values|select|format)\b).)*?)\s*"
                    rb"((?:\bsettings\s(?:(?!\bformat\b).)*?)?\bformat\s+\w+)[ \t\f]*(?:;[ \t\f]*)?\r?\n?")

READS = re.compile(rb"(?i)[\s(]*(select|with|show|desc|describe|exists|explain|set|use)\b")
QUOTED = re.compile(r"(?s)'(?:\\.|[^'\\])*'|\"(?:\\.|[^\"\\])*\"|`(?:\\.|[^`\\])*`|--[^\n]*|/\*.*?\*/")


class Refusal(Exception):
    def __init__(self, code, text):
        super().__init__(text if text.startswith("Code:") else f"Code: {code}. DB::Exception: {text}")
        self.code = code


class Engine:
    def __init__(self, folder):
        self.session = Session(os.path.join(folder, "data"))
        self.bodies = os.path.join(folder, "bodies")
        os.makedirs(self.bodies, exist_ok=True)
        self.lock = threading.Lock()

    def query(self, statement, form="TabSeparated", parameters=None):
        try:
            # Versions before 26 don't know parameters.
            others = {"params": parameters} if parameters else {}
            return self.session.query(statement, form, **others).bytes()
        except Exception as error:
            code = re.match(r"Code: (\d+)", str(error))
            raise Refusal(int(code[1]) if code else 1002, str(error)) from None

    def run(self, text, database, settings, form, parameters):
        """Runs a statement with its settings, which don't stay."""
        if re.match(rb"(?i)\s*(set|use)\s", text):
            return b""
        with self.lock, tempfile.NamedTemporaryFile(dir=self.bodies) as body:
            insert = INSERT.match(text)
            if insert:
                body.write(text[insert.end():])
                body.flush()
                text = insert[1] + f" FROM INFILE '{body.name}' COMPRESSION 'none' ".encode() + insert[2]
            try:
                statement = text.decode()
            except UnicodeDecodeError:
                raise Refusal(48, "The stand-in for a server reads binary data only after INSERT INTO … FORMAT …") from None
            if re.search(r";\s*[^\s;]", QUOTED.sub("", statement)):
                raise Refusal(62, "Syntax error (Multi-statements are not allowed). (SYNTAX_ERROR)")
            done = []
            try:
                self.query(f"USE {quoted(database, '`')}")
                for name in settings:
                    if not re.fullmatch(r"\w+", name):
                        raise Refusal(115, f"Unknown setting '{name}'. (UNKNOWN_SETTING)")
                done = list(settings)
                if settings:
                    self.query("SET " + ", ".join(f"{name} = {quoted(value)}" for name, value in settings.items()))
                if insert and body.tell() == 0:
                    return b""
                return self.query(statement, form, parameters)
            finally:
                if done:
                    self.query("SET " + ", ".join(f"{name} = DEFAULT" for name in done))


def quoted(text, quote="'"):
    return quote + text.replace("\\", "\\\\").replace(quote, "\\" + quote) + quote


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    planned = []  # the faults of the next requests

    def do_GET(self):
        self.parameters = dict(urllib.parse.parse_qsl(urllib.parse.urlsplit(self.path).query, keep_blank_values=True))
        path = urllib.parse.urlsplit(self.path).path
        body = self.body()
        if body is None:
            self.close_connection = True
        elif path == "/ping" or path == "/" and not body and "query" not in self.parameters:
            self.answer(200, b"Ok.\n")
        elif path == "/tern-fault":
            Handler.planned += [self.parameters.get("kind")] * int(self.parameters.get("count", 1))
            self.answer(200, b"")
        elif path == "/":
            self.statement(body)
        else:
            self.answer(404, b"There is no handle " + path.encode() + b"\n")

    do_POST = do_GET

    def statement(self, body):
        fault = self.parameters.get("tern_fault") or (Handler.planned.pop(0) if Handler.planned else None)
        status, answer, headers = 200, b"", {"X-ClickHouse-Query-Id": self.parameters.get("query_id") or str(uuid.uuid4())}
        try:
            if fault and fault not in FAULTS:
                raise Refusal(36, f"There is no fault '{fault}', but: {', '.join(sorted(FAULTS))}")
            if fault == "cut-before":
                return self.cut()
            self.authenticate()
            if fault != "exception":
                answer = self.run(body)
            if fault in ("exception", "exception-after"):
                raise Refusal(241, "Memory limit exceeded, as the test asked. (MEMORY_LIMIT_EXCEEDED)")
        except Refusal as refusal:
            status, answer = STATUS.get(refusal.code, 500), f"{refusal}\n".encode()
            headers["X-ClickHouse-Exception-Code"] = str(refusal.code)
            if fault in ("exception", "exception-after"):
                status = 200
        if fault == "cut-after":
            return self.cut()
        self.answer(status, answer, headers, cut=fault == "cut-answer")

    def run(self, body):
        encoding = self.headers.get("Content-Encoding", "")
        if encoding == "gzip":
            try:
                body = gzip.decompress(body)
            except (OSError, EOFError, zlib.error) as error:
                raise Refusal(354, f"inflate failed: {error}. (ZLIB_INFLATE_FAILED)") from None
        elif encoding:
            raise Refusal(48, f"The stand-in for a server doesn't read the Content-Encoding '{encoding}'. (NOT_IMPLEMENTED)")
        known = self.parameters
        if known.get("compress", "0") != "0" or known.get("decompress", "0") != "0":
            raise Refusal(48, "The stand-in for a server doesn't know ClickHouse's own compression. (NOT_IMPLEMENTED)")
        text = known["query"].encode() + b"\n" + body if "query" in known else body
        # Not as a setting, because the engine couldn't take it back.
        if (self.command == "GET" or known.get("readonly", "0") != "0") and not READS.match(text):
            raise Refusal(164, "Cannot execute query in readonly mode. For queries over HTTP, method GET implies readonly. (READONLY)")
        settings = {name: value for name, value in known.items()
                    if name not in OTHER_PARAMETERS and not name.startswith("param_")}
        settings = self.profile | settings
        form = known.get("default_format") or self.headers.get("X-ClickHouse-Format") or "TabSeparated"
        parameters = {name[len("param_"):]: value for name, value in known.items() if name.startswith("param_")}
        return engine.run(text, known.get("database") or "default", settings, form, parameters)

    def authenticate(self):
        user = self.parameters.get("user") or self.headers.get("X-ClickHouse-User") or "default"
        password = self.parameters.get("password") or self.headers.get("X-ClickHouse-Key") or ""
        scheme, _, credentials = self.headers.get("Authorization", "").partition(" ")
        if scheme.lower() == "basic":
            try:
                user, _, password = base64.b64decode(credentials).decode().partition(":")
            except ValueError:
                password = ""
        self.profile = PROFILE if user == PROFILED else {}
        user = os.environ["TERN_CLICKHOUSE_USER"] if user == PROFILED else user
        same = [hmac.compare_digest(given.encode(), os.environ[name].encode())
                for given, name in [(user, "TERN_CLICKHOUSE_USER"), (password, "TERN_CLICKHOUSE_PASSWORD")]]
        if not all(same):
            raise Refusal(516, f"{user}: Authentication failed: password is incorrect, or there is no user with such name. "
                               "(AUTHENTICATION_FAILED)")

    def body(self):
        """The request's body, or nothing if the connection ends in it."""
        if "chunked" not in self.headers.get("Transfer-Encoding", "").lower():
            length = int(self.headers.get("Content-Length") or 0)
            body = self.rfile.read(length)
            return body if len(body) == length else None
        body = b""
        while True:
            line = self.rfile.readline(100)
            if not re.match(rb"[0-9A-Fa-f]+[;\r\n]", line):
                return None
            length = int(re.match(rb"[0-9A-Fa-f]+", line)[0], 16)
            chunk = self.rfile.read(length + 2)
            if len(chunk) < length + 2:
                return None
            if length == 0:
                return body
            body += chunk[:length]

    def answer(self, status, body, headers={}, cut=False):
        self.send_response(status)
        if "gzip" in self.headers.get("Accept-Encoding", "") and self.parameters.get("enable_http_compression", "1") != "0":
            body = gzip.compress(body, 1)
            self.send_header("Content-Encoding", "gzip")
        self.send_header("Content-Type", "text/plain; charset=UTF-8")
        self.send_header("Content-Length", str(len(body) + (1 if cut else 0)))
        for name, value in headers.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body[:len(body) // 2] if cut else body)
        if cut:
            self.cut()

    def cut(self):
        self.wfile.flush()
        self.close_connection = True
        self.connection.shutdown(socket.SHUT_RDWR)

    def log_message(self, form, *values):
        # Without the address, whose parameters may hold a password.
        sys.stderr.write(f"{self.log_date_time_string()} {self.command} {values[1] if len(values) > 1 else ''}\n")


class Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 128


if __name__ == "__main__":
    port, folder = int(sys.argv[1]), sys.argv[2]
    engine = Engine(folder)
    # Nothing is to be saved: an INSERT is on the disk when it is answered.
    signal.signal(signal.SIGTERM, lambda *_: os._exit(0))
    Server(("127.0.0.1", port), Handler).serve_forever()
