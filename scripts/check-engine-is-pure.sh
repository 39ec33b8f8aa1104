#!/bin/sh
# The engine is a library without clock, I/O, threads or randomness. Clippy's lists (engine/clippy.toml) forbid the calls;
# this checks that it builds alone, that its dependencies are the reviewed ones, and that no source reaches around the lists.
set -eu
cd "$(dirname "$0")/.."

reviewed="crc32fast jiff serde serde_json thiserror"
actual=$(cargo metadata --format-version 1 --no-deps --locked --offline 2>/dev/null | python3 -c '
import json, sys
package = next(p for p in json.load(sys.stdin)["packages"] if p["name"] == "harit-engine")
print(*sorted(d["name"] for d in package["dependencies"] if d["kind"] is None))')
[ "$actual" = "$reviewed" ] || {
    echo "engine/Cargo.toml: dependencies are \"$actual\", reviewed are \"$reviewed\"" >&2
    exit 1
}

all=$(cargo tree -p harit-engine --edges normal --prefix none --locked --offline | sed 's/ .*//' | sort -u)
for banned in tokio mio rand getrandom socket2 rusqlite sqlx reqwest hyper rayon; do
    if echo "$all" | grep -qx "$banned"; then
        echo "the engine depends on $banned" >&2
        exit 1
    fi
done

if grep -rnE '\b(std::(fs|net|io|process|thread|env)|SystemTime|Instant|HashMap|HashSet|f32)\b' engine/src; then
    echo "the engine reaches outside (see above)" >&2
    exit 1
fi
# Floats may only be shown, never decided with: they stand in one file.
if grep -rnE '\bf64\b' engine/src --include=*.rs | grep -v '^engine/src/quantity.rs:'; then
    echo "a float outside engine/src/quantity.rs (see above)" >&2
    exit 1
fi
cargo check -p harit-engine --locked --quiet
echo "the engine is pure"
