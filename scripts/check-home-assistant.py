#!/usr/bin/env python3
"""Checks what a farm says to Home Assistant by Home Assistant's own schemas.

    HARIT_HOME_ASSISTANT_DUMP=/tmp/said cargo test -p harit-ingest --test home_assistant
    pip install homeassistant paho-mqtt
    scripts/check-home-assistant.py /tmp/said.*

Each file is what a broker kept: a JSON object of payloads by topic. Seen with Home Assistant 2024.3.3: no faults.
"""

import importlib
import json
import sys

from homeassistant.components.mqtt.discovery import TOPIC_MATCHER

checked, faults, units = 0, 0, 0
for path in sys.argv[1:]:
    with open(path, encoding="utf-8") as file:
        kept = json.load(file)
    seen = set()
    for topic, payload in kept.items():
        if not topic.startswith("homeassistant/") or not topic.endswith("/config"):
            continue
        checked += 1
        match = TOPIC_MATCHER.match(topic.removeprefix("homeassistant/"))
        if match is None:
            print(f"{topic}: no topic of a discovery")
            faults += 1
            continue
        component = match.group("component")
        module = importlib.import_module(f"homeassistant.components.mqtt.{component}")
        try:
            config = json.loads(payload)
            read = module.DISCOVERY_SCHEMA(config)
        except Exception as error:  # pylint: disable=broad-except
            print(f"{topic}: {error}")
            faults += 1
            continue
        if config["unique_id"] in seen:
            print(f"{topic}: its unique_id is there twice")
            faults += 1
        seen.add(config["unique_id"])
        if component == "sensor" and "device_class" in read:
            from homeassistant.components.sensor.const import DEVICE_CLASS_UNITS, DEVICE_CLASS_STATE_CLASSES

            units += 1
            allowed = DEVICE_CLASS_UNITS.get(read["device_class"])
            unit = read.get("unit_of_measurement")
            if allowed is not None and unit not in {str(u) if u is not None else None for u in allowed}:
                print(f"{topic}: unit {unit!r} is none of {read['device_class']}")
                faults += 1
            states = DEVICE_CLASS_STATE_CLASSES.get(read["device_class"])
            if states is not None and read.get("state_class") not in states:
                print(f"{topic}: state class {read.get('state_class')!r} is none of {read['device_class']}")
                faults += 1
print(f"{checked} documents, {units} units, {faults} faults")
sys.exit(1 if faults or not checked else 0)
