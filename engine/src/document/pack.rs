//! Sensors' and rules' documents as the engine keeps them ([`Packed`]): what is put in comes out again, to the last label.

use serde_json::{Value, json};

use super::curve::CurveSpec;
use super::farm::SensorSpec;
use super::reader::Fields;
use super::rule::{
    ActionSpec, ConditionSpec, OnSignalLost, RuleMode, RuleSpec, TriggerSpec, WhenSpec,
};
use super::scope::{ScopeKind, ScopeSpec};
use crate::id::SensorId;
use crate::interner::Interner;
use crate::packed::{Packed, Packer, Unpacker};
use crate::problem::Problems;
use crate::quantity::Quantity;
use crate::sensor_type::SensorType;
use crate::setting::OrderSpec;
use crate::time::Duration;
use crate::truth::Operator;

/// The actions' names, by the byte that stands for them.
const ACTIONS: [&str; 6] = [
    "on",
    "off",
    "set_speed",
    "set_position",
    "set_flow_rate",
    "pulse",
];
const OPERATORS: [Operator; 6] = [
    Operator::Gt,
    Operator::Gte,
    Operator::Lt,
    Operator::Lte,
    Operator::Eq,
    Operator::Between,
];

/// Flags of a document, told one by one.
fn flags<const N: usize>(all: [bool; N]) -> u8 {
    all.iter()
        .rev()
        .fold(0, |sum, flag| sum << 1 | u8::from(*flag))
}

const fn flag(flags: u8, n: u8) -> bool {
    flags >> n & 1 == 1
}

impl SensorSpec {
    pub(crate) fn pack(&self, words: &mut Interner) -> Packed {
        let mut p = Packer::new(words);
        p.byte(flags([self.name.is_some(), self.controller.is_some()]));
        pack_type(self.sensor_type, &mut p);
        p.word(&packed_scope(&self.scope, p.words()));
        p.signed(self.stale_after.as_millis());
        if let Some(name) = &self.name {
            p.text(name);
        }
        if let Some(controller) = &self.controller {
            p.word(controller);
        }
        p.finish(self.id.as_str())
    }

    pub(crate) fn unpack(packed: &Packed, words: &Interner) -> Self {
        let mut u = packed.fields(words);
        let has = u.byte();
        Self {
            id: SensorId::from(packed.id()),
            sensor_type: unpack_type(&mut u),
            scope: unpack_scope(&mut u),
            stale_after: Duration::from_millis(u.signed()),
            name: flag(has, 0).then(|| u.text().to_owned()),
            controller: flag(has, 1).then(|| u.word().to_owned()),
        }
    }
}

impl RuleSpec {
    /// Its actions come first: they are read alone when it fires.
    pub(crate) fn pack(&self, words: &mut Interner) -> Packed {
        let mut p = Packer::new(words);
        p.number(self.actions.len() as u64);
        for action in &self.actions {
            action.pack(&mut p);
        }
        p.byte(flags([
            self.mode == RuleMode::Disabled,
            self.deployed,
            self.on_signal_lost == OnSignalLost::Hold,
            self.stop_condition.is_some(),
            self.trigger.as_condition().is_none(),
            matches!(self.stop_condition, Some(WhenSpec::Tree(_))),
            self.run.is_some(),
        ]));
        p.byte(self.priority);
        p.text(&self.name);
        p.text(&self.description);
        p.word(&packed_scope(&self.scope, p.words()));
        match self.trigger.as_condition() {
            Some(condition) => condition.pack(&mut p),
            None => pack_json(&self.trigger, &mut p),
        }
        match &self.stop_condition {
            Some(WhenSpec::Condition(stop)) => stop.pack(&mut p),
            Some(tree) => pack_json(tree, &mut p),
            None => {}
        }
        if let Some(run) = self.run {
            p.signed(run.as_millis());
        }
        pack_label(&self.created_by, &mut p);
        pack_label(&self.created_at, &mut p);
        p.finish(self.id.as_str())
    }

