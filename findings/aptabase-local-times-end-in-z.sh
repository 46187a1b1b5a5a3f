#!/usr/bin/env bash
# The times of events of Aptabase's Python client on a computer that isn't in UTC.
#
# Packages:  aptabase 0.1.0
# Guess:     `timestamp` ends in Z, so it is the time in UTC, or at least has the offset of the computer.
# Behaviour: It is the local time, with a Z behind it: in Tokyo nine hours in the future, in Phoenix seven hours in the past. Only the
#            first ten digits of `sessionId` are the true second, that in which the session began.
# Matters:   Whoever stores these times books events of Tokyo's evenings to the next morning, or drops them as being from the future.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv v
v/bin/pip install --quiet --disable-pip-version-check aptabase==0.1.0
cat >try.py <<'P'
import asyncio, datetime, http.server, json, os, threading, time
from aptabase import Aptabase
seen = []
class Handler(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        seen.extend(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
        self.send_response(200)
        self.send_header("Content-Length", "2")
        self.end_headers()
        self.wfile.write(b"{}")
    def log_message(self, *rest): pass
server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
threading.Thread(target=server.serve_forever, daemon=True).start()

async def main():
    async with Aptabase("A-SH-0123456789", base_url=f"http://127.0.0.1:{server.server_port}") as client:
        await client.track("Opened")
        await client.flush()
asyncio.run(main())
now = time.time()
written = seen[0]["timestamp"]
shown = datetime.datetime.strptime(written.rstrip("Z")[:19], "%Y-%m-%dT%H:%M:%S").replace(tzinfo=datetime.timezone.utc).timestamp()
session = int(str(seen[0]["sessionId"])[:10])
print(f"{os.environ['TZ']}: ends in {written[-1]}, {round((shown - now) / 3600)} h from now; session {round((session - now) / 3600)} h from now")
P
for zone in Asia/Tokyo America/Phoenix UTC; do TZ=$zone v/bin/python try.py; done | tee seen
diff seen - <<'END'
Asia/Tokyo: ends in Z, 9 h from now; session 0 h from now
America/Phoenix: ends in Z, -7 h from now; session 0 h from now
UTC: ends in Z, 0 h from now; session 0 h from now
END
