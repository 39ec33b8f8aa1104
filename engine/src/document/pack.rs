//! Sensors' and rules' documents as the engine keeps them ([`Packed`]): what is put in comes out again, to the last label.

mod action;
mod scope;
#[cfg(test)]
mod tests;

use serde_json::Value;

pub(crate) use action::PackedAction;

use super::farm::SensorSpec;
use super::reader::Fields;
use super::rule::{
    ActionSpec, ConditionSpec, OnSignalLost, RuleMode, RuleSpec, TriggerSpec, WhenSpec,
};
use crate::id::SensorId;
use crate::interner::Interner;
use crate::packed::{Packed, Packer, Unpacker};
use crate::problem::Problems;
use crate::quantity::Quantity;
use crate::sensor_type::SensorType;
use crate::time::Duration;
use crate::truth::Operator;
use scope::{packed_scope, unpack_scope};

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
