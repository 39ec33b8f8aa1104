#!/usr/bin/env python3
"""Plays Home Assistant's core and its MQTT integration with the server, in both directions, on a Mosquitto of its own.

    HARIT_BIN=target/debug/harit target/home-assistant/bin/python scripts/home-assistant.py

scripts/other-programs.sh installs Home Assistant there. The server runs its demo. All ports are free ones of loopback, all files are
in a temporary directory. Ends with 1 and the server's log where something is not seen.
"""

import asyncio
import contextlib
import json
import logging
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import traceback
from pathlib import Path

import aiohttp
from homeassistant import bootstrap, config as ha_config, core, loader
from homeassistant.config_entries import SOURCE_USER, ConfigEntries, ConfigEntryState
from homeassistant.const import __version__
from homeassistant.helpers import device_registry, entity_registry
from homeassistant.setup import async_setup_component
from paho.mqtt import publish

FARM = "demo-farm-1"
LOGIN = {"contact": "owner@demo.harit", "password": "polyhouse-demo"}
ALLOWED, OTHER, DOSER = "ph1-fan-1", "ph1-fan-2", "ft1-acid"
CONTROLLER, GONE_DEVICE, GONE_SENSOR = "240AC45E1002", "ph2-fan", "ph2-temp"
GATEWAY = "020000000001"
HUMID = "0x00158d0001a2b3c4_humidity_zigbee2mqtt"
OWNER = "Home Assistant (home)"
# The longest that one step, and the whole play, may take, in seconds.
PATIENCE = 60
BOUND = 170
# Of a sensor's type: Home Assistant's device class. Types that are not here have none.
CLASSES = {
    "temperature": "temperature",
    "humidity": "humidity",
    "soil_moisture": "moisture",
    "light_intensity": "illuminance",
    "co2_level": "carbon_dioxide",
    "ph": "ph",
    "vapour_pressure_deficit": "pressure",
}
UNITS = {"lux": "lx", "": None}


class Unseen(Exception):
    """What was expected and is not so."""


def seen(what):
    print(f"seen: {what}", flush=True)


async def until(what, found):
    """Asks again and again, until there is an answer."""
    answer = None
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(PATIENCE):
            while not (answer := await found()):
                await asyncio.sleep(0.2)
    if not answer:
        raise Unseen(f"not within {PATIENCE} s: {what}")
    return answer


def free_port():
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        return taken.getsockname()[1]


class Complaints(logging.Handler):
    """What Home Assistant warns of."""

    def __init__(self):
        super().__init__(logging.WARNING)
        self.all = []

    def emit(self, record):
        # The set-up of components that are not installed, such as the numpy of cameras, says nothing of the server.
        if record.name != "homeassistant.setup":
            self.all.append(f"{record.name}: {record.getMessage()}")


COMPLAINTS = Complaints()


class Harit:
    """The API, as the farm's owner uses it."""

    def __init__(self, base, session):
        self.base, self.session, self.token = base, session, {}

    async def call(self, method, path, body=None):
        async with self.session.request(method, self.base + path, json=body, headers=self.token) as answer:
            text = await answer.text()
            if answer.status >= 300:
                raise Unseen(f"{method} {path}: {answer.status} {text}")
            return json.loads(text) if text else None

    async def sign_in(self):
        token = (await self.call("POST", "/auth/login", LOGIN))["token"]
        self.token = {"authorization": f"Bearer {token}"}

    async def of_farm(self, what, method="GET", body=None):
        return await self.call(method, f"/api/farms/{FARM}/{what}", body)

    async def by_home_assistant(self, device):
        commands = await self.of_farm(f"commands?device={device}&limit=500")
        return [c for c in commands if c["owner"] and c["owner"]["name"] == OWNER]


