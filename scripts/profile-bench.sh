#!/usr/bin/env bash
# Where the server's processor time goes under `harit bench`: by symbol, and by thread.
#
#   scripts/profile-bench.sh                    pipelined: 200 connections with 64 publishes under way
#   scripts/profile-bench.sh waiting            100 connections that wait for each acknowledgement
#   scripts/profile-bench.sh pipelined 10       for so many seconds
#
# Takes `perf` (Debian: linux-perf), with call graphs by frame pointer. Where perf is not there or the kernel does not let
# it count, it takes `valgrind --tool=callgrind` at a rate that a server under it can keep up with: instructions instead of
# time, and nothing of the kernel. Results go to target/profile/. HARIT_BIN names a binary that is built already; its call
# graphs are then taken by DWARF, as it may have no frame pointers.
set -euo pipefail
cd "$(dirname "$0")/.."

mode=${1:-pipelined}
seconds=${2:-10}
case $mode in
    pipelined) load=(--connections 200 --window 64) ;;
    waiting) load=(--connections 100) ;;
    *) echo "usage: $0 [pipelined|waiting] [SECONDS]" >&2; exit 2 ;;
esac
# On this disk, as the temporary directory may lie in memory.
out=target/profile
mkdir -p "$out"

bin=${HARIT_BIN:-}
call_graph=dwarf,16384
if [ -z "$bin" ]; then
    RUSTFLAGS="${RUSTFLAGS:-} -C force-frame-pointers=yes" CARGO_PROFILE_RELEASE_DEBUG=line-tables-only \
        cargo build --release --locked --bin harit --target-dir target/profiling
    bin=target/profiling/release/harit
    call_graph=fp
fi

dir=$(mktemp -d "$out/data.XXXXXX")
server=
stop() {
    [ -z "$server" ] || kill "$server" 2>/dev/null || true
    [ -z "$server" ] || wait "$server" 2>/dev/null || true
    rm -rf "$dir"
}
trap stop EXIT

start() { # COMMAND...: a server under load's farms, started by that command
    "$bin" bench --seed "$dir" "${load[@]}"
    HARIT_WEATHER_URL='' HARIT_LOG_FORMAT=json "$@" serve --data-dir "$dir" --http 127.0.0.1:0 --mqtt 127.0.0.1:0 \
        >/dev/null 2>"$out/server.log" &
    server=$!
    for _ in $(seq 600); do
        ready=$(grep -m1 '"message":"ready"' "$out/server.log" || true)
        [ -z "$ready" ] || break
        kill -0 "$server" 2>/dev/null || { cat "$out/server.log" >&2; exit 1; }
        sleep 0.1
    done
    [ -n "$ready" ] || { echo "the server does not get ready" >&2; exit 1; }
    http=$(echo "$ready" | sed 's/.*"http":"\([^"]*\)".*/\1/')
    mqtt=$(echo "$ready" | sed 's/.*"mqtt":"\([^"]*\)".*/\1/')
}

if command -v perf >/dev/null && perf record -q -o /dev/null -- true 2>/dev/null; then
    start "$bin"
    "$bin" bench --mqtt "$mqtt" --http "$http" --pid "$server" "${load[@]}" --seconds "$seconds" >"$out/$mode.bench.txt" &
    load_pid=$!
    sleep 3 # connections, and the generator's own warm-up
    perf record -q -F 999 --call-graph "$call_graph" -p "$server" -o "$out/$mode.perf" -- sleep $((seconds - 2))
    wait "$load_pid"
    report() { perf report -i "$out/$mode.perf" --stdio -q --no-inline --no-children -g none --percent-limit 0.5 "$@" 2>/dev/null | sed 's/ *-* *-* *$//; /^$/d'; }
    # Of all samples that have a function in their stack, so that what it calls counts as its own.
    within() { perf report -i "$out/$mode.perf" --stdio -q --no-inline --children -g none --percent-limit 1 --sort symbol 2>/dev/null | grep -E 'harit_[a-z]+::' | sed 's/ *-* *-* *$//'; }
    {
        echo "# by thread"; report --sort comm
        echo "# by object"; report --sort dso
        echo "# by symbol"; report --sort symbol
        echo "# with what it calls, and alone"; within
    } >"$out/$mode.txt"
    perf report -i "$out/$mode.perf" --stdio -q --no-inline --children -g caller,0.5,callee --percent-limit 2 --sort symbol \
        >"$out/$mode.callgraph.txt" 2>/dev/null || true
    cat "$out/$mode.bench.txt"
    cat "$out/$mode.txt"
    echo "call graph: $out/$mode.callgraph.txt; more: perf report -i $out/$mode.perf"
    exit
fi

echo "perf cannot be used here: instructions are counted instead, with callgrind" >&2
command -v valgrind >/dev/null || { echo "and there is no valgrind (apt-get install linux-perf valgrind)" >&2; exit 1; }
case $mode in
    pipelined) load=(--connections 20 --window 64) ;;
    waiting) load=(--connections 20) ;;
esac
start valgrind --tool=callgrind --separate-threads=yes --callgrind-out-file="$out/$mode.callgrind" "$bin"
"$bin" bench --mqtt "$mqtt" --http "$http" "${load[@]}" --seconds "$seconds" --probes 0 | tee "$out/$mode.bench.txt"
kill "$server"
wait "$server" || true
server=
messages=$(awk '/acknowledged/ {gsub(/[^0-9]/, "", $2); print $2; exit}' "$out/$mode.bench.txt")
for thread in "$out/$mode".callgrind-*; do
    echo "# $thread, of $messages messages"
    callgrind_annotate "$thread" 2>/dev/null | sed -n '/PROGRAM TOTALS/p; /^ *[0-9,]* ([ 0-9.]*%) /p' | head -25
done | tee "$out/$mode.txt"
