"""A paho client for the endpoint's interop tests: SCENARIO on the command line, a JSON object a line on stdout."""

import json
import os
import sys
import threading

import paho.mqtt.client as mqtt
from paho.mqtt.packettypes import PacketTypes
from paho.mqtt.properties import Properties

PORT, VERSION, SCENARIO = int(os.environ["PORT"]), os.environ["VERSION"], sys.argv[1]
BASE = os.environ["BASE"]
V5 = VERSION == "5"


def say(**what):
    print(json.dumps(what), flush=True)


def code(reason):
    """A reason code as a number, whichever type this version of MQTT has."""
    return reason.value if hasattr(reason, "value") else int(reason)


def client(name, clean, password=os.environ["SECRET"]):
    options = {} if V5 else {"clean_session": clean}
    made = mqtt.Client(
        mqtt.CallbackAPIVersion.VERSION2, client_id=name, protocol=mqtt.MQTTv5 if V5 else mqtt.MQTTv311, **options
    )
    made.username_pw_set(os.environ["MAC"], password)
    return made


def connect(made, clean):
    if V5:
        properties = Properties(PacketTypes.CONNECT)
        properties.SessionExpiryInterval = 0 if clean else 300
        made.connect("127.0.0.1", PORT, 30, clean_start=clean, properties=properties)
    else:
        made.connect("127.0.0.1", PORT, 30)


def basic():
    done = threading.Event()
    made = client("paho-basic", True)

    def on_connect(who, _data, _flags, reason, _properties):
        say(connected=code(reason))
        who.subscribe(BASE + "command", 1)

    def on_subscribe(who, _data, _mid, codes, _properties):
        say(suback=[code(one) for one in codes])
        who.publish(BASE + "telemetry", "q0", 0)
        info = who.publish(BASE + "telemetry", "q1", 1)
        threading.Thread(target=lambda: (info.wait_for_publish(10), say(acked=info.is_published()))).start()

    def on_message(who, _data, message):
        say(message=message.payload.decode(), qos=message.qos)
        who.publish(BASE + "ack", message.payload, 1)
        done.set()

    made.on_connect, made.on_subscribe, made.on_message = on_connect, on_subscribe, on_message
    connect(made, True)
    made.loop_start()
    done.wait(15)
    threading.Event().wait(0.3)
    made.disconnect()
    made.loop_stop()
    say(done=done.is_set())


def stay():
    made = client("paho-keeper", False)
    made.will_set(BASE + "state", '{"online": false}', 1, True)

    def on_connect(who, _data, flags, reason, _properties):
        if not flags.session_present:
            who.subscribe(BASE + "command", 1)
        else:
            say(connected=code(reason), present=True)

    made.on_connect = on_connect
    made.on_subscribe = lambda *_: say(connected=0, present=False)
    made.on_message = lambda _who, _data, message: say(message=message.payload.decode())
    connect(made, False)
    made.loop_forever()


def refused():
    made = client("paho-refused", True, "wrong")

    def on_connect(who, _data, _flags, reason, _properties):
        say(refused=code(reason))
        who.disconnect()

    made.on_connect = on_connect
    connect(made, True)
    made.loop_forever()


def certificate():
    """By its certificate alone: no user name, no password."""
    done = threading.Event()
    options = {} if V5 else {"clean_session": True}
    made = mqtt.Client(
        mqtt.CallbackAPIVersion.VERSION2, client_id="paho-tls", protocol=mqtt.MQTTv5 if V5 else mqtt.MQTTv311, **options
    )
    made.tls_set(os.environ["CA"], os.environ["CERTIFICATE"], os.environ["KEY"])

    def on_connect(who, _data, _flags, reason, _properties):
        say(connected=code(reason))
        if code(reason) == 0:
            who.publish(BASE + "telemetry", "by certificate", 1)
        else:
            done.set()

    made.on_connect = on_connect
    made.on_publish = lambda *_: (say(acked=True), done.set())
    connect(made, True)
    made.loop_start()
    done.wait(15)
    made.disconnect()
    made.loop_stop()


def limits():
    made = client("paho-limits", True)
    forbidden = {}

    def on_connect(who, *_):
        who.subscribe("harit/1/green/+/command", 1)

    def on_subscribe(who, _data, _mid, codes, _properties):
        say(suback=[code(one) for one in codes])
        forbidden["mid"] = who.publish("harit/1/green/A4CF120B9E02/telemetry", "x", 1).mid

    def on_publish(who, _data, mid, reason, _properties):
        if mid == forbidden.get("mid"):
            say(puback=code(reason))
            who.publish(BASE + "telemetry", b"x" * (1 << 20), 1)
        else:
            say(oversized="acked")
            who.disconnect()

    def on_disconnect(who, _data, _flags, reason, _properties):
        if V5:
            say(oversized=code(reason))
            who.disconnect()
            os._exit(0)

    made.on_connect, made.on_subscribe = on_connect, on_subscribe
    made.on_publish, made.on_disconnect = on_publish, on_disconnect
    connect(made, True)
    made.loop_forever()


{"basic": basic, "stay": stay, "refused": refused, "limits": limits, "certificate": certificate}[SCENARIO]()
