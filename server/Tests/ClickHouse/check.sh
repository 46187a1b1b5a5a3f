# `Scripts/clickhouse check`: a cluster of its own is started, asked, disturbed and ended, and nothing of it is left.

trial=$(mktemp -d)
folder="$trial/cluster"
export TERN_CLICKHOUSE_PORT=$((${TERN_CLICKHOUSE_PORT:-21800} + 100))
port=$TERN_CLICKHOUSE_PORT
clickhouse="$root/Scripts/clickhouse"
trap '"$clickhouse" down "$folder" 2>/dev/null || true; rm -rf "$trial"' EXIT

# require_nothing_left WHEN: fails if there is a process, a port or a file of the cluster.
require_nothing_left() {
  local left
  [ ! -e "$folder" ] || fail "$1: $folder is left."
  # The pattern is not an argument, so that grep doesn't find itself.
  left=$(grep -lsF -f <(echo "$folder") /proc/[0-9]*/cmdline || true)
  [ -z "$left" ] || fail "$1: processes are left: $left"
  require_free_ports
}

# refused COMMAND…: runs what must fail; prints its messages only if it doesn't.
refused() { ! "$@" >"$trial/output" 2>&1 || fail "It should have been refused: $*: $(cat "$trial/output")"; }

install_packages
say "starting"
lines=$("$clickhouse" up "$folder")
eval "$lines"
password=$TERN_CLICKHOUSE_PASSWORD
[ "$("$clickhouse" up "$folder")" = "$lines" ] || fail "a second 'up' prints something else"
"$clickhouse" status "$folder" >&2 || fail "status finds that something doesn't run"
refused "$clickhouse" up "$trial/second"
grep -q TERN_CLICKHOUSE_PORT "$trial/output" && [ ! -e "$trial/second" ] || fail "taken ports are not refused: $(cat "$trial/output")"
mkdir "$trial/other"
touch "$trial/other/file"
refused "$clickhouse" up "$trial/other"
refused "$clickhouse" down "$trial/other"
[ -e "$trial/other/file" ] || fail "'down' deleted a folder of something else"

say "statements, cut bodies, a wrong password, TLS and faults"
run_client check

say "a replica is away and comes back"
"$clickhouse" kill s1r2 "$folder"
refused "$clickhouse" status "$folder"
run_client away
"$clickhouse" start s1r2 "$folder"
run_client back

say "a server, ZooKeeper and the recent one are killed, and up starts them again"
for node in s2r1 zookeeper modern; do "$clickhouse" kill "$node" "$folder"; done
[ "$("$clickhouse" up "$folder")" = "$lines" ] || fail "'up' after a crash prints something else"
run_client back

say "ending"
"$clickhouse" down "$folder"
require_nothing_left "after down"
"$clickhouse" down "$folder"

say "interrupting a start"
"$clickhouse" up "$folder" >"$trial/output" 2>&1 &
interrupted=$!
until [ -f "$folder/settings" ] || ! kill -0 $interrupted 2>/dev/null; do sleep 0.05; done
sleep 1
kill $interrupted
wait $interrupted || true
grep -q undoing "$trial/output" || fail "the start was not interrupted: $(cat "$trial/output")"
require_nothing_left "after an interrupted start"
say "ClickHouse can be started, disturbed and ended"
