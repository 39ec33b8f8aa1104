#!/bin/sh
# The program has no test seams in it: neither the simulation's nor planted mistakes, nor the test kit.
set -eu
cd "$(dirname "$0")/.."

features=$(cargo tree -p harit --edges features --prefix none --locked --offline)
for forbidden in simulation planted-bugs; do
    if echo "$features" | grep -q "feature \"$forbidden\""; then
        echo "the program is built with the feature $forbidden" >&2
        exit 1
    fi
done
crates=$(cargo tree -p harit --edges normal,build --prefix none --locked --offline)
if echo "$crates" | grep -E '^harit-(testkit|model|sim) '; then
    echo "the program depends on a crate for tests (see above)" >&2
    exit 1
fi
echo "the program has no test features and no test crates"