    pub(crate) fn unpack(packed: &Packed, words: &Interner) -> Self {
        let mut u = packed.fields(words);
        let actions = (0..u.number())
            .map(|_| ActionSpec::unpack(&mut u))
            .collect();
        let has = u.byte();
        Self {
            id: packed.id().into(),
            actions,
            mode: if flag(has, 0) {
                RuleMode::Disabled
            } else {
                RuleMode::Auto
            },
            deployed: flag(has, 1),
            on_signal_lost: if flag(has, 2) {
                OnSignalLost::Hold
            } else {
                OnSignalLost::Stop
            },
            priority: u.byte(),
            name: u.text().to_owned(),
            description: u.text().to_owned(),
            scope: unpack_scope(&mut u),
            trigger: if flag(has, 4) {
                unpack_json(&mut u, TriggerSpec::read)
            } else {
                TriggerSpec::When(WhenSpec::Condition(ConditionSpec::unpack(&mut u)))
            },
            stop_condition: flag(has, 3).then(|| match flag(has, 5) {
                true => unpack_json(&mut u, |f| WhenSpec::read(f, false)),
                false => WhenSpec::Condition(ConditionSpec::unpack(&mut u)),
            }),
            run: flag(has, 6).then(|| Duration::from_millis(u.signed())),
            created_by: unpack_label(&mut u),
            created_at: unpack_label(&mut u),
        }
    }

    /// A packed rule's actions, without the rest of it.
    pub(crate) fn unpack_actions<'a>(
        packed: &'a Packed,
        words: &'a Interner,
    ) -> impl Iterator<Item = PackedAction<'a>> {
        let mut u = packed.fields(words);
        (0..u.number()).map(move |_| PackedAction::unpack(&mut u))
    }
}

/// An action as it stands in a packed rule.
#[derive(Debug, Clone, Copy)]
pub(crate) struct PackedAction<'a> {
    /// The word that is the device's id.
    pub(crate) device: u32,
    device_name: Option<u32>,
    pub(crate) action: &'a str,
    pub(crate) value: Option<Quantity>,
    pub(crate) delay: Duration,
    pub(crate) lasts: Option<Duration>,
    pub(crate) linger: Option<Duration>,
    /// Its curve's document.
    pub(crate) curve: Option<&'a str>,
}

/// The bits of an action's first byte that say that it has an end of its own, and a curve, and those of its name.
const HAS_END: u8 = 1 << 7;
const HAS_CURVE: u8 = 1 << 6;
const NO_NAME: u8 = u8::MAX >> 4;

impl<'a> PackedAction<'a> {
    fn unpack(u: &mut Unpacker<'a>) -> Self {
        let has = u.byte();
        Self {
            device: u.word_number(),
            device_name: flag(has, 0).then(|| u.word_number()),
            action: match ACTIONS.get(usize::from(has >> 2 & NO_NAME)) {
                Some(known) => known,
                None => u.text(),
            },
            value: flag(has, 1).then(|| Quantity::from_micro(u.signed())),
            delay: Duration::from_millis(u.signed()),
            lasts: { has & HAS_END != 0 }.then(|| some_millis(u)).flatten(),
            linger: { has & HAS_END != 0 }.then(|| some_millis(u)).flatten(),
            curve: { has & HAS_CURVE != 0 }.then(|| u.text()),
        }
    }

    /// Reads its curve.
    pub(crate) fn curve(&self) -> Option<Box<CurveSpec>> {
        let value: Value = serde_json::from_str(self.curve?).unwrap_or_default();
        let whole = json!({"curve": value});
        let command = OrderSpec {
            action: self.action.to_owned(),
            value: self.value,
        };
        let mut none = Problems::default();
        CurveSpec::read(&mut Fields::of(&whole, String::new(), &mut none), &command)
    }
}

/// A duration that may be none: none is zero, which is never said.
fn some_millis(u: &mut Unpacker<'_>) -> Option<Duration> {
    Some(Duration::from_millis(u.signed())).filter(|d| *d > Duration::ZERO)
}