class Home:
    """Home Assistant's core with the MQTT integration, set up as a person does it, by its dialogue."""

    def __init__(self, directory):
        directory.mkdir()
        (directory / "configuration.yaml").touch()
        self.hass = core.HomeAssistant(str(directory))

    async def start(self, broker):
        hass = self.hass
        hass.config.skip_pip = True
        loader.async_setup(hass)
        config = {"http": {"server_host": ["127.0.0.1"], "server_port": free_port()}, "homeassistant": {"unit_system": "metric"}}
        hass.config_entries = ConfigEntries(hass, config)
        await bootstrap.async_load_base_functionality(hass)
        for domain in ("homeassistant", "persistent_notification"):
            assert await async_setup_component(hass, domain, config), domain
        core_config = ha_config.CORE_CONFIG_SCHEMA(config["homeassistant"])
        await ha_config.async_process_ha_core_config(hass, core_config)
        assert await async_setup_component(hass, "http", config)
        flow = await hass.config_entries.flow.async_init("mqtt", context={"source": SOURCE_USER})
        done = await hass.config_entries.flow.async_configure(flow["flow_id"], {"broker": "127.0.0.1", "port": broker})
        if done["type"] != "create_entry":
            raise Unseen(f"Home Assistant does not take the broker: {done}")
        await hass.async_start()
        entry = done["result"]
        assert entry.state is ConfigEntryState.LOADED, entry.state
        seen(f"Home Assistant {__version__} is {hass.state.value}; its dialogue made the entry {entry.title!r} of {entry.domain}")

    def entity(self, component, unique):
        return entity_registry.async_get(self.hass).async_get_entity_id(component, "mqtt", unique)

    def state(self, component, unique):
        entity = self.entity(component, unique)
        return entity and self.hass.states.get(entity)

    def of_farm(self, component, kind, own):
        return self.state(component, f"harit__{FARM}__{kind}__{own}")

    def device_name(self, entity):
        registered = entity_registry.async_get(self.hass).async_get(entity)
        return device_registry.async_get(self.hass).async_get(registered.device_id).name

    async def call(self, service, **data):
        domain, name = service.split(".")
        await self.hass.services.async_call(domain, name, data, blocking=True)


def number(state):
    try:
        return float(state.state)
    except (AttributeError, ValueError):
        return None


async def announced(harit, home):
    """The farm's sensors and devices are in Home Assistant."""

    async def sensor(own):
        all_sensors = {s["id"]: s for s in await harit.of_farm("sensors")}
        state = home.of_farm("sensor", "sensor", own)
        if state is None or number(state) != all_sensors[own]["latestValue"]:
            return None
        return all_sensors[own], state

    ids = [s["id"] for s in await harit.of_farm("sensors")]
    for own in ids:
        said, state = await until(f"{own} has the same value in both", lambda own=own: sensor(own))
        name, place = said["name"], home.device_name(state.entity_id)
        expected = {
            "friendly_name": f"{place} {name}",
            "unit_of_measurement": UNITS.get(said["unit"], said["unit"]),
            "device_class": CLASSES.get(said["type"]),
        }
        there = {key: state.attributes.get(key) for key in expected}
        if there != expected or not said["scope"]["path"].endswith(place):
            raise Unseen(f"{own}: {there} in {place!r}, expected {expected} in {said['scope']['path']!r}")
        if own in ("ph1-temp-1", "ph1-light", "ft1-ec", "ft1-ph"):
            seen(f"{state.entity_id} = {state.state} {there['unit_of_measurement']} ({there['device_class']}), "
                 f"{name!r} of {place!r}; Harit's {own} = {said['latestValue']} {said['unit']}")
    seen(f"all {len(ids)} sensors: value, name, place, unit, device class")

    async def devices():
        all_devices = await harit.of_farm("devices")
        states = {d["id"]: home.of_farm("binary_sensor", "device", d["id"]) for d in all_devices}
        same = all(states[d["id"]] and states[d["id"]].state == ("on" if d["state"]["on"] else "off") for d in all_devices)
        return same and states

    states = await until("devices are on or off in both", devices)
    seen(f"all {len(states)} devices: on or off, as {states[ALLOWED].entity_id} = {states[ALLOWED].state}")


