#!/usr/bin/env bash
# OpenTelemetry's exporter of logs for Python, and a server that is away for a moment and says for how long.
#
# Packages:  opentelemetry-exporter-otlp-proto-http 1.45.2, opentelemetry-sdk 1.45.2
# Guess:     `Retry-After: 30` makes the exporter wait 30 s, or as long as it is willing to, and send the batch again.
# Behaviour: If the wait doesn't fit into the exporter's timeout of 10 s, it drops the batch at once. Without the header, or with 1, it sends
#            again until the batch arrives.
# Matters:   The polite server loses the events that the silent one gets.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv v
v/bin/pip install --quiet --disable-pip-version-check opentelemetry-exporter-otlp-proto-http==1.45.2 opentelemetry-sdk==1.45.2
cat >try.py <<'P'
import http.server, logging, threading, time
from opentelemetry.exporter.otlp.proto.http._log_exporter import OTLPLogExporter
from opentelemetry.sdk._logs import LoggerProvider
from opentelemetry.sdk._logs.export import BatchLogRecordProcessor
logging.getLogger("opentelemetry").setLevel(logging.CRITICAL)

def attempt(header):
    answers = []
    class Handler(http.server.BaseHTTPRequestHandler):
        def do_POST(self):
            self.rfile.read(int(self.headers["Content-Length"]))
            answers.append(503 if not answers else 200)
            self.send_response(answers[-1])
            if answers[-1] == 503 and header: self.send_header("Retry-After", header)
            self.send_header("Content-Length", "0")
            self.end_headers()
        def log_message(self, *rest): pass
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    provider = LoggerProvider()
    provider.add_log_record_processor(
        BatchLogRecordProcessor(OTLPLogExporter(endpoint=f"http://127.0.0.1:{server.server_port}/v1/logs")))
    from opentelemetry._logs import LogRecord
    provider.get_logger("shop").emit(LogRecord(timestamp=time.time_ns(), body="Order placed"))
    provider.force_flush(15000)
    time.sleep(1)
    print(f"503 with Retry-After {header or 'missing'}: {'arrived' if 200 in answers else 'lost'} after {len(answers)} request(s)", flush=True)

for header in (None, "1", "30"): attempt(header)
import os; os._exit(0)
P
timeout 80 v/bin/python try.py 2>/dev/null | tee seen
diff seen - <<'END'
503 with Retry-After missing: arrived after 2 request(s)
503 with Retry-After 1: arrived after 2 request(s)
503 with Retry-After 30: lost after 1 request(s)
END
