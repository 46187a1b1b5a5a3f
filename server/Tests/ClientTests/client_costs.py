"""Measures a server's processor time for an event of each protocol, beside Tern's own (Scripts/other-clients --costs).

Each request has as many events as the system's clients send at once, 50 at most, with the same four properties, and is compared with
Tern's own of as many events. The requests are made before the clock runs, and several connections send them, so that the server stores
several at once, as it does for many clients. Protocols take turns, and the median of the turns counts. `client_costs.py TURNS` runs
TERN_PROGRAM.
"""

import base64
import http.client
import json
import os
import pathlib
import statistics
import struct
import sys
import tempfile
import time
import uuid
from concurrent.futures import ThreadPoolExecutor

from tern import Serve

KEY = "wk_costs"
# The app's own, for Tern's protocol.
OWN_KEY = {}
BATCHED, SINGLE = 50_000, 8_000
CONNECTIONS = 8
CATEGORIES = ["Music", "Film", "Sport", "News"]


def values(n):
    return {"Category": CATEGORIES[n % 4], "Length": n % 300 + 0.5, "HD": n % 3 == 0, "Position": n % 20}


def name(n):
    return f"Event {n % 100:03}"


def person(n):
    return str(uuid.UUID(int=n % 500 + 1))


def iso(n):
    now = time.time() - 10 + n % 1_000 / 1_000
    return time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(now)) + f".{int(now % 1 * 1_000):03}Z"


def milliseconds(n):
    return int((time.time() - 10) * 1_000) + n % 1_000


def unique():
    return str(uuid.uuid4())


def tern(events):
    lines = [
        {"id": unique(), "type": "event", "name": name(n), "time": milliseconds(n), "install": person(n), "properties": values(n)}
        for n in events]
    return "/v1/events", {"Tern-Key": OWN_KEY["key"]}, "".join(json.dumps(line) + "\n" for line in lines)


def segment(events):
    batch = [
        {"type": "track", "event": name(n), "messageId": unique(), "timestamp": iso(n), "userId": person(n), "properties": values(n),
         "context": {"library": {"name": "analytics-python", "version": "2.4.0"}}, "integrations": {}}
        for n in events]
    return "/v1/batch", {}, json.dumps({"batch": batch, "sentAt": iso(999), "writeKey": KEY})


def posthog(events):
    batch = [
        {"event": name(n), "uuid": unique(), "timestamp": iso(n), "distinct_id": person(n),
         "properties": values(n) | {"$lib": "posthog-python", "$lib_version": "7.91.1", "$os": "Linux"}}
        for n in events]
    return "/batch/", {}, json.dumps({"api_key": KEY, "batch": batch, "sent_at": iso(999)})


def mixpanel(events):
    data = [
        {"event": name(n), "properties": values(n) | {
            "token": KEY, "distinct_id": person(n), "time": milliseconds(n) / 1_000, "$insert_id": uuid.uuid4().hex,
            "mp_lib": "python", "$lib_version": "5.4.1"}}
        for n in events]
    return "/track", {}, json.dumps(data)


def amplitude(events):
    made = [
        {"event_type": name(n), "user_id": person(n), "time": milliseconds(n), "insert_id": unique(), "event_properties": values(n),
         "library": "amplitude-python/1.3.0"}
        for n in events]
    return "/2/httpapi", {}, json.dumps({"api_key": KEY, "events": made})


def snowplow(events):
    def event(n):
        schema = "iglu:example.shop/event_{}/jsonschema/1-0-0".format(n % 100)
        described = {"schema": "iglu:com.snowplowanalytics.snowplow/unstruct_event/jsonschema/1-0-0",
                     "data": {"schema": schema, "data": values(n)}}
        return {"e": "ue", "eid": unique(), "dtm": str(milliseconds(n)), "stm": str(milliseconds(999)), "aid": KEY, "duid": person(n),
                "tv": "py-1.1.0", "p": "srv", "ue_px": base64.urlsafe_b64encode(json.dumps(described).encode()).decode()}
    schema = "iglu:com.snowplowanalytics.snowplow/payload_data/jsonschema/1-0-4"
    return "/com.snowplowanalytics.snowplow/tp2", {}, json.dumps({"schema": schema, "data": [event(n) for n in events]})


