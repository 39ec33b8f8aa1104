//! Other people's programs and devices at the real server, each as its documents say, from what it sends to readings with their
//! unit. What is larger than a test should install is ignored here: `scripts/other-programs.sh` installs and plays it.

use std::path::{Path, PathBuf};

use reqwest::{Client, Method, StatusCode};
use serde_json::{Value, json};
use tokio::process::Command;
use tokio::time::timeout;

use crate::farm::{self, Account, Api, GREEN};
use crate::interop::python;
use crate::server::{Home, PATIENCE, Server, machine, until};

pub(crate) struct Farm {
    pub(crate) home: Home,
    pub(crate) server: Server,
    pub(crate) api: Api,
    pub(crate) gateway: Account,
}

/// A server, and the account of a gateway.
pub(crate) async fn farm() -> Farm {
    let home = farm::seeded().await;
    let server = farm::server(&home).await;
    let api = Api::of(&server, GREEN).await;
    let body = json!({"type": "GATEWAY", "macid": "A4CF12100001"});
    let (status, made) = api.post("controllers", &body).await;
    assert_eq!(status, 201, "{made}");
    let text = |key: &str| made["mqtt"][key].as_str().unwrap().to_owned();
    let gateway = Account {
        mac: text("username"),
        secret: text("password"),
        topic: text("topic"),
        polyhouse: String::new(),
    };
    Farm {
        home,
        server,
        api,
        gateway,
    }
}

impl Farm {
    /// Waits until the farm has these readings: the end of a sensor's id, value, unit.
    async fn reads(&self, expected: &[(&str, f64, &str)]) {
        for (id, value, unit) in expected {
            let what = format!("{id} is {value} {unit}");
            until(&what, PATIENCE, async || {
                let all = self.api.of_farm("sensors").await;
                let is = |s: &&Value| s["id"].as_str().is_some_and(|own| own.ends_with(id));
                let one = all.as_array()?.iter().find(is)?;
                (one["latestValue"].as_f64() == Some(*value) && one["unit"] == *unit).then_some(())
            })
            .await;
        }
    }

    /// Runs a program that is given the gateway's account, to its end.
    async fn run(&self, program: &mut Command) {
        let output = program
            .env("PORT", self.server.mqtt.to_string())
            .env("HTTP", &self.server.http)
            .env("MAC", &self.gateway.mac)
            .env("SECRET", &self.gateway.secret)
            .env("CLIENTS", clients())
            .kill_on_drop(true)
            .output();
        let output = timeout(PATIENCE, output).await.expect("it ends").unwrap();
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{said}");
    }

    /// Posts what a program posts.
    async fn post(&self, path: &str, kind: &str, body: String) -> StatusCode {
        let request = Client::new().post(format!("{}{path}", self.server.http));
        let request = request
            .basic_auth(&self.gateway.mac, Some(&self.gateway.secret))
            .header("content-type", kind)
            .body(body);
        request.send().await.unwrap().status()
    }
}

pub(crate) fn clients() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("target/interop")
}

fn script(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/interop")
        .join(name)
}

#[tokio::test]
async fn clients_of_influxdb_theengs_and_zigbee2mqtt_end_in_readings() {
    if harit_testkit::skipped() {
        return;
    }
    let _machine = machine().await;
    let farm = farm().await;
    for program in ["influxdb", "theengs"] {
        farm.run(python().arg(script("programs.py")).arg(program))
            .await;
    }
    farm.run(Command::new("node").arg(script("zigbee2mqtt.cjs")))
        .await;
    farm.reads(&[
        ("plain/fields/temperature", 21.25, "°C"),
        ("plain/fields/humidity", 61.0, "%"),
        ("plain/fields/soil_moisture", 41.5, "%"),
        ("packed/fields/temperature", 22.5, "°C"),
        ("A4C138AABBCC/tempc", 26.4, "°C"),
        ("A4C138AABBCC/hum", 61.0, "%"),
        ("A4C138AABBCC/batt", 90.0, "%"),
        ("A4C138AABBCC/volt", 3.0, "V"),
        ("bed-3/temperature", 27.34, "°C"),
        ("bed-3/humidity", 44.72, "%"),
        ("bed-3/battery", 91.0, "%"),
        ("bed-3/voltage", 2.995, "V"),
    ])
    .await;
}

