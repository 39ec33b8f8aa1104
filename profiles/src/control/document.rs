//! What a profile says of devices that can be commanded, as it is written.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::document::Number;

/// What goes out for an order. Placeholders: the captures of `id`; `{seconds}` of the lease, `{value}` of a setting or a pulse's
/// seconds, each also as `{seconds+100}` or `{value*10}`; `{id}` of the command.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TemplateDocument {
    /// The topic, with captures only; never `harit` or one with `$` first.
    pub topic: String,
    /// The payload. In JSON what stands in a string is escaped, and what stands outside is a number.
    pub payload: String,
}

/// What makes a device go off by itself when nothing more is sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LeaseKind {
    /// A program of its own that waits for renewals.
    Native,
    /// Each order says for how long.
    PerCommand,
    /// A setting of the device: by `configure`, or by hand.
    Configured,
    /// It knows no other way to be on than for a time.
    Inherent,
    /// Nothing: it is never switched on.
    None,
}

impl LeaseKind {
    /// The word for it.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Native => "native",
            Self::PerCommand => "per_command",
            Self::Configured => "configured",
            Self::Inherent => "inherent",
            Self::None => "none",
        }
    }
}

/// Where the device says that its lease is set.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ProveDocument {
    /// The topic of its answer, with captures.
    pub topic: String,
    /// Where in it the number stands, with captures.
    pub at: String,
    /// The least that it has to be: a number or `{seconds+100}`.
    pub least: Number,
}

/// How a device goes off by itself.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LeaseDocument {
    /// By what.
    pub kind: LeaseKind,
    /// After so many seconds, 120 to 3,600.
    #[serde(default = "default_seconds")]
    pub seconds: u32,
    /// What is sent before each `on`, so that it holds.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub configure: Vec<TemplateDocument>,
    /// What has to be seen before it is believed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub prove: Option<ProveDocument>,
}

const fn default_seconds() -> u32 {
    180
}

/// What the answer to a command is.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AnswerKind {
    /// The state that matches it.
    #[default]
    State,
    /// That it could be published: the device says no more.
    Publish,
}

/// Devices that can be commanded.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ControlDocument {
    /// The ids that messages give them, with captures as in a topic: `{dev}/POWER{n}`.
    pub id: String,
    /// What they are: fan, vent, pump, valve or dosing_pump.
    #[serde(rename = "type")]
    pub device_type: String,
    /// What they are instead where the id is like one of these, with `*`.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub types: BTreeMap<String, Vec<String>>,
    /// Switches on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub on: Option<TemplateDocument>,
    /// Switches off.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub off: Option<TemplateDocument>,
    /// Sets the speed in %.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub set_speed: Option<TemplateDocument>,
    /// Sets the position in %.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub set_position: Option<TemplateDocument>,
    /// Sets the flow rate in ml/s.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub set_flow_rate: Option<TemplateDocument>,
    /// Is on for `{value}` seconds and then off. Without it, `on` with so many seconds of lease where orders say for how long.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pulse: Option<TemplateDocument>,
    /// Renews the lease; what switched it on again, without.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub renew: Option<TemplateDocument>,
    /// How they go off by themselves.
    pub lease: LeaseDocument,
    /// What the answer to a command is.
    #[serde(default)]
    pub answer: AnswerKind,
    /// For how many seconds a state that matches counts as the answer, 1 to 3,600.
    #[serde(default = "default_within")]
    pub within: u32,
    /// How often a device that sleeps wakes, in seconds, 60 to 86,400: it gets what is sent to it only then. None is always awake.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub wakes_every_sec: Option<u32>,
}

const fn default_within() -> u32 {
    15
}
