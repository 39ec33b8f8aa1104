//! What becomes of inputs: who is behind them, what is refused, and what changes nothing.

use std::sync::Arc;

use harit_engine::{
    Cause, Engine, Event, EventKind, FarmDocument, Input, InputKind, Lock, LockKind, Manual,
    ManualKind, Owner, PolyhouseSpec, Quantity, RegistryChange, ScopeSpec, Status,
};
use serde_json::{Value, json};

use crate::{Farm, at};

#[test]
fn a_zone_may_move_only_with_its_polyhouse() {
    let mut farm = Farm::new();
    let house = |id: &str, zone: &str| {
        let spec = json!({"id": id, "name": id, "zones": [{"id": zone, "name": zone}]});
        RegistryChange::PutPolyhouse(PolyhouseSpec::from_json(&spec).unwrap())
    };
    farm.apply(0, InputKind::Registry(vec![house("p2", "z9")]));
    let scope = |polyhouse: &str| ScopeSpec {
        polyhouse_id: Some(polyhouse.into()),
        ..ScopeSpec::zone("z9")
    };
    assert!(farm.0.labelled(&scope("p2")).is_some());
    assert!(
        farm.0.labelled(&scope("p1")).is_none(),
        "it does not lie there"
    );
    assert!(farm.0.labelled(&scope("p7")).is_none());
    let taken = InputKind::Registry(vec![house("p3", "z9")]);
    assert_eq!(
        farm.refused(taken),
        "changes[0].zones[0].id: zone z9 exists already"
    );
    let moved = vec![
        RegistryChange::DeletePolyhouse("p2".into()),
        house("p3", "z9"),
    ];
    farm.apply(0, InputKind::Registry(moved));
    assert!(farm.0.labelled(&scope("p3")).is_some());
    assert!(farm.0.labelled(&scope("p2")).is_none(), "it is gone");
}

#[test]
fn what_is_malformed_is_refused_with_the_reason_and_changes_nothing() {
    let mut farm = Farm::running();
    let before = farm.0.snapshot();
    let lock = Status {
        lock: Some(Lock::Engage {
            kind: LockKind::Person,
            reason: "".into(),
        }),
        ..Status::default()
    };
    let status = |device: &str, status: &Status| InputKind::Status {
        device: device.into(),
        status: status.clone(),
    };
    assert_eq!(
        farm.refused(status("fan-1", &lock)),
        "lock: a lock needs a reason"
    );
    assert_eq!(
        farm.refused(status("fan-9", &Status::default())),
        "device: there is no device fan-9"
    );
    let manual = InputKind::Manual(Box::new(manual("fan-9", ManualKind::Release, None)));
    assert_eq!(
        farm.refused(manual.clone()),
        "device: there is no device fan-9"
    );
    let mut events = Vec::new();
    for kind in [manual, status("fan-1", &lock)] {
        assert!(
            farm.0
                .apply(
                    &Input {
                        at: at(5_000),
                        kind
                    },
                    &mut events
                )
                .is_err()
        );
    }
    assert_eq!((events, farm.0.snapshot()), (vec![], before));
}

#[test]
fn what_is_not_there_can_be_deleted_and_nothing_happens() {
    let mut farm = Farm::running();
    for kind in [
        InputKind::RuleDelete("none".into()),
        InputKind::AlertDelete("none".into()),
        InputKind::Registry(vec![
            RegistryChange::DeletePolyhouse("none".into()),
            RegistryChange::DeleteSensor("none".into()),
            RegistryChange::DeleteDevice("none".into()),
        ]),
    ] {
        assert_eq!(farm.apply(61, kind.clone()), [], "{kind:?}");
    }
}

fn manual(device: &str, kind: ManualKind, owner: Option<Arc<Owner>>) -> Manual {
    Manual {
        device: device.into(),
        kind,
        action: Some("on".into()),
        value: Some(Quantity::from_units(5)),
        duration_sec: Some(60),
        admin: false,
        owner,
    }
}

