"""Asks a demo server what grafana/farm.json asks it for, as Grafana's plugin does: with a token that reads, each answer through jq.

    python3 packaging/check-farm-dashboard.py http://127.0.0.1:8080
"""

import json
import pathlib
import subprocess
import sys
import time
import urllib.request

base = sys.argv[1]
board = json.loads((pathlib.Path(__file__).parent / "grafana/farm.json").read_text())


def call(path, token=None, body=None):
    headers = {"Content-Type": "application/json"} | ({"Authorization": f"Bearer {token}"} if token else {})
    request = urllib.request.Request(base + path, json.dumps(body).encode() if body else None, headers)
    with urllib.request.urlopen(request, timeout=20) as answer:
        return answer.read()


person = {"contact": "owner@demo.harit", "password": "polyhouse-demo"}
session = json.loads(call("/auth/login", body=person))["token"]
farm = json.loads(call("/api/farms", session))[0]["id"]
reads = {"name": "Grafana", "scope": "READ", "farms": [farm]}
token = json.loads(call("/auth/tokens", session, reads))["secret"]

now = int(time.time() * 1000)
known = {"farm": farm, "__from": str(now - 86_400_000), "__to": str(now)}


def rows(query):
    """What a query comes to, by columns."""
    assert (query["type"], query["source"], query["parser"]) == ("json", "url", "jq-backend"), query
    url = query["url"]
    for name, value in known.items():
        url = url.replace("${" + name + "}", value)
    assert "$" not in url, f"{url}: a variable that nobody gives"
    found = subprocess.run(["jq", "-c", query["root_selector"]], input=call(url, token), stdout=subprocess.PIPE, check=True)
    found = json.loads(found.stdout)
    columns = [c["selector"] for c in query["columns"]]
    for row in found:
        assert set(columns) <= row.keys(), f"{url}: {row} has not all of {columns}"
    if query["format"] == "timeseries":
        # the plugin makes lines of rows in the order of their time alone
        times = [row[columns[0]] for row in found]
        assert times == sorted(times), f"{url}: not in the order of time"
    return found


checked = 0
for variable in board["templating"]["list"][1:]:
    if variable["type"] == "query":
        choices = rows(variable["query"]["infinityQuery"])
        assert choices, f"{variable['name']}: nothing to choose"
        known[variable["name"]] = choices[0]["value"]
        checked += 1
    else:
        known[variable["name"]] = variable["current"]["value"][0]
        types = {option["value"] for option in variable["options"]}
        document = json.loads(call("/api/openapi.json"))
        assert types == set(document["components"]["schemas"]["SensorType"]["enum"]), "the quantities are others"
for panel in board["panels"]:
    for target in panel["targets"]:
        assert rows(target), f"{panel['title']}: nothing to show"
        checked += 1
for annotation in board["annotations"]["list"]:
    rows(annotation["target"])
    checked += 1
print(f"{checked} questions of the farm's dashboard are answered")