async def goes_away(harit, home):
    """What a controller that is cut off has is unavailable, and there again with it."""

    async def is_available(expected):
        states = [home.of_farm("binary_sensor", "device", GONE_DEVICE), home.of_farm("sensor", "sensor", GONE_SENSOR)]
        return all((state.state != "unavailable") == expected for state in states) and states

    other = home.of_farm("sensor", "sensor", "ph1-temp-1").entity_id
    await harit.of_farm(f"controllers/{CONTROLLER}", "PATCH", {"enabled": False})
    states = await until("what it had is unavailable", lambda: is_available(False))
    assert number(home.hass.states.get(other)) is not None, "another controller's sensor is still there"
    seen(f"controller {CONTROLLER} away: " + ", ".join(f"{s.entity_id} = {s.state}" for s in states))
    await harit.of_farm(f"controllers/{CONTROLLER}", "PATCH", {"enabled": True})
    states = await until("it is there again", lambda: is_available(True))
    seen("it is back: " + ", ".join(f"{s.entity_id} = {s.state}" for s in states))


async def killed(server, home):
    """Without the server everything of it is unavailable."""
    registry = entity_registry.async_get(home.hass)
    own = [e.entity_id for e in registry.entities.values() if e.unique_id.startswith(f"harit__{FARM}__")]
    server.kill()

    async def is_gone():
        return {home.hass.states.get(entity).state for entity in own} == {"unavailable"}

    await until("everything of the server is unavailable", is_gone)
    seen(f"the server killed: all {len(own)} entities of it are unavailable")


async def switched(harit, home, log):
    """Home Assistant switches what it may, and nothing else."""

    async def last(device, action, known):
        new = [c for c in await harit.by_home_assistant(device) if c["command_id"] not in known]
        return [c for c in new if c["action"] == action and c["state"] == "confirmed"]

    # The server takes no ON that comes within 5 s of its connection.
    await asyncio.sleep(6)
    switch = home.of_farm("switch", "switch", ALLOWED).entity_id
    for service, action in (("turn_on", "on"), ("turn_off", "off")):
        known = {c["command_id"] for c in await harit.by_home_assistant(ALLOWED)}
        await home.call(f"switch.{service}", entity_id=switch)
        command = (await until(f"{ALLOWED} is {action}", lambda a=action, k=known: last(ALLOWED, a, k)))[0]

        async def shown(action=action):
            return home.hass.states.get(switch).state == action

        await until(f"{switch} shows {action}", shown)
        lasts = (command["until"] - command["at"]) // 1000
        seen(f"switch.{service} {switch}: {command['device_id']} {command['action']}, {command['state']}, for {lasts} s, cause "
             f"{command['cause']}, by {command['owner']['name']!r}; the switch shows {action!r}")

    for device in (OTHER, DOSER):
        assert home.of_farm("switch", "switch", device) is None, f"{device} has no switch"
        refused = log.read_text().count("not_allowed")
        await home.call("mqtt.publish", topic=f"harit-ha/{FARM}/device/{device}/set", payload="ON")

        async def told(refused=refused):
            return log.read_text().count("not_allowed") > refused

        await until(f"the server refuses to switch {device} on", told)
        assert not await harit.by_home_assistant(device), f"{device} has no command"
        seen(f"{device} has no switch in Home Assistant; ON by mqtt.publish is refused (not_allowed), and no command is in its past")
    assert home.of_farm("button", "off", ALLOWED) is None, "a switch stands in place of its button"
    button = home.of_farm("button", "off", OTHER).entity_id
    await home.call("button.press", entity_id=button)
    command = (await until(f"{OTHER} is kept off", lambda: last(OTHER, "off", ())))[0]
    seen(f"button.press {button}: {OTHER} {command['action']}, {command['state']}, by {command['owner']['name']!r}")


def announcement(unique, name, more, device):
    config = {"name": name, "unique_id": unique, "state_class": "measurement", "device": device, **more}
    return f"homeassistant/sensor/{unique}/config", json.dumps(config)


