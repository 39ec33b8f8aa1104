//! Hazards of rules: for each kind rules that have it and rules that have not, and what shows it folded.
#![allow(clippy::unwrap_used, reason = "a test fails where it unwraps nothing")]

use harit_engine::hazards::{Grade, Hazard, HazardKind, Limit};
use harit_engine::{
    AlmanacDay, Engine, EventKind, FarmDocument, Input, InputKind, LocalDate, RuleSpec, Timestamp,
};
use serde_json::{Value, json};

const DAY: i64 = 86_400_000;
const NOON: i64 = 20_000 * DAY + DAY / 2;

/// A farm with two sensors of temperature and moisture, and these devices and rules.
fn farm(devices: &Value, rules: &[Value]) -> Engine {
    let scope = json!({"type": "farm"});
    let sensor = |id: &str, kind: &str| json!({"id": id, "type": kind, "scope": scope});
    let document: FarmDocument = serde_json::from_value(json!({
        "farm": {"id": "f", "name": "F"},
        "sensors": [sensor("t1", "temperature"), sensor("t2", "temperature"), sensor("m1", "soil_moisture"),
            sensor("m2", "soil_moisture"), sensor("ph", "ph")],
        "devices": devices, "rules": rules,
    }))
    .unwrap();
    let mut engine = Engine::new(&document).unwrap();
    let kind = InputKind::Almanac((-1..12).map(day).collect());
    let at = Timestamp::from_millis(NOON);
    engine.apply(&Input { at, kind }, &mut Vec::new()).unwrap();
    engine
}

fn day(n: i32) -> AlmanacDay {
    let from = NOON - DAY / 2 + i64::from(n) * DAY;
    let at = |ms| Some(Timestamp::from_millis(from + ms));
    AlmanacDay {
        date: LocalDate::new(1970, 1, 1).unwrap().plus(20_000 + n),
        from: Timestamp::from_millis(from),
        to: Timestamp::from_millis(from + DAY),
        offset: 0,
        change: None,
        sunrise: at(DAY / 4),
        sunset: at(DAY / 4 * 3),
    }
}

fn device(id: &str, kind: &str, more: Value) -> Value {
    let mut device = json!({"id": id, "name": id, "type": kind, "scope": {"type": "farm"}});
    let fields = more.as_object().unwrap().clone();
    device.as_object_mut().unwrap().extend(fields);
    device
}

/// A deployed rule that switches one device.
fn rule(id: &str, trigger: Value, device: &str, action: Value, more: Value) -> Value {
    let mut rule = json!({"id": id, "name": id, "deployed": true, "scope": {"type": "farm"}, "trigger": trigger,
        "actions": [{"device_id": device, "command": action}]});
    let fields = more.as_object().unwrap().clone();
    rule.as_object_mut().unwrap().extend(fields);
    rule
}

fn warmer(than: i64) -> Value {
    json!({"sensor_type": "temperature", "operator": "gt", "value": than, "duration_sec": 60})
}

fn colder(than: i64) -> Value {
    json!({"sensor_type": "temperature", "operator": "lt", "value": than, "duration_sec": 60})
}

fn on() -> Value {
    json!({"action": "on"})
}

fn hazards(engine: &Engine, rule: &Value) -> Vec<Hazard> {
    let rule = RuleSpec::from_json(rule).unwrap();
    let found = engine.hazards(&rule, Timestamp::from_millis(NOON)).unwrap();
    for hazard in &found {
        hazard.example.fold().unwrap();
    }
    found
}

fn words(found: &[Hazard]) -> Vec<&'static str> {
    found.iter().map(|h| h.kind.word()).collect()
}

fn fans() -> Value {
    json!([
        device("fan", "fan", json!({})),
        device("pump", "pump", json!({})),
        device("valve", "valve", json!({})),
        device("vent", "vent", json!({}))
    ])
}

