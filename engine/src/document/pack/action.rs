//! Actions as they stand in a packed rule.

use serde_json::{Value, json};

use super::{flag, flags, pack_json};
use crate::document::curve::CurveSpec;
use crate::document::reader::Fields;
use crate::document::rule::ActionSpec;
use crate::packed::{Packer, Unpacker};
use crate::problem::Problems;
use crate::quantity::Quantity;
use crate::setting::OrderSpec;
use crate::time::Duration;

/// The actions' names, by the byte that stands for them.
const ACTIONS: [&str; 6] = [
    "on",
    "off",
    "set_speed",
    "set_position",
    "set_flow_rate",
    "pulse",
];
/// The bits of an action's first byte that say that it has an end of its own, and a curve, and those of its name.
const HAS_END: u8 = 1 << 7;
const HAS_CURVE: u8 = 1 << 6;
const NO_NAME: u8 = u8::MAX >> 4;

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

impl<'a> PackedAction<'a> {
    pub(super) fn unpack(u: &mut Unpacker<'a>) -> Self {
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
    pub(super) fn pack(&self, p: &mut Packer<'_>) {
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

    pub(super) fn unpack(u: &mut Unpacker<'_>) -> Self {
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
