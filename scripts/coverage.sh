#!/usr/bin/env bash
# Which lines and branches of the engine its tests run: its own (unit, stories, corpora) and the comparison with the model.
# Prints both figures a file, and what was missed; fails below 95 % of the lines or 90 % of the branches.
# `HARIT_CASES=200 HARIT_SEED=0 scripts/coverage.sh` (these are the defaults). Needs no nightly compiler: branches are counted
# by an option that the stable one has and does not yet promise.
set -euo pipefail
cd "$(dirname "$0")/.."

export HARIT_CASES=${HARIT_CASES:-200}
export HARIT_SEED=${HARIT_SEED:-0}
LINES_PERCENT=95
BRANCHES_PERCENT=90

# The tools must be of the compiler's LLVM: rustup's component, or the distribution's package of that version.
llvm=$(rustc -vV | sed -n 's/^LLVM version: \([0-9]*\).*/\1/p')
host=$(rustc -vV | sed -n 's/^host: //p')
tool() { # name: where it is, or nothing
    local own
    own=$(rustc --print sysroot)/lib/rustlib/$host/bin/$1
    if [ -x "$own" ]; then echo "$own"; else command -v "$1-$llvm" || true; fi
}
if [ -z "$(tool llvm-cov)" ] || [ -z "$(tool llvm-profdata)" ]; then
    if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
        echo "installing: llvm-$llvm"
        export DEBIAN_FRONTEND=noninteractive
        apt-get update -qq
        apt-get install -y -qq --no-install-recommends "llvm-$llvm" >/dev/null
    else
        echo "please install llvm-cov of LLVM $llvm: rustup component add llvm-tools, or the package llvm-$llvm" >&2
        exit 1
    fi
fi

dir=$PWD/target/coverage
rm -rf "$dir/profiles"
mkdir -p "$dir/profiles"
# RUSTC_BOOTSTRAP lets the stable compiler take -Z. A target directory of its own: other flags would rebuild everything.
export RUSTC_BOOTSTRAP=1 RUSTFLAGS="-C instrument-coverage -Z coverage-options=branch"
export CARGO_TARGET_DIR=$dir CARGO_INCREMENTAL=0 LLVM_PROFILE_FILE=$dir/profiles/%p-%m.profraw

cargo test --locked --no-run -p harit-engine -p harit-model --lib --tests --message-format=json >"$dir/built.json"
mapfile -t binaries < <(python3 -c '
import json, sys
for line in open(sys.argv[1]):
    built = json.loads(line)
    if built.get("executable") and built["profile"]["test"] and built["target"]["name"] != "make-vectors": print(built["executable"])' "$dir/built.json")
# The binaries that were just built, not another `cargo test`: a copy of the engine built otherwise would not be counted.
for binary in "${binaries[@]}"; do
    case $binary in
        # Of the model's tests the comparison alone: the others ask whether wrong models are noticed.
        */differential-*) (cd model && "$binary" --quiet engine_and) ;;
        *) (cd engine && "$binary" --quiet) ;;
    esac
done

"$(tool llvm-profdata)" merge --sparse "$dir"/profiles/*.profraw -o "$dir/all.profdata"
export_as() { # format
    "$(tool llvm-cov)" export --format "$1" --instr-profile "$dir/all.profdata" \
        "${binaries[@]/#/--object=}" --sources "$PWD/engine/src"
}
export_as lcov >"$dir/lines.lcov"
export_as text >"$dir/branches.json"
python3 scripts/coverage-report.py "$dir/lines.lcov" "$dir/branches.json" "$LINES_PERCENT" "$BRANCHES_PERCENT"