#[test]
fn two_rules_fight_where_both_can_be_true() {
    let cool = rule("cool", warmer(30), "fan", on(), json!({}));
    let dry =
        json!({"sensor_type": "soil_moisture", "operator": "lt", "value": 20, "duration_sec": 60});
    let calm = rule(
        "calm",
        dry.clone(),
        "fan",
        json!({"action": "off"}),
        json!({"priority": 7}),
    );
    let found = hazards(&farm(&fans(), std::slice::from_ref(&cool)), &calm);
    assert_eq!(words(&found), ["fight"]);
    let HazardKind::Fight { other, winner, .. } = &found[0].kind else {
        panic!("{found:?}")
    };
    assert_eq!((other.as_str(), winner.as_str()), ("cool", "calm"));
    assert_eq!(found[0].kind.grade(), Grade::Advising);
    let shown = &found[0].example;
    assert_eq!(shown.readings.len(), 2);
    assert!(!shown.by_clock && shown.readings.iter().any(|r| r.value.to_string() == "31"));
    let (engine, _) = shown.fold().unwrap();
    let claims = engine.device("fan").unwrap().claims;
    assert_eq!(
        claims.iter().map(|c| &*c.rule).collect::<Vec<_>>(),
        ["calm", "cool"]
    );

    // Nothing is both warmer than 30 and colder than 25; the same setting is no fight; nor is what is a draft.
    let frost = rule(
        "frost",
        colder(25),
        "fan",
        json!({"action": "off"}),
        json!({"priority": 7}),
    );
    assert_eq!(
        words(&hazards(
            &farm(&fans(), std::slice::from_ref(&cool)),
            &frost
        )),
        [] as [&str; 0]
    );
    let too = rule("too", dry.clone(), "fan", on(), json!({}));
    assert_eq!(
        words(&hazards(&farm(&fans(), std::slice::from_ref(&cool)), &too)),
        [] as [&str; 0]
    );
    let mut draft = cool;
    draft["deployed"] = json!(false);
    assert_eq!(
        words(&hazards(&farm(&fans(), &[draft]), &calm)),
        [] as [&str; 0]
    );
}

#[test]
fn rules_of_other_hours_do_not_fight() {
    let by = |from: &str, to: &str| json!({"all": [{"time": {"from": from, "to": to}}, {"sensor_type": "temperature", "operator": "gt", "value": 30}], "duration_sec": 60});
    let day = rule("day", by("08:00", "16:00"), "fan", on(), json!({}));
    let engine = farm(&fans(), &[day]);
    let night = |from| {
        rule(
            "night",
            by(from, "07:00"),
            "fan",
            json!({"action": "off"}),
            json!({"priority": 8}),
        )
    };
    assert_eq!(words(&hazards(&engine, &night("18:00"))), [] as [&str; 0]);
    let found = hazards(&engine, &night("15:00"));
    assert_eq!(words(&found), ["fight"]);
    let at = found[0].example.at.as_millis().rem_euclid(DAY);
    assert!(found[0].example.by_clock && (15 * DAY / 24..16 * DAY / 24).contains(&at));
}

#[test]
fn a_rule_that_a_stronger_one_always_covers_never_wins() {
    let strong = rule(
        "strong",
        warmer(25),
        "fan",
        json!({"action": "set_speed", "value": 40}),
        json!({"priority": 9, "stop_condition": colder(22)}),
    );
    let engine = farm(&fans(), &[strong]);
    let weak = |above, below| {
        rule(
            "weak",
            warmer(above),
            "fan",
            on(),
            json!({"stop_condition": colder(below)}),
        )
    };
    let found = hazards(&engine, &weak(30, 24));
    assert_eq!(words(&found), ["never_wins"]);
    assert!(
        matches!(&found[0].kind, HazardKind::NeverWins { rule, by, .. } if rule.as_str() == "weak" && by.as_str() == "strong")
    );
    // It starts where the stronger one does not, or goes on for longer: it wins at times.
    assert_eq!(words(&hazards(&engine, &weak(20, 19))), ["fight"]);
    assert_eq!(words(&hazards(&engine, &weak(30, 20))), ["fight"]);
}

#[test]
fn a_circle_through_devices_starts_again_and_again() {
    let is = |device: &str, is: &str| json!({"device": device, "is": is});
    // While the valve is closed the pump runs; while the pump runs the valve is open.
    let a = rule(
        "a",
        json!({"all": [is("valve", "off")], "duration_sec": 5}),
        "pump",
        on(),
        json!({}),
    );
    let b = rule(
        "b",
        json!({"all": [is("pump", "on")], "duration_sec": 5}),
        "valve",
        on(),
        json!({}),
    );
    let found = hazards(&farm(&fans(), std::slice::from_ref(&b)), &a);
    let circle = found.iter().find(|h| h.kind.word() == "circle").unwrap();
    let HazardKind::Circle {
        rules,
        devices,
        starts_per_hour,
    } = &circle.kind
    else {
        panic!("{circle:?}")
    };
    assert_eq!((rules.len(), devices.len()), (2, 2));
    assert!(*starts_per_hour > 12, "{starts_per_hour}");
    assert_eq!(circle.kind.grade(), Grade::Blocking);
    let (_, events) = circle.example.fold().unwrap();
    let fired = events
        .iter()
        .filter(|e| matches!(&e.kind, EventKind::RuleFired { rule } if rule.as_str() == "a"));
    assert!(fired.count() >= *starts_per_hour as usize);
    // The other does not look at the pump.
    let c = rule(
        "b",
        json!({"all": [is("fan", "on")], "duration_sec": 5}),
        "valve",
        on(),
        json!({}),
    );
    assert!(!words(&hazards(&farm(&fans(), &[c]), &a)).contains(&"circle"));
    // Each runs only while the other does not: whoever is first stays.
    let moist = json!({"sensor_type": "soil_moisture", "operator": "lt", "value": 30});
    let alone = |id, other: &str, own, level: i64| {
        let mut moist = moist.clone();
        moist["value"] = json!(level);
        rule(
            id,
            json!({"all": [is(other, "off"), moist], "duration_sec": 60}),
            own,
            on(),
            json!({}),
        )
    };
    let first = alone("a", "valve", "pump", 30);
    let second = rule(
        "b",
        json!({"all": [is("pump", "off"), {"sensor_type": "temperature", "operator": "gt", "value": 30}], "duration_sec": 120}),
        "valve",
        on(),
        json!({}),
    );
    let found = hazards(&farm(&fans(), &[second]), &first);
    assert!(!words(&found).contains(&"circle"), "{:?}", words(&found));
}

