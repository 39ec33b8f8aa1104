//! A device that does not do what it was told: when it is told again, and when it is locked instead.

use serde_json::json;

use crate::world::{MAC, NONE, World, fan_says, manual, orders, switch};

#[tokio::test]
async fn a_device_that_stops_by_itself_is_told_again() {
    let w = World::new().await;
    w.birth().await;
    w.cooling_rule().await;
    w.heat().await;
    w.ack("f1-1").await;
    fan_says(&w, true).await;
    assert_eq!(w.state_of("f1-1").await, "confirmed");
    w.pass(30_000).await;
    w.take_sent();
    // Its lease ran out, or somebody switched it off at the machine: nobody told it to stop.
    fan_says(&w, false).await;
    let sent = w.take_sent();
    assert_eq!(
        (sent.len(), &sent[0]["command_id"], &sent[0]["action"]["on"]),
        (1, &json!("f1-2"), &json!(true))
    );
    // One that stops again at once is not pressed, but told when it has been off for as long.
    w.ack("f1-2").await;
    fan_says(&w, true).await;
    w.pass(29_000).await;
    w.take_sent();
    fan_says(&w, false).await;
    w.pass(29_000).await;
    assert_eq!(orders(&w).await, NONE);
    w.pass(1_000).await;
    assert_eq!(orders(&w).await, [true]);
    // What is locked at its panel stops for that.
    fan_says(&w, true).await;
    w.temperature("35").await;
    w.pass(30_000).await;
    w.take_sent();
    w.publish(
        MAC,
        "state",
        r#"{"devices":[{"id":"fan-1","type":"fan","on":false,"lock":"panel"}]}"#,
    )
    .await;
    let sent = w.take_sent();
    assert_eq!((sent.len(), &sent[0]["action"]["on"]), (1, &json!(false)));
}

/// A pump that trips as soon as it runs: each time it is told after a while, and people learn of it within minutes.
#[tokio::test]
async fn a_device_that_stops_at_once_again_and_again_is_locked() {
    let mut w = World::new().await;
    w.birth().await;
    w.cooling_rule().await;
    w.heat().await;
    assert_eq!(orders(&w).await, [true]);
    for trip in 1..=3 {
        fan_says(&w, true).await;
        w.pass(5_000).await;
        fan_says(&w, false).await;
        assert_eq!(orders(&w).await, NONE, "trip {trip}");
        if trip == 2 {
            // That it is astray is known, also after a crash; so is how often it was told.
            w = w.after_crash(|_| {}).await.unwrap();
            fan_says(&w, false).await;
            orders(&w).await;
        }
        w.temperature("35").await;
        w.pass(30_000).await;
        assert_eq!(orders(&w).await, [true], "trip {trip}");
    }
    fan_says(&w, true).await;
    w.pass(5_000).await;
    fan_says(&w, false).await;
    w.temperature("35").await;
    w.pass(30_000).await;
    assert_eq!(orders(&w).await, [false]);
    let lock = w.lock("fan-1").await;
    assert_eq!(lock.as_deref(), Some("keeps stopping"));
}

#[tokio::test]
async fn one_that_was_told_and_does_not_follow_is_told_again_after_five_minutes() {
    let w = World::new().await;
    w.birth().await;
    w.cooling_rule().await;
    w.heat().await;
    fan_says(&w, true).await;
    w.pass(30_000).await;
    orders(&w).await;
    fan_says(&w, false).await;
    assert_eq!(orders(&w).await, [true]);
    // What it goes on saying changes nothing.
    w.temperature("35").await;
    w.pass(299_000).await;
    fan_says(&w, false).await;
    assert!(!orders(&w).await.contains(&false));
    w.temperature("35").await;
    orders(&w).await;
    w.pass(1_000).await;
    assert_eq!(orders(&w).await, [true]);
}

#[tokio::test]
async fn what_goes_on_by_itself_is_switched_off_and_locked_if_it_does_not_obey() {
    let w = World::new().await;
    w.birth().await;
    switch(&w, "on").await;
    fan_says(&w, true).await;
    switch(&w, "off").await;
    fan_says(&w, false).await;
    w.pass(29_000).await;
    orders(&w).await;
    // So soon, its report may be one that crossed the command.
    fan_says(&w, true).await;
    assert_eq!(orders(&w).await, NONE);
    w.pass(29_000).await;
    assert_eq!(orders(&w).await, NONE);
    w.pass(1_000).await;
    assert_eq!(orders(&w).await, [false]);
    // It obeys, and is well.
    fan_says(&w, false).await;
    w.pass(400_000).await;
    assert_eq!(orders(&w).await, NONE);
    // Later than that it is switched off at once. It does not obey.
    fan_says(&w, true).await;
    assert_eq!(orders(&w).await, [false]);
    for patience in [30_000, 300_000] {
        w.pass(patience - 1_000).await;
        assert_eq!(orders(&w).await, NONE, "{patience}");
        w.pass(1_000).await;
        assert_eq!(orders(&w).await, [false], "{patience}");
    }
    let lock = || w.lock("fan-1");
    assert_eq!(lock().await, None);
    w.pass(600_000).await;
    assert_eq!(lock().await.as_deref(), Some("keeps starting"));
    // Locked, it is told on, and never given up.
    assert_eq!(orders(&w).await, [false]);
    fan_says(&w, true).await;
    w.pass(30_000).await;
    assert_eq!(orders(&w).await, [false]);
    w.pass(300_000).await;
    assert_eq!(orders(&w).await, [false]);
}

