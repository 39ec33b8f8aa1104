//! The whole state of an engine as bytes, and back.
//!
//! A snapshot is one header line, `harit-snapshot 1 CRC32 LENGTH`, and a JSON body: the farm's documents, and beside them
//! what has happened to each thing. Whatever follows from the documents (signals, comparisons, deadlines) is built anew. JSON,
//! because a snapshot must still be readable by the next version, and by a person who wants to know what was lost.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::almanac::Almanac;
use crate::device::{Cause, Claim, Device, Ledger, Limited, ManualMode, Pulse};
use crate::document::{FarmDocument, Problems};
use crate::engine::Engine;
use crate::event::LimitReason;
use crate::hold::Hold;
use crate::id::{AlertId, DeviceId, RuleId, SensorId};
use crate::lock::{DeviceLock, Locks, Owner};
use crate::program::{Held, Program, Seen};
use crate::quantity::Quantity;
use crate::rule::{Delayed, End, Phase, Rule, RuleHold};
use crate::sensor::Counters;
use crate::setting::{Order, OrderSpec, Setting};
use crate::state::State;
use crate::time::Timestamp;
use crate::timer::{NEVER, Timers};
use crate::truth::Truth;

const MAGIC: &str = "harit-snapshot";
/// The version of the body. A body of another version is refused.
const VERSION: u32 = 1;

