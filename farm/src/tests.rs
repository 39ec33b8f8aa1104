//! What becomes of commands, and of a device that does not do what it should, told from outside: records in, effects out.

use harit_engine::{
    DeviceId, Duration, Engine, FarmDocument, Input, InputKind, Manual, ManualKind, Measured,
    Quantity, RuleSpec, SensorId, Timestamp,
};
use harit_protocol::{AckStatus, CommandAck, Mac, Report};
use serde_json::{Value, json};

use crate::observer::{Effect, Observer};
use crate::{CommandState, Farm, Record};

const MAC: &str = "A4CF120B9E01";

/// What goes out to controllers, and whether it gets there.
#[derive(Default)]
struct Out {
    published: Vec<(u64, Value)>,
    /// Whether nothing gets out.
    blocked: bool,
    unsent: Vec<u64>,
}

impl Observer for Out {
    fn effect(&mut self, effect: Effect<'_>) {
        if let Effect::Publish {
            command, message, ..
        } = effect
        {
            let message = serde_json::to_value(message).unwrap();
            self.published.push((command, message));
            if self.blocked {
                self.unsent.push(command);
            }
        }
    }
}

/// A farm with a fan of one controller, a thermometer, and a rule that wants the fan on above 35 °C.
struct Rig {
    kind: &'static str,
    farm: Farm,
    now: Timestamp,
    out: Out,
}

impl Rig {
    /// The fan is off and says so.
    fn new() -> Self {
        Self::of("fan")
    }

    /// The same with another type of device under the fan's id.
    fn of(kind: &'static str) -> Self {
        let document = json!({"farm": {"id": "f1", "name": "F"},
            "sensors": [{"id": "t1", "name": "T", "type": "temperature", "scope": {"type": "farm"}, "controller": MAC}],
            "devices": [{"id": "fan", "name": "Fan", "type": kind, "scope": {"type": "farm"}, "controller": MAC}],
            "rules": [{"id": "r1", "name": "Heat", "mode": "auto", "deployed": true, "scope": {"type": "farm"},
                "trigger": {"sensor_type": "temperature", "operator": "gt", "value": 35, "duration_sec": 1},
                "actions": [{"device_id": "fan", "command": {"action": "on"}}]}]});
        let document = FarmDocument::from_json(&document).unwrap();
        let mut rig = Self {
            kind,
            farm: Farm::new(Engine::new(&document).unwrap()),
            now: Timestamp::from_millis(100_000_000),
            out: Out::default(),
        };
        rig.says(false);
        rig
    }

    fn apply(&mut self, record: Record<'_>) {
        self.farm.apply(self.now, record, &mut self.out);
        while !self.out.unsent.is_empty() {
            let commands = std::mem::take(&mut self.out.unsent);
            let commands = &commands;
            self.farm
                .apply(self.now, Record::Unsent { commands }, &mut self.out);
        }
        assert_eq!(self.farm.failed(), None);
    }

    fn input(&mut self, kind: InputKind) {
        let input = Input { at: self.now, kind };
        self.apply(Record::Input(&input));
    }

    fn devices(&mut self, devices: &Value) {
        let report = json!({"online": true, "devices": devices});
        let report: Report = serde_json::from_value(report).unwrap();
        let mac = Mac::parse(MAC).unwrap();
        self.apply(Record::Report {
            mac,
            report: &report,
        });
    }

    /// The controller reports that the fan is on or off.
    fn says(&mut self, on: bool) {
        self.devices(&json!([{"id": "fan", "type": self.kind, "on": on}]));
    }

    fn ack(&mut self, command: u64) {
        let ack = CommandAck {
            command,
            status: AckStatus::Ack,
            message: None,
        };
        let mac = Mac::parse(MAC).unwrap();
        self.apply(Record::Ack { mac, ack: &ack });
    }

    fn manual(&mut self, kind: ManualKind, action: Option<&str>, secs: i64) {
        self.input(InputKind::Manual(Box::new(Manual {
            device: DeviceId::new("fan"),
            kind,
            action: action.map(Into::into),
            value: (kind == ManualKind::Pulse).then(|| Quantity::from_units(secs)),
            duration_sec: (kind == ManualKind::Override).then_some(secs),
            admin: false,
            owner: None,
        })));
    }

