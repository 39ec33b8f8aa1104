#!/usr/bin/env bash
# Fuzzes every boundary for so many seconds each, as many at once as there are cores (HARIT_JOBS says otherwise), and tells what
# came of it. Needs no nightly compiler; fuzz/README.md says what the targets are.
#
#   scripts/fuzz.sh                       a minute each
#   scripts/fuzz.sh 1800 engine_inputs    half an hour of one
#
# The corpora grow in target/fuzz/corpus, beside those of the project; a find goes to target/fuzz/artifacts and is an error.
set -euo pipefail
cd "$(dirname "$0")/.."

CARGO_FUZZ=0.13.2
seconds=${1:-60}
[ $# -eq 0 ] || shift
dir=$PWD/target/fuzz
host=$(rustc -vV | sed -n 's/^host: //p')
all=$(sed -n 's/^name = "\([a-z_]*\)"$/\1/p' fuzz/Cargo.toml)
targets=${*:-$all}
for target in $targets; do
    [ -f "fuzz/fuzz_targets/$target.rs" ] || { echo "no target $target; there are:" $all >&2; exit 2; }
done

export PATH=$dir/tools/bin:$PATH
[ "$(cargo fuzz --version 2>/dev/null)" = "cargo-fuzz $CARGO_FUZZ" ] ||
    CARGO_TARGET_DIR=$dir/tools-build cargo install --quiet --locked cargo-fuzz --version "$CARGO_FUZZ" --root "$dir/tools"
# No sanitizer: there is no unsafe code of ours to look at, and without one twice as much is tried. RUSTC_BOOTSTRAP lets the
# stable compiler take what counts the coverage.
RUSTC_BOOTSTRAP=1 cargo fuzz build --sanitizer none --target-dir "$dir/build" >&2

fuzz() { # TARGET
    local target=$1 limit=()
    # Longer ones are slower and say no more.
    case $target in engine_inputs | program_inputs | farm_records) limit=(-max_len=1200) ;; esac
    mkdir -p "$dir/corpus/$target" "$dir/artifacts/$target" "$dir/log"
    local TIMEFORMAT=%U status=0
    { time "$dir/build/$host/release/$target" -max_total_time="$seconds" -timeout=20 -rss_limit_mb=4096 -print_final_stats=1 \
        -artifact_prefix="$dir/artifacts/$target/" "${limit[@]}" "$dir/corpus/$target" "fuzz/corpus/$target" \
        >"$dir/log/$target.txt" 2>&1; } 2>"$dir/log/$target.time" || status=$?
    local runs seed kept found=nothing
    # A run that somebody stopped, or that never began, is no find, and half an hour of nothing neither.
    if grep -q 'Test unit written to .*/\(crash\|timeout\|oom\|leak\)-' "$dir/log/$target.txt"; then
        found="SOMETHING: see $dir/log/$target.txt"
    elif [ "$status" -ne 0 ] || ! grep -q '^Done [0-9]* runs' "$dir/log/$target.txt"; then
        found="nothing, BUT DID NOT END (status $status): see $dir/log/$target.txt"
    fi
    runs=$(sed -n 's/^stat::number_of_executed_units: //p' "$dir/log/$target.txt")
    seed=$(sed -n 's/^INFO: Seed: //p' "$dir/log/$target.txt")
    kept=$(find "$dir/corpus/$target" -type f | wc -l)
    printf '%-16s %14s runs in %s s of processor time, seed %s, %s inputs kept, found %s\n' \
        "$target" "${runs:-?}" "$(cat "$dir/log/$target.time")" "${seed:-?}" "$kept" "$found"
    [ "$found" = nothing ]
}
export -f fuzz
export dir seconds host
# shellcheck disable=SC2086 — a list of names
printf '%s\n' $targets | xargs -P "${HARIT_JOBS:-$(nproc)}" -I{} bash -c 'fuzz {}'
