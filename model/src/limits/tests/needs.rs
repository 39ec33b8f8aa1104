//! What a device needs: carrying, patience, and the valve that waits for its pump.

use serde_json::json;

use super::*;

/// Two valves, and a pump that needs one of them. Rules 0 and 1 open the valves, rule 2 runs the pump.
fn drip(for_sec: i64) -> Model {
    let devices = json!([
        {"id": "p", "type": "pump", "limits": {"needs": {"any": ["v1", "v2"], "for_sec": for_sec}}},
        {"id": "v1", "type": "valve"},
        {"id": "v2", "type": "valve"},
    ]);
    farm(&json!(null), &devices, &[on("v1"), on("v2"), on("p")])
}

/// The pump runs since 15, on the first valve; the second one is closed.
fn running() -> Model {
    let mut model = drip(5);
    reported(&mut model, 1, "v2", Some(false));
    rule(&mut model, 10, 0, true);
    reported(&mut model, 10, "v1", Some(true));
    assert_eq!(rule(&mut model, 15, 2, true), ["15 command p on r2"]);
    model
}

#[test]
fn it_starts_when_one_has_carried_it_for_so_long() {
    let mut model = drip(5);
    assert_eq!(
        rule(&mut model, 5, 2, true),
        ["5 command_held p needs r2", "5 command p off limit"]
    );
    assert_eq!(rule(&mut model, 10, 0, true), ["10 command v1 on r0"]);
    assert_eq!(next(&model), None, "nobody knows what the valve does");
    assert_eq!(reported(&mut model, 12, "v1", Some(false)), [""; 0]);
    assert_eq!(reported(&mut model, 14, "v1", Some(true)), [""; 0]);
    assert_eq!(next(&model), Some(19));
    assert_eq!(tick(&mut model, 30), ["19 command p on r2"]);
}

#[test]
fn without_a_time_it_starts_with_the_report() {
    let mut model = drip(0);
    rule(&mut model, 5, 2, true);
    rule(&mut model, 10, 0, true);
    assert_eq!(
        reported(&mut model, 14, "v1", Some(true)),
        ["14 command p on r2"]
    );
}

#[test]
fn carrying_that_breaks_begins_anew() {
    let mut model = drip(5);
    rule(&mut model, 5, 2, true);
    rule(&mut model, 10, 0, true);
    reported(&mut model, 12, "v1", Some(true));
    reported(&mut model, 14, "v1", Some(false));
    assert_eq!(next(&model), None);
    reported(&mut model, 16, "v1", Some(true));
    assert_eq!(tick(&mut model, 30), ["21 command p on r2"]);
}

#[test]
fn people_may_not_start_it_either() {
    let mut model = drip(5);
    assert_eq!(
        person(&mut model, 5, "p", "on"),
        ["5 command_refused p needs"]
    );
    assert_eq!(
        person_pulses(&mut model, 6, "p", 5),
        ["6 command_refused p needs"]
    );
    assert_eq!(
        person(&mut model, 7, "p", "off"),
        ["7 command p off manual"]
    );
}

#[test]
fn what_is_sent_counts_before_what_is_reported() {
    // The valve is reported to be open, but it was told to close: it carries nothing.
    let mut model = drip(0);
    person(&mut model, 5, "v1", "off");
    reported(&mut model, 6, "v1", Some(true));
    assert_eq!(
        person(&mut model, 7, "p", "on"),
        ["7 command_refused p needs"]
    );
}

#[test]
fn the_pump_goes_off_when_nothing_carries_it() {
    let mut model = running();
    // A person closes the valve: the pump goes off in the same instant, and its rule waits.
    assert_eq!(
        person(&mut model, 20, "v1", "off"),
        [
            "20 command v1 off manual",
            "20 limit_reached p needs",
            "20 command p off limit",
            "20 command_held p needs r2"
        ]
    );
    let mut model = running();
    person(&mut model, 16, "p", "on");
    // Its person is told too.
    assert_eq!(
        reported(&mut model, 20, "v1", Some(false)),
        [
            "20 limit_reached p needs",
            "20 manual_ended p",
            "20 command p off limit",
            "20 command_held p needs r2"
        ]
    );
}

#[test]
fn not_known_is_borne_for_a_minute() {
    let mut model = running();
    assert_eq!(online(&mut model, 20, "v1", false), [""; 0]);
    assert_eq!(next(&model), Some(80));
    assert_eq!(
        tick(&mut model, 100),
        [
            "80 limit_reached p needs",
            "80 command p off limit",
            "80 command_held p needs r2"
        ]
    );
    let mut model = running();
    reported(&mut model, 20, "v1", None);
    reported(&mut model, 79, "v1", Some(true));
    assert_eq!(tick(&mut model, 300), [""; 0]);
}

