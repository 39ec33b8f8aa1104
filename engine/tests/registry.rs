//! What is registered changes while the farm runs: nothing is lost, and what the change touches is an edit.

#![allow(clippy::unwrap_used, reason = "a test that fails here says where")]

use harit_engine::{
    DeviceSpec, DeviceType, Engine, Event, FarmDocument, FarmSettings, Input, InputKind, Measured,
    PolyhouseSpec, RegistryChange, RulePhase, ScopeSpec, SensorSpec, SnapshotError, Timestamp,
};
use serde_json::json;

struct Farm {
    engine: Engine,
    events: Vec<Event>,
}

impl Farm {
    /// One polyhouse, one temperature sensor in it, a fan, and a rule that is running at 60 s.
    fn running() -> Self {
        let document = FarmDocument::from_json(&json!({
            "farm": {"id": "f1", "name": "Farm"},
            "polyhouses": [{"id": "p1", "name": "One", "zones": [{"id": "z1", "name": "Bed"}]}],
            "sensors": [
                {"id": "t1", "type": "temperature", "scope": {"type": "polyhouse", "polyhouseId": "p1"}},
                {"id": "h1", "type": "humidity", "scope": {"type": "farm"}},
            ],
            "devices": [{"id": "fan-1", "type": "fan", "scope": {"type": "farm"}}],
            "rules": [{
                "id": "r1", "name": "Cool", "deployed": true, "scope": {"type": "zone", "zoneId": "z1"},
                "trigger": {"sensor_type": "temperature", "operator": "gt", "value": 35, "duration_sec": 60},
                "actions": [{"device_id": "fan-1", "command": {"action": "on"}}],
            }],
        }))
        .unwrap();
        let mut farm = Self {
            engine: Engine::new(&document).unwrap(),
            events: vec![],
        };
        for secs in [0, 30] {
            farm.read(secs, "t1", "36");
        }
        assert_eq!(
            farm.tick(60),
            ["rule_fired r1", "command on cool"].map(|s| s.replace("cool", "r1"))
        );
        farm
    }

    fn apply(&mut self, secs: i64, kind: InputKind) -> Vec<String> {
        self.events.clear();
        let input = Input {
            at: Timestamp::from_millis(secs * 1_000),
            kind,
        };
        self.engine.apply(&input, &mut self.events).unwrap();
        let told = |e: &Event| {
            let v = serde_json::to_value(e).unwrap();
            let words = [
                "event", "action", "rule", "device", "reason", "sensor", "cause",
            ];
            let skip = |w: &&str| *w != "device" || v.get("action").is_none();
            let words: Vec<&str> = words
                .into_iter()
                .filter(skip)
                .filter_map(|w| v[w].as_str())
                .collect();
            words.join(" ")
        };
        self.events.iter().map(told).collect()
    }

    fn read(&mut self, secs: i64, sensor: &str, value: &str) -> Vec<String> {
        self.apply(
            secs,
            InputKind::Reading {
                sensor: sensor.into(),
                value: Measured::parse(value),
            },
        )
    }

    fn tick(&mut self, secs: i64) -> Vec<String> {
        self.apply(secs, InputKind::Tick)
    }

    fn change(&mut self, secs: i64, change: RegistryChange) -> Vec<String> {
        self.apply(secs, InputKind::Registry(vec![change]))
    }

    fn refused(&self, changes: Vec<RegistryChange>) -> Vec<String> {
        let input = Input {
            at: Timestamp::from_millis(0),
            kind: InputKind::Registry(changes),
        };
        let problems = self.engine.check(&input).unwrap_err();
        problems
            .0
            .into_iter()
            .map(|p| format!("{} {}", p.path, p.code))
            .collect()
    }
}

fn sensor(id: &str, kind: &str, scope: &ScopeSpec) -> RegistryChange {
    RegistryChange::PutSensor(
        SensorSpec::from_json(&json!({"id": id, "type": kind, "scope": scope})).unwrap(),
    )
}

#[test]
fn a_new_sensor_among_those_of_a_rule_is_an_edit_of_it() {
    let mut farm = Farm::running();
    let told = farm.change(70, sensor("t2", "temperature", &ScopeSpec::polyhouse("p1")));
    assert_eq!(told, ["rule_stopped r1 deactivated", "command off rest"]);
    assert!(
        matches!(
            farm.engine.rule("r1").unwrap().phase,
            RulePhase::Pending { .. }
        ),
        "evaluated anew at once"
    );
}

