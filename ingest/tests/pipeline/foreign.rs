//! Other people's devices: what they say on their own topics, read by profiles.

use bytes::Bytes;
use harit_engine::SensorType;
use harit_ingest::mqtt::Publish;
use harit_profiles::{Profile, ProfileDocument};

use crate::world::{FARM, MAC, OTHER_MAC, World};

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
        ("barn/probe/7", "no_profile"),
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