    /// The rule has a pulse of a minute instead.
    fn heat_means_pulse(&mut self) {
        let rule = json!({"id": "r1", "name": "Water", "mode": "auto", "deployed": true, "scope": {"type": "farm"},
            "trigger": {"sensor_type": "temperature", "operator": "gt", "value": 35, "duration_sec": 1},
            "actions": [{"device_id": "fan", "command": {"action": "pulse", "value": 60}}]});
        let rule = RuleSpec::from_json(&rule).unwrap();
        self.input(InputKind::RulePut(Box::new(rule)));
    }

    /// When the latest command was made.
    fn sent(&self) -> Timestamp {
        let (_, message) = self.out.published.last().unwrap();
        Timestamp::from_millis(message["timestamp"].as_i64().unwrap())
    }

    /// It is hot for as long as the rule asks, and said so often.
    fn heat(&mut self) {
        for _ in 0..3 {
            self.input(InputKind::Reading {
                sensor: SensorId::new("t1"),
                value: Measured::parse("36"),
            });
            self.wait(1);
        }
    }

    /// Does what is due until then, and leaves undone what is due then.
    fn until(&mut self, then: Timestamp) {
        while let Some(due) = self.farm.next_deadline().filter(|due| *due < then) {
            self.now = due.max(self.now);
            self.input(InputKind::Tick);
        }
        self.now = then;
    }

    /// Lets so many seconds pass, and does what is due then too.
    fn wait(&mut self, secs: i64) {
        self.until(self.now + Duration::from_secs(secs));
        self.input(InputKind::Tick);
    }

    /// The number of the latest command that was published.
    fn latest(&self) -> u64 {
        self.out.published.last().unwrap().0
    }

    /// What was ordered, however often it was sent.
    fn orders(&self) -> Vec<&Value> {
        let mut all: Vec<_> = self.out.published.iter().collect();
        all.dedup_by_key(|(command, _)| *command);
        all.iter()
            .map(|(_, message)| &message["cmd_type"])
            .collect()
    }

    fn state(&self) -> CommandState {
        self.farm.delivery().latest().next().unwrap().state
    }

    /// When something is decided about the fan.
    fn decided_at(&self) -> Option<Timestamp> {
        let device = DeviceId::new("fan");
        self.farm
            .controllers()
            .decided_at(self.farm.engine(), &device)
    }

    /// Since when the fan is said not to do what it should.
    fn drifts_since(&self) -> Option<Timestamp> {
        let (engine, now) = (self.farm.engine(), self.now);
        let mut drifting = self.farm.controllers().drifting(engine, now);
        drifting.next().map(|(_, since)| since)
    }
}

#[test]
fn what_has_no_value_to_order_is_done_at_whatever_value() {
    let mut rig = Rig::of("valve");
    rig.manual(ManualKind::Override, Some("on"), 600);
    rig.ack(rig.latest());
    assert_eq!(rig.state(), CommandState::Acked);
    rig.devices(&json!([{"id": "fan", "type": "valve", "on": true, "value": 60}]));
    assert_eq!(rig.state(), CommandState::Confirmed);
}

#[test]
fn a_pulse_is_done_when_it_is_on() {
    let mut rig = Rig::new();
    rig.manual(ManualKind::Pulse, None, 60);
    rig.ack(rig.latest());
    rig.says(false);
    assert_eq!(rig.state(), CommandState::Acked, "a report that crossed it");
    rig.says(true);
    assert_eq!(rig.state(), CommandState::Confirmed);
}

#[test]
fn a_command_says_the_name_of_its_rule() {
    let mut rig = Rig::new();
    rig.heat();
    let (_, message) = rig.out.published.last().unwrap();
    assert_eq!(message["owner"]["name"], "Heat");
}

#[test]
fn attempts_are_counted_and_the_last_word_says_what_was_missing() {
    let life = |rig: &Rig| rig.farm.delivery().latest().next().unwrap().clone();
    for (blocked, attempts, message) in [
        (false, 4, "the controller did not answer"),
        (true, 0, "the controller could not be reached"),
    ] {
        let mut rig = Rig::new();
        rig.out.blocked = blocked;
        rig.manual(ManualKind::Override, Some("on"), 600);
        assert_eq!(life(&rig).attempts, u32::from(!blocked));
        rig.wait(15);
        let life = life(&rig);
        assert_eq!(
            (life.state, life.attempts),
            (CommandState::TimedOut, attempts)
        );
        assert_eq!(life.message.as_deref(), Some(message));
    }
}

