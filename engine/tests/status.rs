//! What the engine tells of itself: each thing by its id, names of places, counters, and who is behind a command.

#![allow(clippy::unwrap_used, reason = "a test that fails here says where")]

use std::sync::Arc;

use harit_engine::{
    Cause, Engine, Event, EventKind, FarmDocument, Input, InputKind, Lock, LockKind, Manual,
    ManualKind, Measured, Owner, PolyhouseSpec, Quantity, ReadingOutcome, RegistryChange,
    RulePhase, ScopeSpec, SensorType, Status, Timestamp,
};
use serde_json::{Value, json};

struct Farm(Engine);

impl Farm {
    fn new() -> Self {
        let farm = json!({"type": "farm"});
        let rule = |id: &str, device: &str, lost: &str| {
            json!({
                "id": id, "name": id, "deployed": true, "scope": farm, "on_signal_lost": lost, "priority": 7,
                "trigger": {"sensor_type": "temperature", "operator": "gt", "value": 35, "duration_sec": 60},
                "actions": [{"device_id": device, "command": {"action": "on"}}],
            })
        };
        let alert = |id: &str| {
            json!({
                "id": id, "name": id, "repeatsIn": 30, "repeatUnit": "minutes",
                "conditions": [{"sensor": "Temperature", "operator": ">", "value": 35}],
            })
        };
        let document = FarmDocument::from_json(&json!({
            "farm": {"id": "f1", "name": "Nashik"},
            "polyhouses": [{"id": "p1", "name": "One", "zones": [{"id": "z1", "name": "Bed 1"}, {"id": "z2", "name": "Bed 2"}]}],
            "sensors": [
                {"id": "t2", "type": "temperature", "scope": {"type": "zone", "zoneId": "z1"}},
                {"id": "t1", "type": "temperature", "scope": {"type": "zone", "zoneId": "z1"}},
                {"id": "h1", "type": "humidity", "scope": {"type": "zone", "zoneId": "z2"}},
            ],
            "devices": [
                {"id": "pump-1", "type": "pump", "scope": farm},
                {"id": "fan-1", "type": "fan", "scope": farm},
            ],
            "rules": [rule("water", "pump-1", "hold"), rule("cool", "fan-1", "stop")],
            "alerts": [alert("warm"), alert("hot")],
        }))
        .unwrap();
        Self(Engine::new(&document).unwrap())
    }

    fn apply(&mut self, secs: i64, kind: InputKind) -> Vec<Event> {
        let mut events = Vec::new();
        let at = Timestamp::from_millis(secs * 1_000);
        self.0.apply(&Input { at, kind }, &mut events).unwrap();
        events
    }

    fn read(&mut self, secs: i64, sensor: &str, value: &str) {
        let (sensor, value) = (sensor.into(), Measured::parse(value));
        self.apply(secs, InputKind::Reading { sensor, value });
    }

    /// Both rules are running since 60 s.
    fn running() -> Self {
        let mut farm = Self::new();
        for secs in [0, 30] {
            farm.read(secs, "t1", "36");
        }
        farm.apply(60, InputKind::Tick);
        farm
    }

    fn refused(&self, kind: InputKind) -> String {
        let at = Timestamp::from_millis(0);
        self.0.check(&Input { at, kind }).unwrap_err().to_string()
    }
}

fn at(secs: i64) -> Timestamp {
    Timestamp::from_millis(secs * 1_000)
}

#[test]
fn things_are_told_by_id_and_unknown_ones_not_at_all() {
    let farm = Farm::new().0;
    assert_eq!(farm.farm_id().as_str(), "f1");
    let sensors: Vec<String> = farm.sensors().map(|s| s.spec.id.to_string()).collect();
    assert_eq!(sensors, ["h1", "t1", "t2"]);
    let devices: Vec<String> = farm.devices().map(|d| d.spec.id.to_string()).collect();
    assert_eq!(devices, ["fan-1", "pump-1"]);
    let rules: Vec<String> = farm.rules().map(|r| r.spec.id.to_string()).collect();
    assert_eq!(rules, ["cool", "water"]);
    let alerts: Vec<String> = farm.alerts().map(|a| a.spec.id.to_string()).collect();
    assert_eq!(alerts, ["hot", "warm"]);
    assert_eq!(farm.alert("warm").unwrap().spec.id.as_str(), "warm");
    assert!(farm.sensor("t9").is_none() && farm.device("t1").is_none());
    assert!(farm.rule("hot").is_none() && farm.alert("cool").is_none());
}

