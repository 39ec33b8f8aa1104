#!/bin/sh
# Installs what scripts/check-packaging.sh asks: promtool, unpacked into target/packaging without its package's service, and from the
# distribution (Debian) systemd-analyze, lintian, yamllint and jq. Does nothing when they are there, so that checks run again without a network.
set -eu
cd "$(dirname "$0")/.."
dir=target/packaging
mkdir -p "$dir"

missing=""
for tool in systemd-analyze:systemd lintian:lintian yamllint:yamllint man:man-db dpkg-deb:dpkg strip:binutils jq:jq; do
    command -v "${tool%%:*}" >/dev/null 2>&1 || missing="$missing ${tool##*:}"
done
promtool=""
command -v promtool >/dev/null 2>&1 || [ -x "$dir/promtool" ] || promtool=yes
[ -z "$missing$promtool" ] && exit 0

if [ "$(id -u)" != 0 ] || ! command -v apt-get >/dev/null 2>&1; then
    echo "please install these Debian packages first:$missing${promtool:+ prometheus (for promtool)}" >&2
    exit 1
fi
export DEBIAN_FRONTEND=noninteractive
again=$PWD/scripts/again.sh
"$again" apt-get update -qq
if [ -n "$missing" ]; then
    # shellcheck disable=SC2086 # a list of package names
    "$again" apt-get install -y -qq --no-install-recommends $missing >/dev/null
fi
if [ -n "$promtool" ]; then
    fetched=$(mktemp -d)
    trap 'rm -rf "$fetched"' EXIT
    (cd "$fetched" && "$again" apt-get download -qq prometheus 2>/dev/null)
    dpkg-deb --fsys-tarfile "$fetched"/prometheus_*.deb | tar -xO ./usr/bin/promtool >"$fetched/promtool"
    install -m 755 "$fetched/promtool" "$dir/promtool"
fi
