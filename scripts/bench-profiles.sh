#!/usr/bin/env bash
# How fast messages of another system are read: `harit bench` with Tasmota's SENSOR message, which a profile reads, and with native
# telemetry of as many values, in turn; then the profile's readings a second, and the server's processor time a message, as a part of
# the native ones.
#
#   scripts/bench-profiles.sh                   three runs of 10 s of each
#   scripts/bench-profiles.sh 5 4               five of 4 s
#
# Takes `make build`; HARIT_BIN names another binary. At least 0.5 is wanted of both.
set -euo pipefail
cd "$(dirname "$0")/.."

runs=${1:-3} seconds=${2:-10}
bin=${HARIT_BIN:-target/release/harit}
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
for _ in $(seq "$runs"); do
    for shape in full tasmota; do
        "$bin" bench --self --dir "$dir" --connections 100 --window 64 --shape "$shape" --seconds "$seconds" --csv "$dir/all.csv" >/dev/null
    done
done
awk -F, '
    NR == 1 { for (n = 1; n <= NF; n++) at[$n] = n; next }
    { shape = $at["shape"]; readings[shape] += $at["readings_per_sec"]; cpu[shape] += $at["server_cpu_ms"]; messages[shape] += $at["acknowledged"]; runs[shape]++ }
    END {
        for (shape in runs)
            printf "%-8s %9.0f readings/s, %6.2f µs of the server a message\n", shape, readings[shape] / runs[shape], 1000 * cpu[shape] / messages[shape]
        printf "of native: %.2f of the readings, %.2f of the messages for the same processor time\n",
            readings["tasmota"] / runs["tasmota"] / (readings["full"] / runs["full"]),
            cpu["full"] / messages["full"] / (cpu["tasmota"] / messages["tasmota"])
    }' "$dir/all.csv"