#[test]
fn a_nearer_sensor_takes_over() {
    let mut farm = Farm::running();
    let told = farm.change(70, sensor("t2", "temperature", &ScopeSpec::zone("z1")));
    assert_eq!(told, ["rule_stopped r1 deactivated", "command off rest"]);
    assert_eq!(
        farm.engine.rule("r1").unwrap().phase,
        RulePhase::Idle,
        "the zone's own sensor has said nothing yet"
    );
}

#[test]
fn what_does_not_concern_a_rule_leaves_it_alone() {
    let mut farm = Farm::running();
    let before = farm.engine.rule("r1").unwrap().phase;
    for change in [
        sensor("h2", "humidity", &ScopeSpec::zone("z1")),
        sensor("t9", "temperature", &ScopeSpec::farm()),
        sensor("t1", "temperature", &ScopeSpec::polyhouse("p1")),
        // The same sensor, now nearer: the rule resolves to it as before.
        sensor("t1", "temperature", &ScopeSpec::zone("z1")),
        RegistryChange::PutDevice(Box::new(DeviceSpec::new(
            "fan-2",
            DeviceType::Fan,
            ScopeSpec::farm(),
        ))),
        RegistryChange::Settings(FarmSettings {
            min_samples: 3,
            ..FarmSettings::default()
        }),
    ] {
        assert_eq!(farm.change(70, change.clone()), [""; 0], "{change:?}");
    }
    assert_eq!(farm.engine.rule("r1").unwrap().phase, before);
    assert_eq!(farm.read(71, "t1", "20"), [""; 0]);
    farm.read(100, "t1", "20");
    farm.read(120, "t1", "20");
    assert_eq!(
        farm.tick(131),
        ["rule_stopped r1 trigger_cleared", "command off rest"]
    );
}

#[test]
fn a_device_keeps_its_state_over_an_edit() {
    let mut farm = Farm::running();
    let mut fan = farm.engine.device("fan-1").unwrap().spec;
    fan.name = "South fan".into();
    fan.online = false;
    assert_eq!(
        farm.change(70, RegistryChange::PutDevice(Box::new(fan))),
        [""; 0]
    );
    let status = farm.engine.device("fan-1").unwrap();
    assert_eq!(
        (
            status.spec.name.as_str(),
            status.online,
            status.claims.len()
        ),
        ("South fan", true, 1)
    );
}

#[test]
fn a_shorter_limit_locks_at_once() {
    let mut farm = Farm::running();
    let mut fan = farm.engine.device("fan-1").unwrap().spec;
    fan.max_on = Some(harit_engine::Duration::from_secs(5));
    farm.change(70, RegistryChange::PutDevice(Box::new(fan)));
    assert_eq!(
        farm.engine.next_deadline(),
        Some(Timestamp::from_millis(65_000)),
        "overdue"
    );
    assert_eq!(
        farm.tick(71),
        ["device_locked fan-1 max_on", "command off max_on"]
    );
    assert!(
        farm.events
            .iter()
            .all(|e| e.at == Timestamp::from_millis(70_000)),
        "time does not run backwards"
    );
}

#[test]
fn a_sensor_that_takes_the_place_of_another_is_another() {
    let mut farm = Farm::running();
    let swap = vec![
        RegistryChange::DeleteSensor("t1".into()),
        RegistryChange::PutSensor(
            SensorSpec::from_json(
                &json!({"id": "t7", "type": "temperature", "scope": ScopeSpec::polyhouse("p1")}),
            )
            .unwrap(),
        ),
    ];
    assert_eq!(
        farm.apply(70, InputKind::Registry(swap)),
        ["rule_stopped r1 deactivated", "command off rest"]
    );
    let new = farm
        .engine
        .sensors()
        .find(|s| s.spec.id.as_str() == "t7")
        .unwrap();
    assert_eq!(
        (new.value, new.read_at),
        (None, None),
        "it has nothing of the one before"
    );
}

#[test]
fn a_sensor_that_goes_and_comes_back_in_one_change_has_no_value() {
    let mut farm = Farm::running();
    let back = vec![
        RegistryChange::DeleteSensor("t1".into()),
        RegistryChange::PutSensor(
            SensorSpec::from_json(
                &json!({"id": "t1", "type": "temperature", "scope": ScopeSpec::polyhouse("p1")}),
            )
            .unwrap(),
        ),
    ];
    assert_eq!(
        farm.apply(70, InputKind::Registry(back)),
        ["rule_stopped r1 signal_lost", "command off rest"]
    );
}

