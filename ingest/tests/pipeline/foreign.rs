//! Other people's devices: what they say on their own topics, read by profiles.

use bytes::Bytes;
use harit_engine::SensorType;
use harit_ingest::ControllerKind;
use harit_ingest::mqtt::Publish;
use harit_profiles::{Profile, ProfileDocument};

use crate::world::{FARM, MAC, OTHER_MAC, World, mac};

/// Publishes on another system's topic; how many were refused.
async fn say(w: &World, from: &str, topic: &str, payload: &str, retain: bool) -> usize {
    let mut batch = World::batch(from, "telemetry", &[]);
    batch.publishes.push(Publish {
        topic: topic.into(),
        payload: Bytes::copy_from_slice(payload.as_bytes()),
        retain,
        oversized: None,
    });
    w.receive(batch).await.await.unwrap().rejected
}

async fn sensors(w: &World) -> Vec<(String, SensorType, Option<String>, Option<String>)> {
    w.read(|e| {
        let all = e.sensors().map(|s| {
            let value = s.value.map(|v| v.to_string());
            let controller = s.spec.controller.clone();
            (s.spec.id.to_string(), s.spec.sensor_type, value, controller)
        });
        all.collect()
    })
    .await
}

async fn letters(w: &World) -> Vec<(String, String)> {
    let letters = w.hub.dead_letters(&FARM.into(), 10).await.unwrap();
    letters.into_iter().map(|l| (l.topic, l.reason)).collect()
}

#[tokio::test]
async fn a_tasmota_s_own_messages_become_readings_of_its_controller() {
    let w = World::new().await;
    let payload = r#"{"Time":"2021-01-02T09:09:44","DS18B20-1":{"Id":"1","Temperature":55.94},"SCD40":{"CarbonDioxide":618},"TempUnit":"F"}"#;
    // Retained, as many say it: from the device itself that is no sign of age.
    assert_eq!(say(&w, MAC, "tele/bed-1/SENSOR", payload, true).await, 0);
    let owner = Some(MAC.to_owned());
    let (t, c) = (SensorType::Temperature, SensorType::Co2Level);
    assert_eq!(
        sensors(&w).await,
        [
            (
                "bed-1/DS18B20-1/Temperature".into(),
                t,
                Some("13.3".into()),
                owner.clone()
            ),
            (
                "bed-1/SCD40/CarbonDioxide".into(),
                c,
                Some("618".into()),
                owner
            ),
        ]
    );
    let is_online = || async {
        let all = w.hub.controllers(&FARM.into()).await.unwrap();
        all.iter().any(|c| c.mac.as_str() == MAC && c.online)
    };
    assert!(!is_online().await, "readings bring nobody online");
    assert_eq!(say(&w, MAC, "tele/bed-1/LWT", "Online", true).await, 0);
    assert!(is_online().await);
    assert_eq!(say(&w, MAC, "tele/bed-1/LWT", "Offline", true).await, 0);
    assert!(!is_online().await);
    assert_eq!(letters(&w).await, []);
}

#[tokio::test]
async fn what_no_profile_has_is_a_letter_and_no_offence_until_somebody_writes_one() {
    let w = World::new().await;
    let unknown = say(&w, MAC, "barn/probe/7", "21.5", false).await;
    assert_eq!(unknown, 0, "nobody is slowed down for it");
    let broken = say(&w, MAC, "tele/bed-1/SENSOR", "{", false).await;
    assert_eq!(broken, 1);
    let mut told = letters(&w).await;
    told.sort();
    let expected = [
        ("harit/1/f1/A4CF120B9E01 -> barn/probe/7", "no_profile"),
        ("tele/bed-1/SENSOR", "malformed"),
    ];
    assert_eq!(
        told,
        expected.map(|(topic, why)| (topic.to_owned(), why.to_owned()))
    );
    assert_eq!(sensors(&w).await, []);
    let own = "id = \"barn\"\nname = \"Barn\"\n[[messages]]\ntopics = [\"barn/{what}/{n}\"]\npayload = \"text\"\nreadings = [{ type = \"water_temperature\" }]\n";
    let own = Profile::new(&ProfileDocument::from_toml(own).unwrap()).unwrap();
    w.hub.put_profiles(&FARM.into(), vec![own]);
    assert_eq!(say(&w, MAC, "barn/probe/7", "21.5", false).await, 0);
    let all = sensors(&w).await;
    let [(id, SensorType::WaterTemperature, Some(value), _)] = &all[..] else {
        panic!("{all:?}");
    };
    assert_eq!((id.as_str(), value.as_str()), ("probe/7", "21.5"));
}

