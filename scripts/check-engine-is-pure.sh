#!/bin/sh
# Engine and farm are libraries without clock, I/O, threads or randomness. Clippy's lists (engine/clippy.toml) forbid the calls;
# this checks that they build alone, that their dependencies are the reviewed ones, and that no source reaches around the lists.
set -eu
cd "$(dirname "$0")/.."

check() {
    crate=$1 reviewed=$2
    actual=$(cargo metadata --format-version 1 --no-deps --locked --offline 2>/dev/null | CRATE="harit-$crate" python3 -c '
import json, os, sys
package = next(p for p in json.load(sys.stdin)["packages"] if p["name"] == os.environ["CRATE"])
print(*sorted(d["name"] for d in package["dependencies"] if d["kind"] is None))')
    [ "$actual" = "$reviewed" ] || {
        echo "$crate/Cargo.toml: dependencies are \"$actual\", reviewed are \"$reviewed\"" >&2
        exit 1
    }

    all=$(cargo tree -p "harit-$crate" --edges normal --prefix none --locked --offline | sed 's/ .*//' | sort -u)
    for banned in tokio mio rand getrandom socket2 rusqlite sqlx reqwest hyper rayon; do
        if echo "$all" | grep -qx "$banned"; then
            echo "the $crate depends on $banned" >&2
            exit 1
        fi
    done

    if grep -rnE '\b(std::(fs|net|io|process|thread|env)|SystemTime|Instant|HashMap|HashSet|f32)\b' "$crate/src"; then
        echo "the $crate reaches outside (see above)" >&2
        exit 1
    fi
    # Floats may only be shown, never decided with: they stand in one file.
    if grep -rnE '\bf64\b' "$crate/src" --include=*.rs | grep -v '^engine/src/quantity.rs:'; then
        echo "a float outside engine/src/quantity.rs (see above)" >&2
        exit 1
    fi
    cargo check -p "harit-$crate" --locked --quiet
    echo "the $crate is pure"
}

check engine "crc32fast jiff serde serde_json smol_str thiserror"
check farm "harit-engine harit-protocol serde serde_json thiserror"