#[test]
fn samples_count_whatever_the_setting_was_when_they_came() {
    let settings = |n| {
        RegistryChange::Settings(FarmSettings {
            min_samples: n,
            ..FarmSettings::default()
        })
    };
    let mut farm = Farm::running();
    // One reading below: the end's hold has one sample of two.
    farm.read(70, "t1", "20");
    assert_eq!(farm.tick(140), [""; 0], "a sample is missing");
    assert_eq!(
        farm.change(141, settings(1)),
        ["rule_stopped r1 trigger_cleared", "command off rest"]
    );

    let mut farm = Farm::running();
    for secs in [70, 80, 90] {
        farm.read(secs, "t1", "20");
    }
    farm.change(91, settings(3));
    assert_eq!(
        farm.tick(131),
        ["rule_stopped r1 trigger_cleared", "command off rest"],
        "three were there"
    );
}

#[test]
fn the_same_document_again_does_not_touch_a_device() {
    let mut farm = Farm::running();
    farm.apply(65, InputKind::RuleDelete("r1".into()));
    let pulse = harit_engine::Manual {
        device: "fan-1".into(),
        kind: harit_engine::ManualKind::Release,
        action: None,
        value: None,
        duration_sec: None,
        admin: false,
        owner: None,
    };
    assert_eq!(
        farm.apply(66, InputKind::Manual(Box::new(pulse))).len(),
        2,
        "released, then off"
    );
    let spec = farm.engine.device("fan-1").unwrap().spec;
    assert_eq!(
        farm.change(70, RegistryChange::PutDevice(Box::new(spec.clone()))),
        [""; 0]
    );
    let on = DeviceSpec {
        rest: harit_engine::Setting::On {
            value: Some(harit_engine::Quantity::from_units(100)),
        },
        ..spec
    };
    assert_eq!(
        farm.change(71, RegistryChange::PutDevice(Box::new(on))),
        ["command on rest"]
    );
}

#[test]
fn what_others_need_cannot_go_and_nothing_of_a_bad_change_stays() {
    let farm = Farm::running();
    assert_eq!(
        farm.refused(vec![RegistryChange::DeleteSensor("t1".into())]),
        ["rules.r1.trigger.sensor_type no_sensor"]
    );
    assert_eq!(
        farm.refused(vec![RegistryChange::DeleteDevice("fan-1".into())]),
        ["rules.r1.actions[0].device_id unknown"]
    );
    assert_eq!(
        farm.refused(vec![RegistryChange::DeletePolyhouse("p1".into())]),
        [
            "sensors.t1.scope.polyhouseId unknown",
            "rules.r1.scope.zoneId unknown"
        ]
    );
    let vent = DeviceSpec::new("fan-1", DeviceType::Vent, ScopeSpec::farm());
    assert_eq!(
        farm.refused(vec![RegistryChange::PutDevice(Box::new(vent))]),
        ["changes[0].type type_changed"]
    );
    let twice = PolyhouseSpec::from_json(
        &json!({"id": "p2", "zones": [{"id": "z1"}, {"id": "z2"}, {"id": "z2"}]}),
    )
    .unwrap();
    assert_eq!(
        farm.refused(vec![RegistryChange::PutPolyhouse(twice)]),
        [
            "changes[0].zones[0].id duplicate",
            "changes[0].zones[2].id duplicate"
        ]
    );
    // Moving the sensor out together with the house that it lay in is one change.
    let document = farm.engine.document();
    assert_eq!(
        document.sensors.len(),
        2,
        "nothing was deleted by what was refused"
    );
}

#[test]
fn a_snapshot_is_the_whole_state_and_says_what_is_wrong_with_it() {
    let mut farm = Farm::running();
    let bytes = farm.engine.snapshot();
    let mut restored = Engine::restore(&bytes).unwrap();
    assert_eq!(restored.snapshot(), bytes);
    assert_eq!(restored.next_deadline(), farm.engine.next_deadline());

    let error = |bytes: &[u8]| Engine::restore(bytes).err().unwrap();
    assert!(matches!(error(b"hello\n"), SnapshotError::NotASnapshot));
    assert!(matches!(error(b""), SnapshotError::NotASnapshot));
    assert!(matches!(
        error(b"harit-snapshot 2 00000000 0\n"),
        SnapshotError::Version(2)
    ));
    assert!(matches!(
        error(&bytes[..bytes.len() - 1]),
        SnapshotError::Damaged(_)
    ));
    for at in (bytes.len() - 200..bytes.len()).step_by(7) {
        let mut flipped = bytes.clone();
        flipped[at] ^= 1;
        assert!(
            matches!(error(&flipped), SnapshotError::Damaged(_)),
            "byte {at}"
        );
    }
}
