//! Faults on request: what can go wrong in the field, as text, and whether it is going wrong now.

use std::fmt;
use std::str::FromStr;
use std::time::Duration;

use thiserror::Error;

/// The most faults that may be set at a time.
pub const MAX_FAULTS: usize = 256;

/// What goes wrong.
#[derive(Debug, Clone, PartialEq)]
pub enum FaultKind {
    /// The sensor is left out of the telemetry.
    SilentSensor,
    /// The sensor goes on reporting the value that it had.
    StuckValue,
    /// The sensor's reports run away by so much an hour of real time.
    Drift {
        /// In units of the sensor; negative runs down.
        per_hour: f64,
    },
    /// The sensor reports null.
    NullValue,
    /// The device does what it is told, but its acks get lost.
    LostAck,
    /// The device's relay no longer moves: the controller reports what it was told, the machine stays as it is.
    StuckRelay,
    /// Somebody locks the device at its panel.
    Lock,
    /// The device's safety switch is engaged.
    Safety,
    /// The controller's network is cut, without a farewell; its outputs go on.
    Offline,
}

impl FaultKind {
    const NAMES: [&'static str; 9] = [
        "silent-sensor",
        "stuck-value",
        "drift",
        "null-value",
        "lost-ack",
        "stuck-relay",
        "lock",
        "safety",
        "offline",
    ];

    /// The kind's name.
    #[must_use]
    pub const fn name(&self) -> &'static str {
        match self {
            Self::SilentSensor => "silent-sensor",
            Self::StuckValue => "stuck-value",
            Self::Drift { .. } => "drift",
            Self::NullValue => "null-value",
            Self::LostAck => "lost-ack",
            Self::StuckRelay => "stuck-relay",
            Self::Lock => "lock",
            Self::Safety => "safety",
            Self::Offline => "offline",
        }
    }

    /// Whether it befalls a sensor, a device or a controller.
    #[must_use]
    pub const fn befalls(&self) -> Part {
        match self {
            Self::SilentSensor | Self::StuckValue | Self::Drift { .. } | Self::NullValue => {
                Part::Sensor
            }
            Self::LostAck | Self::StuckRelay | Self::Lock | Self::Safety => Part::Device,
            Self::Offline => Part::Controller,
        }
    }
}

/// What a fault befalls.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Part {
    /// A sensor, named by its id.
    Sensor,
    /// A device, named by its id.
    Device,
    /// A controller, named by its MAC.
    Controller,
}

impl fmt::Display for Part {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Sensor => "sensor",
            Self::Device => "device",
            Self::Controller => "controller",
        })
    }
}

/// One fault, as it is asked for: `KIND:TARGET[:after=TIME][:for=TIME]`.
///
/// ```
/// use harit_simulate::Fault;
/// let fault: Fault = "silent-sensor:ph1-temp-1:after=30s:for=5m".parse()?;
/// assert_eq!(fault.target, "ph1-temp-1");
/// assert_eq!(fault.to_string(), "silent-sensor:ph1-temp-1:after=30s:for=300s");
/// # Ok::<(), harit_simulate::BadFault>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Fault {
    /// What goes wrong.
    pub kind: FaultKind,
    /// The sensor's or device's id, or the controller's MAC as 12 upper-case hex digits.
    pub target: String,
    /// How long after it is set it begins.
    pub after: Duration,
    /// How long it lasts; without one, until it is cleared.
    pub lasting: Option<Duration>,
}

impl Fault {
    /// A fault that begins at once and lasts until it is cleared.
    #[must_use]
    pub fn new(kind: FaultKind, target: impl Into<String>) -> Self {
        let target = target.into();
        let target = if kind.befalls() == Part::Controller {
            mac_text(&target)
        } else {
            target
        };
        Self {
            kind,
            target,
            after: Duration::ZERO,
            lasting: None,
        }
    }
}

/// A MAC in the one spelling that topics use; other text as it is.
pub(crate) fn mac_text(text: &str) -> String {
    let digits: String = text.chars().filter(|c| !matches!(c, ':' | '-')).collect();
    if digits.len() == 12 && digits.bytes().all(|b| b.is_ascii_hexdigit()) {
        digits.to_ascii_uppercase()
    } else {
        text.to_owned()
    }
}