#[test]
fn the_minute_is_not_before_it_started() {
    let devices = json!([
        {"id": "p", "type": "pump", "safe": {"action": "on"}, "limits": {"needs": {"any": ["v1"]}}},
        {"id": "v1", "type": "valve"},
    ]);
    let mut model = farm(&json!(null), &devices, &[on("p")]);
    rule(&mut model, 10, 0, true);
    let safety = |on: bool| json!({"input": "device", "device": "p", "safety": on});
    assert_eq!(at(&mut model, 20, safety(true)), ["20 command p on safety"]);
    // Nobody ever knew what the valve does; in safety that does not matter.
    assert_eq!(at(&mut model, 30, safety(false)), ["30 command p on r0"]);
    assert_eq!(next(&model), Some(80));
    assert_eq!(
        tick(&mut model, 90)[..2],
        ["80 limit_reached p needs", "80 command p off limit"]
    );
}

#[test]
fn a_valve_waits_for_its_pump() {
    let mut model = running();
    assert_eq!(
        rule(&mut model, 20, 0, false),
        ["20 command_held v1 needed rest"]
    );
    assert_eq!(next(&model), None);
    // The pump goes off first, and the valve where that is sent; of what the pump is reported to do nothing is known.
    assert_eq!(
        rule(&mut model, 30, 2, false),
        ["30 command p off rest", "30 command v1 off rest"]
    );
}

#[test]
fn a_valve_waits_until_its_pump_is_reported_to_be_off() {
    let mut model = running();
    reported(&mut model, 16, "p", Some(true));
    rule(&mut model, 20, 0, false);
    assert_eq!(rule(&mut model, 30, 2, false), ["30 command p off rest"]);
    assert_eq!(
        reported(&mut model, 33, "p", Some(false)),
        ["33 command v1 off rest"]
    );
    let mut model = running();
    reported(&mut model, 16, "p", Some(true));
    rule(&mut model, 20, 0, false);
    rule(&mut model, 30, 2, false);
    // Whether one that is offline runs holds nothing back.
    assert_eq!(
        online(&mut model, 33, "p", false),
        ["33 command v1 off rest"]
    );
}

#[test]
fn the_shifts_of_a_drip_hand_over() {
    let mut model = running();
    // The first shift ends with the beginning of the second: its valve stays open until the second one carries.
    at(
        &mut model,
        39,
        json!({"input": "reading", "sensor": "s0", "value": 10}),
    );
    assert_eq!(
        rule(&mut model, 40, 1, true),
        ["40 command_held v1 needed rest", "40 command v2 on r1"]
    );
    assert_eq!(
        reported(&mut model, 43, "v2", Some(true)),
        ["43 command v1 off rest"]
    );
    // Nothing of this touches the pump.
    assert_eq!(reported(&mut model, 45, "v1", Some(false)), [""; 0]);
    assert_eq!(
        rule(&mut model, 60, 1, false),
        ["60 command_held v2 needed rest"]
    );
}

#[test]
fn min_on_comes_before_needed() {
    let mut model = running();
    let valve =
        json!({"id": "v1", "type": "valve", "max_on_sec": null, "limits": {"min_on_sec": 60}});
    put(&mut model, 16, valve);
    assert_eq!(
        rule(&mut model, 20, 0, false),
        ["20 command_held v1 min_on rest"]
    );
    assert_eq!(tick(&mut model, 100), ["70 command_held v1 needed rest"]);
}

#[test]
fn a_pulse_goes_off_too() {
    let mut model = drip(0);
    reported(&mut model, 1, "v2", Some(false));
    rule(&mut model, 10, 0, true);
    reported(&mut model, 10, "v1", Some(true));
    assert_eq!(
        person_pulses(&mut model, 20, "p", 30),
        ["20 command p pulse manual"]
    );
    assert_eq!(
        reported(&mut model, 25, "v1", Some(false)),
        [
            "25 limit_reached p needs",
            "25 manual_ended p",
            "25 command p off limit"
        ]
    );
    // It is over with that: nothing runs any more.
    assert_eq!(reported(&mut model, 26, "v1", None), [""; 0]);
}

#[test]
fn after_an_outage_all_are_looked_at() {
    let mut model = running();
    online(&mut model, 20, "v1", false);
    let seen = at(&mut model, 500, json!({"input": "resumed"}));
    assert_eq!(
        seen,
        [
            "500 limit_reached p needs",
            "500 command p off limit",
            "500 command_held p needs r2"
        ]
    );
}
