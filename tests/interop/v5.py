"""What MQTT 5 adds."""

import time

from both import lasting, pair, telemetry
from paho.mqtt.packettypes import PacketTypes
from paho.mqtt.reasoncodes import ReasonCode
from paho.mqtt.subscribeoptions import SubscribeOptions
from peer import QUIET, Peer, properties, readings

GONE = '{"online": false}'


def announced(world, accounts, version):
    """What is not to be had is said in CONNACK."""
    client = Peer(world, accounts["a"], version)
    _, code, said = client.connect()
    assert code == 0
    assert not hasattr(said, "RetainAvailable"), "what devices retain is taken, and not kept for others"
    assert said.SubscriptionIdentifierAvailable == 0
    assert said.SharedSubscriptionAvailable == 0
    assert said.MaximumPacketSize > 256 * 1024 and said.ReceiveMaximum > 0 and said.TopicAliasMaximum > 0
    assert not hasattr(said, "MaximumQoS"), "2 is taken"
    reader = Peer(world, accounts["reader"], version)
    reader.connect()
    assert reader.subscribe("$share/a/" + world["all"]) == [0x9E]


def session_expiry(world, accounts, version):
    def left(seconds, at_goodbye=None):
        reader = lasting(world, accounts["reader"], version)
        reader.connect(SessionExpiryInterval=seconds)
        reader.subscribe(world["all"])
        reader.disconnect(**({} if at_goodbye is None else {"SessionExpiryInterval": at_goodbye}))
        return reader

    again = lambda reader: reader.connect(SessionExpiryInterval=300)[0].session_present  # noqa: E731
    over, short, kept, ended = left(0), left(1), left(300), left(300, 0)
    longer = left(1, 300)
    time.sleep(3)
    found = [again(r) for r in (over, short, kept, ended, longer)]
    assert found == [False, False, True, False, True], found


def forwarded(world, accounts, version):
    """Properties of a publish reach the reader as they were."""
    reader, writer = pair(world, accounts, version)
    topic = telemetry(accounts["a"])
    pairs = [("a", "2"), ("c", "3"), ("a", "2")]
    said = {"UserProperty": pairs, "PayloadFormatIndicator": 1, "ContentType": "application/json"}
    writer.publish(topic, readings(21), 1, **said, ResponseTopic="answers/here", CorrelationData=b"334")
    writer.publish(topic, readings(22), 2, UserProperty=pairs[:1])
    first, second = reader.hears(topic, 2)
    got = first.properties
    assert got.UserProperty == pairs, got
    assert (got.PayloadFormatIndicator, got.ContentType) == (1, "application/json")
    assert (got.ResponseTopic, got.CorrelationData) == ("answers/here", b"334")
    assert second.properties.UserProperty == pairs[:1]
    assert not hasattr(second.properties, "ContentType")


def publication_expiry(world, accounts, version):
    reader = lasting(world, accounts["reader"], version)
    reader.connect(**reader.values)
    reader.subscribe(world["all"])
    reader.disconnect()
    writer = Peer(world, accounts["a"], version)
    writer.connect()
    topic = telemetry(accounts["a"])
    for n, (qos, seconds) in enumerate([(1, 1), (2, 60), (1, 2), (1, 120)]):
        writer.publish(topic, readings(20 + n), qos, MessageExpiryInterval=seconds)
    time.sleep(2.5)
    reader.connect(**reader.values)
    heard = reader.hears(topic, 2)
    left = [m.properties.MessageExpiryInterval for m in heard]
    assert 50 <= left[0] <= 58 and 110 <= left[1] <= 118, left


def subscribe_options(world, accounts, version):
    reader, writer = pair(world, accounts, version)
    topic = telemetry(accounts["a"])
    plain = Peer(world, accounts["reader"], version)
    plain.connect()
    options = SubscribeOptions(qos=0, noLocal=True, retainAsPublished=True, retainHandling=2)
    _, mid = plain.client.subscribe(topic, options=options)
    plain.wait("an answer", lambda: mid in plain.subacks)
    assert plain.subacks[mid] == [0]
    writer.publish(topic, readings(21), 1)
    assert plain.hears(topic, 1)[0].qos == 0
    assert reader.hears(topic, 1)[0].qos == 1


def assigned_client_id(world, accounts, version):
    client = Peer(world, accounts["a"], version, "")
    given = client.connect(SessionExpiryInterval=300)[2].AssignedClientIdentifier
    client.disconnect()
    again = Peer(world, accounts["a"], version, given, clean=False)
    assert again.connect(SessionExpiryInterval=0)[0].session_present


def client_topic_alias(world, accounts, version):
    reader, writer = pair(world, accounts, version)
    topic = telemetry(accounts["a"])
    writer.publish(topic, readings(21), 1, TopicAlias=1)
    writer.publish("", readings(22), 1, TopicAlias=1)
    writer.publish("", readings(23), 2, TopicAlias=1)
    reader.hears(topic, 3)
    most = writer.connacks[-1][2].TopicAliasMaximum
    writer.client.publish(topic, readings(24), 1, properties=_alias(most + 1))
    writer.wait("the end of the connection", lambda: writer.lost)
    # an alias is of one connection
    other = Peer(world, accounts["a"], version)
    other.connect()
    other.client.publish("", readings(25), 1, properties=_alias(1))
    other.wait("the end of the connection", lambda: other.lost)
    reader.hears_only(topic, 3)


