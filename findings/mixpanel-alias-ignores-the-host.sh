#!/usr/bin/env bash
# Which hosts Mixpanel's Python client asks for if it was given a host of one's own.
#
# Packages:  mixpanel 5.4.1
# Guess:     All calls go to the consumer's api_host.
# Behaviour: track() and people_set() do; alias() makes a consumer of its own, without the settings, and goes to the vendor's host.
# Matters:   Behind a proxy, or with a server of one's own, persons are never joined, and identifiers reach a company that should get none.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv v
v/bin/pip install --quiet --disable-pip-version-check mixpanel==5.4.1
cat >try.py <<'P'
import socket
import mixpanel
asked = []
# Nothing leaves the computer: each look-up of a name fails after it was noted.
def look_up(host, *rest, **more):
    asked.append(host)
    raise socket.gaierror("no network here")
socket.getaddrinfo = look_up
client = mixpanel.Mixpanel("token", consumer=mixpanel.Consumer(api_host="events.example", retry_limit=0))
for name, call in [
    ("track", lambda: client.track("a", "Opened")), ("people_set", lambda: client.people_set("a", {"plan": "pro"})),
    ("alias", lambda: client.alias("b", "a")),
]:
    asked.clear()
    try:
        call()
    except mixpanel.MixpanelException:
        pass
    print(f"{name}: {', '.join(sorted(set(asked)))}")
P
timeout 60 v/bin/python try.py | tee seen
diff seen - <<'END'
track: events.example
people_set: events.example
alias: api.mixpanel.com
END