/// Why a snapshot cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum SnapshotError {
    /// It does not begin like one.
    #[error("not a snapshot: it does not begin with a `{MAGIC}` line")]
    NotASnapshot,
    /// It was written by another version.
    #[error("snapshot version {0} is not {VERSION}")]
    Version(u32),
    /// It is damaged.
    #[error("the snapshot is damaged: {0}")]
    Damaged(&'static str),
    /// Its body is not what this version writes.
    #[error("the snapshot's body cannot be read")]
    Body(#[source] serde_json::Error),
    /// Its documents do not fit together.
    #[error("the snapshot's documents do not fit together")]
    Documents(#[source] Problems),
}

#[derive(Serialize, Deserialize)]
struct Body {
    document: FarmDocument,
    clock: Option<Timestamp>,
    commands: u64,
    counters: Counters,
    registry_version: u64,
    sensors: BTreeMap<SensorId, SensorPart>,
    rules: BTreeMap<RuleId, RulePart>,
    devices: BTreeMap<DeviceId, DevicePart>,
    alerts: BTreeMap<AlertId, AlertPart>,
    remembered: BTreeMap<AlertId, Timestamp>,
    /// Snapshots of earlier builds do not have it.
    #[serde(default)]
    withdrawn: BTreeMap<RuleId, Timestamp>,
    #[serde(default)]
    almanac: Almanac,
}

#[derive(Serialize, Deserialize)]
struct SensorPart {
    value: i64,
    read_at: Timestamp,
    newest: Timestamp,
    fresh: bool,
    faults: u8,
}

#[derive(Serialize, Deserialize)]
struct RulePart {
    phase: PhasePart,
    delayed: Vec<Delayed>,
    /// Where the holds of its branches stand, of trigger or guard, then of the stop condition; of active programs.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    branches: Vec<Vec<Option<Held>>>,
    /// What these trees would be without their signals, where that is known.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    without: Vec<Truth>,
    /// Up to when its starts are done with.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    handled: Option<Timestamp>,
}

#[derive(Serialize, Deserialize)]
enum PhasePart {
    Idle,
    Pending { since: Timestamp, samples: u8 },
    Running { since: Timestamp, end: EndPart },
}

#[derive(Serialize, Deserialize)]
enum EndPart {
    Far,
    Near { since: Timestamp, samples: u8 },
    Lost { since: Timestamp },
}

impl PhasePart {
    fn of(rule: &Rule, seen: Seen<'_>) -> Self {
        let hold = rule.hold(seen);
        match (rule.phase, hold) {
            (Phase::Idle, _) | (Phase::Pending(_), None) => Self::Idle,
            (Phase::Pending(_), Some(Hold { since, samples })) => Self::Pending { since, samples },
            (Phase::Running { since, end }, hold) => {
                let end = match (end, hold) {
                    (End::Lost { since }, _) => EndPart::Lost { since },
                    (End::Near(_), Some(Hold { since, samples })) => {
                        EndPart::Near { since, samples }
                    }
                    (End::Near(_), None) | (End::Far, _) => EndPart::Far,
                };
                Self::Running { since, end }
            }
        }
    }

    /// The phase, where the rule's signal has counted no sample yet.
    fn phase(self) -> Phase {
        let hold = |since, samples| RuleHold::new(Hold { since, samples }, 0);
        match self {
            Self::Idle => Phase::Idle,
            Self::Pending { since, samples } => Phase::Pending(hold(since, samples)),
            Self::Running { since, end } => {
                let end = match end {
                    EndPart::Far => End::Far,
                    EndPart::Near { since, samples } => End::Near(hold(since, samples)),
                    EndPart::Lost { since } => End::Lost { since },
                };
                Phase::Running { since, end }
            }
        }
    }
}

#[derive(Serialize, Deserialize)]
struct DevicePart {
    online: bool,
    /// The first lock's reason: all that snapshots of the first version have of locks.
    lock: Option<Arc<str>>,
    #[serde(default)]
    locks: Vec<DeviceLock>,
    safety: bool,
    /// What it is reported to do.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    running: Option<bool>,
    manual: Option<ManualPart>,
    claims: Vec<ClaimPart>,
    last_sent: Option<OrderSpec>,
    commanded: bool,
    ever_claimed: bool,
    on_since: Option<Timestamp>,
    pulses: Vec<Pulse>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    limits: Option<LimitsPart>,
    /// Whether a device starts online is a matter of its document, not of its status.
    starts_online: bool,
}

#[derive(Serialize, Deserialize)]
struct LimitsPart {
    off_since: Option<Timestamp>,
    pulse_until: Option<Timestamp>,
    starts: Vec<Timestamp>,
    ledger: Option<Ledger>,
    last_on: Option<OrderSpec>,
    /// Why it is not sent what is desired, and the rule that wants it; no rule where that is its rest.
    held: Option<(LimitReason, Option<RuleId>)>,
    unmet_since: Option<Timestamp>,
    carries_since: Option<Timestamp>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    allowed_since: Option<Timestamp>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    shut_since: Option<Timestamp>,
}

impl LimitsPart {
    fn of(limited: &Limited) -> Self {
        let held = limited.held.as_ref().map(|(reason, cause)| match cause {
            Cause::Rule(id) => (*reason, Some(id.clone())),
            _ => (*reason, None),
        });
        Self {
            off_since: limited.off_since,
            pulse_until: limited.pulse_until,
            starts: limited.starts.iter().copied().collect(),
            ledger: limited.ledger,
            last_on: limited.last_on.map(order_of),
            held,
            unmet_since: limited.unmet_since,
            carries_since: limited.carries_since,
            allowed_since: limited.allowed_since,
            shut_since: limited.shut_since,
        }
    }

    fn limited(self, setting: impl Fn(&OrderSpec) -> Option<Setting>) -> Limited {
        Limited {
            off_since: self.off_since,
            pulse_until: self.pulse_until,
            starts: self.starts.into(),
            ledger: self.ledger,
            last_on: self.last_on.as_ref().and_then(setting),
            held: { self.held }
                .map(|(reason, rule)| (reason, rule.map_or(Cause::Rest, Cause::Rule))),
            unmet_since: self.unmet_since,
            carries_since: self.carries_since,
            allowed_since: self.allowed_since,
            shut_since: self.shut_since,
            ..Limited::default()
        }
    }
}

#[derive(Serialize, Deserialize)]
struct ManualPart {
    setting: Option<OrderSpec>,
    until: Timestamp,
    admin: bool,
    owner: Option<Arc<Owner>>,
}

#[derive(Serialize, Deserialize)]
struct ClaimPart {
    rule: RuleId,
    at: Timestamp,
    setting: OrderSpec,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    until: Option<Timestamp>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    linger_sec: Option<u8>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    curve: Option<CurvePart>,
}

/// Where a claim's curve stands.
#[derive(Serialize, Deserialize)]
struct CurvePart {
    action: u8,
    reference: Option<Quantity>,
    changed: Timestamp,
    /// What it sets while its signal is not known.
    otherwise: OrderSpec,
}

#[derive(Serialize, Deserialize)]
struct AlertPart {
    active: bool,
    /// Snapshots of earlier builds do not have it.
    #[serde(default)]
    raised_since: Option<Timestamp>,
    #[serde(default)]
    unknown_since: Option<Timestamp>,
    /// What it remembers, while it is raised and is one that does.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    memory: Option<Vec<SensorId>>,
    hold: Option<Hold>,
    last_notified: Option<Timestamp>,
    next_notification: Option<Timestamp>,
    told_no_data: bool,
    /// Where the holds of its tree's branches stand, and what that would be without its signals.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    only_if: Option<(Vec<Option<Held>>, Truth)>,
    /// Which of these holds were interrupted, a bit each.
    #[serde(default, skip_serializing_if = "is_zero")]
    interrupted: u32,
}

#[allow(
    clippy::trivially_copy_pass_by_ref,
    reason = "the signature that serde asks for"
)]
const fn is_zero(number: &u32) -> bool {
    *number == 0
}

