"""Other people's programs, as their users run them: PROGRAM on the command line; PORT, HTTP, MAC and SECRET in the environment."""

import json
import os
import sys

import paho.mqtt.client as mqtt

MAC, SECRET = os.environ["MAC"], os.environ["SECRET"]


def influxdb():
    """The InfluxDB client: points, written plainly and compressed, with instants and without."""
    from datetime import datetime, timezone

    from influxdb_client import InfluxDBClient, Point
    from influxdb_client.client.write_api import SYNCHRONOUS

    for compressed, sensor, value in ((False, "plain", 21.25), (True, "packed", 22.5)):
        with InfluxDBClient(os.environ["HTTP"], f"{MAC}:{SECRET}", org="farm", enable_gzip=compressed) as client:
            with client.write_api(write_options=SYNCHRONOUS) as write:
                point = Point("climate").tag("sensor", sensor).field("temperature", value).field("humidity", 61)
                write.write("all", record=point.time(datetime.now(timezone.utc)))
                write.write("all", record=[Point("soil").tag("sensor", sensor).field("soil_moisture", 41.5)])


def theengs():
    """Theengs' decoder, with its words published as Theengs Gateway does: its radio alone is left out."""
    import TheengsDecoder

    heard = {"servicedata": "a4c138aabbcc01083d5a0bb807", "servicedatauuid": "181a", "id": "A4:C1:38:AA:BB:CC", "rssi": -60}
    decoded = TheengsDecoder.decodeBLE(json.dumps(heard))
    gateway = mqtt.Client(mqtt.CallbackAPIVersion.VERSION2, "theengs-gateway")
    gateway.username_pw_set(MAC, SECRET)
    gateway.will_set("home/TheengsGateway/LWT", "offline", 0, True)
    gateway.connect("127.0.0.1", int(os.environ["PORT"]))
    gateway.loop_start()
    gateway.publish("home/TheengsGateway/LWT", "online", 0, True)
    gateway.publish("home/TheengsGateway/BTtoMQTT/A4C138AABBCC", decoded, 1).wait_for_publish(10)
    gateway.disconnect()
    gateway.loop_stop()


{"influxdb": influxdb, "theengs": theengs}[sys.argv[1]]()
