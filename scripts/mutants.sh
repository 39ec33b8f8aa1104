#!/usr/bin/env bash
# Changes the engine (or with `farm` the farm) in every way that cargo-mutants knows, and tells which changes no test notices. Some
# twenty minutes for the whole engine on two cores; `scripts/mutants.sh engine rule.rs hold.rs` for some files. docs/mutants.md says what is known of those that stay.
set -euo pipefail
cd "$(dirname "$0")/.."

MUTANTS=27.1.0
dir=$PWD/target/mutants
mkdir -p "$dir"
export PATH=$dir/tools/bin:$PATH
[ "$(cargo mutants --version 2>/dev/null)" = "cargo-mutants $MUTANTS" ] ||
    CARGO_TARGET_DIR=$dir/tools-build cargo install --quiet --locked cargo-mutants --version "$MUTANTS" --root "$dir/tools"
if [ ! -x "$dir/venv/bin/python" ]; then
    python3 -m venv "$dir/venv"
    "$dir/venv/bin/pip" install --quiet --disable-pip-version-check tree-sitter==0.25.2 tree-sitter-rust==0.24.2
fi
# A copy of all that is tracked: the sources themselves stay as they are.
crate=engine
case "${1:-}" in engine | farm) crate=$1 && shift ;; esac
find "$crate/src" -type d -exec mkdir -p "$dir/tree-$crate/{}" \;
git ls-files -z ":!$crate/src" | tar --null -T - -cf - | tar -xf - -C "$dir/tree-$crate"
exec "$dir/venv/bin/python" scripts/mutants.py "$crate" "$@"