#[test]
fn a_sensor_has_its_value_until_it_expires_and_remembers_when_it_was_read() {
    let mut farm = Farm::new();
    let told = |farm: &Farm| {
        let s = farm.0.sensor("t1").unwrap();
        (s.value, s.read_at, s.expires_at)
    };
    assert_eq!(told(&farm), (None, None, None));
    farm.read(10, "t1", "21.5");
    let value = Some(Quantity::from_micro(21_500_000));
    assert_eq!(told(&farm), (value, Some(at(10)), Some(at(910))));
    farm.apply(910, InputKind::Tick);
    assert_eq!(told(&farm), (None, Some(at(10)), None));
}

#[test]
fn a_running_rule_tells_what_it_waits_for() {
    let mut farm = Farm::running();
    let phase = |farm: &Farm, rule: &str| match farm.0.rule(rule).unwrap().phase {
        RulePhase::Running {
            since,
            ending,
            patience_ends_at,
        } => (since, ending.map(|h| h.hold_since), patience_ends_at),
        other => panic!("{other:?}"),
    };
    assert_eq!(phase(&farm, "cool"), (at(60), None, None));
    farm.read(70, "t1", "20");
    assert_eq!(phase(&farm, "cool"), (at(60), Some(at(70)), None));
    farm.read(75, "t1", "40");
    assert_eq!(
        phase(&farm, "cool"),
        (at(60), None, None),
        "the break ended the hold"
    );
    farm.apply(975, InputKind::Tick);
    assert_eq!(
        farm.0.rule("cool").unwrap().phase,
        RulePhase::Idle,
        "it stops when its signal is lost"
    );
    assert_eq!(phase(&farm, "water"), (at(60), None, Some(at(975 + 3_600))));
    let claim = &farm.0.device("pump-1").unwrap().claims[0];
    assert_eq!(
        (claim.rule.as_str(), claim.priority, claim.at),
        ("water", 7, at(60))
    );
}

#[test]
fn a_running_rule_takes_a_new_name_and_goes_on() {
    let mut farm = Farm::running();
    let mut spec = farm.0.rule("cool").unwrap().spec;
    spec.name = "Cool the house".into();
    spec.description = "Fans first.".into();
    let events = farm.apply(70, InputKind::RulePut(Box::new(spec)));
    assert_eq!(events, []);
    let rule = farm.0.rule("cool").unwrap();
    assert_eq!(&*rule.spec.name, "Cool the house");
    assert_eq!(&*rule.spec.description, "Fans first.");
    assert!(
        matches!(rule.phase, RulePhase::Running { since, .. } if since == at(60)),
        "{:?}",
        rule.phase
    );
}

#[test]
fn a_device_tells_why_it_does_what_it_does() {
    let mut farm = Farm::running();
    let pump = farm.0.device("pump-1").unwrap();
    assert_eq!(pump.desired_by, "water");
    assert_eq!(
        (pump.on_since, pump.max_on_at),
        (Some(at(60)), Some(at(3_660)))
    );
    assert_eq!(pump.last_sent, Some(pump.desired));
    let locked = Status {
        lock: Some(Lock::Engage {
            kind: LockKind::Person,
            reason: "leak".into(),
        }),
        ..Status::default()
    };
    farm.apply(
        65,
        InputKind::Status {
            device: "pump-1".into(),
            status: locked,
        },
    );
    let pump = farm.0.device("pump-1").unwrap();
    let reasons: Vec<&str> = pump.locks.iter().map(|l| &*l.reason).collect();
    assert_eq!((&*reasons, pump.on_since), (&["leak"][..], None));
    assert_eq!(pump.safe, pump.spec.safe);
    assert_eq!(pump.desired_by, "water", "the claim waits");
    let stored = serde_json::to_value(&pump).unwrap();
    assert_eq!(stored["spec"]["state"]["lock"], "leak");
    assert_eq!(stored["desired"], json!({"action": "on", "value": 100}));
}

