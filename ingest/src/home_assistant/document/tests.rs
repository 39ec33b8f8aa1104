use std::collections::BTreeSet;

use harit_engine::FarmDocument;

use super::*;

fn engine() -> Engine {
    let place = json!({"type": "zone", "polyhouseId": "p1", "zoneId": "z1"});
    let document = json!({
        "farm": {"id": "green", "name": "Green"},
        "polyhouses": [{"id": "p1", "name": "House 1", "zones": [{"id": "z1", "name": "Bench"}]}],
        "sensors": [
            {"id": "AA/t1", "name": "Air", "type": "temperature", "scope": place, "stale_after_sec": 60},
            {"id": "lux", "type": "light_intensity", "scope": {"type": "farm"}, "stale_after_sec": 60},
        ],
        "devices": [
            {"id": "fan-1", "name": "Fan", "type": "fan", "scope": place, "online": true},
            {"id": "acid", "name": "Acid", "type": "dosing_pump", "scope": place, "online": true},
        ],
        "rules": [],
        "alerts": [],
    });
    Engine::new(&FarmDocument::from_json(&document).unwrap()).unwrap()
}

fn of(document: &Document, topic: &str) -> Value {
    let payload = document.messages.get(topic);
    let payload = payload.unwrap_or_else(|| panic!("{topic} is not among {:?}", document.messages));
    serde_json::from_slice(payload).unwrap()
}

fn on() -> Reports {
    Reports::from([("fan-1".into(), true)])
}

fn names() -> Names {
    Names::new(&"green".into())
}

#[test]
fn things_are_told_with_their_units_classes_and_places() {
    let document = Document::new(&names(), &engine(), &on(), None);
    let air = of(
        &document,
        "homeassistant/sensor/harit-green/sensor-AA_2ft1/config",
    );
    assert_eq!(
        air,
        json!({
            "name": "Air",
            "unique_id": "harit__green__sensor__AA_2ft1",
            "object_id": "harit__green__sensor__AA_2ft1",
            "default_entity_id": "sensor.harit__green__sensor__AA_2ft1",
            "state_topic": "harit-ha/green/sensor/AA_2ft1/state",
            "availability": [
                {"topic": "harit-ha/green/status"},
                {"topic": "harit-ha/green/sensor/AA_2ft1/known"},
            ],
            "availability_mode": "all",
            "device_class": "temperature",
            "unit_of_measurement": "°C",
            "state_class": "measurement",
            "device": {
                "identifiers": ["harit__green__zone__z1"],
                "name": "House 1 / Bench",
                "manufacturer": "Harit",
            },
            "origin": {"name": "Harit", "sw_version": env!("CARGO_PKG_VERSION")},
        })
    );
    let lux = of(
        &document,
        "homeassistant/sensor/harit-green/sensor-lux/config",
    );
    assert_eq!(lux["unit_of_measurement"], "lx");
    assert_eq!(lux["name"], "Light Intensity lux");
    assert_eq!(lux["device"]["name"], "Green");
    let fan =
        |last: &str| document.messages[&format!("harit-ha/green/device/fan-1/{last}")].clone();
    assert_eq!((fan("known"), fan("state")), ("online".into(), "ON".into()));
    // Nothing was measured yet.
    let known = &document.messages["harit-ha/green/sensor/lux/known"];
    assert_eq!(known.as_ref(), b"offline");
    assert!(
        !document
            .messages
            .contains_key("harit-ha/green/sensor/lux/state")
    );
}

#[test]
fn without_commands_nothing_can_be_commanded() {
    let can = |may_be_on: Option<&[&str]>| -> BTreeSet<String> {
        let may_be_on = may_be_on.map(|all| all.iter().map(|id| (*id).into()).collect());
        let document = Document::new(&names(), &engine(), &on(), may_be_on.as_ref());
        let configs = document.messages.iter();
        configs
            .filter(|(topic, payload)| {
                topic.ends_with("/config")
                    && payload.windows(13).any(|part| part == b"command_topic")
            })
            .map(|(topic, _)| topic.split('/').nth(3).unwrap().to_owned())
            .collect()
    };
    let words = |words: &[&str]| words.iter().map(|w| (*w).to_owned()).collect();
    assert_eq!(can(None), words(&[]));
    assert_eq!(can(Some(&[])), words(&["off-fan-1", "off-acid"]));
    // A doser is switched off there, whatever the configuration says.
    let both = ["fan-1", "acid"].as_slice();
    assert_eq!(can(Some(both)), words(&["switch-fan-1", "off-acid"]));
}

#[test]
fn different_ids_have_different_words() {
    let ids = ["a/b", "a_b", "a_2fb", "a-b", "a b", "ä", "AB", "ab"];
    let words: BTreeSet<String> = ids.iter().map(|id| object(id)).collect();
    assert_eq!(words.len(), ids.len(), "{words:?}");
    let fits = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
    assert!(words.iter().all(|word| word.chars().all(fits)), "{words:?}");
}

#[test]
fn topics_are_known_again() {
    let document = Document::new(
        &names(),
        &engine(),
        &on(),
        Some(&BTreeSet::from(["fan-1".into()])),
    );
    for topic in document.messages.keys() {
        assert!(is_own(topic), "{topic}");
    }
    for other in [
        "homeassistant/status",
        "homeassistant/sensor/x/config",
        "zigbee2mqtt/harit-ha",
    ] {
        assert!(!is_own(other), "{other}");
    }
    let set = |topic| names().commanded(topic).map(str::to_owned);
    assert_eq!(
        set("harit-ha/green/device/fan-1/set").as_deref(),
        Some("fan-1")
    );
    for other in [
        "harit-ha/green/device/fan-1/state",
        "harit-ha/greens/device/fan-1/set",
        "harit-ha/green/device/a/b/set",
    ] {
        assert_eq!(set(other), None, "{other}");
    }
}
