"""What holds in both versions. Sections are those of MQTT 3.1.1; those of 5 say the same."""

import struct
import time

from peer import QUIET, Peer, Raw, readings, text


def telemetry(account):
    return account["topic"] + "telemetry"


def pair(world, accounts, version, **options):
    """A reader of everything of the farm, and a controller."""
    reader = Peer(world, accounts["reader"], version)
    reader.connect()
    assert reader.subscribe(world["all"]) == [1]
    writer = Peer(world, accounts["a"], version, **options)
    writer.connect()
    return reader, writer


def lasting(world, account, version, client_id=None, **options):
    """A client whose session outlives its connection."""
    made = Peer(world, account, version, client_id, clean=False, **options)
    made.values = {"SessionExpiryInterval": 300} if version == 5 else {}
    return made


def basic(world, accounts, version):
    reader, writer = pair(world, accounts, version)
    topic = telemetry(accounts["a"])
    for qos in (0, 1, 2):
        assert writer.publish(topic, readings(20 + qos), qos) == 0
    heard = reader.hears(topic, 3)
    assert [m.payload.decode() for m in heard] == [readings(20 + qos) for qos in (0, 1, 2)], "not in order"
    assert [m.qos for m in heard] == [0, 1, 1], "nothing is sent at 2"
    assert not any(m.retain for m in heard)


def second_connect(world, accounts, version):
    raw = Raw(world)
    raw.connect(accounts["a"], "twice", level=version)
    kind, body = raw.packet()
    assert (kind, body[1]) == (0x20, 0), body
    raw.connect(accounts["a"], "twice", level=version)
    assert raw.closed()


def wrong_protocol(world, accounts, version):
    raw = Raw(world)
    raw.connect(accounts["a"], "wrong", protocol="hj", level=version)
    assert raw.closed()


def wrong_password(world, accounts, version):
    wrong = Peer(world, {**accounts["a"], "password": "wrong"}, version)
    _, code, _ = wrong.connect()
    assert code == 134, code


def will(world, accounts, version):
    reader, writer = pair(world, accounts, version)
    topic, gone = accounts["b"]["topic"] + "state", '{"online": false}'
    for cut in (False, True):
        client = Peer(world, accounts["b"], version)
        client.client.will_set(topic, gone, 2)
        client.connect()
        if cut:
            client.cut()
        else:
            client.disconnect()
            reader.hears_only(topic, 0)
    assert reader.hears(topic, 1)[0].payload.decode() == gone
    writer.disconnect()


def offline_queueing(world, accounts, version):
    reader = lasting(world, accounts["reader"], version)
    assert not reader.connect(**reader.values)[0].session_present
    reader.subscribe(world["all"])
    reader.disconnect()
    writer = Peer(world, accounts["a"], version)
    writer.connect()
    topic = telemetry(accounts["a"])
    for qos in (0, 1, 2):
        writer.publish(topic, readings(20 + qos), qos)
    assert reader.connect(**reader.values)[0].session_present
    reader.wait("what came meanwhile", lambda: len(reader.messages) >= 2)
    time.sleep(QUIET)
    payloads = [m.payload.decode() for m in reader.of(topic)]
    assert payloads[-2:] == [readings(21), readings(22)] and len(payloads) in (2, 3), payloads


def redelivery(world, accounts, version):
    reader = lasting(world, accounts["reader"], version, manual_ack=True)
    reader.connect(**reader.values)
    reader.subscribe(world["all"])
    writer = Peer(world, accounts["a"], version)
    writer.connect()
    topic = telemetry(accounts["a"])
    writer.publish(topic, readings(21), 1)
    writer.publish(topic, readings(22), 2)
    first = reader.hears(topic, 2)
    assert not any(m.dup for m in first)
    reader.disconnect()
    reader.messages.clear()
    assert reader.connect(**reader.values)[0].session_present
    again = reader.hears(topic, 2)
    assert all(m.dup for m in again), "the same once more"
    assert [m.mid for m in again] == [m.mid for m in first]


def overlapping(world, accounts, version):
    reader, writer = pair(world, accounts, version)
    topic = telemetry(accounts["a"])
    reader.subscribe(world["all"], topic, qos=2)
    writer.publish(topic, readings(21), 2)
    reader.wait("the message", lambda: reader.of(topic))
    time.sleep(QUIET)
    assert [m.qos for m in reader.of(topic)] in ([1], [1, 1])


def keepalive(world, accounts, version):
    reader, writer = pair(world, accounts, version)
    topic = accounts["b"]["topic"] + "state"
    raw = Raw(world)
    # a will at QoS 1, and a keep-alive of 2 s
    more = b"\0" if version == 5 else b""
    account = accounts["b"]
    body = text("MQTT") + bytes([version, 0xCE]) + struct.pack("!H", 2) + more + text("silent") + more
    body += text(topic) + text('{"online": false}') + text(account["user"]) + text(account["password"])
    raw.send(0x10, body)
    assert raw.packet()[0] == 0x20
    began = time.monotonic()
    assert raw.closed()
    took = time.monotonic() - began
    assert 2 < took < 6, f"closed after {took:.1f} s"
    reader.hears(topic, 1)
    writer.disconnect()