impl ActionSpec {
    fn pack(&self, p: &mut Packer<'_>) {
        let known = ACTIONS
            .iter()
            .zip(0..)
            .find(|(a, _)| **a == self.command.action);
        let code = known.map_or(NO_NAME, |(_, code)| code);
        let has = flags([self.device_name.is_some(), self.command.value.is_some()]);
        let ends = self.lasts.is_some() || self.linger.is_some();
        let curve = if self.curve.is_some() { HAS_CURVE } else { 0 };
        p.byte(code << 2 | has | curve | if ends { HAS_END } else { 0 });
        p.word(self.device_id.as_str());
        if let Some(name) = &self.device_name {
            p.word(name);
        }
        if known.is_none() {
            p.text(&self.command.action);
        }
        if let Some(value) = self.command.value {
            p.signed(value.as_micro());
        }
        p.signed(self.delay.as_millis());
        if ends {
            for end in [self.lasts, self.linger] {
                p.signed(end.unwrap_or(Duration::ZERO).as_millis());
            }
        }
        if let Some(curve) = &self.curve {
            pack_json(curve, p);
        }
    }

    fn unpack(u: &mut Unpacker<'_>) -> Self {
        let action = PackedAction::unpack(u);
        Self {
            device_id: u.words().text(action.device).into(),
            device_name: action.device_name.map(|n| u.words().text(n).to_owned()),
            command: OrderSpec {
                action: action.action.to_owned(),
                value: action.value,
            },
            curve: action.curve(),
            delay: action.delay,
            lasts: action.lasts,
            linger: action.linger,
        }
    }
}

/// What only programs have is kept as its document: few rules have it.
fn pack_json(part: &impl serde::Serialize, p: &mut Packer<'_>) {
    p.text(&serde_json::to_string(part).unwrap_or_default());
}

/// What was packed as a document was read from one.
fn unpack_json<T>(u: &mut Unpacker<'_>, read: impl FnOnce(&mut Fields<'_>) -> T) -> T {
    let value: Value = serde_json::from_str(u.text()).unwrap_or_default();
    let mut none = Problems::default();
    read(&mut Fields::of(&value, String::new(), &mut none))
}

impl ConditionSpec {
    fn pack(&self, p: &mut Packer<'_>) {
        p.byte(flags([self.value_max.is_some(), self.scope.is_some()]));
        pack_type(self.sensor_type, p);
        let operator = OPERATORS
            .iter()
            .zip(0..)
            .find(|(o, _)| **o == self.operator);
        p.byte(operator.map_or(0, |(_, code)| code));
        p.signed(self.value.as_micro());
        p.signed(self.duration.as_millis());
        if let Some(max) = self.value_max {
            p.signed(max.as_micro());
        }
        if let Some(scope) = &self.scope {
            p.word(&packed_scope(scope, p.words()));
        }
    }

    fn unpack(u: &mut Unpacker<'_>) -> Self {
        let has = u.byte();
        Self {
            sensor_type: unpack_type(u),
            operator: OPERATORS
                .get(usize::from(u.byte()))
                .copied()
                .unwrap_or(Operator::Gt),
            value: Quantity::from_micro(u.signed()),
            duration: Duration::from_millis(u.signed()),
            value_max: flag(has, 0).then(|| Quantity::from_micro(u.signed())),
            scope: flag(has, 1).then(|| unpack_scope(u)),
        }
    }
}

fn pack_type(sensor_type: SensorType, p: &mut Packer<'_>) {
    let code = SensorType::ALL
        .iter()
        .zip(0..)
        .find(|(t, _)| **t == sensor_type);
    p.byte(code.map_or(0, |(_, code)| code));
}

fn unpack_type(u: &mut Unpacker<'_>) -> SensorType {
    SensorType::ALL
        .get(usize::from(u.byte()))
        .copied()
        .unwrap_or(SensorType::Temperature)
}

/// A scope is one word, the same for all that lies there: its kind, then each text with its length before it, `-` for none
/// and `=` for the farm's own id.
fn packed_scope(scope: &ScopeSpec, words: &Interner) -> String {
    let mut all = String::from(match scope.kind {
        ScopeKind::Farm => "f",
        ScopeKind::Polyhouse => "p",
        ScopeKind::Zone => "z",
    });
    let mut add = |text: Option<&str>| match text {
        None => all.push('-'),
        Some(text) => {
            all.push_str(&text.len().to_string());
            all.push(':');
            all.push_str(text);
        }
    };
    add(scope.polyhouse_id.as_ref().map(|id| id.as_str()));
    add(scope.zone_id.as_ref().map(|id| id.as_str()));
    add(scope.name.as_deref());
    add(scope.path.as_deref());
    match &scope.farm_id {
        Some(id) if id == words.farm() => all.push('='),
        other => add(other.as_ref().map(|id| id.as_str())),
    }
    all
}

