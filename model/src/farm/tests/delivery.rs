//! Delivery, by example.

use serde_json::json;

use super::{MAC, OTHER, World, effects};

#[test]
fn a_command_is_published_again_and_given_up() {
    let mut world = World::new();
    assert_eq!(
        effects(&world.switch(10, "on")),
        ["1 queued", "1 out", "1 sent"]
    );
    for at in [11, 13, 19] {
        assert!(world.tick(at - 1).is_empty());
        assert_eq!(effects(&world.tick(at)), ["1 out"]);
    }
    assert_eq!(effects(&world.tick(25)), ["1 timed_out"]);
    assert_eq!(world.ack(26, OTHER, 1), ["foreign"]);
    assert_eq!(world.ack(26, MAC, 2), ["foreign"]);
    assert_eq!(world.ack(26, MAC, 1), ["1 acked", "taken"]);
    assert_eq!(world.ack(27, MAC, 1), ["late"]);
    let done = world.fan(28, json!({"on": true, "value": 50}));
    assert_eq!(effects(&done), ["reported"], "another value");
    let done = world.fan(29, json!({"on": true}));
    assert_eq!(effects(&done), ["reported", "1 confirmed"]);
}

#[test]
fn attempts_that_were_missed_are_made_up_for_unless_it_is_over() {
    let mut world = World::new();
    world.switch(10, "on");
    assert_eq!(effects(&world.tick(20)), ["1 out", "1 out", "1 out"]);
    world.switch(30, "off");
    assert_eq!(effects(&world.tick(45)), ["2 timed_out"]);
}

#[test]
fn the_lease_of_what_is_on_is_renewed() {
    let mut world = World::new();
    world.switch(10, "on");
    world.ack(11, MAC, 1);
    world.fan(12, json!({"on": true}));
    assert!(world.tick(69).is_empty());
    assert_eq!(effects(&world.tick(70)), ["1 renewed"]);
    assert_eq!(effects(&world.tick(130)), ["1 renewed"]);
    world.line(131, json!({"input": "gone", "mac": MAC}));
    assert!(world.tick(190).is_empty());
    assert_eq!(world.0.controllers_deadline(), None);
}

#[test]
fn a_release_goes_on_beside_what_follows_from_it() {
    let mut world = World::new();
    let release = json!({"input": "manual", "device": "fan", "cmd_type": "release", "admin": true});
    let said = effects(&world.line(10, release.clone()));
    assert_eq!(
        said,
        ["1 queued", "1 out", "1 sent", "2 queued", "2 out", "2 sent"]
    );
    assert_eq!(
        effects(&world.tick(11)),
        ["2 out"],
        "the release is not published again"
    );
    assert_eq!(world.ack(12, MAC, 1), ["1 acked", "taken"]);
    assert_eq!(
        world.ack(12, MAC, 2),
        ["2 acked", "2 confirmed", "1 confirmed", "taken"]
    );
    world.line(20, release.clone());
    let said = effects(&world.switch(21, "on"));
    assert_eq!(
        said[..2],
        ["4 superseded", "3 superseded"],
        "a person supersedes both"
    );
    world.line(30, release);
    assert_eq!(effects(&world.tick(45)), ["7 timed_out", "6 timed_out"]);
}

#[test]
fn what_was_not_sent_waits_for_a_way_out() {
    let mut world = World::new();
    world.switch(10, "on");
    assert_eq!(
        effects(&world.line(10, json!({"input": "unsent", "commands": [1]}))),
        ["1 queued"]
    );
    assert_eq!(
        effects(&world.line(12, json!({"input": "way_out"}))),
        ["1 out", "1 sent"]
    );
    assert!(world.line(13, json!({"input": "way_out"})).is_empty());
    world.switch(20, "off");
    world.line(20, json!({"input": "unsent", "commands": [2]}));
    assert!(
        world.line(35, json!({"input": "way_out"})).is_empty(),
        "it has expired"
    );
    let said = world.fan(36, json!({}));
    assert_eq!(
        effects(&said),
        ["2 out", "2 sent"],
        "the engine counts on it"
    );
    assert_eq!(said[0]["expires_at"], 51_000);
}

#[test]
fn a_device_without_a_controller_fails_its_commands() {
    let mut world = World::new();
    let vent = json!({"id": "vent", "type": "vent", "scope": {"type": "farm"}});
    world.line(
        1,
        json!({"input": "registry", "changes": [{"put_device": vent}]}),
    );
    let line = json!({"input": "manual", "device": "vent", "cmd_type": "override", "action": "on", "duration_sec": 9});
    assert_eq!(effects(&world.line(2, line)), ["1 queued", "1 failed"]);
}
