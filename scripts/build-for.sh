#!/bin/sh
# Builds the server for another machine or without a C library, and its package into target/packaging/TARGET; prints its path.
#   scripts/build-for.sh TARGET
#     x86_64-unknown-linux-musl     amd64, static: any Linux
#     aarch64-unknown-linux-musl    arm64, static: any Linux, such as a Raspberry Pi's
#     aarch64-unknown-linux-gnu     arm64 with the C library of Debian: as new as the cross compiler's, or newer
# Installs nothing: it says what is missing. `make console` comes first. For another machine a harit of this version that runs here
# writes the manual pages: HARIT_RUNS_HERE (target/release/harit).
set -eu
cd "$(dirname "$0")/.."
target=${1:-}
case $target in
x86_64-unknown-linux-musl) arch=x86_64 debian=amd64 ;;
aarch64-unknown-linux-musl | aarch64-unknown-linux-gnu) arch=aarch64 debian=arm64 ;;
*) sed -n '2,6s/^# \{0,1\}//p' "$0" >&2 && exit 2 ;;
esac

# gcc's own name for the machine is that of Debian's directories too
gcc=""
[ "$(uname -m)" = "$arch" ] || gcc=$(echo "$arch" | tr _ -)-linux-gnu-
case $target in
*-musl)
    cc="${gcc}gcc -specs /usr/lib/$arch-linux-musl/musl-gcc.specs"
    headers=/usr/lib/$arch-linux-musl/musl-gcc.specs
    package=musl-dev
    libgcc=-lgcc
    ;;
*)
    [ -n "$gcc" ] || {
        echo "build-for: this machine is one of those: make build && scripts/package-deb.sh" >&2
        exit 2
    }
    cc=${gcc}gcc
    headers=/usr/$arch-linux-gnu/lib/crti.o
    package=libc6-dev-$debian-cross
    libgcc=""
    ;;
esac

missing=""
command -v "${gcc}gcc" >/dev/null || missing=" gcc${gcc:+-${gcc%-}}"
[ -e "$headers" ] || {
    missing="$missing $package"
    if [ -n "$gcc" ] && [ "$package" = musl-dev ]; then
        missing="$missing:$debian (after: dpkg --add-architecture $debian && apt update)"
    fi
}
[ -z "$missing" ] || echo "build-for: please install these Debian packages:$missing" >&2
libraries=$(rustc --print target-libdir --target "$target")
[ -n "$(find "$libraries" -name 'libstd-*.rlib' 2>/dev/null)" ] || {
    if command -v rustup >/dev/null; then
        what="rustup target add $target"
    elif [ "$package" = musl-dev ]; then
        what="Debian's Rust has none: rustup.rs, then rustup target add $target"
    else
        what="apt install libstd-rust-dev:$debian, after dpkg --add-architecture $debian && apt update"
    fi
    missing=std
    echo "build-for: Rust's standard library for $target is missing: $what" >&2
}
[ -e console/dist/index.html ] || {
    missing=console
    echo "build-for: the console is not built: make console" >&2
}
if [ -n "$gcc" ]; then
    export HARIT_RUNS_HERE="${HARIT_RUNS_HERE:-${CARGO_TARGET_DIR:-target}/release/harit}"
    [ -x "$HARIT_RUNS_HERE" ] || {
        missing=harit
        echo "build-for: $HARIT_RUNS_HERE, for manual pages and completions, is not there: make build" >&2
    }
fi
[ -z "$missing" ] || exit 1

variable=$(echo "$target" | tr a-z- A-Z_)
export "CC_$(echo "$target" | tr - _)=$cc" "AR_$(echo "$target" | tr - _)=${gcc}ar" "CARGO_TARGET_${variable}_LINKER=${gcc}gcc"
# C code that gcc compiles calls libgcc (popcount), which Rust leaves out where it links a static program
"${CARGO:-cargo}" rustc --release --locked --bin harit --target "$target" -- ${libgcc:+-C "link-arg=$libgcc"} >&2
STRIP=${gcc}strip exec scripts/package-deb.sh "${CARGO_TARGET_DIR:-target}/$target/release/harit" "target/packaging/$target"