#[test]
fn a_scope_is_labelled_with_the_names_of_its_place() {
    let mut farm = Farm::new();
    let label = |farm: &Farm, scope: &ScopeSpec| {
        farm.0
            .labelled(scope)
            .map(|s| (s.name.unwrap(), s.path.unwrap()))
    };
    let named = |name: &str, path: &str| Some((name.to_owned(), path.to_owned()));
    assert_eq!(label(&farm, &ScopeSpec::farm()), named("Nashik", "Nashik"));
    assert_eq!(
        label(&farm, &ScopeSpec::polyhouse("p1")),
        named("One", "One")
    );
    assert_eq!(
        label(&farm, &ScopeSpec::zone("z2")),
        named("Bed 2", "One / Bed 2")
    );
    assert_eq!(label(&farm, &ScopeSpec::polyhouse("p2")), None);
    assert_eq!(label(&farm, &ScopeSpec::zone("z3")), None);
    // A polyhouse that is saved again without a zone has it no more; its other zones stay.
    let shrunk = json!({"id": "p1", "name": "First", "zones": [{"id": "z1", "name": "Bed"}]});
    let shrunk = PolyhouseSpec::from_json(&shrunk).unwrap();
    let change = vec![
        RegistryChange::DeleteSensor("h1".into()),
        RegistryChange::PutPolyhouse(shrunk),
    ];
    let before = farm.0.registry_version();
    farm.apply(0, InputKind::Registry(change));
    assert_ne!(farm.0.registry_version(), before);
    assert_eq!(
        label(&farm, &ScopeSpec::zone("z1")),
        named("Bed", "First / Bed")
    );
    assert_eq!(label(&farm, &ScopeSpec::zone("z2")), None);
    let there = json!({"id": "h1", "type": "humidity", "scope": {"type": "zone", "zoneId": "z2"}});
    let there = harit_engine::SensorSpec::from_json(&there).unwrap();
    assert_eq!(
        farm.refused(InputKind::Registry(vec![RegistryChange::PutSensor(there)])),
        "changes[0].scope.zoneId: there is no zone z2"
    );
}

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
fn a_signal_is_the_mean_of_its_own_scope() {
    let mut farm = Farm::new();
    farm.read(0, "t1", "20");
    farm.read(0, "t2", "21");
    farm.read(0, "h1", "60");
    let shown = |farm: &Farm, scope: &ScopeSpec, kind| {
        farm.0.signal(scope, kind).map(|m| m.shown().to_string())
    };
    let told = |text: &str| Some(text.to_owned());
    for scope in [
        ScopeSpec::farm(),
        ScopeSpec::polyhouse("p1"),
        ScopeSpec::zone("z1"),
    ] {
        assert_eq!(
            shown(&farm, &scope, SensorType::Temperature),
            told("20.5"),
            "{scope:?}"
        );
    }
    assert_eq!(
        shown(&farm, &ScopeSpec::zone("z2"), SensorType::Temperature),
        None
    );
    assert_eq!(
        shown(&farm, &ScopeSpec::zone("z2"), SensorType::Humidity),
        told("60")
    );
    assert_eq!(
        shown(&farm, &ScopeSpec::polyhouse("p9"), SensorType::Humidity),
        None
    );
    farm.read(800, "t2", "25");
    farm.apply(900, InputKind::Tick);
    assert_eq!(
        shown(&farm, &ScopeSpec::farm(), SensorType::Temperature),
        told("25"),
        "t1 is too old"
    );
    assert_eq!(shown(&farm, &ScopeSpec::farm(), SensorType::Humidity), None);
}

#[test]
fn readings_are_counted_by_what_became_of_them() {
    let mut farm = Farm::new();
    farm.read(1_000, "t1", "20");
    for (secs, sensor, value) in [
        (999, "t1", "21"),
        (1_001, "t1", ""),
        (1_002, "t1", "NaN"),
        (1_003, "t1", "85.0000001"),
        (1_004, "t1", "85"),
        (1_005, "t7", "20"),
        (100, "t2", "20"),
    ] {
        farm.read(secs, sensor, value);
    }
    let c = farm.0.counters();
    assert_eq!((c.readings, c.applied, c.late, c.unknown), (8, 2, 2, 1));
    assert_eq!(
        (
            c.faults_null,
            c.faults_not_finite,
            c.faults_out_of_range,
            c.faults()
        ),
        (1, 1, 1, 3)
    );
}