#[tokio::test]
async fn webhooks_and_weather_stations_end_in_readings() {
    let _machine = machine().await;
    let farm = farm().await;
    // ChirpStack adds which event it is to the address that it is given, and tells of others than uplinks too.
    let chirpstack = json!({
        "deduplicationId": "3ac7e3c4-4401-4b8d-9386-a5c902f9202d", "time": "soon",
        "deviceInfo": {"tenantName": "ChirpStack", "applicationName": "Beds", "deviceName": "Bed 3", "devEui": "0101010101010101"},
        "devAddr": "00189440", "dr": 1, "fPort": 1, "data": "qg==",
        "object": {"temperature": 21.5, "humidity": 60},
        "rxInfo": [{"gatewayId": "0016c001f153a14c", "rssi": -36, "snr": 10.5}],
    });
    let things = json!({
        "end_device_ids": {"device_id": "bed-4", "application_ids": {"application_id": "beds"}, "dev_eui": "0004A30B001C0530"},
        "received_at": "soon",
        "uplink_message": {"f_port": 1, "frm_payload": "gkHs", "decoded_payload": {"soil_moisture": 41.5, "battery": 90},
            "rx_metadata": [{"rssi": -35, "snr": 5.2}]},
    });
    for (topic, body) in [
        ("webhook/chirpstack&event=up", chirpstack),
        ("webhook/thethingsstack", things),
    ] {
        let path = format!("/intake?topic={topic}");
        let status = farm.post(&path, "application/json", body.to_string()).await;
        assert_eq!(status, StatusCode::NO_CONTENT, "{topic}");
    }
    let join = json!({"time": "soon", "deviceInfo": {"devEui": "0101010101010101"}, "devAddr": "00189440"});
    let path = "/intake?topic=webhook/chirpstack&event=join";
    let status = farm.post(path, "application/json", join.to_string()).await;
    assert_eq!(status, StatusCode::NO_CONTENT);

    let (mac, secret) = (&farm.gateway.mac, &farm.gateway.secret);
    // An Ecowitt console's "customized" upload: a path, and no header of one's own.
    let console = format!(
        "{}/intake?topic=webhook/ecowitt&id={mac}&password={secret}",
        farm.server.http
    );
    let form = "PASSKEY=34271334ED1FADA6D8B988B14267E55D&stationtype=EasyWeatherV1.4.9&tempinf=77.0&humidityin=33\
        &baromabsin=28.583&tempf=86.0&humidity=32&winddir=200&windspeedmph=10&rainratein=0.000&dailyrainin=0.100\
        &solarradiation=205.52&soilmoisture1=41&soilbatt1=1.5&uv=2&freq=915M&model=HP3500_V1.6.2";
    let posted = Client::new()
        .post(console)
        .header("content-type", "application/x-www-form-urlencoded")
        .body(form);
    assert_eq!(
        posted.send().await.unwrap().status(),
        StatusCode::NO_CONTENT
    );
    // A station that speaks Weather Underground's protocol, to another server than theirs.
    let station = format!(
        "/weatherstation/updateweatherstation.php?ID={mac}&PASSWORD={secret}&dateutc=now&winddir=230&windspeedmph=12\
         &windgustmph=12&tempf=68&rainin=0&baromin=29.1&dewptf=59&humidity=90&weather=&clouds=\
         &softwaretype=vws%20versionxx&action=updateraw"
    );
    let (status, said) = farm.api.send(Method::GET, &station, None).await;
    assert_eq!((status, said), (200, json!("success\n")));
    farm.reads(&[
        ("0101010101010101/temperature", 21.5, "°C"),
        ("0101010101010101/humidity", 60.0, "%"),
        ("bed-4/soil_moisture", 41.5, "%"),
        ("ecowitt/tempinf", 25.0, "°C"),
        ("ecowitt/tempf", 30.0, "°C"),
        ("ecowitt/baromabsin", 967.931568, "hPa"),
        ("ecowitt/windspeedmph", 4.4704, "m/s"),
        ("ecowitt/dailyrainin", 2.54, "mm"),
        ("ecowitt/solarradiation", 205.52, "W/m²"),
        ("ecowitt/soilmoisture1", 41.0, "%"),
        ("wunderground/tempf", 20.0, "°C"),
        ("wunderground/dewptf", 15.0, "°C"),
        ("wunderground/winddir", 230.0, "°"),
    ])
    .await;
    let log = std::fs::read_to_string(&farm.server.log).unwrap();
    assert!(!log.contains(secret.as_str()), "the password is in the log");
}