impl Engine {
    /// The whole state: an engine restored from it behaves as this one from here on.
    #[must_use]
    #[allow(
        clippy::expect_used,
        reason = "the body has only string keys and finite numbers, so it always serialises"
    )]
    pub fn snapshot(&self) -> Vec<u8> {
        let body = serde_json::to_vec(&self.state.body()).expect("a snapshot body serialises");
        let mut bytes = format!(
            "{MAGIC} {VERSION} {:08x} {}\n",
            crc32fast::hash(&body),
            body.len()
        )
        .into_bytes();
        bytes.extend_from_slice(&body);
        bytes
    }

    /// The engine of which this is a snapshot.
    ///
    /// # Errors
    /// The bytes are no snapshot, of another version, or damaged.
    pub fn restore(bytes: &[u8]) -> Result<Self, SnapshotError> {
        let body = open(bytes)?;
        let body: Body = serde_json::from_slice(body).map_err(SnapshotError::Body)?;
        let state = State::from_body(body).map_err(SnapshotError::Documents)?;
        let mut engine = Self {
            // Nothing has changed for those that were looked at already.
            dirty: state.owners_of_trees(),
            state,
            timers: Timers::default(),
            acting: Vec::new(),
            alerts: Vec::new(),
            programs: Vec::new(),
            curves: Vec::new(),
            actions: Vec::new(),
            devices_in_round: Vec::new(),
        };
        engine.state.follow_all_limits();
        engine.look_at_only_ifs();
        engine.watch_everything();
        Ok(engine)
    }
}

/// Checks the header and returns the body.
fn open(bytes: &[u8]) -> Result<&[u8], SnapshotError> {
    let end = bytes
        .iter()
        .take(128)
        .position(|b| *b == b'\n')
        .ok_or(SnapshotError::NotASnapshot)?;
    let (header, body) = (
        std::str::from_utf8(&bytes[..end]).map_err(|_| SnapshotError::NotASnapshot)?,
        &bytes[end + 1..],
    );
    let mut words = header.split(' ');
    if words.next() != Some(MAGIC) {
        return Err(SnapshotError::NotASnapshot);
    }
    let version = words
        .next()
        .and_then(|w| w.parse().ok())
        .ok_or(SnapshotError::Damaged("the header has no version"))?;
    if version != VERSION {
        return Err(SnapshotError::Version(version));
    }
    let crc = words
        .next()
        .and_then(|w| u32::from_str_radix(w, 16).ok())
        .ok_or(SnapshotError::Damaged("the header has no checksum"))?;
    let length: usize = words
        .next()
        .and_then(|w| w.parse().ok())
        .ok_or(SnapshotError::Damaged("the header has no length"))?;
    if body.len() != length {
        return Err(SnapshotError::Damaged(
            "its length is not that of its header",
        ));
    }
    if crc32fast::hash(body) != crc {
        return Err(SnapshotError::Damaged("its checksum does not match"));
    }
    Ok(body)
}

fn order_of(setting: Setting) -> OrderSpec {
    OrderSpec {
        action: setting.action().to_owned(),
        value: setting.value(),
    }
}

