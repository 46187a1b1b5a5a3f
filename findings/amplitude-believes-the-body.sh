#!/usr/bin/env bash
# What the Python client of Amplitude does with an answer whose status and body differ.
#
# Packages:  amplitude-analytics 1.3.0
# Guess:     The status decides: after 503 the event is sent again, after 200 it is delivered.
# Behaviour: The member `code` of the body decides, whatever the status: 503 with {"code":200} is delivered, as the callback is told, and
#            200 with {"code":500} is sent again. The status only counts for a body that is no such JSON.
# Matters:   A server in maintenance whose error page is JSON with a code of its own can make clients forget their events, or keep them.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv v
v/bin/pip install --quiet --disable-pip-version-check amplitude-analytics==1.3.0
cat >try.py <<'P'
import http.server, json, logging, sys, threading, time
from amplitude import Amplitude, BaseEvent
logging.disable(logging.CRITICAL)

def attempt(status, body):
    seen = []
    class Handler(http.server.BaseHTTPRequestHandler):
        def do_POST(self):
            self.rfile.read(int(self.headers["Content-Length"]))
            seen.append(1)
            self.send_response(status)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)
        def log_message(self, *rest): pass
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    told = []
    client = Amplitude("key")
    client.configuration.server_url = f"http://127.0.0.1:{server.server_port}/2/httpapi"
    client.configuration.flush_interval_millis = 500
    client.configuration.callback = lambda event, code, message=None: told.append(code)
    client.track(BaseEvent("Opened", user_id="a"))
    time.sleep(4)
    print(f"{status} {body.decode()}: {'sent once' if len(seen) == 1 else 'sent again'}, callback {told or 'not called'}", flush=True)

attempt(503, b'{"code":200}')
attempt(200, b'{"code":500}')
attempt(503, b'down')
attempt(200, b'{"code":200}')
import os; os._exit(0)
P
v/bin/python try.py | tee seen
diff seen - <<'END'
503 {"code":200}: sent once, callback [200]
200 {"code":500}: sent again, callback not called
503 down: sent again, callback not called
200 {"code":200}: sent once, callback [200]
END
