"""Looks whether the compose files and the Containerfile fit to each other and to what is beside them; no container runtime is asked."""
import pathlib
import re
import sys

import yaml

here = pathlib.Path(__file__).parent
compose = yaml.safe_load((here / "compose.yml").read_text())
databases = yaml.safe_load((here / "compose.databases.yml").read_text())
container = (here / "Containerfile").read_text()
wrong = []

services, volumes, secrets = compose["services"], compose["volumes"] | databases["volumes"], compose["secrets"]
more = databases["services"].pop("harit")
services["harit"].setdefault("depends_on", []).extend(more["depends_on"])
services["harit"]["environment"] |= more["environment"]
services |= databases["services"]
for name, url in more["environment"].items():
    if name.endswith("_URL") and not any(re.search(rf"[/@]{s}[:/]", url) for s in databases["services"]):
        wrong.append(f"{url} is no service's")
pair = yaml.safe_load((here / "compose.pair.yml").read_text())
for services_of, volumes_of in [(services, volumes), (pair["services"], pair["volumes"])]:
    for name, service in services_of.items():
        if not ("image" in service and ("build" in service or re.search(r":v?\d", service["image"]))):
            wrong.append(f"{name}: neither built nor of a fixed version")
        if service.get("cap_drop") != ["ALL"] or "no-new-privileges:true" not in service.get("security_opt", []):
            wrong.append(f"{name}: may gain privileges")
        for port in service.get("ports", []):
            if not port.startswith("127.0.0.1:"):
                wrong.append(f"{name}: {port} is published to everybody")
        for mount in service.get("volumes", []):
            source = mount.split(":")[0]
            if source.startswith("."):
                if not (here / source).is_file():
                    wrong.append(f"{name}: {source} is not there")
                if not mount.endswith(":ro"):
                    wrong.append(f"{name}: {source} can be written")
            elif source not in volumes_of:
                wrong.append(f"{name}: volume {source} is not declared")
        for other in service.get("depends_on", []):
            if other not in services_of:
                wrong.append(f"{name}: there is no {other}")
        for secret in service.get("secrets", []):
            if secret not in secrets:
                wrong.append(f"{name}: there is no secret {secret}")
build = services["harit"]["build"]
if not (here / build["context"] / build["dockerfile"]).is_file():
    wrong.append("harit: its Containerfile is not there")

# the proxy, NATS and the replica of the pair are asked by the names of its services
proxied = re.findall(r"^    server \S+ (\S+):\d+$", (here / "haproxy.cfg").read_text(), re.M)
routes = re.findall(r"nats://([\w-]+):6222", (here / "../docs/nats/nats.conf").read_text())
primary = re.search(r"PRIMARY:-([\w-]+)", (here / "postgres/replica.sh").read_text())[1]
urls = [v for s in pair["services"].values() for k, v in s.get("environment", {}).items() if k.endswith(("_URL", "_NATS", "_MONITORS"))]
asked_of = re.findall(r"[/@]([\w-]+)[:/](?!/)", ",".join(urls))
for host in [*proxied, *routes, primary, *asked_of]:
    if host not in pair["services"]:
        wrong.append(f"{host} is no service of the pair")

# whom Prometheus and Grafana ask is there, by the names and ports of the services
prometheus = yaml.safe_load((here / "prometheus/prometheus.yml").read_text())
asked = [t for s in prometheus["scrape_configs"] for c in s["static_configs"] for t in c["targets"]]
sources = yaml.safe_load((here / "grafana/datasources.yml").read_text())["datasources"]
for target in [*asked, *(source["url"].removeprefix("http://") for source in sources)]:
    host, port = target.split(":")
    if not any(p.endswith(f":{port}") for p in services.get(host, {}).get("ports", [])):
        wrong.append(f"{target} is no service's")
dashboards = yaml.safe_load((here / "grafana/dashboards.yml").read_text())["providers"][0]["options"]["path"]
if not any(dashboards in m for m in services["grafana"]["volumes"]):
    wrong.append(f"Grafana has no dashboard in {dashboards}")

# the Containerfile: stages that are named are there, what is copied is there, nobody is root, its health is asked
stages = re.findall(r"^FROM \S+(?: AS (\S+))?", container, re.M)
for stage in re.findall(r"--from=(\S+)", container):
    if stage not in stages:
        wrong.append(f"Containerfile: there is no stage {stage}")
for line in re.findall(r"^COPY (?!--)(.+)$", container, re.M):
    for source in line.split()[:-1]:
        if not (here.parent / source).exists():
            wrong.append(f"Containerfile: {source} is not there")
final = container[container.rindex("\nFROM ") :]
for want in ["USER 65532", "HEALTHCHECK", "ENTRYPOINT [", "VOLUME ", "doctor"]:
    if want not in final:
        wrong.append(f"Containerfile: no {want}")
if "1.94" not in container or 'rust-version = "1.94"' not in (here.parent / "Cargo.toml").read_text():
    wrong.append("Containerfile: not the Rust of Cargo.toml")

print("\n".join(wrong) or f"compose files and Containerfile fit: {', '.join([*services, *pair['services']])}")
sys.exit(bool(wrong))