/// The network stood still while the command was under way, or the machine never moves: it may be repaired meanwhile.
#[tokio::test]
async fn one_that_never_did_it_is_told_again_and_not_locked() {
    let w = World::new().await;
    w.birth().await;
    w.cooling_rule().await;
    w.heat().await;
    assert_eq!(orders(&w).await, [true]);
    for patience in [30, 300, 600, 1_200, 2_400, 4_800, 4_800] {
        for step in (0..patience).step_by(600) {
            assert_eq!(orders(&w).await, NONE, "{patience}");
            w.temperature("35").await;
            w.pass((patience - step).min(600) * 1_000).await;
        }
        assert_eq!(orders(&w).await, [true], "{patience}");
    }
    assert_eq!(w.lock("fan-1").await, None);
}

#[tokio::test]
async fn what_goes_on_after_a_rules_pulse_is_switched_off() {
    let w = World::new().await;
    w.birth().await;
    let pump_says = async |on: bool| {
        let payload =
            format!(r#"{{"devices":[{{"id":"dose-1","type":"dosing_pump","on":{on}}}]}}"#);
        w.publish(MAC, "state", &payload).await;
    };
    pump_says(false).await;
    let rule = json!({
        "id": "dose", "name": "Dose", "mode": "auto", "deployed": true, "scope": {"type": "farm"},
        "trigger": {"sensor_type": "temperature", "operator": "gt", "value": 30, "duration_sec": 2},
        "actions": [{"device_id": "dose-1", "command": {"action": "pulse", "value": 10}}]
    });
    let rule = serde_json::from_value(rule).unwrap();
    w.admit(harit_engine::InputKind::RulePut(Box::new(rule)))
        .await;
    orders(&w).await;
    w.heat().await;
    let sent = w.take_sent();
    assert_eq!((sent.len(), &sent[0]["cmd_type"]), (1, &json!("pulse")));
    w.ack(sent[0]["command_id"].as_str().unwrap()).await;
    // While it may be at work, its reports say nothing.
    pump_says(true).await;
    w.pass(10_000).await;
    pump_says(false).await;
    w.pass(50_000).await;
    assert_eq!(orders(&w).await, NONE);
    pump_says(true).await;
    assert_eq!(orders(&w).await, [false]);
}

/// That a command came to nothing is seen after 30 s, or when a pulse that began meanwhile must be over.
#[tokio::test]
async fn what_ignored_a_command_before_a_pulse_is_told_after_it() {
    let w = World::new().await;
    w.birth().await;
    fan_says(&w, true).await;
    switch(&w, "off").await;
    assert_eq!(orders(&w).await, [false]);
    w.pass(20_000).await;
    let pulse = json!({"device": "fan-1", "cmd_type": "pulse", "value": 20});
    w.admit(manual(pulse)).await;
    assert_eq!(orders(&w).await.len(), 1);
    w.pass(20_000).await;
    assert_eq!(orders(&w).await, [false], "the end of the pulse");
    w.pass(29_000).await;
    assert_eq!(orders(&w).await, NONE);
    w.pass(1_000).await;
    assert_eq!(orders(&w).await, [false]);
}

#[tokio::test]
async fn one_of_which_something_else_is_meant_by_then_is_not_told() {
    let w = World::new().await;
    w.birth().await;
    switch(&w, "on").await;
    fan_says(&w, true).await;
    w.pass(5_000).await;
    fan_says(&w, false).await;
    switch(&w, "off").await;
    w.pass(20_000).await;
    orders(&w).await;
    w.pass(30_000).await;
    assert_eq!(orders(&w).await, NONE);
    // Nor does it count against the next time.
    switch(&w, "on").await;
    assert_eq!(orders(&w).await, [true]);
    w.pass(10_000).await;
    assert_eq!(orders(&w).await, NONE);
    // What goes away is told when it comes back, once.
    fan_says(&w, true).await;
    w.pass(5_000).await;
    fan_says(&w, false).await;
    w.publish(MAC, "state", r#"{"online":false}"#).await;
    orders(&w).await;
    w.pass(60_000).await;
    assert_eq!(orders(&w).await, NONE);
    fan_says(&w, false).await;
    assert_eq!(orders(&w).await, [true]);
}