/// A flow of three nodes: what starts it, what makes JSON, and the connection to the server.
#[tokio::test]
#[ignore = "needs Node-RED: scripts/other-programs.sh installs it and plays this"]
async fn a_flow_of_node_red_ends_in_readings() {
    let _machine = machine().await;
    let farm = farm().await;
    let installed = clients().join("programs/node_modules/node-red/red.js");
    let dir = tempfile::tempdir().unwrap();
    let flow = json!([
        {"id": "tab", "type": "tab", "label": "House", "disabled": false},
        {"id": "broker", "type": "mqtt-broker", "name": "Harit", "broker": "127.0.0.1", "port": farm.server.mqtt.to_string(),
            "clientid": "", "autoConnect": true, "usetls": false, "protocolVersion": "4", "keepalive": "60", "cleansession": true,
            "willTopic": "tele/shed/LWT", "willPayload": "Offline", "willQos": "2", "willRetain": "true"},
        {"id": "start", "type": "inject", "z": "tab", "props": [], "once": true, "onceDelay": "0.5", "repeat": "1",
            "wires": [["make", "post"]]},
        {"id": "make", "type": "function", "z": "tab", "outputs": 1, "wires": [["out"]],
            "func": "msg.topic = 'tele/shed/SENSOR'; msg.payload = {AM2301: {Temperature: 23.25, Humidity: 55.5}, TempUnit: 'C'}; return msg;"},
        {"id": "out", "type": "mqtt out", "z": "tab", "topic": "", "qos": "2", "retain": "true", "broker": "broker", "wires": []},
        {"id": "post", "type": "function", "z": "tab", "outputs": 1, "wires": [["request"]],
            "func": format!("msg.headers = {{authorization: 'Token {}:{}'}}; msg.payload = 'climate,sensor=flow temperature=19.75'; return msg;",
                farm.gateway.mac, farm.gateway.secret)},
        {"id": "request", "type": "http request", "z": "tab", "method": "POST", "ret": "txt",
            "url": format!("{}/api/v2/write?precision=ns", farm.server.http), "wires": [[]]},
    ]);
    let settings = "module.exports = { flowFile: 'flows.json', credentialSecret: false, uiHost: '127.0.0.1', uiPort: 0, \
        httpAdminRoot: false, httpNodeRoot: false, telemetry: { enabled: false } };";
    let account = json!({"broker": {"user": farm.gateway.mac, "password": farm.gateway.secret}});
    for (name, text) in [
        ("flows.json", flow.to_string()),
        ("flows_cred.json", account.to_string()),
        ("settings.js", settings.to_owned()),
    ] {
        std::fs::write(dir.path().join(name), text).unwrap();
    }
    let mut running = Command::new("node")
        .arg(installed)
        .arg("--userDir")
        .arg(dir.path())
        .stdout(std::process::Stdio::null())
        .kill_on_drop(true)
        .spawn()
        .unwrap();
    farm.reads(&[
        ("shed/AM2301/Temperature", 23.25, "°C"),
        ("shed/AM2301/Humidity", 55.5, "%"),
        ("flow/fields/temperature", 19.75, "°C"),
    ])
    .await;
    running.kill().await.unwrap();
}