/// Why a text is no fault.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum BadFault {
    /// The kind is none that there is.
    #[error("unknown fault {0:?}: expected one of {list}", list = FaultKind::NAMES.join(", "))]
    Kind(String),
    /// There is no target.
    #[error("{kind} needs a {part}: {kind}:{PART}[:after=30s][:for=5m]", PART = part.to_string().to_uppercase())]
    Target {
        /// The fault's name.
        kind: &'static str,
        /// What is missing.
        part: Part,
    },
    /// An option is none that there is.
    #[error("unknown option {0:?}: expected after=TIME, for=TIME{1}")]
    Option(String, &'static str),
    /// A time is none.
    #[error("{0:?} is no time: expected a whole number with s, m or h, such as 30s, 5m or 1h")]
    Time(String),
    /// A rate is none.
    #[error("{0:?} is no rate: expected units an hour, such as per-hour=2.5 or per-hour=-1")]
    Rate(String),
}

/// Drift without a rate: units an hour.
const DEFAULT_DRIFT: f64 = 1.0;

impl FromStr for Fault {
    type Err = BadFault;

    fn from_str(text: &str) -> Result<Self, BadFault> {
        let mut parts = text.split(':');
        let name = parts.next().unwrap_or_default();
        let mut kind = match name {
            "silent-sensor" => FaultKind::SilentSensor,
            "stuck-value" => FaultKind::StuckValue,
            "drift" => FaultKind::Drift {
                per_hour: DEFAULT_DRIFT,
            },
            "null-value" => FaultKind::NullValue,
            "lost-ack" => FaultKind::LostAck,
            "stuck-relay" => FaultKind::StuckRelay,
            "lock" => FaultKind::Lock,
            "safety" => FaultKind::Safety,
            "offline" => FaultKind::Offline,
            other => return Err(BadFault::Kind(other.to_owned())),
        };
        let mut rest: Vec<&str> = parts.collect();
        let mut options = rest.split_off(
            rest.iter()
                .position(|p| p.contains('='))
                .unwrap_or(rest.len()),
        );
        // A MAC may be written with colons, an id of a sensor too.
        let target = rest.join(":");
        if target.is_empty() {
            return Err(BadFault::Target {
                kind: kind.name(),
                part: kind.befalls(),
            });
        }
        let (mut after, mut lasting) = (Duration::ZERO, None);
        for option in options.drain(..) {
            match (option.split_once('='), &mut kind) {
                (Some(("after", t)), _) => after = parse_time(t)?,
                (Some(("for", t)), _) => lasting = Some(parse_time(t)?),
                (Some(("per-hour", rate)), FaultKind::Drift { per_hour }) => {
                    let parsed = rate.parse::<f64>().ok().filter(|r| r.is_finite());
                    *per_hour = parsed.ok_or_else(|| BadFault::Rate(rate.to_owned()))?;
                }
                (_, kind) => {
                    let more = if matches!(kind, FaultKind::Drift { .. }) {
                        ", per-hour=RATE"
                    } else {
                        ""
                    };
                    return Err(BadFault::Option(option.to_owned(), more));
                }
            }
        }
        Ok(Self {
            after,
            lasting,
            ..Self::new(kind, target)
        })
    }
}

/// Reads `30s`, `5m` or `1h`.
fn parse_time(text: &str) -> Result<Duration, BadFault> {
    let bad = || BadFault::Time(text.to_owned());
    let unit = text.chars().last().ok_or_else(bad)?;
    let scale = match unit {
        's' => 1,
        'm' => 60,
        'h' => 3_600,
        _ => return Err(bad()),
    };
    let number: u32 = text[..text.len() - 1].parse().map_err(|_| bad())?;
    Ok(Duration::from_secs(u64::from(number) * scale))
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.kind.name(), self.target)?;
        if let FaultKind::Drift { per_hour } = self.kind {
            write!(f, ":per-hour={per_hour}")?;
        }
        if !self.after.is_zero() {
            write!(f, ":after={}s", self.after.as_secs())?;
        }
        if let Some(lasting) = self.lasting {
            write!(f, ":for={}s", lasting.as_secs())?;
        }
        Ok(())
    }
}

/// The faults that are set, each with the instant at which it was.
#[derive(Debug, Clone, Default)]
pub struct FaultBoard {
    set: Vec<(Duration, Fault)>,
}

/// The board is full.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[error("{MAX_FAULTS} faults are set already: clear one first")]
pub struct BoardFull;

impl FaultBoard {
    /// Sets a fault at `now` (since the start of the run); one of the same kind and target is replaced.
    ///
    /// # Errors
    /// When [`MAX_FAULTS`] are set.
    pub fn set(&mut self, now: Duration, fault: Fault) -> Result<(), BoardFull> {
        self.set
            .retain(|(at, f)| f.lasting.is_none_or(|d| now < *at + f.after + d));
        self.clear(fault.kind.name(), &fault.target);
        if self.set.len() >= MAX_FAULTS {
            return Err(BoardFull);
        }
        self.set.push((now, fault));
        Ok(())
    }

