//! A snapshot that cannot be used says why, and one that can has everything that was ever learnt.

#![allow(clippy::unwrap_used, reason = "a test that fails here says where")]

use std::error::Error;

use harit_engine::{
    Engine, FarmDocument, Input, InputKind, Lock, LockKind, Manual, ManualKind, Measured, Owner,
    Quantity, SnapshotError, Status, Timestamp,
};
use serde_json::{Value, json};

/// What a snapshot with this header line and body says.
fn refused(header: &str, body: &str) -> String {
    let bytes = format!("{header}\n{body}");
    let error = Engine::restore(bytes.as_bytes()).err().unwrap();
    match error.source() {
        Some(source) => format!("{error}: {source}"),
        None => error.to_string(),
    }
}

/// The body with a header that fits it.
fn sealed(body: &str) -> String {
    let crc = crc32fast::hash(body.as_bytes());
    format!("harit-snapshot 1 {crc:08x} {}", body.len())
}

#[test]
fn each_word_of_the_header_is_looked_at() {
    let damaged = |why| format!("the snapshot is damaged: {why}");
    let no_snapshot = "not a snapshot: it does not begin with a `harit-snapshot` line";
    assert_eq!(refused("harit", ""), no_snapshot);
    assert_eq!(refused(&"x".repeat(200), ""), no_snapshot);
    let not_text = Engine::restore(b"harit-snapshot \xff 0 0\n").err().unwrap();
    assert!(matches!(not_text, SnapshotError::NotASnapshot));
    for header in ["harit-snapshot", "harit-snapshot one 0 0"] {
        assert_eq!(refused(header, ""), damaged("the header has no version"));
    }
    assert_eq!(
        refused("harit-snapshot 2 0 0", ""),
        "snapshot version 2 is not 1"
    );
    for header in ["harit-snapshot 1", "harit-snapshot 1 xyz 0"] {
        assert_eq!(refused(header, ""), damaged("the header has no checksum"));
    }
    for header in ["harit-snapshot 1 0", "harit-snapshot 1 0 -1"] {
        assert_eq!(refused(header, ""), damaged("the header has no length"));
    }
    assert_eq!(
        refused("harit-snapshot 1 00000000 3", "four"),
        damaged("its length is not that of its header")
    );
    assert_eq!(
        refused("harit-snapshot 1 00000000 4", "four"),
        damaged("its checksum does not match")
    );
}

#[test]
fn a_body_that_is_none_or_does_not_fit_together_is_refused() {
    let why = refused(&sealed("{}"), "{}");
    assert!(
        why.starts_with("the snapshot's body cannot be read: missing field"),
        "{why}"
    );
    let (_, mut body) = state_of(&engine());
    body["document"]["rules"][0]["actions"][0]["device_id"] = json!("gone");
    let body = body.to_string();
    assert_eq!(
        refused(&sealed(&body), &body),
        "the snapshot's documents do not fit together: rules[0].actions[0].device_id: there is no device gone"
    );
}

/// What a snapshot names that its documents do not is left out: a person may have taken it out by hand.
#[test]
fn what_belongs_to_nothing_is_left_out() {
    let mut running = engine();
    live(&mut running);
    let (_, mut body) = state_of(&running);
    for part in ["sensors", "rules", "devices", "alerts"] {
        let things = body[part].as_object_mut().unwrap();
        let (_, first) = things.iter().next().unwrap();
        let stranger = first.clone();
        things.insert("stranger".into(), stranger);
    }
    let claims = &mut body["devices"]["fan-1"]["claims"];
    let mut claim = claims[0].clone();
    claim["rule"] = json!("stranger");
    claims.as_array_mut().unwrap().push(claim);
    let body = body.to_string();
    let restored = Engine::restore(format!("{}\n{body}", sealed(&body)).as_bytes()).unwrap();
    assert_eq!(restored.snapshot(), running.snapshot());
}