async def taken_over(harit, home, broker):
    """Sensors of others, announced to Home Assistant, are in both."""

    async def say(topic, payload, retain=False):
        await asyncio.to_thread(publish.single, topic, payload, 1, retain, "127.0.0.1", broker)

    await harit.of_farm("controllers", "POST", {"type": "GATEWAY", "macid": GATEWAY, "name": "Yard"})

    async def is_online():
        return any(c["macid"] == GATEWAY and c["online"] for c in await harit.of_farm("controllers"))

    await until("the gateway is there", is_online)
    yard = {"identifiers": ["yard-7"], "name": "bed-7", "model": "Probe 2"}
    topic, moist = "yard/bed-7/report", {"dev_cla": "moisture", "unit_of_meas": "%"}
    warm = {"device_class": "temperature", "unit_of_measurement": "°F"}
    humid = {"device_class": "humidity", "unit_of_measurement": "%"}
    zigbee = {"identifiers": ["zigbee2mqtt_0x00158d0001a2b3c4"], "name": "bed-8", "manufacturer": "Aqara", "model": "WSDCGQ11LM"}
    for said in (
        announcement("yard_7_m", "Bed 7 moisture", {"stat_t": topic, "val_tpl": "{{ value_json.m }}", **moist}, yard),
        announcement("yard_7_w", "Bed 7 warmth", {"state_topic": topic, "value_template": "{{ value_json['w'] }}", **warm}, yard),
        announcement(
            HUMID, "Humidity", {"state_topic": "zigbee2mqtt/bed-8", "value_template": "{{ value_json.humidity }}", **humid}, zigbee
        ),
    ):
        await say(*said, retain=True)

    async def heard():
        await say(topic, json.dumps({"m": 41.5, "w": 68.0, "n": 3}))
        await say("zigbee2mqtt/bed-8", json.dumps({"humidity": 60, "battery": 91, "linkquality": 120}))
        return [number(home.state("sensor", unique)) for unique in ("yard_7_m", "yard_7_w", HUMID)] == [41.5, 20, 60]

    # Home Assistant subscribes to what an announcement names some time after it; what comes earlier is lost to it.
    await until("Home Assistant has the sensors that announced themselves, with their values", heard)

    async def group():
        groups = (await harit.of_farm("unknown-senders"))["senders"]
        own = [t for g in groups for t in g["topics"] if t.startswith(("harit-ha/", "homeassistant/"))]
        if own:
            raise Unseen(f"the server's own announcements, or Home Assistant's, are unknown senders: {own}")
        found = [g for g in groups if topic in g["topics"] and g["count"] and g["controller"] == GATEWAY]
        return found and found[0]

    found = await until("Harit lists the unknown sender", group)
    numbers = {n["at"]: n for n in found["numbers"]}
    for at, name, kind, unit in (("m", "Bed 7 moisture", "soil_moisture", "%"), ("w", "Bed 7 warmth", "temperature", "°F")):
        there = numbers[at]
        if (there["name"], there["types"][:1], there["unit"], there["basis"]) != (name, [kind], unit, "announced"):
            raise Unseen(f"{at} is proposed as {there}")
        seen(f"Harit proposes {topic} {at}: {there['name']!r}, {there['types']}, {there['unit']}, {there['basis']}, of {found['model']!r}")
    proposed = [numbers[at] for at in ("m", "w")]
    body = {
        "controller": GATEWAY, "pattern": found["pattern"], "topics": found["topics"], "format": found["format"],
        "numbers": [{"at": n["at"], "type": n["types"][0], "unit": n["unit"], "name": n["name"]} for n in proposed],
        "scope": {"type": "farm"},
    }
    done = await harit.of_farm("unknown-senders/take", "POST", body)
    seen(f"taken over: {done}")
    # Once: it is read by what was taken over just before.
    await say(topic, json.dumps({"m": 38.5, "w": 77.0, "n": 3}))
    await say("zigbee2mqtt/bed-8", json.dumps({"humidity": 63.25, "battery": 91, "linkquality": 120}))
    moisture, warmth = done["sensors"]
    for unique, own, value, unit, kind in (
        ("yard_7_m", moisture, 38.5, "%", "soil_moisture"),
        ("yard_7_w", warmth, 25.0, "°C", "temperature"),
        (HUMID, "bed-8/humidity", 63.25, "%", "humidity"),
    ):
        async def both(unique=unique, own=own, value=value):
            read = [s for s in await harit.of_farm("sensors") if s["id"] == own and s["latestValue"] == value]
            state = home.state("sensor", unique)
            return read and number(state) == value and (read[0], state)

        sensor, state = await until(f"{own} is {value} in both", both)
        there = (sensor["unit"], sensor["type"], state.attributes["unit_of_measurement"])
        if there != (unit, kind, unit):
            raise Unseen(f"{own}: {there}")
        seen(f"Harit's {sensor['id']} = {sensor['latestValue']} {sensor['unit']} ({sensor['type']}); "
             f"Home Assistant's {state.entity_id} = {state.state} {state.attributes['unit_of_measurement']}")


