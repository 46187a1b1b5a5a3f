# `Scripts/clickhouse contract|same-bytes [--events N]|faults [--segments N]`: rows that leave home, with a cluster of their own.
# SEED=N repeats a run. None of them is part of CI, whose `Scripts/clickhouse test` runs smaller ones.

events=200000 segments=300
case "$command $*" in
  "same-bytes --events "*[0-9]) events=$2 ;;
  "faults --segments "*[0-9]) segments=$2 ;;
  "$command ") ;;
  *) usage ;;
esac
trial=$(mktemp -d)
folder="$trial/cluster"
export TERN_CLICKHOUSE_PORT=$((${TERN_CLICKHOUSE_PORT:-21800} + 800))
trap '"$root/Scripts/clickhouse" down "$folder" 2>/dev/null || true; rm -rf "$trial"' EXIT
if [ "$command" = contract ]; then build "$root/server" --build-tests; else build "$root/server" --product tern; fi
lines=$("$root/Scripts/clickhouse" up "$folder")
eval "$lines"
tests="$root/server/Tests/ClientTests/test_retired_rows.py"
case "$command" in
  contract) run_tests "$root/server" --skip-build --filter 'ChangingRows|RestoredHome|Retir' ;;
  same-bytes) EVENTS=$events run_python_tests "$tests" -k same_bytes -s ;;
  faults) TERN_CLICKHOUSE_FOLDER="$folder" EVENTS=200000 SEGMENTS=$segments run_python_tests "$tests" -k faults -s ;;
esac