fn unpack_scope(u: &mut Unpacker<'_>) -> ScopeSpec {
    let farm = u.words().farm().clone();
    let (kind, mut rest) = u.word().split_at_checked(1).unwrap_or_default();
    ScopeSpec {
        kind: match kind {
            "z" => ScopeKind::Zone,
            "p" => ScopeKind::Polyhouse,
            _ => ScopeKind::Farm,
        },
        polyhouse_id: next_text(&mut rest).map(Into::into),
        zone_id: next_text(&mut rest).map(Into::into),
        name: next_text(&mut rest).map(str::to_owned),
        path: next_text(&mut rest).map(str::to_owned),
        farm_id: if rest == "=" {
            Some(farm)
        } else {
            next_text(&mut rest).map(Into::into)
        },
    }
}

fn next_text<'a>(rest: &mut &'a str) -> Option<&'a str> {
    if let Some(after) = rest.strip_prefix('-') {
        *rest = after;
        return None;
    }
    let (length, after) = rest.split_once(':')?;
    let (text, after) = after.split_at_checked(length.parse().ok()?)?;
    *rest = after;
    Some(text)
}

/// Who and when: mostly a user's id and an instant, but a label may be any JSON.
fn pack_label(label: &Value, p: &mut Packer<'_>) {
    match label {
        Value::Null => p.byte(0),
        Value::String(text) => {
            p.byte(1);
            p.word(text);
        }
        other => match other.as_i64() {
            Some(n) => {
                p.byte(2);
                p.signed(n);
            }
            None => {
                p.byte(3);
                p.text(&other.to_string());
            }
        },
    }
}

