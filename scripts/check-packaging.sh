#!/bin/sh
# Checks packaging/: alerts, dashboards, unit, containers, the Debian package, and the metrics of a server that runs. Seconds.
#   scripts/check-packaging.sh [BINARY]     # target/debug/harit
set -eu
cd "$(dirname "$0")/.."
./scripts/install-packaging-tools.sh
binary=$(realpath "${1:-target/debug/harit}")
PATH="$PWD/target/packaging:/usr/sbin:$PATH"
work=$(mktemp -d)
server=""
trap '[ -z "$server" ] || kill "$server" 2>/dev/null || true; rm -rf "$work"' EXIT
passed=0
step() {
    echo "== $1"
    passed=$((passed + 1))
}
fail() {
    echo "check-packaging: $1" >&2
    exit 1
}

step "alert rules"
promtool check rules packaging/prometheus/harit.rules.yml
promtool test rules packaging/prometheus/harit.rules.test.yml

step "dashboard: each expression is PromQL"
python3 - >"$work/dashboard.yml" <<'PYTHON'
import json
dashboard = json.load(open("packaging/grafana/harit.json"))
targets = [t["expr"] for p in dashboard["panels"] for t in p.get("targets", [])]
rules = [{"record": f"panel:{n}", "expr": e.replace("$__rate_interval", "5m")} for n, e in enumerate(targets)]
print(json.dumps({"groups": [{"name": "dashboard", "rules": rules}]}))
PYTHON
promtool check rules "$work/dashboard.yml"

step "unit"
unit="$work/harit.service"
# the program is not installed here; all else is as it will be
sed "s#^ExecStart=/usr/bin/harit#ExecStart=$binary#" packaging/systemd/harit.service >"$unit"
said=$(systemd-analyze verify --man=no "$unit" 2>&1 | grep -F harit.service || true)
[ -z "$said" ] || fail "systemd-analyze verify: $said"
systemd-analyze security --offline=true --threshold=20 "$unit" >"$work/security" || fail "the unit is exposed: $(tail -1 "$work/security")"
tail -1 "$work/security"

step "containers"
yamllint -s -d '{extends: default, rules: {line-length: disable, document-start: disable, braces: {max-spaces-inside: 0}}}' packaging
python3 packaging/check-compose.py
sed "s#/etc/prometheus/#$PWD/packaging/prometheus/#; s#/run/secrets/metrics_token#$work/token#" \
    packaging/prometheus/prometheus.yml >"$work/prometheus.yml"
echo token >"$work/token"
promtool check config "$work/prometheus.yml"

step "Debian package"
deb=$(DEB_COMPRESSION=gzip ./scripts/package-deb.sh "$binary" "$work/deb")
lintian --allow-root --fail-on error,warning --tag-display-limit 0 "$deb"
for script in packaging/debian/postinst packaging/debian/prerm packaging/debian/postrm; do
    sh -n "$script"
done
dpkg-deb -x "$deb" "$work/root"
dpkg-deb -e "$deb" "$work/control"
want=$("$binary" --version)
[ "$("$work/root/usr/bin/harit" --version)" = "$want" ] || fail "the packaged program is not $want"
[ "$(dpkg-deb -f "$deb" Version)" = "${want#harit }" ] || fail "the package's version is not the program's"
"$work/root/usr/bin/harit" check-config --config "$work/root/etc/harit/harit.toml" >/dev/null
grep -qx /etc/harit/harit.toml "$work/control/conffiles" || fail "harit.toml is no conffile"
grep -qx 'data_dir = "/var/lib/harit"' "$work/root/etc/harit/harit.toml" || fail "the packaged settings name another directory than the unit"
(cd "$work/root" && md5sum --quiet -c "$work/control/md5sums")
man -l "$work/root/usr/share/man/man1/harit-serve.1.gz" | grep -q -- --data-dir || fail "harit-serve(1) says nothing"
bash -c ". '$work/root/usr/share/bash-completion/completions/harit' && complete -p harit" >/dev/null
if dpkg-deb -c "$deb" | awk '{print $2}' | grep -vx root/root; then
    fail "files of the package are not root's"
fi

step "metrics: every one of the table"
python3 - >"$work/table" <<'PYTHON'
import re
table = open("src/serve/metrics.rs").read()
for kind, rows in re.findall(r"^const (COUNTER|GAUGE|HISTOGRAM)S: .*?= &\[\n(.*?)^\];", table, re.M | re.S):
    for name, text in re.findall(r'"(harit_\w+)",\s*"([^"]+)"', rows):
        kind = "summary" if kind == "HISTOGRAM" else kind.lower()
        sample = f"{name}_count 0" if kind == "summary" else f"{name} 0"
        print(f"# HELP {name} {text}\n# TYPE {name} {kind}\n{sample}")
PYTHON
[ "$(grep -c '^# TYPE' "$work/table")" -gt 90 ] || fail "the table of metrics was not read"
said=$(promtool check metrics <"$work/table" 2>&1) || fail "promtool: $said"
[ -z "$said" ] || fail "promtool: $said"

step "metrics of a server"
HARIT_WEATHER_URL="" HARIT_DEMO_HISTORY_DAYS=1 "$binary" serve --demo --data-dir "$work/data" --http 127.0.0.1:0 \
    --mqtt 127.0.0.1:0 >"$work/log" 2>&1 &
server=$!
http=""
for _ in $(seq 300); do
    http=$(sed -n 's/.* ready .*http=\([0-9.:]*\).*/\1/p' "$work/log")
    [ -n "$http" ] && break
    kill -0 "$server" 2>/dev/null || fail "the server ended: $(cat "$work/log")"
    sleep 0.1
done
[ -n "$http" ] || fail "the server is not ready: $(cat "$work/log")"
curl -fsS "http://$http/healthz" >/dev/null
# controllers of the demo send every few seconds: what is counted first then is there too
for _ in $(seq 150); do
    curl -fsS "http://$http/metrics" >"$work/metrics"
    grep -q '^harit_mqtt_sent_total [1-9]' "$work/metrics" && grep -q '^harit_readings_total [1-9]' "$work/metrics" && break
    sleep 0.2
done
grep -q '^harit_readings_total [1-9]' "$work/metrics" || fail "the demo has no readings"
said=$(promtool check metrics <"$work/metrics" 2>&1) || fail "promtool: $said"
[ -z "$said" ] || fail "promtool: $said"
for name in harit_build_info harit_disk_free_bytes harit_journal_errors_total; do
    grep -q "^$name" "$work/metrics" || fail "$name is not in /metrics"
done
echo "$(grep -c '^# TYPE' "$work/metrics") metrics, without a complaint"

step "dashboard of a farm"
python3 packaging/check-farm-dashboard.py "http://$http"
kill "$server"
wait "$server" || fail "the server did not end well"
server=""

echo "$passed passed, 0 failed"