impl State {
    fn body(&self) -> Body {
        let sensors = self.sensors.iter().map(|(ix, s)| {
            let r = &self.readings[ix as usize];
            let part = SensorPart {
                value: r.value,
                read_at: r.read_at,
                newest: r.newest,
                fresh: r.fresh,
                faults: r.faults,
            };
            (s.document.id().into(), part)
        });
        let rules = self.rules.iter().map(|(ix, r)| {
            let program = self.programs.get(ix);
            let trees = || program.into_iter().flat_map(Program::trees);
            let without: Vec<Truth> = trees().map(|tree| tree.without).collect();
            let handled = program.and_then(Program::schedule).map(|s| s.handled);
            (
                r.id(),
                RulePart {
                    branches: trees().map(|tree| tree.standing().to_vec()).collect(),
                    without: Some(without)
                        .filter(|all| all.iter().any(|t| *t != Truth::Unknown))
                        .unwrap_or_default(),
                    handled,
                    phase: match PhasePart::of(r, self.seen()) {
                        PhasePart::Pending { .. } if planted!(SnapshotForgetsHold) => {
                            PhasePart::Idle
                        }
                        phase => phase,
                    },
                    delayed: r.delayed(&self.words),
                },
            )
        });
        let alerts = self.alerts.iter().map(|(ix, a)| {
            let part = AlertPart {
                active: a.active,
                raised_since: a.raised_since,
                unknown_since: a.unknown_since,
                memory: (self.remembers(ix)).then(|| self.remembered_ids(self.memory.of(ix))),
                hold: a.hold,
                last_notified: a.last_notified,
                next_notification: a.next_notification,
                told_no_data: a.told_no_data,
                only_if: { self.only_if(ix) }.map(|tree| (tree.standing().to_vec(), tree.without)),
                interrupted: self.only_if(ix).map_or(0, |tree| tree.interrupted),
            };
            (a.spec.id.clone(), part)
        });
        Body {
            document: self.document(),
            clock: self.clock,
            commands: self.commands,
            counters: self.counters,
            registry_version: self.registry_version,
            sensors: sensors.collect(),
            rules: rules.collect(),
            devices: self.device_parts(),
            alerts: alerts.collect(),
            remembered: self.remembered.clone(),
            withdrawn: self.withdrawn.clone(),
            almanac: self.almanac.clone(),
        }
    }

    fn device_parts(&self) -> BTreeMap<DeviceId, DevicePart> {
        let locks = |d: &Device| {
            if planted!(SnapshotForgetsLock) {
                Vec::new()
            } else {
                d.locks.to_vec()
            }
        };
        let part = |d: &Device| DevicePart {
            online: d.online,
            lock: locks(d).first().map(|lock| lock.reason.clone()),
            locks: locks(d),
            safety: d.safety,
            running: d.running,
            manual: d
                .manual
                .as_ref()
                .filter(|_| !planted!(SnapshotForgetsOverride))
                .map(|m| ManualPart {
                    setting: m.setting.map(order_of),
                    until: m.until,
                    admin: m.admin,
                    owner: m.owner.clone(),
                }),
            claims: d
                .claims
                .by_strength()
                .into_iter()
                .map(|c| ClaimPart {
                    rule: c.rule_id.clone(),
                    at: c.at,
                    setting: order_of(c.setting),
                    until: Some(c.until).filter(|until| *until != NEVER),
                    linger_sec: Some(c.linger).filter(|linger| *linger > 0),
                    curve: c.curve.and_then(|ix| self.curve_part(ix)),
                })
                .collect(),
            last_sent: d.last_sent.map(order_of),
            commanded: d.commanded,
            ever_claimed: d.ever_claimed,
            on_since: d.on_since.filter(|_| !planted!(SnapshotForgetsOnPeriod)),
            pulses: d
                .pulses
                .iter()
                .copied()
                .filter(|_| !planted!(SnapshotForgetsPulses))
                .collect(),
            limits: d.limited.as_deref().map(LimitsPart::of),
            starts_online: d.spec.online,
        };
        self.devices
            .iter()
            .map(|(_, d)| (d.spec.id.clone(), part(d)))
            .collect()
    }

    fn curve_part(&self, ix: u32) -> Option<CurvePart> {
        let follower = self.curves.get(ix)?;
        Some(CurvePart {
            action: follower.action,
            reference: follower.reference,
            changed: follower.changed,
            otherwise: order_of(self.curve_otherwise(ix)?),
        })
    }