    /// Clears the faults of that kind and target and says whether there was one.
    pub fn clear(&mut self, kind: &str, target: &str) -> bool {
        let before = self.set.len();
        self.set
            .retain(|(_, f)| f.kind.name() != kind || f.target != target);
        self.set.len() < before
    }

    /// The faults at work at `now`, each with the instant since when.
    pub fn active(&self, now: Duration) -> impl Iterator<Item = (Duration, &Fault)> {
        self.set.iter().filter_map(move |(at, fault)| {
            let from = *at + fault.after;
            let over = fault.lasting.is_some_and(|d| now >= from + d);
            (now >= from && !over).then_some((from, fault))
        })
    }

    /// The next instant after `now` at which a fault begins or ends by itself.
    #[must_use]
    pub fn next_change(&self, now: Duration) -> Option<Duration> {
        let edges = self.set.iter().flat_map(|(at, fault)| {
            let from = *at + fault.after;
            [Some(from), fault.lasting.map(|d| from + d)]
        });
        edges.flatten().filter(|edge| *edge > now).min()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn faults_read_as_they_are_written() {
        for (text, shown) in [
            ("silent-sensor:t1", "silent-sensor:t1"),
            ("lost-ack:fan-1:for=5m", "lost-ack:fan-1:for=300s"),
            (
                "stuck-relay:fan-1:after=1h",
                "stuck-relay:fan-1:after=3600s",
            ),
            (
                "drift:ph-1:per-hour=-0.5:after=10s",
                "drift:ph-1:per-hour=-0.5:after=10s",
            ),
            (
                "offline:24:0a:c4:5e:10:01:for=30s",
                "offline:240AC45E1001:for=30s",
            ),
            ("offline:240AC45E1001", "offline:240AC45E1001"),
            ("stuck-value:240AC45E1001/t1", "stuck-value:240AC45E1001/t1"),
        ] {
            let fault: Fault = text.parse().unwrap();
            assert_eq!(fault.to_string(), shown);
            assert_eq!(shown.parse::<Fault>().unwrap(), fault);
        }
    }

    #[test]
    fn errors_say_what_is_accepted() {
        for (text, message) in [
            (
                "silent:t1",
                "unknown fault \"silent\": expected one of silent-sensor, stuck-value, drift, null-value, lost-ack, \
                 stuck-relay, lock, safety, offline",
            ),
            (
                "offline",
                "offline needs a controller: offline:CONTROLLER[:after=30s][:for=5m]",
            ),
            (
                "lost-ack::for=5m",
                "lost-ack needs a device: lost-ack:DEVICE[:after=30s][:for=5m]",
            ),
            (
                "lock:fan:until=5m",
                "unknown option \"until=5m\": expected after=TIME, for=TIME",
            ),
            (
                "drift:t1:x=1",
                "unknown option \"x=1\": expected after=TIME, for=TIME, per-hour=RATE",
            ),
            (
                "lock:fan:for=5",
                "\"5\" is no time: expected a whole number with s, m or h, such as 30s, 5m or 1h",
            ),
            (
                "drift:t1:per-hour=x",
                "\"x\" is no rate: expected units an hour, such as per-hour=2.5 or per-hour=-1",
            ),
        ] {
            assert_eq!(
                text.parse::<Fault>().unwrap_err().to_string(),
                message,
                "{text}"
            );
        }
        assert!("lock:fan:for=µ".parse::<Fault>().is_err());
    }

    #[test]
    fn a_fault_is_at_work_from_after_for_as_long_as_it_lasts() {
        let mut board = FaultBoard::default();
        let s = Duration::from_secs;
        board
            .set(s(10), "lock:fan:after=5s:for=10s".parse().unwrap())
            .unwrap();
        for (now, active, next) in [
            (10, 0, Some(15)),
            (14, 0, Some(15)),
            (15, 1, Some(25)),
            (24, 1, Some(25)),
            (25, 0, None),
        ] {
            assert_eq!(board.active(s(now)).count(), active, "at {now}");
            assert_eq!(board.next_change(s(now)), next.map(s), "at {now}");
        }
    }

    #[test]
    fn setting_again_replaces_and_the_board_is_bounded() {
        let mut board = FaultBoard::default();
        for i in 0..MAX_FAULTS {
            board
                .set(Duration::ZERO, Fault::new(FaultKind::Lock, format!("d{i}")))
                .unwrap();
        }
        board
            .set(Duration::ZERO, Fault::new(FaultKind::Lock, "d0"))
            .unwrap();
        let one_more = Fault::new(FaultKind::Lock, "another");
        assert_eq!(board.set(Duration::ZERO, one_more.clone()), Err(BoardFull));
        assert!(board.clear("lock", "d0"));
        assert!(!board.clear("lock", "d0"));
        board.set(Duration::ZERO, one_more).unwrap();
    }
}
