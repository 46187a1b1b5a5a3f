"""A server under load for a while, with everything beside it that happens in a year.

Prints a JSON line every minute and one with the result; exits with 1 if something is not as it should be."""

import json
import os
import pathlib
import random
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import threading
import time
import uuid

import requests

from tern import PROGRAM, Serve

MINUTES = float(sys.argv[1])
# The events per second; without it, half of what this program reaches in the first seconds.
RATE = float(sys.argv[2]) if len(sys.argv) > 2 else None
# The restart and the kill come early, so that memory is watched in a process that then runs without a break.
RESTART, KILL, WARM = MINUTES / 9, MINUTES / 5, MINUTES * 4 / 9
CALIBRATION_SECONDS = 20
SENDERS, BATCH = 4, 500
INSTALLS, NAMES = 20_000, 200
SEED = random.randrange(1 << 32)


class Counts:
    """What was sent, by all threads."""

    def __init__(self):
        self.lock = threading.Lock()
        self.acknowledged = self.repeated = self.hits = self.unsureHits = self.deleted = 0
        self.errors = self.busy = 0
        self.latencies, self.waits = [], []

    def add(self, **numbers):
        with self.lock:
            for name, number in numbers.items():
                setattr(self, name, getattr(self, name) + number)


class Soak:
    def __init__(self, directory):
        self.directory = pathlib.Path(directory)
        self.options = ["--address-events-per-second", "1000000", "--address-requests-per-second", "100000",
                        "--address-bytes-per-day", "1000GiB"]
        self.counts, self.isOver = Counts(), threading.Event()
        # The time between two batches of a sender; while the rate is measured, none.
        self.pause = 0.0 if RATE is None else SENDERS * BATCH / RATE
        self.address, self.server = None, None
        self.start()
        self.authorization = {"Authorization": f"Bearer {self.server.token()}"}
        self.apps = [self.api("POST", "/apps", {"name": f"Soak {number}"}).json() for number in range(SENDERS)]
        # An app of its own for hits: a view keeps the place of each of the day's hits in memory, and all events of its app are
        # hits to it.
        self.hitsApp = self.api("POST", "/apps", {"name": "Hits"}).json()
        self.view = self.api("POST", f"/apps/{self.hitsApp['id']}/views", {"name": "Hits", "timeZone": "UTC"}).json()
        for app in self.apps:
            self.server.command(
                "apps", "limits", str(app["id"]), "--events-per-second", "1000000", "--bytes-per-day", "1000GiB")

    def start(self):
        self.server = Serve(str(self.directory), *self.options)
        self.address = self.server.address

    def api(self, method, path, body=None, seconds=60):
        answer = requests.request(
            method, f"{self.address}/api/v1{path}", json=body, headers=self.authorization, timeout=seconds)
        answer.raise_for_status()
        return answer

    # Load

    def body(self, chance, install=None):
        """The lines of a batch. Written by hand, because json would take most of the processor."""
        now = int(time.time() * 1000)
        lines = []
        for _ in range(BATCH if install is None else 100):
            person = install or f"50a40000-0000-4000-8000-{chance.randrange(INSTALLS):012x}"
            name = chance.randrange(NAMES)
            kind, more = "event", ""
            if name == 0:
                kind = "handled_error"
                more = f',"exception":{{"type":"Broken {chance.randrange(50)}","message":"it broke","stackTrace":"at top (Main.swift:1)"}}'
            elif name < 40:
                kind = "screen"
            lines.append(
                f'{{"id":"{uuid.UUID(int=chance.getrandbits(128), version=4)}","type":"{kind}","name":"name {name}",'
                f'"install":"{person}","time":{now - chance.randrange(5000)},"session":"{person}",'
                f'"properties":{{"level":{chance.randrange(100)},"item":"item {chance.randrange(500)}"}},'
                f'"device":{{"osName":"iOS","osVersion":"18.{chance.randrange(4)}","model":"iPhone16,1","locale":"en_US"}},'
                f'"app":{{"version":"1.{chance.randrange(9)}","build":"1"}}{more}}}')
        return "\n".join(lines).encode(), len(lines)

    def deliver(self, session, app, body):
        """Sends a batch until the server has it, as a device does."""
        while True:
            begin = time.monotonic()
            try:
                answer = session.post(
                    f"{self.address}/v1/events", data=body, headers={"Tern-Key": app["key"]}, timeout=60)
                if answer.status_code == 200:
                    assert answer.json()["rejected"] == [], answer.text[:500]
                    self.counts.latencies.append(time.monotonic() - begin)
                    return
                assert answer.status_code in (429, 503), answer.text[:500]
                time.sleep(min(float(answer.headers.get("Retry-After", 1)), 5))
            except requests.RequestException:
                # The server is being started again.
                time.sleep(0.2)
            self.counts.add(repeated=1)

    def send(self, number):
        chance, session = random.Random(SEED + number), requests.Session()
        due = time.monotonic()
        while not self.isOver.is_set():
            body, size = self.body(chance)
            self.deliver(session, self.apps[number], body)
            self.counts.add(acknowledged=size)
            due = max(due + self.pause, time.monotonic() - 5 * self.pause)
            time.sleep(max(due - time.monotonic(), 0))

    def send_hits(self):
        chance, session = random.Random(SEED + 99), requests.Session()
        while not self.isOver.wait(0.2):
            hits = "\n".join(
                f"v=1&tid={self.hitsApp['trackingId']}&cid={chance.randrange(3000)}&t=screenview&cd=S{chance.randrange(30)}&an=A"
                for _ in range(20))
            try:
                session.post(f"{self.address}/batch", data=hits, timeout=60).raise_for_status()
                self.counts.add(hits=20)
            except requests.RequestException:
                # Hits without an answer may be stored or not: their protocol has no ID.
                self.counts.add(unsureHits=20)
                time.sleep(0.2)

    def ask(self):
        """Asks what people ask, one after another."""
        number = 0
        questions = [
            {"metrics": ["events", "users"], "date_range": "7d"},
            {"metrics": ["events"], "dimensions": ["event"], "date_range": "today"},
            {"metrics": ["users"], "filters": [["is", "version", ["1.3 (1)"]]], "date_range": "7d"},
        ]
        while not self.isOver.wait(2):
            begin, app = time.monotonic(), self.apps[number % SENDERS]["id"]
            try:
                if number % 5 == 4:
                    self.api("GET", f"/apps/{self.hitsApp['id']}/reports/overview?format=json&view={self.view['id']}")
                elif number % 2 == 0:
                    self.api("POST", f"/apps/{app}/query?unknown=allow", questions[number // 2 % len(questions)])
                else:
                    report = ["overview", "events", "screens", "errors", "versions"][number // 2 % 5]
                    self.api("GET", f"/apps/{app}/reports/{report}?format=json")
                self.counts.waits.append(time.monotonic() - begin)
            except requests.RequestException as error:
                response = getattr(error, "response", None)
                if response is not None and (response.status_code == 503 or "question_too_slow" in response.text):
                    # Other work came first, as it may: a client asks again.
                    self.counts.add(busy=1)
                elif response is not None:
                    self.counts.add(errors=1)
                    print(json.dumps({"failed": response.request.url, "status": response.status_code,
                                      "body": response.text[:300]}), flush=True)
            number += 1

    def delete_persons(self):
        """Stores persons and deletes them again."""
        chance, session = random.Random(SEED + 77), requests.Session()
        while not self.isOver.wait(min(300, MINUTES * 6)):
            person = str(uuid.UUID(int=chance.getrandbits(128), version=4))
            body, size = self.body(chance, person)
            self.deliver(session, self.apps[0], body)
            while True:
                try:
                    self.api("DELETE", f"/apps/{self.apps[0]['id']}/persons?install={person}")
                    break
                except requests.RequestException:
                    time.sleep(1)
            self.counts.add(deleted=size)

    def back_up(self):
        number = 0
        while not self.isOver.wait(min(300, MINUTES * 6)):
            path = self.directory / f"backup-{number}"
            result = subprocess.run([PROGRAM, "backup", str(path), "--data", str(self.server.data)], capture_output=True, text=True)
            if result.returncode != 0:
                self.counts.add(errors=1)
                print(json.dumps({"failed": "backup", "message": result.stderr}), flush=True)
            shutil.rmtree(path, ignore_errors=True)
            number += 1

    # Watching

    def memory(self):
        """The memory of the server in MiB: its own, without pages of files, which the system takes back when it needs them."""
        text = pathlib.Path(f"/proc/{self.server.process.pid}/status").read_text(encoding="utf-8")
        return next(int(line.split()[1]) / 1024 for line in text.splitlines() if line.startswith("RssAnon"))

    def disk(self):
        """The bytes of the data directory."""
        total = 0
        for path in self.server.data.rglob("*"):
            try:
                total += path.stat().st_blocks * 512
            except FileNotFoundError:
                pass
        return total

    def stored(self, app):
        """The number of an app's rows; asked again if other work came first."""
        body = {"metrics": ["events", "screens", "errors"], "date_range": "7d"}
        for _ in range(10):
            try:
                answer = self.api("POST", f"/apps/{app['id']}/query", body).json()
                return sum(sum(row["metrics"]) for row in answer["results"])
            except requests.RequestException:
                time.sleep(1)
        raise RuntimeError("The server doesn't say how many rows it has.")

    def guarded(self, body, *arguments):
        """Counts an error that ends a thread: otherwise a run without load would pass."""
        try:
            body(*arguments)
        except Exception:
            self.counts.add(errors=1)
            raise

    def restart(self, sign):
        begin = time.monotonic()
        self.server.process.send_signal(sign)
        self.server.process.wait(60)
        took = time.monotonic() - begin
        self.start()
        return round(took, 2)

    def run(self):
        begin = time.monotonic()
        threads = [threading.Thread(target=self.guarded, args=[self.send, number]) for number in range(SENDERS)]
        threads += [threading.Thread(target=self.guarded, args=[body]) for body in
                    (self.send_hits, self.ask, self.delete_persons, self.back_up)]
        for thread in threads:
            thread.start()
        rate = RATE
        if rate is None:
            time.sleep(CALIBRATION_SECONDS)
            rate = self.counts.acknowledged / CALIBRATION_SECONDS / 2
            self.pause = SENDERS * BATCH / rate
        print(json.dumps({"seed": SEED, "events_per_second": round(rate)}), flush=True)
        result, samples, minute = {"events_per_second": round(rate)}, [], 0
        while (passed := (time.monotonic() - begin) / 60) < MINUTES:
            if passed > RESTART and "stopping_seconds" not in result:
                result["stopping_seconds"] = self.restart(signal.SIGTERM)
            if passed > KILL and "killed" not in result:
                result["killed"] = self.restart(signal.SIGKILL) >= 0
            samples.append((passed, self.memory(), self.disk(), self.counts.acknowledged))
            if passed >= minute:
                minute += 1
                print(json.dumps({"minute": round(passed, 1), "memory_mib": round(samples[-1][1]),
                                  "disk_mib": samples[-1][2] >> 20, "events": samples[-1][3]}), flush=True)
            time.sleep(2)
        self.isOver.set()
        for thread in threads:
            thread.join(120)
        return self.judge(result, samples)

    def judge(self, result, samples):
        counts = self.counts
        expected = counts.acknowledged
        deadline = time.monotonic() + 120
        while (stored := sum(map(self.stored, self.apps))) != expected and time.monotonic() < deadline:
            time.sleep(1)
        storedHits = self.stored(self.hitsApp)
        warm = [sample for sample in samples if sample[0] > WARM]
        fifth = len(warm) // 5
        parts = [statistics.median(sample[1] for sample in warm[index * fifth:(index + 1) * fifth]) for index in range(5)]
        middle = statistics.median(parts)
        spread = max(abs(part / middle - 1) for part in parts)
        # What a row takes in the first half of the watched time, applied to the second.
        (_, _, firstDisk, firstRows), (_, _, halfDisk, halfRows) = warm[0], warm[len(warm) // 2]
        (_, _, lastDisk, lastRows) = warm[-1]
        rowBytes = (halfDisk - firstDisk) / (halfRows - firstRows)
        computed = halfDisk + rowBytes * (lastRows - halfRows)
        self.server.stop()
        verification = subprocess.run(
            [PROGRAM, "verify", "--data", str(self.server.data)], capture_output=True, text=True)
        latencies, waits = sorted(counts.latencies), sorted(counts.waits)
        result |= {
            "sent": counts.acknowledged, "hits": counts.hits, "hits_without_answer": counts.unsureHits,
            "deleted": counts.deleted, "repeated_batches": counts.repeated, "stored": stored, "stored_hits": storedHits,
            "lost": max(expected - stored, 0) + max(counts.hits - storedHits, 0),
            "twice": max(stored - expected, 0) + max(storedHits - counts.hits - counts.unsureHits, 0),
            "batch_p50_ms": round(latencies[len(latencies) // 2] * 1000, 1),
            "batch_p99_ms": round(latencies[len(latencies) * 99 // 100] * 1000, 1),
            "report_p50_ms": round(waits[len(waits) // 2] * 1000, 1),
            "report_p99_ms": round(waits[len(waits) * 99 // 100] * 1000, 1),
            "memory_mib": [round(part) for part in parts], "memory_spread": round(spread, 3),
            "row_bytes": round(rowBytes, 1), "disk_mib": lastDisk >> 20, "computed_disk_mib": int(computed) >> 20,
            "busy_reports": counts.busy, "failures": counts.errors, "verify": verification.returncode,
        }
        print(json.dumps(result), flush=True)
        problems = []
        if result["lost"] or result["twice"]:
            problems.append("Events are lost or counted twice.")
        if spread > 0.05:
            problems.append("Memory is not flat: more than 5 % from the median.")
        if abs(lastDisk / computed - 1) > 0.1:
            problems.append("The disk has more than 10 % more or less than computed.")
        if verification.returncode != 0:
            problems.append("tern verify found something: " + (verification.stdout + verification.stderr)[-500:])
        if counts.errors:
            problems.append("Reports, questions, backups or batches failed.")
        if counts.busy > 0.05 * len(waits):
            problems.append("More than 5 % of the reports and questions were refused because the server was busy.")
        if result.get("stopping_seconds", 0) > 10:
            problems.append("Stopping took longer than ten seconds.")
        for problem in problems:
            print(problem, file=sys.stderr)
        return not problems


if __name__ == "__main__":
    with tempfile.TemporaryDirectory(prefix="tern-soak-", dir=os.environ.get("TMPDIR")) as place:
        soak = Soak(place)
        try:
            isGood = soak.run()
        finally:
            soak.isOver.set()
            soak.server.stop()
    sys.exit(0 if isGood else 1)