#[test]
fn everything_that_was_learnt_is_in_it() {
    let mut running = engine();
    let fresh = running.snapshot();
    assert_eq!(
        Engine::restore(&fresh).unwrap().snapshot(),
        fresh,
        "also of an engine without a clock"
    );
    live(&mut running);
    let bytes = running.snapshot();
    let restored = Engine::restore(&bytes).unwrap();
    assert_eq!(restored.snapshot(), bytes);
    assert_eq!(
        restored.devices().collect::<Vec<_>>(),
        running.devices().collect::<Vec<_>>()
    );
    assert_eq!(
        restored.rules().collect::<Vec<_>>(),
        running.rules().collect::<Vec<_>>()
    );
    assert_eq!(
        restored.sensors().collect::<Vec<_>>(),
        running.sensors().collect::<Vec<_>>()
    );
    assert_eq!(
        restored.alerts().collect::<Vec<_>>(),
        running.alerts().collect::<Vec<_>>()
    );
    assert_eq!(restored.counters(), running.counters());
    assert_eq!(restored.clock(), running.clock());
    assert_eq!(restored.registry_version(), running.registry_version());
    let (_, body) = state_of(&running);
    // The story left a trace in every part of it.
    for (pointer, value) in [
        ("/clock", json!(90_000)),
        ("/commands", json!(5)),
        ("/counters/faults_null", json!(1)),
        ("/counters/unknown", json!(1)),
        ("/sensors/t1/faults", json!(1)),
        ("/sensors/t1/value", json!(36_500_000)),
        ("/devices/fan-1/claims/0/setting/action", json!("on")),
        ("/devices/fan-1/last_sent/value", json!(100)),
        ("/devices/fan-1/on_since", json!(60_000)),
        ("/devices/fan-2/manual/setting/value", json!(30)),
        ("/devices/fan-2/manual/owner/name", json!("Asha")),
        ("/devices/dose-1/pulses/0/secs", json!(7)),
        ("/devices/dose-1/lock", json!("empty tank")),
        ("/devices/vent-1/safety", json!(true)),
        ("/devices/vent-1/online", json!(false)),
        ("/rules/cool/delayed/0/due", json!(180_000)),
        ("/alerts/hot/active", json!(true)),
        ("/alerts/hot/last_notified", json!(60_000)),
        ("/remembered/gone", json!(60_000)),
    ] {
        assert_eq!(body.pointer(pointer), Some(&value), "{pointer}");
    }
}

/// The header and the body of an engine's snapshot.
fn state_of(engine: &Engine) -> (String, Value) {
    let text = String::from_utf8(engine.snapshot()).unwrap();
    let (header, body) = text.split_once('\n').unwrap();
    (header.to_owned(), serde_json::from_str(body).unwrap())
}

fn engine() -> Engine {
    let device = |id: &str, kind: &str| json!({"id": id, "type": kind, "scope": {"type": "farm"}});
    let alert = |id: &str| {
        json!({
            "id": id, "name": "Hot", "repeatsIn": 30, "repeatUnit": "minutes", "hold_sec": 60,
            "conditions": [{"sensor": "Temperature", "operator": ">", "value": 35}],
        })
    };
    let document = FarmDocument::from_json(&json!({
        "farm": {"id": "f1", "name": "Farm"},
        "sensors": [{"id": "t1", "type": "temperature", "scope": {"type": "farm"}}],
        "devices": [device("dose-1", "dosing_pump"), device("fan-1", "fan"), device("fan-2", "fan"), device("vent-1", "vent")],
        "rules": [{
            "id": "cool", "name": "Cool", "deployed": true, "scope": {"type": "farm"},
            "trigger": {"sensor_type": "temperature", "operator": "gt", "value": 35, "duration_sec": 60},
            "actions": [
                {"device_id": "fan-1", "command": {"action": "on"}},
                {"device_id": "fan-1", "command": {"action": "set_speed", "value": 40}, "delay_sec": 120},
            ],
        }],
        "alerts": [alert("gone"), alert("hot")],
    }))
    .unwrap();
    Engine::new(&document).unwrap()
}

/// A minute and a half in which something happens to everything.
fn live(engine: &mut Engine) {
    let manual = |device: &str, kind, action: Option<&str>, value| {
        InputKind::Manual(Box::new(Manual {
            device: device.into(),
            kind,
            action: action.map(Into::into),
            value: Some(Quantity::from_units(value)),
            duration_sec: Some(600),
            admin: false,
            owner: Some(
                Owner {
                    user_id: "u1".into(),
                    name: "Asha".into(),
                    reason: None,
                }
                .into(),
            ),
        }))
    };
    let status = |device: &str, status| InputKind::Status {
        device: device.into(),
        status,
    };
    let reading = |sensor: &str, value: &str| InputKind::Reading {
        sensor: sensor.into(),
        value: Measured::parse(value),
    };
    for (secs, kind) in [
        (0, reading("t1", "36")),
        (30, reading("t1", "36.5")),
        (60, InputKind::Tick),
        (70, reading("t1", "")),
        (71, reading("t9", "1")),
        (
            72,
            manual("fan-2", ManualKind::Override, Some("set_speed"), 30),
        ),
        (73, manual("dose-1", ManualKind::Pulse, None, 7)),
        (
            80,
            status(
                "dose-1",
                Status {
                    lock: Some(Lock::Engage {
                        kind: LockKind::Person,
                        reason: "empty tank".into(),
                    }),
                    ..Status::default()
                },
            ),
        ),
        (
            81,
            status(
                "vent-1",
                Status {
                    safety: Some(true),
                    ..Status::default()
                },
            ),
        ),
        (
            82,
            status(
                "vent-1",
                Status {
                    online: Some(false),
                    ..Status::default()
                },
            ),
        ),
        (90, InputKind::AlertDelete("gone".into())),
    ] {
        let at = Timestamp::from_millis(secs * 1_000);
        engine.apply(&Input { at, kind }, &mut Vec::new()).unwrap();
    }
}