#[test]
fn what_expires_now_goes_out_as_it_is_no_more() {
    let mut rig = Rig::new();
    rig.out.blocked = true;
    rig.manual(ManualKind::Override, Some("on"), 600);
    let expires = rig.out.published[0].1["expires_at"].clone();
    rig.until(rig.now + Duration::from_secs(15));
    rig.out = Out::default();
    rig.says(false);
    let (_, message) = &rig.out.published[0];
    assert_ne!(message["expires_at"], expires, "it begins anew");
}

#[test]
fn a_release_that_expires_now_does_not_go_out_before_what_follows_from_it() {
    let mut rig = Rig::new();
    rig.manual(ManualKind::Override, Some("on"), 600);
    rig.ack(rig.latest());
    rig.says(true);
    rig.out.blocked = true;
    rig.manual(ManualKind::Release, None, 0);
    let expires = rig.now + Duration::from_secs(15);
    rig.wait(5);
    rig.heat();
    rig.until(expires);
    rig.out = Out::default();
    rig.apply(Record::WayOut);
    assert_eq!(rig.orders(), ["override"]);
}

#[test]
fn what_ignored_a_command_before_a_rules_pulse_is_told_30_s_after_the_pulse() {
    let mut rig = Rig::of("valve");
    rig.says(true);
    rig.heat_means_pulse();
    rig.manual(ManualKind::Override, Some("off"), 1);
    rig.wait(1);
    rig.heat();
    assert_eq!(rig.orders(), ["override", "pulse"]);
    let began = rig.sent();
    rig.until(began + Duration::from_secs(90));
    assert_eq!((rig.orders().len(), rig.drifts_since()), (2, None));
    rig.wait(0);
    assert_eq!(rig.orders(), ["override", "pulse", "override"]);
    let ended = began + Duration::from_secs(60);
    assert_eq!(rig.drifts_since(), Some(ended), "said when it is seen");
}

#[test]
fn a_rules_pulse_that_does_not_end_is_switched_off_30_s_later() {
    let mut rig = Rig::of("valve");
    rig.heat_means_pulse();
    rig.heat();
    let began = rig.sent();
    rig.ack(rig.latest());
    rig.says(true);
    rig.wait(70);
    rig.says(true);
    rig.until(began + Duration::from_secs(90));
    assert_eq!((rig.orders().len(), rig.drifts_since()), (1, None));
    rig.wait(0);
    assert_eq!(rig.orders(), ["pulse", "override"]);
    let ended = began + Duration::from_secs(60);
    assert_eq!(rig.drifts_since(), Some(ended));
}

#[test]
fn what_begins_by_itself_when_no_pulse_can_be_at_work_any_more_is_switched_off_at_once() {
    let mut rig = Rig::of("valve");
    rig.heat_means_pulse();
    rig.heat();
    let late = rig.sent() + Duration::from_secs(90);
    rig.ack(rig.latest());
    rig.says(true);
    rig.wait(50);
    rig.says(false);
    rig.until(late);
    assert_eq!(rig.orders(), ["pulse"]);
    rig.says(true);
    assert_eq!(rig.orders(), ["pulse", "override"]);
    assert_eq!(rig.drifts_since(), Some(late));
}

#[test]
fn a_device_that_its_controller_has_no_more_is_not_told_again() {
    let mut rig = Rig::new();
    rig.manual(ManualKind::Override, Some("on"), 6_000);
    rig.ack(rig.latest());
    rig.says(true);
    rig.wait(10);
    rig.says(false);
    assert_eq!(rig.drifts_since(), Some(rig.now));
    let soon = rig.now + Duration::from_secs(30);
    rig.wait(21);
    assert_eq!(rig.decided_at(), Some(soon));
    rig.devices(&json!([]));
    let before = rig.out.published.len();
    assert_eq!(rig.drifts_since(), None);
    assert_eq!(rig.decided_at(), None);
    rig.wait(600);
    assert_eq!(rig.out.published.len(), before);
}

/// A pulse goes off at its end by itself, and the server hears that a moment after it said so.
#[test]
fn a_pulse_that_ends_is_neither_told_again_nor_counted() {
    let mut rig = Rig::new();
    rig.wait(100);
    for n in 0..6 {
        rig.out = Out::default();
        rig.manual(ManualKind::Pulse, None, 60);
        rig.ack(rig.latest());
        rig.wait(1);
        rig.says(true);
        rig.wait(59);
        rig.ack(rig.latest());
        rig.wait(1);
        rig.says(false);
        rig.wait(300);
        assert_eq!(rig.orders(), ["pulse", "override"], "{n}");
    }
}