fn unpack_label(u: &mut Unpacker<'_>) -> Value {
    match u.byte() {
        1 => Value::from(u.word()),
        2 => Value::from(u.signed()),
        3 => serde_json::from_str(u.text()).unwrap_or_default(),
        _ => Value::Null,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::id::FarmId;

    fn comes_out_again(rule: &Value) {
        let mut words = Interner::new(&FarmId::from("farm"));
        let spec = RuleSpec::from_json(rule).unwrap();
        let written = serde_json::to_value(&spec).unwrap();
        assert_eq!(RuleSpec::from_json(&written).as_ref(), Ok(&spec));
        let packed = spec.pack(&mut words);
        assert_eq!(RuleSpec::unpack(&packed, &words), spec);
        let again = spec.pack(&mut words);
        let count = words.len();
        packed.release(&mut words);
        assert_eq!(
            (words.len(), RuleSpec::unpack(&again, &words)),
            (count, spec)
        );
        again.release(&mut words);
        assert_eq!(
            words.len(),
            0,
            "words go with the last document that names them"
        );
    }

    #[test]
    fn what_is_packed_comes_out_again() {
        let zone = json!({
            "type": "zone", "farmId": "farm", "polyhouseId": "p:1-", "zoneId": "3:z", "name": "हरित", "path": "A / =",
        });
        let trigger =
            json!({"sensor_type": "ph", "operator": "between", "value": 5.5, "value_max": 6.25});
        comes_out_again(&json!({
            "id": "r", "name": "n", "scope": {"type": "farm"}, "trigger": trigger, "actions": [],
        }));
        comes_out_again(&json!({
            "id": "नियम 1", "name": "Cool", "description": "a\u{0}b", "mode": "disabled", "priority": 10, "deployed": true,
            "scope": zone, "on_signal_lost": "hold", "created_by": {"a": [1, 2.5]}, "created_at": 1_763_740_800_123_i64,
            "trigger": {"sensor_type": "temperature", "operator": "lt", "value": -9.999_999, "duration_sec": 315_360_000,
                "scope": {"type": "farm", "farmId": "another", "name": ""}},
            "stop_condition": {"sensor_type": "co2_level", "operator": "eq", "value": 2_000, "scope": zone},
            "actions": [
                {"device_id": "d", "device_name": "", "command": {"action": "set_flow_rate", "value": 0.1}, "delay_sec": 1},
                {"device_id": "d", "command": {"action": "pulse", "value": 60}},
                {"device_id": "e", "command": {"action": "on", "value": 3}},
            ],
        }));
        comes_out_again(&json!({
            "id": "p", "name": "n", "scope": zone, "run_sec": 86_400,
            "trigger": {"schedule": {
                "at": ["06:00", {"sun": "sunset", "offset_min": -30}], "every": {"minutes": 30, "from": "07:00", "to": "09:10"},
                "days": ["mon", "sun"], "dates": {"from": "11-01", "to": "02-29"}, "catch_up_sec": 60, "if_unknown": "skip",
                "guard": {"not": {"sensor_type": "temperature", "operator": "between", "value": 0.1, "value_max": 2, "hold_sec": 9}},
            }},
            "stop_condition": {"any": [
                {"time": {"from": "22:00", "to": {"sun": "sunrise"}}, "days": ["tue"]}, {"days": ["wed"]}, {"device": "d", "is": "off"},
                {"all": [{"rule": "r"}, {"dates": {"from": "01-01", "to": "01-02"}}], "hold_sec": 5},
                {"sensor_type": "ph", "operator": "lt", "value": 5.123_456, "scope": zone},
            ], "duration_sec": 7},
            "actions": [{"device_id": "d", "command": {"action": "on"}, "for_sec": 300, "linger_sec": 5},
                {"device_id": "e", "command": {"action": "set_speed", "value": 40}, "delay_sec": 3, "linger_sec": 60}],
        }));
        comes_out_again(&json!({
            "id": "c", "name": "n", "scope": zone,
            "trigger": {"sensor_type": "temperature", "operator": "gt", "setpoint": "day", "offset": 0.5, "scope": zone},
            "stop_condition": {"any": [{"sensor_type": "temperature", "operator": "lte", "setpoint": "day"}, {"days": ["sun"]}]},
            "actions": [
                {"device_id": "e", "command": {"action": "set_position", "value": 20}, "linger_sec": 2, "curve": {
                    "sensor_type": "temperature", "scope": zone, "setpoint": "day", "points": [[-1, 0], [0.5, 12.5], [5, 100]],
                    "dead_band": 0.3, "step": 5, "least_sec": 120}},
                {"device_id": "e", "command": {"action": "set_flow_rate", "value": 1}, "delay_sec": 9, "curve": {
                    "sensor_type": "ec", "points": [[0, 10], [2, 0.1]]}},
            ],
        }));
        let mut odd = RuleSpec::from_json(&json!({
            "id": "r", "name": "n", "scope": {"type": "farm"}, "trigger": trigger, "created_by": u64::MAX, "created_at": "now",
            "actions": [{"device_id": "d", "command": {"action": "off"}}],
        }))
        .unwrap();
        odd.actions[0].command.action = "dance".into();
        let TriggerSpec::When(WhenSpec::Condition(odd_trigger)) = &mut odd.trigger else {
            unreachable!()
        };
        odd_trigger.duration = Duration::from_millis(-1);
        let mut words = Interner::new(&FarmId::from("farm"));
        assert_eq!(RuleSpec::unpack(&odd.pack(&mut words), &words), odd);
    }

    #[test]
    fn a_sensor_comes_out_again() {
        let mut words = Interner::new(&FarmId::from("farm"));
        for sensor in [
            json!({"id": "s", "type": "ph", "scope": {"type": "farm"}}),
            json!({"id": "s", "name": "S", "type": "co2_level", "scope": {"type": "polyhouse", "polyhouseId": "p"},
                "stale_after_sec": 1, "controller": "A4:CF:12:00:00:01"}),
        ] {
            let spec = SensorSpec::from_json(&sensor).unwrap();
            assert_eq!(SensorSpec::unpack(&spec.pack(&mut words), &words), spec);
        }
    }
}
