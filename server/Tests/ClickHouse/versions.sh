# `Scripts/clickhouse versions`: setup, copying, deletions, verification, restores and the queries of docs/scaling.md with other versions
# of ClickHouse, one after the other and as a user with a profile. Without replication. 1.5 GB of downloads.

# The version, and the packages of PyPI that have it.
versions=("24.8 chdb==3.1.2" "25.8 chdb==3.7.2" "26.1 chdb==4.4.0 chdb-core==26.1.0")
# These packages need more than those of Scripts/clickhouse-requirements.txt, although nothing uses it.
others=(numpy==2.4.6 pandas==3.1.1 pyarrow==26.0.1 python-dateutil==4.0.0 tzdata==2026.6)

trial=$(mktemp -d)
number=$((${TERN_CLICKHOUSE_PORT:-21800} + 700))
server=""
end_server() { [ -z "$server" ] || { kill "$server" 2>/dev/null && wait "$server" 2>/dev/null; } || true; server=""; }
trap 'end_server; rm -rf "$trial"' EXIT
[ -n "${TERN_PROGRAM:-}" ] || build "$root/server" --product tern
export TERN_CLICKHOUSE_USER=tern TERN_CLICKHOUSE_MODERN="http://127.0.0.1:$number" PYTHONDONTWRITEBYTECODE=1
# The tests of the cluster of 18.16 are left out.
export TERN_CLICKHOUSE=$TERN_CLICKHOUSE_MODERN
TERN_CLICKHOUSE_PASSWORD=$(openssl rand -hex 16)
export TERN_CLICKHOUSE_PASSWORD

for entry in "${versions[@]}"; do
  read -r version packages <<<"$entry"
  environment="${TERN_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/tern}/clickhouse-$version"
  wanted="$packages ${others[*]}"
  if [ "$wanted" != "$(cat "$environment/packages" 2>/dev/null)" ]; then
    say "installing ClickHouse $version"
    rm -rf "$environment"
    python3 -m venv "$environment"
    # shellcheck disable=SC2086
    "$environment/bin/pip" install --disable-pip-version-check --quiet --only-binary :all: --no-deps $wanted >&2 \
      || fail "Couldn't install ClickHouse $version. It comes from PyPI: check the network and the settings of pip."
    echo "$wanted" >"$environment/packages"
  fi
  "$environment/bin/python" "$files/modern.py" "$number" "$trial/$version" >"$trial/output" 2>&1 &
  server=$!
  for _ in $(seq 150); do
    found=$(curl -s --max-time 5 -H "X-ClickHouse-User: tern" -H "X-ClickHouse-Key: $TERN_CLICKHOUSE_PASSWORD" \
      --data "SELECT version()" "$TERN_CLICKHOUSE" || true)
    [ -z "$found" ] || break
    sleep 0.2
  done
  [[ "$found" == "$version."* ]] || fail "Instead of ClickHouse $version, this answers: $found $(tail -n 5 "$trial/output")"
  say "copying to ClickHouse $found"
  run_python_tests "$root/server/Tests/ClientTests/test_profile.py" "$root/server/Tests/ClientTests/test_cluster_queries.py" \
    -k "recent or 26.9 or of_tern"
  end_server
done
say "the copy holds on other versions of ClickHouse"