#[test]
fn limits_that_always_stand_against_a_rule() {
    let at = |time: &str| json!({"schedule": {"at": [time]}});
    let hours = json!({"hours": {"while": {"time": {"from": "06:00", "to": "09:00"}}, "if_unknown": "hold"}});
    let limited = |limits: Value, run: i64, trigger: Value| {
        let devices = json!([
            device("pump", "pump", json!({"limits": limits})),
            device("valve", "valve", json!({}))
        ]);
        let water = rule("water", trigger, "pump", on(), json!({"run_sec": run}));
        hazards(&farm(&devices, &[]), &water)
    };
    let kinds = |found: &[Hazard]| -> Vec<Limit> {
        let of = |h: &Hazard| match h.kind {
            HazardKind::Limited { limit, .. } => Some(limit),
            _ => None,
        };
        found.iter().filter_map(of).collect()
    };
    assert_eq!(
        kinds(&limited(hours.clone(), 600, at("12:30"))),
        [Limit::Hours]
    );
    assert_eq!(kinds(&limited(hours.clone(), 600, at("07:30"))), []);
    // It starts in June only, which is months ahead.
    let june = json!({"schedule": {"at": ["12:30"], "dates": {"from": "06-01", "to": "06-30"}}});
    assert_eq!(kinds(&limited(hours.clone(), 600, june)), [Limit::Hours]);
    // It begins before the hours and goes on into them.
    assert_eq!(kinds(&limited(hours, 3_000, at("05:30"))), []);

    let needs = json!({"needs": {"any": ["valve"], "for_sec": 5}});
    let found = limited(needs.clone(), 600, at("12:30"));
    assert_eq!(kinds(&found), [Limit::Needs]);
    assert_eq!(found[0].kind.grade(), Grade::Advising);
    let devices = json!([
        device("pump", "pump", json!({"limits": needs})),
        device("valve", "valve", json!({}))
    ]);
    let opens = |time: &str| rule("opens", at(time), "valve", on(), json!({"run_sec": 600}));
    let water = rule("water", at("12:30"), "pump", on(), json!({"run_sec": 600}));
    assert_eq!(
        kinds(&hazards(&farm(&devices, &[opens("12:29")]), &water)),
        []
    );
    assert_eq!(
        kinds(&hazards(&farm(&devices, &[opens("15:00")]), &water)),
        [Limit::Needs]
    );

    assert_eq!(
        kinds(&limited(json!({"sec_per_day": 300}), 600, at("12:30"))),
        [Limit::Budget]
    );
    assert_eq!(
        kinds(&limited(json!({"sec_per_day": 600}), 600, at("12:30"))),
        []
    );
    assert_eq!(
        kinds(&limited(
            json!({"ml_per_day": 5_000, "ml_per_sec": 10}),
            600,
            at("12:30")
        )),
        [Limit::Budget]
    );

    let every = |minutes: i64| json!({"schedule": {"every": {"minutes": minutes, "from": "12:00", "to": "16:00"}}});
    assert_eq!(
        kinds(&limited(json!({"min_off_sec": 1_200}), 300, every(20))),
        [Limit::MinOff]
    );
    assert_eq!(
        kinds(&limited(json!({"min_off_sec": 600}), 300, every(20))),
        []
    );
    assert_eq!(
        kinds(&limited(json!({"starts_per_hour": 2}), 300, every(20))),
        [Limit::Starts]
    );

    assert_eq!(
        kinds(&limited(json!({}), 4_000, at("12:30"))),
        [Limit::MaxOn]
    );
    assert_eq!(kinds(&limited(json!({}), 3_600, at("12:30"))), []);
}

