#!/usr/bin/env bash
# What a disk is told to write while nobody looks: a demo on ports of its own in a temporary folder, for a minute, by strace.
#
#   scripts/disk-writes.sh                                   the demo as it is
#   HARIT_STORAGE_HISTORY_EVERY_SEC=1 scripts/disk-writes.sh 300     with a setting, for five minutes
#
# HARIT_BIN names the binary. A debug build writes the same bytes. TMPDIR says on which disk.
set -euo pipefail
cd "$(dirname "$0")/.."
command -v strace >/dev/null || { echo "there is no strace (apt-get install strace)" >&2; exit 1; }
seconds=${1:-60}
http=127.0.0.1:18381
server= dir=$(mktemp -d "${TMPDIR:-/tmp}/harit-disk.XXXXXX")
trap '[ -z "$server" ] || { kill "$server" && wait "$server"; } 2>/dev/null || true; rm -rf "$dir"' EXIT
HARIT_WEATHER_URL='' "${HARIT_BIN:-target/release/harit}" serve --demo --data-dir "$dir/data" --http "$http" \
    --mqtt 127.0.0.1:18382 >"$dir/out" 2>&1 &
server=$!
until curl -sf "http://$http/readyz" >/dev/null; do
    kill -0 "$server" || { cat "$dir/out" >&2; exit 1; }
    sleep 0.3
done
readings() { curl -sf "http://$http/metrics" | awk '/^harit_readings_total/ { n += $2 } END { printf "%d", n }'; }
sleep 30 # what the start writes
before=$(readings)
timeout -s INT "$seconds" strace -f -y -qq -e trace=write,pwrite64,pwritev,fsync,fdatasync -p "$server" -o "$dir/trace" || true
after=$(readings)
awk -v dir="$dir/data/" -v seconds="$seconds" -v readings=$((after - before)) '
    match($0, /<[^>]*>/) && index($0, dir) {
        file = substr($0, RSTART + 1, RLENGTH - 2); sub(/.*\//, "", file); sub(/-[0-9]+\./, ".", file)
        if ($2 ~ /sync/) syncs[file]++; else bytes[file] += $NF
        seen[file]
    }
    END {
        for (file in seen) {
            printf "%-16s %9d bytes %5d syncs\n", file, bytes[file], syncs[file]
            all += bytes[file]; flushes += syncs[file]
        }
        printf "%-16s %9d bytes %5d syncs in %d s\n", "all", all, flushes, seconds
        printf "%d readings, %.0f bytes a reading, %.2f GiB a day\n", readings, all / readings, all * 86400 / seconds / 2 ^ 30
    }' "$dir/trace"
