//! What rules, devices, alerts and places tell of themselves.

use harit_engine::{
    Cause, InputKind, Lock, LockKind, PolyhouseSpec, RegistryChange, RulePhase, ScopeSpec, Status,
};
use serde_json::json;

use crate::{Farm, at};

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
        running: None,
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
