# `Scripts/clickhouse portions [--rows N] [--in FOLDER]`: rows come and leave in portions of a million until N (100,000,000) have left;
# then all of them are fetched, and the home is made again from the cluster. Prints what each step costs, as JSON lines. A folder is kept,
# and a later run goes on after the last portion that is in it.

rows=100000000 portion=1000000 kept=""
while [ $# -gt 0 ]; do
  case "$1 ${2:-}" in
    "--rows "*[0-9]) rows=$2 ;;
    "--in "?*) kept=$(realpath -m "$2") ;;
    *) usage ;;
  esac
  shift 2
done
trial=${kept:-$(mktemp -d)}
mkdir -p "$trial"
folder="$trial/cluster"
export TERN_CLICKHOUSE_PORT=$((${TERN_CLICKHOUSE_PORT:-21800} + 600))
finish() {
  if [ -z "$kept" ]; then
    "$root/Scripts/clickhouse" down "$folder" 2>/dev/null || true
    rm -rf "$trial"
  elif [ -d "$folder" ]; then
    end_nodes "${nodes[@]:1}"
    end_nodes zookeeper
  fi
}
trap finish EXIT
trap 'exit 130' INT TERM
build "$root/server" -c release --product tern
tern="$root/server/.build/release/tern" data="$trial/data"
eval "$("$root/Scripts/clickhouse" up "$folder")"
cluster=$TERN_CLICKHOUSE
unset TERN_CLICKHOUSE

# What a run that goes on needs of an earlier one: the app, the time from which rows have theirs, and how many have left.
if [ ! -f "$trial/progress" ]; then
  json=$("$tern" apps create Portions --data "$data" --json)
  app=$(sed -nE 's/.*"id" *: *"?([0-9]+).*/\1/p' <<<"$json" | head -n 1)
  "$tern" clickhouse setup --cluster tern --clickhouse "$cluster" --data "$data" >&2
  echo "$app $(($(date +%s) * 1000)) 0" >"$trial/progress"
fi
read -r app now left <"$trial/progress"

# timed FIGURE ROWS COMMAND…: prints the rows per second and the processor time of a command.
timed() {
  local figure=$1 count=$2 times
  shift 2
  times=$( { TIMEFORMAT='%R %U %S'; time "$@" >"$trial/said" 2>&1; } 2>&1) || fail "$figure: $(cat "$trial/said")"
  awk -v figure="$figure" -v rows="$count" -v now=$((SECONDS - started)) \
    '{printf "{\"figure\":\"%s\",\"rows\":%d,\"seconds\":%.1f,\"rows_per_second\":%.0f,\"processor_us_per_row\":%.2f,\"at_second\":%d}\n",figure,rows,$1,rows/$1,($2+$3)/rows*1e6,now}' <<<"$times"
}

# portion FIRST COUNT: an export of sessions of 20 events, received 80 to 90 days ago.
portion() {
  printf '{"tern":"export","version":1,"server":"0","app":1,"name":"Portions","timeZone":"UTC"}\n'
  awk -v first="$1" -v count="$2" -v now="$now" 'BEGIN {
    day = 86400000
    for (row = first; row < first + count; row++) {
      session = int(row / 20); install = (session * 7919) % 200000
      received = now - 90 * day + int(row * (10 * day / 100000000))
      printf "{\"row\":%d,\"kind\":\"event\",\"name\":\"Level %d\",\"received\":%.0f,\"time\":%.0f,\"install\":\"0f8fad5b-d9cb-469f-a165-%012d\",\"session\":\"%x\",\"user\":\"user%d\",\"device\":{\"timeZoneOffset\":120,\"osName\":\"iOS\",\"osVersion\":\"1%d.0\",\"model\":\"iPhone%d,1\",\"locale\":\"de_DE\",\"country\":\"DE\",\"appVersion\":\"1.%d\",\"appBuild\":\"7\",\"sdkName\":\"tern\",\"sdkVersion\":\"1\"},\"properties\":[{\"name\":\"level\",\"integer\":%d},{\"name\":\"kind\",\"string\":\"kind %d\"}]}\n", row + 1, row % 40, received, received - 1000, install, session + 1, install % 50000, install % 9, install % 5, int(row / 5000000), row % 100, row % 30
    }
  }'
  printf '{"end":true}\n'
}

for ((first = left; first < rows; first += portion)); do
  count=$((rows - first < portion ? rows - first : portion))
  portion "$first" "$count" >"$trial/part.ndjson"
  timed import "$count" "$tern" import --app "$app" "$trial/part.ndjson" --data "$data"
  # No rows are appended to a file that doesn't end with the last row that counts.
  printf '\0' >>"$data/rows/$(ls "$data/rows" | grep -E '^[0-9]+\.rows$' | sort -n | tail -n 1)"
  timed backfill "$count" "$tern" clickhouse backfill --clickhouse "$cluster" --data "$data"
  timed retire "$count" "$tern" clickhouse retire --before "$(date +%F)" --yes --recognize-duplicates 7d --clickhouse "$cluster" --data "$data"
  printf '{"figure":"disk","rows":%d,"home_mib":%d,"cluster_mib":%d}\n' $((first + count)) \
    "$(du -sm "$data" | cut -f 1)" "$(du -sm "$folder" | cut -f 1)"
  echo "$app $now $((first + count))" >"$trial/progress"
done
rm -f "$trial/part.ndjson"
export TERN_CLICKHOUSE=$cluster
# Only the end is kept: an export of 100,000,000 rows takes 45 GB.
export_all() { "$tern" export --app "$app" --data "$data" | tail -n 1; }
timed fetch "$rows" export_all
rm -rf "$data/rows/fetched" "$trial/restored"
timed restore "$rows" "$tern" restore --from-clickhouse "$data" --clickhouse "$cluster" --data "$trial/restored"
du -sm "$trial/restored" | awk '{printf "{\"figure\":\"restored\",\"mib\":%d}\n",$1}'