#[test]
fn a_persons_command_bears_the_person_and_the_deadline() {
    let owner = Arc::new(Owner {
        user_id: "u1".into(),
        name: "Asha".into(),
        reason: Some("trial".into()),
    });
    let mut farm = Farm::new();
    let command = |farm: &mut Farm, secs, m: Manual| {
        let told = farm.apply(secs, InputKind::Manual(Box::new(m)));
        let [
            Event {
                kind: EventKind::Command(c),
                ..
            },
        ] = &told[..]
        else {
            panic!("{told:?}")
        };
        c.clone()
    };
    let on = command(
        &mut farm,
        5,
        manual("fan-1", ManualKind::Override, Some(Arc::clone(&owner))),
    );
    assert_eq!(
        (on.id().to_string(), on.device().as_str()),
        ("f1-1".into(), "fan-1")
    );
    assert_eq!((on.order().action(), on.cause()), ("on", &Cause::Manual));
    assert_eq!((on.owner(), on.until()), (Some(&owner), Some(at(65))));
    let manual_mode = farm.0.device("fan-1").unwrap().manual.unwrap();
    assert_eq!(
        (manual_mode.until, manual_mode.owner),
        (at(65), Some(Arc::clone(&owner)))
    );
    let pulse = command(
        &mut farm,
        6,
        manual("pump-1", ManualKind::Pulse, Some(Arc::clone(&owner))),
    );
    assert_eq!(
        (pulse.order().action(), pulse.order().value()),
        ("pulse", Some(Quantity::from_units(5)))
    );
    assert_eq!((pulse.owner(), pulse.until()), (Some(&owner), Some(at(11))));
    let pulse_until = |farm: &Farm, id: &str| farm.0.device(id).unwrap().pulse_until;
    assert_eq!(pulse_until(&farm, "pump-1"), Some(at(11)));
    assert_eq!(pulse_until(&farm, "fan-1"), None);
    let rules: Vec<Event> = farm.apply(65, InputKind::Tick);
    for event in &rules {
        if let EventKind::Command(c) = &event.kind {
            assert_eq!(
                (c.owner(), c.until()),
                (None, None),
                "nobody's but {:?}",
                c.cause()
            );
        }
    }
    assert!(!rules.is_empty());
}

#[test]
fn a_rules_pulse_is_known_by_its_rule_also_from_a_snapshot() {
    let farm = json!({"type": "farm"});
    let document = json!({
        "farm": {"id": "f1", "name": "Nashik"},
        "sensors": [{"id": "ec", "type": "ec", "scope": farm}],
        "devices": [{"id": "dose-1", "type": "dosing_pump", "scope": farm}],
        "rules": [{
            "id": "feed", "name": "Feed", "deployed": true, "scope": farm, "on_signal_lost": "stop", "priority": 7,
            "trigger": {"sensor_type": "ec", "operator": "lt", "value": 1, "duration_sec": 5},
            "actions": [{"device_id": "dose-1", "command": {"action": "pulse", "value": 20}}],
        }],
    });
    let document = FarmDocument::from_json(&document).unwrap();
    let mut farm = Farm(Engine::new(&document).unwrap());
    let pulsed = |engine: &Engine| {
        let device = engine.device("dose-1").unwrap();
        (
            device.pulse_until,
            device.pulsed_by.map(|id| id.to_string()),
        )
    };
    assert_eq!(pulsed(&farm.0), (None, None));
    farm.read(0, "ec", "0.5");
    farm.read(4, "ec", "0.5");
    farm.apply(5, InputKind::Tick);
    let of_the_rule = (Some(at(25)), Some("feed".to_owned()));
    assert_eq!(pulsed(&farm.0), of_the_rule);
    let restored = Engine::restore(&farm.0.snapshot()).unwrap();
    assert_eq!(pulsed(&restored), of_the_rule);
    // a person's is nobody else's
    farm.apply(
        30,
        InputKind::Manual(Box::new(manual("dose-1", ManualKind::Pulse, None))),
    );
    assert_eq!(pulsed(&farm.0), (Some(at(35)), None));
}

#[test]
fn the_last_notifications_of_so_many_deleted_alerts_are_remembered() {
    const REMEMBERED: i64 = 4_096;
    let spec = |id: &str| {
        let document: Value = json!({
            "id": id, "name": id, "repeatsIn": 1, "repeatUnit": "days",
            "conditions": [{"sensor": "Humidity", "operator": ">", "value": 35}],
        });
        InputKind::AlertPut(Box::new(
            harit_engine::AlertSpec::from_json(&document).unwrap(),
        ))
    };
    let mut farm = Farm::new();
    farm.read(0, "h1", "50");
    // One more than fits, each told and deleted, ten in a second.
    for n in 0..=REMEMBERED {
        let id = format!("a{n}");
        assert_eq!(farm.apply(n / 10, spec(&id)).len(), 2, "raised and told");
        farm.apply(n / 10, InputKind::AlertDelete(id.as_str().into()));
    }
    let told = |farm: &mut Farm, n: i64| farm.apply(500, spec(&format!("a{n}"))).len();
    assert_eq!(told(&mut farm, 1), 1, "so many fit");
    assert_eq!(
        told(&mut farm, REMEMBERED),
        1,
        "raised, but told less than a day ago"
    );
    assert_eq!(told(&mut farm, 0), 2, "forgotten: it was the first");
}
