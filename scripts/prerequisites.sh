#!/bin/sh
# Sees to it that what the build and the tests need is there: installs it with apt where it may, else says what to install.
set -eu

missing=""
need() { # command package...
    command -v "$1" >/dev/null 2>&1 || { shift; missing="$missing $*"; }
}

need cc build-essential
need make make
need pkg-config pkg-config
need mosquitto mosquitto
need mosquitto_pub mosquitto-clients
need openssl openssl
need sqlite3 sqlite3
need python3 python3
need curl curl
need chromium chromium
need chromium-headless-shell chromium-headless-shell
python3 -c 'import venv, ensurepip' >/dev/null 2>&1 || missing="$missing python3-venv"
# Devanagari in screenshots: the console bundles its own fonts, the browser still needs one for its own texts.
[ -n "${HARIT_SKIP_FONTS:-}" ] || fc-list 2>/dev/null | grep -qi 'noto' || missing="$missing fonts-noto-core"

for tool in cargo node npm; do
    command -v "$tool" >/dev/null 2>&1 || {
        echo "harit needs $tool: install Rust 1.94 or later (https://rustup.rs) and Node.js 20.19 or later" >&2
        exit 1
    }
done

[ -z "$missing" ] && exit 0

if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null 2>&1; then
    echo "installing:$missing"
    export DEBIAN_FRONTEND=noninteractive
    "$(dirname "$0")/again.sh" apt-get update -qq
    # shellcheck disable=SC2086 — a list of package names
    "$(dirname "$0")/again.sh" apt-get install -y -qq --no-install-recommends $missing >/dev/null
else
    echo "please install these Debian packages first:" >&2
    echo "    sudo apt-get install --no-install-recommends$missing" >&2
    exit 1
fi
