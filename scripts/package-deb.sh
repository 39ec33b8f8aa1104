#!/bin/sh
# Builds harit_VERSION_ARCH.deb from a program that is built already, with dpkg-deb alone; prints its path.
#   scripts/package-deb.sh [BINARY [OUT_DIR]]      # target/release/harit target/packaging
# A binary of another machine (arm64) needs one that runs here, for manual pages and completions: HARIT_RUNS_HERE=target/release/harit.
# DEB_COMPRESSION is dpkg-deb's -Z (xz). The same source and binary give the same package, to the byte.
set -eu
cd "$(dirname "$0")/.."
binary=${1:-target/release/harit}
out=${2:-target/packaging}
here=${HARIT_RUNS_HERE:-$binary}

[ -x "$binary" ] || {
    echo "package-deb: $binary is not there: make build" >&2
    exit 1
}
case $(readelf -h "$binary" | sed -n 's/ *Machine: *//p') in
*X86-64*) arch=amd64 ;;
AArch64) arch=arm64 ;;
*) echo "package-deb: $binary is for no machine that is packaged (amd64, arm64)" >&2 && exit 1 ;;
esac
version=$("$here" --version | sed 's/^harit //')
epoch=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct 2>/dev/null || date +%s)}

umask 022
root=$(mktemp -d)
trap 'rm -rf "$root"' EXIT
put() { # mode file target
    install -D -m "$1" "$2" "$root/$3"
}
chmod 755 "$root"
put 755 "$binary" usr/bin/harit
"${STRIP:-strip}" --strip-unneeded "$root/usr/bin/harit" 2>/dev/null || cp "$binary" "$root/usr/bin/harit"
put 644 packaging/systemd/harit.service usr/lib/systemd/system/harit.service
put 644 harit.toml.example etc/harit/harit.toml
sed -i 's#^data_dir = "data"$#data_dir = "/var/lib/harit"#' "$root/etc/harit/harit.toml"
doc=usr/share/doc/harit
put 644 packaging/debian/copyright $doc/copyright
put 644 CHANGELOG.md $doc/CHANGELOG.md
printf 'harit (%s) stable; urgency=medium\n\n  * See CHANGELOG.md.gz.\n\n -- %s  %s\n' "$version" \
    "$(sed -n 's/^Maintainer: //p' packaging/debian/control.in)" "$(LC_ALL=C date -uRd "@$epoch")" >"$root/$doc/changelog"
put 644 docs/operations.md $doc/operations.md
put 644 docs/cluster.md $doc/cluster.md
put 644 docs/nats/nats.conf $doc/nats/nats.conf
put 644 packaging/prometheus/harit.rules.yml $doc/prometheus/harit.rules.yml
put 644 packaging/grafana/harit.json $doc/grafana/harit.json
put 644 packaging/grafana/farm.json $doc/grafana/farm.json
mkdir -p "$root/usr/share/man/man1" "$root/usr/share/bash-completion/completions" \
    "$root/usr/share/zsh/vendor-completions" "$root/usr/share/fish/vendor_completions.d"
"$here" man "$root/usr/share/man/man1"
"$here" completions bash >"$root/usr/share/bash-completion/completions/harit"
"$here" completions zsh >"$root/usr/share/zsh/vendor-completions/_harit"
"$here" completions fish >"$root/usr/share/fish/vendor_completions.d/harit.fish"
gzip -9n "$root/$doc/changelog" "$root/$doc/CHANGELOG.md" "$root"/usr/share/man/man1/*.1

# what the C library must have at least; a static program needs none, and lintian complains of that, or takes it for a library
libc=$(objdump -T "$binary" 2>/dev/null | grep -o 'GLIBC_[0-9.]*' | sort -uV | tail -1 | sed 's/GLIBC_\(.*\)/libc6 (>= \1), libgcc-s1, /')
[ -n "$libc" ] || {
    mkdir -p "$root/usr/share/lintian/overrides"
    printf 'harit: %s [usr/bin/harit]\n' shared-library-lacks-prerequisites statically-linked-binary >"$root/usr/share/lintian/overrides/harit"
}
size=$(du -sk --apparent-size "$root" | cut -f1)
mkdir "$root/DEBIAN"
sed "s/@VERSION@/$version/; s/@ARCH@/$arch/; s/@SIZE@/$size/; s/@LIBC@/$libc/" packaging/debian/control.in >"$root/DEBIAN/control"
echo /etc/harit/harit.toml >"$root/DEBIAN/conffiles"
for script in postinst prerm postrm; do
    put 755 packaging/debian/$script DEBIAN/$script
done
(cd "$root" && find usr -type f -print0 | sort -z | xargs -0 md5sum >DEBIAN/md5sums)
find "$root" -exec touch -h -d "@$epoch" {} +

mkdir -p "$out"
deb="$out/harit_${version}_$arch.deb"
SOURCE_DATE_EPOCH=$epoch dpkg-deb --root-owner-group -Z"${DEB_COMPRESSION:-xz}" --build "$root" "$deb" >/dev/null
echo "$deb"