#[tokio::test]
async fn what_a_profile_has_and_reads_nothing_of_is_kept_where_it_has_numbers() {
    let w = World::new().await;
    // An ESPHome names its component as it likes.
    say(&w, MAC, "house/sensor/barrel/state", "68", false).await;
    say(&w, MAC, "house/sensor/barrel/state", "nan", false).await;
    say(&w, MAC, "house/sensor/air_temperature/state", "21", false).await;
    say(
        &w,
        MAC,
        "zigbee2mqtt/button",
        r#"{"linkquality":90,"action":"single"}"#,
        false,
    )
    .await;
    say(&w, MAC, "tele/bed/STATE", r#"{"Uptime":4}"#, false).await;
    let told = letters(&w).await;
    let barrel = format!("harit/1/{FARM}/{MAC} -> house/sensor/barrel/state");
    assert_eq!(told, [(barrel, "nothing_read".to_owned())]);
}

#[tokio::test]
async fn what_devices_announce_is_kept_by_controller_and_no_letter() {
    let w = World::new().await;
    let config = r#"{"stat_t":"house/sensor/barrel/state","name":"Barrel","dev_cla":"water","unit_of_meas":"L"}"#;
    say(
        &w,
        MAC,
        "homeassistant/sensor/house/barrel/config",
        config,
        true,
    )
    .await;
    let all = w.hub.announced(&FARM.into());
    let [(who, heard)] = &all.iter().collect::<Vec<_>>()[..] else {
        panic!("{all:?}")
    };
    assert_eq!(who.as_str(), MAC);
    let volume = heard.numbers().next().unwrap();
    assert_eq!(volume.candidate.types, [SensorType::Volume]);
    assert_eq!(letters(&w).await, []);
}

#[tokio::test]
async fn two_controllers_that_say_the_same_stay_apart_and_a_restart_knows_both() {
    let w = World::new().await;
    for (from, value) in [(MAC, "20.1"), (OTHER_MAC, "30.5")] {
        let payload = format!(r#"{{"id":0,"tC":{value}}}"#);
        assert_eq!(
            say(&w, from, "shelly/status/temperature:0", &payload, false).await,
            0
        );
    }
    let before = sensors(&w).await;
    assert_eq!(before.len(), 2);
    let again = w.after_crash(|_| {}).await.unwrap();
    assert_eq!(sensors(&again).await, before);
}

/// Makes the controller's account one of a gateway.
fn becomes_a_gateway(w: &World) {
    let mut records = w.records.0.lock().unwrap();
    records.get_mut(&mac(MAC)).unwrap().kind = ControllerKind::Gateway;
}

async fn is_online(w: &World) -> bool {
    let all = w.hub.controllers(&FARM.into()).await.unwrap();
    all.iter().any(|c| c.mac.as_str() == MAC && c.online)
}

#[tokio::test]
async fn one_thing_that_is_lost_behind_a_gateway_takes_only_its_own_sensors_with_it() {
    let w = World::new().await;
    becomes_a_gateway(&w);
    let values = || async {
        let all = sensors(&w).await.into_iter();
        all.map(|(id, _, value, _)| (id, value)).collect::<Vec<_>>()
    };
    let said =
        |name: &str, value: Option<&str>| (format!("{name}/temperature"), value.map(str::to_owned));
    assert!(!is_online(&w).await);
    say(
        &w,
        MAC,
        "zigbee2mqtt/bridge/state",
        r#"{"state":"online"}"#,
        true,
    )
    .await;
    assert!(is_online(&w).await);
    for (name, value) in [("bed", "21"), ("bed-2", "22"), ("door", "23")] {
        let payload = format!(r#"{{"temperature":{value}}}"#);
        say(&w, MAC, &format!("zigbee2mqtt/{name}"), &payload, false).await;
    }
    for lost in [r#"{"state":"offline"}"#, "offline"] {
        say(&w, MAC, "zigbee2mqtt/bed/availability", lost, true).await;
        assert!(is_online(&w).await, "the others go on");
        let expected = [
            said("bed-2", Some("22")),
            said("bed", None),
            said("door", Some("23")),
        ];
        assert_eq!(values().await, expected);
        w.pass(10).await;
        say(&w, MAC, "zigbee2mqtt/bed", r#"{"temperature":20}"#, false).await;
        assert_eq!(values().await[1], said("bed", Some("20")), "it is back");
    }
    say(&w, MAC, "zigbee2mqtt/bed/availability", "offline", true).await;
    let again = w.after_crash(|_| {}).await.unwrap();
    assert_eq!(
        sensors(&again).await,
        sensors(&w).await,
        "a restart knows it too"
    );
    say(
        &w,
        MAC,
        "zigbee2mqtt/bridge/state",
        r#"{"state":"offline"}"#,
        true,
    )
    .await;
    assert!(!is_online(&w).await);
    say(&w, MAC, "zigbee2mqtt/bed/availability", "online", true).await;
    assert!(
        !is_online(&w).await,
        "a thing that is there is no gateway that is"
    );
}

#[tokio::test]
async fn a_gateway_is_there_while_its_connection_is() {
    let w = World::new().await;
    let who = World::batch(MAC, "state", &[]).from.unwrap();
    w.hub.uplink().connected(&who);
    say(&w, MAC, "shellies/a/online", "true", true).await;
    w.hub.uplink().disconnected(&who);
    assert_eq!(say(&w, MAC, "barn", "1", false).await, 0);
    assert!(
        !is_online(&w).await,
        "a controller says itself that it is there"
    );
    becomes_a_gateway(&w);
    w.hub.uplink().connected(&who);
    // What comes after it is in order behind it.
    assert_eq!(say(&w, MAC, "barn", "1", false).await, 0);
    assert!(is_online(&w).await);
    w.hub.uplink().disconnected(&who);
    assert_eq!(say(&w, MAC, "barn", "1", false).await, 0);
    assert!(!is_online(&w).await);
}

#[tokio::test]
async fn a_second_thing_on_a_controller_s_account_does_not_take_the_controller_with_it() {
    let w = World::new().await;
    say(&w, MAC, "tele/bed/LWT", "Online", true).await;
    say(
        &w,
        MAC,
        "tele/bed/SENSOR",
        r#"{"AM2301":{"Temperature":20}}"#,
        false,
    )
    .await;
    say(
        &w,
        MAC,
        "tele/door/SENSOR",
        r#"{"AM2301":{"Temperature":21}}"#,
        false,
    )
    .await;
    say(&w, MAC, "tele/door/LWT", "Offline", true).await;
    assert!(is_online(&w).await);
    let all = sensors(&w).await.into_iter();
    let values: Vec<_> = all.map(|(id, _, value, _)| (id, value)).collect();
    let expected = [
        ("bed/AM2301/Temperature".to_owned(), Some("20".to_owned())),
        ("door/AM2301/Temperature".to_owned(), None),
    ];
    assert_eq!(values, expected);
}
