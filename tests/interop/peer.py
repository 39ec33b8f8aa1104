"""Clients for the interop tests: Eclipse Paho's, and plain sockets for what no proper client does."""

import itertools
import json
import socket
import struct
import threading
import time

import paho.mqtt.client as mqtt
from paho.mqtt.packettypes import PacketTypes
from paho.mqtt.properties import Properties

PATIENCE = 15
"""Seconds; no single step may take longer."""
QUIET = 0.4
"""Seconds in which what must not come would have come."""

HOST = "127.0.0.1"
_numbers = itertools.count(1)


def code(reason):
    return reason.value if hasattr(reason, "value") else int(reason)


def properties(kind, **values):
    made = Properties(kind)
    for name, value in values.items():
        setattr(made, name, value)
    return made


def readings(value):
    """Telemetry that is taken and harms nobody."""
    return json.dumps({"sensors": [{"id": "t1", "type": "temperature", "unit": "°C", "latestValue": value}]})


class Peer:
    """A Paho client with what it was told."""

    def __init__(self, world, account, version, client_id=None, clean=True, **options):
        self.world, self.version, self.clean = world, version, clean
        self.v5 = version == 5
        self.condition = threading.Condition()
        self.messages, self.acked, self.connacks, self.lost = [], [], [], []
        self.subacks, self.unsubacks = {}, {}
        self.client_id = client_id if client_id is not None else f"interop-{next(_numbers)}"
        more = {} if self.v5 else {"clean_session": clean}
        self.client = mqtt.Client(
            mqtt.CallbackAPIVersion.VERSION2,
            client_id=self.client_id,
            protocol=mqtt.MQTTv5 if self.v5 else mqtt.MQTTv311,
            reconnect_on_failure=False,
            **more,
            **options,
        )
        self.client.username_pw_set(account["user"], account["password"])
        self.client.on_connect = lambda _c, _d, flags, reason, props: self._add(self.connacks, (flags, code(reason), props))
        self.client.on_disconnect = lambda _c, _d, _f, reason, _p: self._add(self.lost, code(reason))
        self.client.on_message = lambda _c, _d, message: self._add(self.messages, message)
        self.client.on_publish = lambda _c, _d, mid, reason, _p: self._add(self.acked, (mid, code(reason)))
        self.client.on_subscribe = lambda _c, _d, mid, codes, _p: self._set(self.subacks, mid, [code(c) for c in codes])
        self.client.on_unsubscribe = lambda _c, _d, mid, codes, _p: self._set(self.unsubacks, mid, [code(c) for c in codes])

    def _add(self, to, what):
        with self.condition:
            to.append(what)
            self.condition.notify_all()

    def _set(self, to, key, what):
        with self.condition:
            to[key] = what
            self.condition.notify_all()

    def wait(self, what, until):
        with self.condition:
            found = self.condition.wait_for(until, PATIENCE)
        assert found, f"not within {PATIENCE} s: {what}; messages {[m.payload for m in self.messages]}"

    def connect(self, keepalive=30, **values):
        """Connects; the answer's flags, code and properties. `values` are properties of MQTT 5."""
        before, options = len(self.connacks), {}
        if self.v5:
            options = {"clean_start": self.clean, "properties": properties(PacketTypes.CONNECT, **values)}
        self.client.connect(HOST, self.world["port"], keepalive, **options)
        self.client.loop_start()
        self.wait("an answer to CONNECT", lambda: len(self.connacks) > before or self.lost)
        assert len(self.connacks) > before, "the connection was closed without an answer"
        return self.connacks[-1]

    def disconnect(self, **values):
        before = len(self.lost)
        if self.v5 and values:
            self.client.disconnect(properties=properties(PacketTypes.DISCONNECT, **values))
        else:
            self.client.disconnect()
        self.wait("the end of the connection", lambda: len(self.lost) > before)
        self.client.loop_stop()
        self.lost.clear()

    def cut(self):
        """Closes the connection without a goodbye."""
        self.client.loop_stop()
        self.client.socket().close()

    def subscribe(self, *filters, qos=1, **options):
        _, mid = self.client.subscribe([(f, qos) for f in filters], **options)
        self.wait("an answer to SUBSCRIBE", lambda: mid in self.subacks)
        return self.subacks[mid]

    def unsubscribe(self, *filters):
        _, mid = self.client.unsubscribe(list(filters))
        self.wait("an answer to UNSUBSCRIBE", lambda: mid in self.unsubacks)
        return self.unsubacks[mid]

    def publish(self, topic, payload, qos=1, retain=False, **values):
        options = {"properties": properties(PacketTypes.PUBLISH, **values)} if values else {}
        info = self.client.publish(topic, payload, qos, retain, **options)
        if qos:
            self.wait(f"the acknowledgement of {payload}", lambda: any(mid == info.mid for mid, _ in self.acked))
        return next((c for mid, c in self.acked if mid == info.mid), 0)

    def of(self, topic):
        with self.condition:
            return [m for m in self.messages if m.topic == topic]

    def hears(self, topic, count):
        """Waits for so many messages of a topic, and that no further one follows."""
        self.wait(f"{count} of {topic}", lambda: sum(m.topic == topic for m in self.messages) >= count)
        return self.hears_only(topic, count)

    def hears_only(self, topic, count):
        time.sleep(QUIET)
        heard = self.of(topic)
        assert len(heard) == count, f"{len(heard)} and not {count} of {topic}: {[m.payload for m in heard]}"
        return heard


def text(value):
    value = value.encode()
    return struct.pack("!H", len(value)) + value


class Raw:
    """A connection of bytes."""

    def __init__(self, world):
        self.socket = socket.create_connection((HOST, world["port"]), PATIENCE)

    def connect(self, account, client_id, protocol="MQTT", level=4, flags=0xC2, keepalive=30):
        more = b"\0" if level == 5 else b""
        body = text(protocol) + bytes([level, flags]) + struct.pack("!H", keepalive) + more
        body += text(client_id) + text(account["user"]) + text(account["password"])
        self.send(0x10, body)

    def send(self, kind, body):
        length, size = b"", len(body)
        while True:
            size, digit = divmod(size, 128)
            length += bytes([digit | (0x80 if size else 0)])
            if not size:
                break
        self.socket.sendall(bytes([kind]) + length + body)

    def packet(self):
        """The next packet's first byte and body; none when the server closed the connection."""
        try:
            head = self.socket.recv(1)
        except ConnectionResetError:
            return None
        if not head:
            return None
        size, shift = 0, 0
        while True:
            digit = self.socket.recv(1)[0]
            size |= (digit & 0x7F) << shift
            shift += 7
            if digit < 0x80:
                break
        body = b""
        while len(body) < size:
            body += self.socket.recv(size - len(body))
        return head[0], body

    def closed(self):
        """Whether the server closes the connection, whatever it says before."""
        while (packet := self.packet()) is not None:
            assert packet[0] in (0x20, 0xE0), packet
        return True
