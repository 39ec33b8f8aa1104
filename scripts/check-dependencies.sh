#!/bin/sh
# Checks what is built in against deny.toml: licences, sources and crates that are not wanted. With `advisories` known weaknesses too,
# which needs a network that reaches the database of RustSec:   scripts/check-dependencies.sh advisories
set -eu
cd "$(dirname "$0")/.."
VERSION=0.20.2
dir=target/cargo-deny
if [ "$(cat "$dir/version" 2>/dev/null)" != "$VERSION" ]; then
    # Unoptimised: it is built in a third of the time, and looks through some hundred crates in seconds.
    # Where everything is linted as it is built, this is not.
    env -u RUSTC_WORKSPACE_WRAPPER CARGO_PROFILE_DEV_DEBUG=0 ./scripts/again.sh "${CARGO:-cargo}" install --quiet --locked --debug --root "$dir" --target-dir "$dir/target" \
        "cargo-deny@$VERSION"
    rm -rf "$dir/target"
    echo "$VERSION" >"$dir/version"
fi
"$dir/bin/cargo-deny" --locked check licenses bans sources "$@"
