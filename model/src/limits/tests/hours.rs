//! Hours: their windows, what nobody knows, how long they last before a start, and whom they bind.

use super::*;

/// A pump whose hours these are, that rule `r0` wants.
fn pump(hours: &Value) -> Model {
    let devices = json!([
        {"id": "pump", "type": "pump", "limits": {"hours": hours}},
        {"id": "grid", "type": "valve"},
    ]);
    farm(&json!([]), &devices, &[on("pump")])
}

/// The days about Thursday, in UTC.
fn days() -> Value {
    let day = |n: i64| {
        let from = THURSDAY + n * 24 * HOUR;
        json!({"date": format!("2025-10-{:02}", 9 + n), "from": from, "to": from + 24 * HOUR, "offset": 0,
            "change": null, "sunrise": null, "sunset": null})
    };
    json!({"input": "almanac", "days": (-1..3).map(day).collect::<Vec<_>>()})
}

fn manual(model: &mut Model, second: i64, action: &str) -> Vec<String> {
    let input = json!({"input": "manual", "device": "pump", "cmd_type": "override", "action": action,
        "duration_sec": 36_000, "admin": true});
    at(model, second, input)
}

#[test]
fn it_waits_for_its_window_and_goes_off_at_its_end() {
    let hours = json!({"while": {"time": {"from": "01:00", "to": "02:00"}}, "if_unknown": "hold"});
    let mut model = pump(&hours);
    assert!(at(&mut model, 0, days()).is_empty());
    assert_eq!(
        rule(&mut model, 10, 0, true),
        ["10 command_held pump hours r0", "10 command pump off limit"]
    );
    assert_eq!(model.next_deadline(), Some(THURSDAY + HOUR));
    assert_eq!(tick(&mut model, 3_600), ["3600 command pump on r0"]);
    assert_eq!(
        tick(&mut model, 7_200),
        [
            "7200 limit_reached pump hours",
            "7200 command pump off limit",
            "7200 command_held pump hours r0"
        ]
    );
}

#[test]
fn people_are_bound_by_them_but_may_switch_off() {
    let hours = json!({"while": {"time": {"from": "01:00", "to": "02:00"}}, "if_unknown": "hold"});
    let mut model = pump(&hours);
    at(&mut model, 0, days());
    assert_eq!(
        manual(&mut model, 10, "on"),
        ["10 command_refused pump hours"]
    );
    assert_eq!(
        manual(&mut model, 20, "off"),
        ["20 command pump off manual"]
    );
    assert_eq!(
        manual(&mut model, 3_700, "on"),
        ["3700 command pump on manual"]
    );
    assert_eq!(
        tick(&mut model, 7_200),
        [
            "7200 limit_reached pump hours",
            "7200 manual_ended pump",
            "7200 command pump off limit"
        ]
    );
}

#[test]
fn what_is_not_known_is_held_or_allowed_as_chosen() {
    let hours =
        |unknown: &str| json!({"while": {"device": "grid", "is": "on"}, "if_unknown": unknown});
    let mut model = pump(&hours("allow"));
    assert_eq!(rule(&mut model, 10, 0, true), ["10 command pump on r0"]);
    let mut model = pump(&hours("hold"));
    assert_eq!(
        rule(&mut model, 10, 0, true),
        ["10 command_held pump hours r0", "10 command pump off limit"]
    );
    assert_eq!(
        reported(&mut model, 20, "grid", Some(true)),
        ["20 command pump on r0"]
    );
    // A minute is waited for whoever was away, no more.
    assert!(online(&mut model, 30, "grid", false).is_empty());
    assert_eq!(
        online(&mut model, 80, "grid", true),
        ["80 command grid off rest"]
    );
    assert!(online(&mut model, 100, "grid", false).is_empty());
    assert!(tick(&mut model, 159).is_empty());
    assert_eq!(
        tick(&mut model, 160),
        [
            "160 limit_reached pump hours",
            "160 command pump off limit",
            "160 command_held pump hours r0"
        ]
    );
}

#[test]
fn they_last_before_a_start_and_not_after() {
    let hours =
        json!({"while": {"device": "grid", "is": "on"}, "if_unknown": "hold", "for_sec": 120});
    let mut model = pump(&hours);
    reported(&mut model, 0, "grid", Some(true));
    assert_eq!(
        rule(&mut model, 10, 0, true),
        ["10 command_held pump hours r0", "10 command pump off limit"]
    );
    assert_eq!(model.next_deadline(), Some(THURSDAY + 120 * SECOND));
    assert!(reported(&mut model, 60, "grid", Some(false)).is_empty());
    assert!(reported(&mut model, 61, "grid", Some(true)).is_empty());
    assert!(tick(&mut model, 180).is_empty());
    assert_eq!(tick(&mut model, 181), ["181 command pump on r0"]);
    assert_eq!(
        reported(&mut model, 200, "grid", Some(false)),
        [
            "200 limit_reached pump hours",
            "200 command pump off limit",
            "200 command_held pump hours r0"
        ]
    );
}

#[test]
fn those_of_a_group_hold_for_all_of_it() {
    let hours = json!({"while": {"time": {"from": "00:10", "to": "00:20"}}, "if_unknown": "hold"});
    let groups = json!([{"id": "phase", "name": "Three phases", "at_most": 1, "hours": hours}]);
    let devices = json!([
        {"id": "a", "type": "pump", "limits": {"groups": ["phase"]}},
        {"id": "b", "type": "pump", "limits": {"groups": ["phase"]}},
    ]);
    let mut model = farm(&groups, &devices, &[on("a"), on("b")]);
    at(&mut model, 0, days());
    rule(&mut model, 10, 0, true);
    assert_eq!(
        rule(&mut model, 20, 1, true),
        ["20 command_held b hours r1", "20 command b off limit"]
    );
    assert_eq!(
        tick(&mut model, 600),
        ["600 command a on r0", "600 command_held b group r1"]
    );
    assert_eq!(
        tick(&mut model, 1_200),
        [
            "1200 limit_reached a hours",
            "1200 command a off limit",
            "1200 command_held a hours r0",
            "1200 command_held b hours r1"
        ]
    );
}