def subscribe_failure(world, accounts, version):
    reader = Peer(world, accounts["reader"], version)
    reader.connect()
    refused = 0x87 if version == 5 else 0x80
    assert reader.subscribe("harit/1/somebody-elses/#", world["all"]) == [refused, 1]


def dollar_topics(world, accounts, version):
    reader, writer = pair(world, accounts, version)
    assert reader.subscribe("#", "+/x")[0] >= 0x80, "a filter that begins with a wildcard takes in nothing here"
    writer.publish("$SYS/x", "1")
    writer.publish("$share/x", "1")
    time.sleep(QUIET)
    assert not [m for m in reader.messages if m.topic.startswith("$")]


def unsubscribe(world, accounts, version):
    reader = Peer(world, accounts["reader"], version)
    reader.connect()
    topics = [accounts["a"]["topic"] + last for last in ("telemetry", "senml", "state")]
    for topic in topics:
        assert reader.subscribe(topic) == [1]
    codes = reader.unsubscribe(topics[0], "harit/never")
    assert codes == ([0, 0x11] if version == 5 else []), codes
    writer = Peer(world, accounts["a"], version)
    writer.connect()
    writer.publish(topics[0], readings(21))
    writer.publish(topics[1], '[{"n": "t1", "u": "Cel", "v": 21}]')
    writer.publish(topics[2], '{"online": true}')
    for topic, count in zip(topics, (0, 1, 1)):
        reader.wait(topic, lambda: len(reader.messages) >= 2)
        reader.hears_only(topic, count)


def takeover(world, accounts, version):
    first = Peer(world, accounts["a"], version, "one-and-the-same")
    first.connect()
    second = Peer(world, accounts["a"], version, "one-and-the-same")
    assert second.connect()[1] == 0
    first.wait("the first is closed", lambda: first.lost)
    if version == 5:
        assert first.lost[0] == 0x8E, first.lost
    assert second.publish(telemetry(accounts["a"]), readings(21)) == 0


def clean_session(world, accounts, version):
    reader = lasting(world, accounts["reader"], version)
    reader.connect(**reader.values)
    reader.subscribe(world["all"])
    reader.disconnect()
    clean = Peer(world, accounts["reader"], version, reader.client_id)
    assert not clean.connect()[0].session_present
    writer = Peer(world, accounts["a"], version)
    writer.connect()
    writer.publish(telemetry(accounts["a"]), readings(21))
    time.sleep(QUIET)
    assert not clean.messages, "a session that was thrown away subscribes to nothing"


def exactly_once(world, accounts, version):
    reader, writer = pair(world, accounts, version)
    writer.disconnect()
    topic, more = telemetry(accounts["a"]), b"\0" if version == 5 else b""
    raw = Raw(world)
    raw.connect(accounts["a"], "twice-told", level=version)
    assert raw.packet()[0] == 0x20
    message = text(topic) + b"\0\7" + more + readings(23).encode()
    raw.send(0x34, message)
    assert raw.packet()[0] == 0x50
    raw.send(0x3C, message)
    assert raw.packet()[0] == 0x50
    raw.send(0x62, b"\0\7")
    assert raw.packet()[0] == 0x70
    reader.hears(topic, 1)


def client_ids(world, accounts, version):
    nameless = Peer(world, accounts["a"], version, "")
    assert nameless.connect()[1] == 0
    if version == 4:
        raw = Raw(world)
        raw.connect(accounts["a"], "", flags=0xC0)
        assert raw.packet() == (0x20, b"\0\2"), "a session without a name is nobody's"
        assert raw.closed()
    else:
        assert nameless.connacks[-1][2].AssignedClientIdentifier


ALL = [
    ("publish at QoS 0, 1 and 2", "3.3, 4.3", basic),
    ("a message at QoS 2 that is repeated counts once", "4.3.3", exactly_once),
    ("a second CONNECT closes", "3.1, MQTT-3.1.0-2", second_connect),
    ("another protocol's name closes", "3.1.2.1", wrong_protocol),
    ("a wrong password is refused", "3.2.2.3", wrong_password),
    ("an empty client id", "3.1.3.1", client_ids),
    ("will, and none after DISCONNECT", "3.1.2.5, 3.14.4", will),
    ("messages wait for a session", "3.1.2.4", offline_queueing),
    ("a clean session forgets", "3.1.2.4", clean_session),
    ("what was not acknowledged comes again", "4.4", redelivery),
    ("overlapping filters", "3.3.5", overlapping),
    ("keep-alive", "3.1.2.10", keepalive),
    ("a filter that is refused", "3.9.3", subscribe_failure),
    ("topics that begin with $", "4.7.2", dollar_topics),
    ("unsubscribe", "3.10.4", unsubscribe),
    ("the same client id takes over", "3.1.4", takeover),
]
