# `Scripts/clickhouse bench`: prints what shipping costs and how fast it is, as JSON lines. RUNS=n repeats the comparison (3),
# ROWS=n is the size of the backlog (2,000,000). About ten minutes after the first build.

trial=$(mktemp -d)
export TERN_CLICKHOUSE_PORT=$((${TERN_CLICKHOUSE_PORT:-21800} + 400))
server=""
cleanup() {
  [ -z "$server" ] || { kill "$server" 2>/dev/null && wait "$server" 2>/dev/null; } || true
  "$root/Scripts/clickhouse" down "$trial/cluster" 2>/dev/null || true
  rm -rf "$trial"
}
trap cleanup EXIT
build "$root/Benchmarks" -c release
build "$root/server" -c release --product tern
tern="$root/server/.build/release/tern" load="$root/.build/release/bench-load"
rows=${ROWS:-2000000} runs=${RUNS:-3}

# start_server [OPTION…]: serves $data.
start_server() {
  rm -f "$trial/out"
  "$tern" serve --data "$data" --port 0 --address-requests-per-second 1000000 --address-events-per-second 1000000000 \
    --address-bytes-per-day 1000000GiB "$@" >"$trial/out" 2>&1 &
  server=$!
  for _ in $(seq 100); do
    port=$(sed -nE 's,.*listens on http://127.0.0.1:([0-9]+).*,\1,p' "$trial/out" || true)
    [ -n "$port" ] && return
    sleep 0.1
  done
  fail "the server did not start: $(cat "$trial/out")"
}
stop_server() { kill "$server"; wait "$server" || true; server=""; }
member() { sed -nE "s/.*\"$1\" *: *\"?([^\",}]*)\"?.*/\1/p"; }
new_app() {
  json=$("$tern" apps create Bench --data "$data" --json)
  secret=$(echo "$json" | member appSecret)
  "$tern" apps limits "$(echo "$json" | member id)" --requests-per-second 1000000 --events-per-second 1000000000 \
    --bytes-per-day 1000000GiB --data "$data" >/dev/null
}
backlog() { curl -s -H "Authorization: Bearer $token" "http://127.0.0.1:$port/metrics" | awk '/^tern_cluster_backlog_rows/{print $2}'; }
# timed FIGURE COMMAND…: prints the rows per second and the processor time of a command that works on all rows.
timed() {
  local figure=$1 times
  shift
  times=$( { TIMEFORMAT='%R %U %S'; time "$@" >/dev/null 2>&1; } 2>&1)
  awk -v figure="$figure" -v rows="$rows" '{printf "{\"figure\":\"%s\",\"rows\":%d,\"seconds\":%.1f,\"rows_per_second\":%.0f,\"processor_us_per_row\":%.2f}\n",figure,rows,$1,rows/$1,($2+$3)/rows*1e6}' <<<"$times"
}

eval "$("$root/Scripts/clickhouse" up "$trial/cluster")"
cluster=$TERN_CLICKHOUSE
unset TERN_CLICKHOUSE

for home in backfilled served; do
  data="$trial/$home"
  start_server
  new_app
  "$load" --port "$port" --app-secret "$secret" --seconds 600 --events "$rows" >/dev/null
  stop_server
done
data="$trial/backfilled"
"$tern" clickhouse setup --cluster tern --clickhouse "$cluster" --data "$data" >/dev/null
timed backfill "$tern" clickhouse backfill --clickhouse "$cluster" --data "$data"
timed verify "$tern" clickhouse verify --clickhouse "$cluster" --data "$data"

data="$trial/served"
token=$("$tern" tokens create bench --data "$data")
start_server --clickhouse "$cluster"
began=$SECONDS
"$load" --figure collecting_while_catching_up --port "$port" --app-secret "$secret" --seconds 90 --rate 10000 &
generator=$!
# The rows of the last minute wait for more of them.
while [ "$(backlog)" -gt 140000 ]; do sleep 0.5; done
kill -0 "$generator" || fail "the generator ended before the backlog did"
printf '{"figure":"catching_up_while_collecting","rows":%d,"seconds":%d}\n' "$rows" $((SECONDS - began))
wait "$generator"
stop_server
grep -E "waits" "$trial/out" >&2 || true

# Nothing listens at the first port of all.
for run in $(seq "$runs"); do
  for kind in without away; do
    data="$trial/$kind"
    rm -rf "$data"
    if [ "$kind" = away ]; then start_server --clickhouse http://127.0.0.1:1,http://127.0.0.1:2; else start_server; fi
    new_app
    "$load" --figure "collector_$kind" --port "$port" --app-secret "$secret" --seconds 8
    stop_server
  done
done
