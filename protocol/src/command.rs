//! Commands as they go out to controllers, and renewals of their leases.

use std::borrow::Cow;

use harit_engine::{Cause, Command, Duration, Owner, Quantity, SentOrder, Setting, Timestamp};
use serde::{Deserialize, Serialize};

/// How long a controller may do a command.
pub const EXPIRES_AFTER: Duration = Duration::from_secs(15);
/// How long a device stays on by itself after a command or a renewal, in seconds.
pub const LEASE_SEC: i64 = 180;

/// A command's message.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CommandMessage {
    /// Unique in the farm for ever: a controller does an id once.
    pub command_id: String,
    cmd_type: Cow<'static, str>,
    device_id: Box<str>,
    action: Action,
    owner: OwnerBody,
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    duration_sec: Option<i64>,
    timestamp: Timestamp,
    expires_at: Timestamp,
    #[serde(skip_serializing_if = "Option::is_none")]
    lease_sec: Option<i64>,
}

/// What a command orders.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ordered {
    /// To be off.
    Off,
    /// To be on, at a value where there is one.
    On(Option<Quantity>),
    /// To be on for so many seconds.
    Pulse(u32),
    /// To go back to automatic control.
    Release,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct Action {
    mode: Cow<'static, str>,
    value: Option<Quantity>,
    #[serde(skip_serializing_if = "Option::is_none")]
    on: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    duration_sec: Option<i64>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct OwnerBody {
    user_id: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    rule_id: Option<String>,
    name: String,
}

#[derive(Serialize)]
struct Renewal<'a> {
    command_id: &'a str,
    cmd_type: &'static str,
    device_id: &'a str,
    lease_sec: i64,
}

impl CommandMessage {
    /// The message of what the engine decided. `rule_name` is that of its cause, if that is a rule; `local` the controller's own
    /// id of the device.
    #[must_use]
    pub fn new(
        now: Timestamp,
        command: &Command,
        rule_name: Option<String>,
        local: Box<str>,
    ) -> Self {
        let order = command.order();
        let (cmd_type, mode, on, value, pulse_sec) = match order {
            SentOrder::Set(s) => ("override", "manual", Some(s.is_on()), s.value(), None),
            SentOrder::Pulse { secs } => {
                ("pulse", "manual", Some(true), None, Some(i64::from(secs)))
            }
            SentOrder::Release => ("release", "auto", None, None, None),
        };
        let owner = match (command.owner(), command.cause()) {
            (None, Cause::Rule(id)) => OwnerBody {
                user_id: None,
                rule_id: Some(id.to_string()),
                name: rule_name.unwrap_or_else(|| id.to_string()),
            },
            (owner, _) => OwnerBody::of(owner.map(|o| &**o)),
        };
        let remaining = command.until().map(|until| whole_secs(until - now));
        Self {
            command_id: command.id().to_string(),
            cmd_type: cmd_type.into(),
            device_id: local,
            action: Action {
                mode: mode.into(),
                value,
                on,
                duration_sec: pulse_sec,
            },
            reason: command
                .owner()
                .and_then(|o| o.reason.as_deref().map(str::to_owned))
                .or_else(|| Some(command.cause().as_str().to_owned())),
            owner,
            duration_sec: match order {
                SentOrder::Set(_) => remaining,
                SentOrder::Pulse { secs } => Some(secs.into()),
                SentOrder::Release => Some(0),
            },
            timestamp: now,
            expires_at: now + EXPIRES_AFTER,
            lease_sec: matches!(order, SentOrder::Set(s) if s.is_on()).then_some(LEASE_SEC),
        }
    }

    /// The message of an `off` that goes out before the engine may decide it.
    #[must_use]
    pub fn off(now: Timestamp, command_id: String, owner: Option<&Owner>, local: Box<str>) -> Self {
        Self {
            command_id,
            cmd_type: "override".into(),
            device_id: local,
            action: Action {
                mode: "manual".into(),
                value: Setting::Off.value(),
                on: Some(false),
                duration_sec: None,
            },
            owner: OwnerBody::of(owner),
            reason: owner.and_then(|o| o.reason.as_deref().map(str::to_owned)),
            duration_sec: None,
            timestamp: now,
            expires_at: now + EXPIRES_AFTER,
            lease_sec: None,
        }
    }

    /// The controller's own id of the device.
    #[must_use]
    pub fn device(&self) -> &str {
        &self.device_id
    }

    /// What it orders.
    #[must_use]
    pub fn ordered(&self) -> Ordered {
        match (&*self.cmd_type, self.action.on) {
            ("release", _) => Ordered::Release,
            ("pulse", _) => {
                let secs = self.action.duration_sec.unwrap_or(0);
                Ordered::Pulse(u32::try_from(secs).unwrap_or(0))
            }
            (_, Some(true)) => Ordered::On(self.action.value),
            _ => Ordered::Off,
        }
    }

    /// When it was sent last as a new message.
    #[must_use]
    pub const fn timestamp(&self) -> Timestamp {
        self.timestamp
    }

    /// Until when the controller may do it.
    #[must_use]
    pub const fn expires_at(&self) -> Timestamp {
        self.expires_at
    }

    /// Whether the device goes off by itself unless the lease is renewed.
    #[must_use]
    pub const fn is_leased(&self) -> bool {
        self.lease_sec.is_some()
    }

    /// Makes it a message of now: it expires anew.
    pub fn send_anew(&mut self, now: Timestamp) {
        (self.timestamp, self.expires_at) = (now, now + EXPIRES_AFTER);
    }

    /// The payload.
    ///
    /// # Errors
    /// Never, as far as is known: it is plain data.
    pub fn to_payload(&self) -> serde_json::Result<Vec<u8>> {
        serde_json::to_vec(self)
    }

    /// The payload that renews its lease for so many seconds.
    ///
    /// # Errors
    /// Never, as far as is known: it is plain data.
    pub fn renewal(&self, lease_sec: i64) -> serde_json::Result<Vec<u8>> {
        serde_json::to_vec(&Renewal {
            command_id: &self.command_id,
            cmd_type: "renew",
            device_id: &self.device_id,
            lease_sec,
        })
    }
}

impl OwnerBody {
    fn of(owner: Option<&Owner>) -> Self {
        Self {
            user_id: owner.map(|o| o.user_id.to_string()),
            rule_id: None,
            name: owner.map_or_else(|| "Harit".to_owned(), |o| o.name.to_string()),
        }
    }
}

/// Milliseconds in whole seconds, rounded up, never below zero.
fn whole_secs(d: Duration) -> i64 {
    d.as_millis().max(0).saturating_add(999) / 1_000
}