def _alias(number):
    return properties(PacketTypes.PUBLISH, TopicAlias=number)


def server_topic_alias(world, accounts, version):
    """A server may use aliases up to what the client takes, and every message has its topic."""
    for most in (0, 1):
        reader = Peer(world, accounts["reader"], version)
        reader.connect(**({"TopicAliasMaximum": most} if most else {}))
        reader.subscribe(world["all"])
        writer = Peer(world, accounts["a"], version)
        writer.connect()
        for n in range(3):
            writer.publish(telemetry(accounts["a"]), readings(20 + n))
        heard = reader.hears(telemetry(accounts["a"]), 3)
        assert all(getattr(m.properties, "TopicAlias", 0) <= most for m in heard)
        reader.disconnect()


def maximum_packet_size(world, accounts, version):
    reader = Peer(world, accounts["reader"], version)
    reader.connect(MaximumPacketSize=300)
    reader.subscribe(world["all"])
    writer = Peer(world, accounts["a"], version)
    _, _, said = writer.connect()
    topic = telemetry(accounts["a"])
    writer.publish(topic, readings(21))
    writer.publish(topic, readings(22) + " " * 400)
    writer.publish(topic, readings(23))
    assert [m.payload.decode() for m in reader.hears(topic, 2)] == [readings(21), readings(23)]
    writer.client.publish(topic, b" " * said.MaximumPacketSize, 1)
    writer.wait("the end of the connection", lambda: writer.lost)
    assert writer.lost[0] == 0x95, writer.lost


def server_keep_alive(world, accounts, version):
    """Where the server wants another keep-alive than the client it says which."""
    client = Peer(world, accounts["a"], version)
    said = client.connect(keepalive=120)[2]
    assert getattr(said, "ServerKeepAlive", 120) >= 10


def flow_control(world, accounts, version):
    reader = Peer(world, accounts["reader"], version, manual_ack=True)
    reader.connect(ReceiveMaximum=2)
    topic = telemetry(accounts["a"])
    reader.subscribe(topic)
    writer = Peer(world, accounts["a"], version)
    writer.connect()
    for n in range(5):
        writer.publish(topic, readings(20 + n))
    for acked in range(3):
        heard = reader.hears(topic, 2 + acked)
        reader.client.ack(heard[acked].mid, 1)
    reader.hears(topic, 5)


def will_properties_and_delay(world, accounts, version):
    reader, _ = pair(world, accounts, version)
    topic = accounts["b"]["topic"] + "state"

    def client(client_id, delay):
        made = lasting(world, accounts["b"], version, client_id)
        said = properties(PacketTypes.WILLMESSAGE, WillDelayInterval=delay, UserProperty=[("why", "lost")])
        made.client.will_set(topic, GONE, 1, properties=said)
        made.connect(**made.values)
        return made

    client("back-in-time", 2).cut()
    time.sleep(0.3)
    back = client("back-in-time", 2)
    time.sleep(2.5)
    reader.hears_only(topic, 0)
    began = time.monotonic()
    back.cut()
    reader.wait("the will", lambda: reader.of(topic))
    took = time.monotonic() - began
    assert 1.8 < took < 5, f"a delay of 2 s took {took:.1f} s"
    assert reader.of(topic)[0].properties.UserProperty == [("why", "lost")]


def goodbye_with_will(world, accounts, version):
    reader, _ = pair(world, accounts, version)
    topic = accounts["b"]["topic"] + "state"
    client = Peer(world, accounts["b"], version)
    client.client.will_set(topic, GONE, 1)
    client.connect()
    client.client.disconnect(reasoncode=ReasonCode(PacketTypes.DISCONNECT, identifier=4))
    reader.hears(topic, 1)


def reason_codes(world, accounts, version):
    """What may not be published is told, and the connection goes on."""
    client = Peer(world, accounts["a"], version)
    client.connect()
    assert client.publish(telemetry(accounts["b"]), readings(21), 1) == 0x87
    refused = client.publish(telemetry(accounts["b"]), readings(21), 2)
    # paho follows a PUBREC that refuses with a PUBREL all the same, and tells what that is answered
    assert refused in (0x87, 0x92), hex(refused)
    assert client.publish(telemetry(accounts["a"]), readings(21), 1) == 0
    time.sleep(QUIET)
    assert not client.lost


ALL = [
    ("what is not available is announced", "3.2.2.3", announced),
    ("session expiry", "3.1.2.11.2, 3.14.2.2.2", session_expiry),
    ("properties of a publish", "3.3.2.3", forwarded),
    ("message expiry", "3.3.2.3.3", publication_expiry),
    ("subscription options", "3.8.3.1", subscribe_options),
    ("an assigned client id", "3.2.2.3.7", assigned_client_id),
    ("topic aliases of a client", "3.3.2.3.4", client_topic_alias),
    ("topic aliases of the server", "3.1.2.11.5", server_topic_alias),
    ("maximum packet size", "3.1.2.11.4, 3.2.2.3.6", maximum_packet_size),
    ("server keep-alive", "3.2.2.3.14", server_keep_alive),
    ("receive maximum", "3.1.2.11.3, 4.9", flow_control),
    ("will delay and properties", "3.1.3.2", will_properties_and_delay),
    ("a goodbye that wants the will", "3.14.2.1", goodbye_with_will),
    ("reason codes of a publish", "3.4.2.1", reason_codes),
]