#[test]
fn water_without_an_end_and_doses_without_rests_are_blocking() {
    let pump = |more| json!([device("pump", "pump", more)]);
    let dry =
        json!({"sensor_type": "soil_moisture", "operator": "lt", "value": 20, "duration_sec": 60});
    let water = |more| rule("water", dry.clone(), "pump", on(), more);
    let free = farm(&pump(json!({"max_on_sec": null})), &[]);
    let found = hazards(&free, &water(json!({})));
    assert_eq!(words(&found), ["flood"]);
    assert_eq!(found[0].kind.grade(), Grade::Blocking);
    let (engine, _) = found[0].example.fold().unwrap();
    let since = engine.device("pump").unwrap().on_since.unwrap();
    assert!(found[0].example.at.as_millis() - since.as_millis() >= DAY);
    for bounded in [
        hazards(&free, &water(json!({"run_sec": 600}))),
        hazards(
            &free,
            &water(
                json!({"stop_condition": {"sensor_type": "soil_moisture", "operator": "gt", "value": 40}}),
            ),
        ),
        hazards(&farm(&pump(json!({})), &[]), &water(json!({}))),
        hazards(
            &farm(
                &pump(json!({"max_on_sec": null, "limits": {"sec_per_day": 600}})),
                &[],
            ),
            &water(json!({})),
        ),
    ] {
        assert!(!words(&bounded).contains(&"flood"), "{:?}", words(&bounded));
    }
    // Air does not flood.
    let fan = rule("air", dry.clone(), "fan", on(), json!({}));
    assert_eq!(words(&hazards(&farm(&fans(), &[]), &fan)), [] as [&str; 0]);

    let dosing = |more| json!([device("acid", "dosing_pump", more)]);
    let high = json!({"sensor_type": "ph", "operator": "gt", "value": 7, "duration_sec": 60});
    let end = json!({"stop_condition": {"sensor_type": "ph", "operator": "lt", "value": 6.5}});
    let flow = json!({"action": "set_flow_rate", "value": 1});
    let acid = rule("acid-rule", high.clone(), "acid", flow, end.clone());
    let found = hazards(&farm(&dosing(json!({"max_on_sec": null})), &[]), &acid);
    assert_eq!(words(&found), ["dosing", "one_sensor"]);
    assert_eq!(found[0].kind.grade(), Grade::Blocking);
    assert!(!words(&hazards(&farm(&dosing(json!({})), &[]), &acid)).contains(&"dosing"));
    let pulse = rule(
        "acid-rule",
        high,
        "acid",
        json!({"action": "pulse", "value": 10}),
        end,
    );
    assert!(
        !words(&hazards(
            &farm(&dosing(json!({"max_on_sec": null})), &[]),
            &pulse
        ))
        .contains(&"dosing")
    );
    let minutes = json!({"schedule": {"every": {"minutes": 1, "from": "00:00", "to": "23:59"}}});
    let often = rule(
        "often",
        minutes,
        "acid",
        json!({"action": "pulse", "value": 10}),
        json!({"run_sec": 1}),
    );
    let unbound = farm(&dosing(json!({"max_pulse_sec_per_hour": null})), &[]);
    let found = hazards(&unbound, &often);
    assert_eq!(words(&found), ["dosing"]);
    // Ten seconds of each minute are much, with rests.
    assert_eq!(found[0].kind.grade(), Grade::Advising);
    assert!(!words(&hazards(&farm(&dosing(json!({})), &[]), &often)).contains(&"dosing"));
}

#[test]
fn dependence_on_one_sensor() {
    let engine = farm(&json!([device("fan", "fan", json!({}))]), &[]);
    let high = json!({"sensor_type": "ph", "operator": "gt", "value": 7, "duration_sec": 60});
    let found = hazards(&engine, &rule("r", high, "fan", on(), json!({})));
    assert_eq!(words(&found), ["one_sensor"]);
    assert!(
        matches!(&found[0].kind, HazardKind::OneSensor { sensor, .. } if sensor.as_str() == "ph")
    );
    let (_, events) = found[0].example.fold().unwrap();
    assert!(
        !events
            .iter()
            .any(|e| matches!(e.kind, EventKind::RuleFired { .. }))
    );
    // Of two sensors one may fall silent; and what is true without it needs it not.
    assert_eq!(
        words(&hazards(
            &engine,
            &rule("r", warmer(30), "fan", on(), json!({}))
        )),
        [] as [&str; 0]
    );
    let either = json!({"any": [{"sensor_type": "ph", "operator": "gt", "value": 7}, {"sensor_type": "temperature", "operator": "gt", "value": 30}], "duration_sec": 60});
    let either = rule(
        "r",
        either,
        "fan",
        on(),
        json!({"stop_condition": colder(20)}),
    );
    assert_eq!(words(&hazards(&engine, &either)), [] as [&str; 0]);
}