async def play(directory, running):
    broker = free_port()
    config = directory / "mosquitto.conf"
    config.write_text(f"listener {broker} 127.0.0.1\nallow_anonymous true\npersistence false\n")
    mosquitto = shutil.which("mosquitto") or "/usr/sbin/mosquitto"
    running.enter_context(ended(subprocess.Popen([mosquitto, "-c", config], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)))

    async def answers():
        with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", broker)):
            return True

    await until("Mosquitto answers", answers)
    settings, log = directory / "harit.toml", directory / "log"
    topics = [f'{{ topic = "{topic}", account = "{GATEWAY}" }}' for topic in ("homeassistant/#", "yard/#", "zigbee2mqtt/#")]
    settings.write_text(
        f'[[brokers]]\nname = "home"\nurl = "mqtt://127.0.0.1:{broker}"\nsubscriptions = [{", ".join(topics)}]\n'
        f'home_assistant = "{FARM}"\nhome_assistant_commands = true\nhome_assistant_on = ["{ALLOWED}", "{DOSER}"]\n'
    )
    command = [os.environ.get("HARIT_BIN", "target/debug/harit"), "serve", "--demo", "--config", settings]
    command += ["--data-dir", directory / "data", "--http", "127.0.0.1:0", "--mqtt", "127.0.0.1:0"]
    quiet = {"HARIT_DEMO_HISTORY_DAYS": "0", "HARIT_WEATHER_URL": "", "HARIT_LOG_FILTER": "info,harit_api::serve=warn"}
    with log.open("w") as said:
        server = running.enter_context(ended(subprocess.Popen(command, env=quiet, stdout=said, stderr=said)))

    async def ready():
        if server.poll() is not None:
            raise Unseen(f"the server ended with {server.returncode}")
        return re.search(r" ready .*http=(\S+)", log.read_text())

    base = "http://" + (await until("the server is ready", ready)).group(1)
    home = Home(directory / "home-assistant")
    async with aiohttp.ClientSession() as session:
        harit = Harit(base, session)
        await harit.sign_in()

        async def values():
            return all(s["latestValue"] is not None for s in await harit.of_farm("sensors"))

        await until("all sensors have a value", values)
        try:
            await home.start(broker)
            await announced(harit, home)
            await switched(harit, home, log)
            await taken_over(harit, home, broker)
            await goes_away(harit, home)
            await killed(server, home)
            if COMPLAINTS.all:
                raise Unseen("Home Assistant warns: " + "\n".join(COMPLAINTS.all))
            seen("Home Assistant warned of nothing")
        finally:
            await home.hass.async_stop(force=True)


@contextlib.contextmanager
def ended(process):
    """Ends a process with the block."""
    try:
        yield process
    finally:
        process.terminate()
        try:
            process.wait(10)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


async def bounded(directory, running):
    async with asyncio.timeout(BOUND):
        await play(directory, running)


def main():
    logging.getLogger().addHandler(COMPLAINTS)
    # What it started ends with it.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    with tempfile.TemporaryDirectory() as directory, contextlib.ExitStack() as running:
        directory = Path(directory)
        try:
            asyncio.run(bounded(directory, running))
        except Exception:  # pylint: disable=broad-except
            log = directory / "log"
            print(log.read_text()[-6000:] if log.exists() else "", file=sys.stderr)
            traceback.print_exc()
            return 1
    print("Home Assistant and the server: all seen")
    return 0


if __name__ == "__main__":
    sys.exit(main())