def typed(value):
    kind = {bool: "boolValue", float: "doubleValue", int: "intValue", str: "stringValue"}[type(value)]
    return {kind: str(value) if kind == "intValue" else value}


def attributes(members):
    return [{"key": key, "value": typed(value)} for key, value in members.items()]


def opentelemetry(events):
    records = [
        {"timeUnixNano": str(milliseconds(n) * 1_000_000 + n), "eventName": name(n),
         "attributes": attributes(values(n) | {"enduser.id": person(n)})}
        for n in events]
    resource = {"attributes": attributes({"service.name": "shop", "service.instance.id": person(events[0])})}
    logs = {"resourceLogs": [{"resource": resource, "scopeLogs": [{"scope": {"name": "costs"}, "logRecords": records}]}]}
    return "/v1/logs", {"tern-key": KEY, "Content-Type": "application/json"}, json.dumps(logs)


def varint(number):
    out = bytearray()
    while number > 127:
        out.append(number & 127 | 128)
        number >>= 7
    return bytes(out + bytes([number]))


def field(number, content):
    content = content.encode() if isinstance(content, str) else content
    return varint(number << 3 | 2) + varint(len(content)) + content


def protobuf(events):
    """The same records in OTLP's binary form."""
    def value(item):
        (kind, content), = item.items()
        if kind == "stringValue":
            return field(1, content)
        if kind == "boolValue":
            return varint(2 << 3) + varint(int(content))
        if kind == "intValue":
            return varint(3 << 3) + varint(int(content))
        return varint(4 << 3 | 1) + struct.pack("<d", content)

    def pairs(number, items):
        return b"".join(field(number, field(1, item["key"]) + field(2, value(item["value"]))) for item in items)

    path, headers, body = opentelemetry(events)
    logs = json.loads(body)["resourceLogs"][0]
    records = b"".join(
        field(2, varint(1 << 3 | 1) + int(record["timeUnixNano"]).to_bytes(8, "little") + pairs(6, record["attributes"])
              + field(12, record["eventName"]))
        for record in logs["scopeLogs"][0]["logRecords"])
    whole = field(1, field(1, pairs(1, logs["resource"]["attributes"])) + field(2, field(1, field(1, "costs")) + records))
    return path, headers | {"Content-Type": "application/x-protobuf"}, whole


def aptabase(events):
    made = [
        {"timestamp": iso(n), "sessionId": f"{int(time.time())}{n % 500:08}", "eventName": name(n), "props": values(n) | {"n": n},
         "systemProps": {"osName": "Linux", "osVersion": "6.1", "locale": "en", "appVersion": "1.2.0", "sdkVersion": "aptabase-python@0.1.0"}}
        for n in events]
    return "/api/v0/events", {"App-Key": KEY}, json.dumps(made)


def matomo(events):
    lines = [
        f"?idsite={KEY}&rec=1&apiv=1&e_c=Video&e_a=Event%20{n % 100:03}&e_n=Music&e_v={n % 300}.5&_id={n % 500:016x}&rand={uuid.uuid4().hex}"
        for n in events]
    return "/matomo.php", {}, json.dumps({"requests": lines})


def google(events):
    made = [{"name": name(n).replace(" ", "_"), "params": values(n)} for n in events]
    return f"/mp/collect?measurement_id={KEY}&api_secret=x", {}, json.dumps({"client_id": person(events[0]), "events": made})


def umami(events):
    payload = {"website": KEY, "hostname": "shop.example", "name": name(events[0]), "data": values(events[0]), "id": person(events[0])}
    return "/api/send", {"User-Agent": "costs"}, json.dumps({"type": "event", "payload": payload})


def plausible(events):
    return "/api/event", {"User-Agent": "costs"}, json.dumps(
        {"name": name(events[0]), "domain": KEY, "url": "app://shop/", "props": values(events[0])})


def exception(n):
    frames = [{"function": f"call_{k}", "filename": "shop.py", "lineno": k, "in_app": True} for k in range(10)]
    return {"type": "ValueError", "value": f"number {n % 100}", "stacktrace": {"frames": frames}}