    fn from_body(body: Body) -> Result<Self, Problems> {
        let mut state = Self::from_document(&body.document)?;
        state.clock = body.clock;
        state.commands = body.commands;
        state.counters = body.counters;
        state.registry_version = body.registry_version;
        state.remembered = body.remembered;
        state.withdrawn = body.withdrawn;
        state.almanac = body.almanac;
        for (id, part) in body.sensors {
            if let Some(r) = state
                .sensors
                .index(id.as_str())
                .map(|ix| &mut state.readings[ix as usize])
            {
                (r.value, r.read_at, r.newest, r.fresh, r.faults) = (
                    part.value,
                    part.read_at,
                    part.newest,
                    part.fresh,
                    part.faults,
                );
            }
        }
        state.recount_signals();
        for (id, part) in body.rules {
            if let Some(rule) = state
                .rules
                .index(id.as_str())
                .and_then(|ix| state.rules.get_mut(ix))
            {
                rule.phase = part.phase.phase();
                rule.leave_delayed(part.delayed.len(), &state.words);
            }
            let ix = state.rules.index(id.as_str());
            if let Some(program) = ix.and_then(|ix| state.programs.get_mut(ix)) {
                let mut without = part.without.into_iter();
                for (tree, held) in program.trees_mut().zip(&part.branches) {
                    tree.take_up(held, without.next().unwrap_or(Truth::Unknown));
                }
                if let Some((schedule, handled)) = program.schedule_mut().zip(part.handled) {
                    schedule.handled = handled;
                }
            }
        }
        for ix in state.programs.rules() {
            state.look_ahead(ix);
        }
        for (id, part) in body.alerts {
            let ix = state.alerts.index(id.as_str());
            if let Some((ix, (held, without))) = ix.zip(part.only_if) {
                state.restore_only_if(ix, (&held, without), part.interrupted);
            }
            if let Some((ix, sensors)) = ix.zip(part.memory) {
                state.recall(ix, &sensors);
            }
            if let Some(alert) = ix.and_then(|ix| state.alerts.get_mut(ix)) {
                (alert.active, alert.hold, alert.told_no_data) =
                    (part.active, part.hold, part.told_no_data);
                (alert.raised_since, alert.unknown_since) = (part.raised_since, part.unknown_since);
                (alert.last_notified, alert.next_notification) =
                    (part.last_notified, part.next_notification);
            }
        }
        for (id, part) in body.devices {
            state.restore_device(&id, part);
        }
        Ok(state)
    }

    fn restore_device(&mut self, id: &DeviceId, part: DevicePart) {
        let known = self.devices.index(id.as_str());
        let known = known.and_then(|ix| Some((ix, self.devices.get_mut(ix)?)));
        let Some((device_ix, device)) = known else {
            return;
        };
        let mut curves = Vec::new();
        let device_type = device.spec.device_type;
        let setting = |o: &OrderSpec| {
            Order::compile(o)
                .ok()
                .and_then(|o| o.setting_for(device_type))
        };
        device.spec.online = part.starts_online;
        (device.online, device.safety) = (part.online, part.safety);
        device.running = part.running;
        device.locks = Locks::of_document(&part.locks, part.lock.as_deref());
        device.manual = part.manual.map(|m| ManualMode {
            setting: m.setting.as_ref().and_then(setting),
            until: m.until,
            admin: m.admin,
            owner: m.owner,
        });
        device.last_sent = part.last_sent.as_ref().and_then(setting);
        (device.commanded, device.ever_claimed, device.on_since) =
            (part.commanded, part.ever_claimed, part.on_since);
        device.pulses = part.pulses.into();
        if let Some((limited, part)) = device.limited.as_mut().zip(part.limits) {
            **limited = part.limited(setting);
        }
        for c in part.claims {
            let rule = self.rules.index(c.rule.as_str());
            let known = rule.and_then(|ix| Some((ix, self.rules.get(ix)?)));
            let Some(((ix, rule), setting)) = known.zip(setting(&c.setting)) else {
                continue;
            };
            device.claims.put(Claim {
                rule: ix,
                rule_id: c.rule,
                priority: rule.priority,
                specificity: rule.specificity,
                at: c.at,
                setting,
                until: c.until.unwrap_or(NEVER),
                linger: c.linger_sec.unwrap_or(0),
                curve: None,
            });
            curves.extend(c.curve.map(|curve| (ix, curve)));
        }
        for (rule, part) in curves {
            let Some(otherwise) = setting(&part.otherwise) else {
                continue;
            };
            let of = (rule, device_ix, part.action);
            let curve = self.take_up_curve(of, otherwise, part.reference, part.changed);
            if let Some(device) = self.devices.get_mut(device_ix) {
                device.claims.follow(rule, curve);
            }
        }
    }
}