#[test]
fn a_number_that_no_sensor_has_any_more_is_an_unknown_reading() {
    let mut farm = Farm::new();
    let number = farm.0.sensor_index("h1").unwrap();
    assert_eq!(farm.0.sensor_index("h7"), None);
    farm.apply(
        0,
        InputKind::Registry(vec![RegistryChange::DeleteSensor("h1".into())]),
    );
    let value = Measured::exact(Quantity::from_units(50));
    let outcome = farm.0.apply_reading(at(5), number, value, &mut Vec::new());
    assert_eq!(outcome, ReadingOutcome::Unknown);
    assert_eq!(farm.0.counters().unknown, 1);
    assert_eq!(farm.0.clock(), Some(at(5)), "time passed all the same");
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

#[test]
fn an_event_is_named_in_files_as_the_page_says() {
    let mut farm = Farm::running();
    let deleted = farm.apply(61, InputKind::RuleDelete("cool".into()));
    let words: Vec<&str> = deleted.iter().map(|e| e.kind.name()).collect();
    assert_eq!(words, ["rule_stopped", "command"]);
    let causes = [
        (Cause::Rule("r".into()), "r"),
        (Cause::Rest, "rest"),
        (Cause::Manual, "manual"),
        (Cause::Lock, "lock"),
        (Cause::Safety, "safety"),
        (Cause::MaxOn, "max_on"),
    ];
    for (cause, word) in causes {
        assert_eq!(cause.as_str(), word);
    }
}

#[test]
fn a_hold_counts_samples_as_far_as_a_setting_may_ask_for_them() {
    let mut farm = Farm::new();
    let document = json!({
        "id": "late", "name": "late", "deployed": true, "scope": {"type": "farm"},
        "trigger": {"sensor_type": "humidity", "operator": "lt", "value": 50, "duration_sec": 3600},
        "actions": [{"device_id": "fan-1", "command": {"action": "on"}}],
    });
    let spec = harit_engine::RuleSpec::from_json(&document).unwrap();
    farm.apply(0, InputKind::RulePut(Box::new(spec)));
    let samples = |farm: &Farm| match farm.0.rule("late").unwrap().phase {
        RulePhase::Pending { hold } => (hold.samples, hold.samples_needed),
        other => panic!("{other:?}"),
    };
    for n in 1..=300_u16 {
        farm.read(n.into(), "h1", "40");
        assert_eq!(samples(&farm), (u8::try_from(n.min(10)).unwrap(), 2));
    }
}

#[test]
fn the_document_as_it_is_stored_tells_when_an_alert_was_told_last() {
    let mut farm = Farm::new();
    let told = |farm: &Farm| {
        let alerts = farm.0.document().alerts;
        assert_eq!(farm.0.alert("hot").unwrap().spec, alerts[0]);
        alerts[0].last_triggered
    };
    assert_eq!(told(&farm), None);
    farm.read(5, "t1", "40");
    assert_eq!(told(&farm), Some(at(5)));
    farm.read(700, "t1", "40");
    farm.read(1_400, "t1", "40");
    farm.apply(1_900, InputKind::Tick);
    assert_eq!(told(&farm), Some(at(1_805)), "again after half an hour");
}

#[test]
fn the_document_of_a_device_has_its_present_status() {
    let mut farm = Farm::new();
    let status = Status {
        online: Some(false),
        safety: Some(true),
        lock: Some(Lock::Engage {
            kind: LockKind::Person,
            reason: "leak".into(),
        }),
        owner: None,
    };
    let device = "fan-1".into();
    farm.apply(0, InputKind::Status { device, status });
    let stored = &farm.0.document().devices[0];
    assert_eq!(
        (
            stored.online,
            stored.state.lock.as_deref(),
            stored.state.mode.as_deref()
        ),
        (false, Some("leak"), Some("safety"))
    );
}