def sentry(events):
    n, identifier = events[0], uuid.uuid4().hex
    event = json.dumps({
        "event_id": identifier, "timestamp": iso(n), "platform": "python", "level": "error", "release": "shop@1.2.0+44",
        "exception": {"values": [exception(n)]}, "user": {"id": person(n)}, "extra": values(n)})
    envelope = [json.dumps({"event_id": identifier, "sent_at": iso(999)}), json.dumps({"type": "event", "length": len(event)}), event]
    return "/api/7/envelope/", {"X-Sentry-Auth": f"Sentry sentry_key={KEY}, sentry_version=7"}, "\n".join(envelope)


def bugsnag(events):
    n = events[0]
    frames = [{"method": f"call_{k}", "file": "shop.go", "lineNumber": k} for k in range(10)]
    report = {"exceptions": [{"errorClass": "ValueError", "message": f"number {n % 100}", "stacktrace": frames}],
              "user": {"id": person(n)}, "metaData": {"shop": values(n)}}
    return "/notify", {"Bugsnag-Sent-At": iso(n)}, json.dumps({"apiKey": KEY, "events": [report]})


# Events in a request.
PROTOCOLS = {
    segment: 50, posthog: 50, mixpanel: 50, amplitude: 50, snowplow: 50, opentelemetry: 50, protobuf: 50, aptabase: 25,
    matomo: 50, google: 25, umami: 1, plausible: 1, sentry: 1, bugsnag: 1,
}


class Costs:
    def __init__(self, server):
        self.server, self.made = server, 0

    def ticks(self):
        fields = pathlib.Path(f"/proc/{self.server.process.pid}/stat").read_text().rpartition(")")[2].split()
        return int(fields[11]) + int(fields[12])

    def run(self, protocol, size):
        """Microseconds of processor time for an event."""
        count = SINGLE if size == 1 else BATCHED
        requests = []
        for first in range(self.made, self.made + count, size):
            path, headers, body = protocol(range(first, first + size))
            requests.append((path, headers, body.encode() if isinstance(body, str) else body))
        self.made += count
        began = self.ticks()
        with ThreadPoolExecutor(CONNECTIONS) as threads:
            list(threads.map(self.send, [requests[first::CONNECTIONS] for first in range(CONNECTIONS)]))
        # What is written after the answers counts, too.
        time.sleep(2)
        return (self.ticks() - began) / os.sysconf("SC_CLK_TCK") * 1e6 / count


    def send(self, requests):
        connection = http.client.HTTPConnection(self.server.address.rpartition("/")[2], timeout=60)
        for path, headers, body in requests:
            connection.request("POST", path, body, headers)
            answer = connection.getresponse()
            content = answer.read()
            if answer.status not in (200, 202, 204):
                raise RuntimeError(f"{path}: {answer.status} {content[:300]}")
        connection.close()


def main():
    turns = int(sys.argv[1])
    with tempfile.TemporaryDirectory() as work:
        server = Serve(
            pathlib.Path(work), "--address-requests-per-second", "1000000", "--address-events-per-second", "1000000000")
        try:
            made = json.loads(server.command("apps", "create", "Costs", "--write-key", KEY, "--json"))
            OWN_KEY["key"] = made["key"]
            server.command("apps", "limits", str(made["id"]), "--requests-per-second", "1000000", "--events-per-second", "1000000000")
            time.sleep(2)
            costs, found = Costs(server), {}
            own = [("tern", tern, size) for size in sorted(set(PROTOCOLS.values()), reverse=True)]
            cases = own + [(protocol.__name__, protocol, size) for protocol, size in PROTOCOLS.items()]
            for turn in range(turns + 1):
                for label, protocol, size in cases:
                    cost = costs.run(protocol, size)
                    # The first turn warms up.
                    if turn:
                        found.setdefault((label, size), []).append(cost)
            rows = [line for line in server.command("export", "--app", str(made["id"])).splitlines() if '"row"' in line]
            if len(rows) != costs.made:
                raise SystemExit(f"{costs.made} events were sent, and {len(rows)} are stored.")
            print(f"{'protocol':18} {'events':>6} {'µs':>7} {'spread':>13} {'ratio':>6}")
            for label, _, size in cases:
                base, measured = statistics.median(found["tern", size]), found[label, size]
                median, spread = statistics.median(measured), f"{min(measured):.1f}–{max(measured):.1f}"
                print(f"{label:18} {size:6} {median:7.1f} {spread:>13} {median / base:6.2f}")
        finally:
            server.stop()


if __name__ == "__main__":
    main()
