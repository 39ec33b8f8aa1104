//! What happens again and again is told a few times a minute, with a count of what was left out: a controller whose devices
//! flap must not fill the disk, nor hide in a log that nobody can read.

use std::collections::HashMap;

use harit_engine::{Duration, Timestamp};

use super::{LogKind, NewLogEntry};

/// How many entries of one kind about one device or controller are told a minute.
const A_MINUTE: u32 = 3;
const MINUTE: Duration = Duration::from_secs(60);
/// How many devices' counts are kept at most; past it those of the minutes before are forgotten.
const MAX_COUNTED: usize = 4_096;

#[derive(Debug)]
struct Told {
    since: Timestamp,
    entries: u32,
    left_out: u64,
}

/// What was told of one farm in the present minute.
#[derive(Debug, Default)]
pub(crate) struct Sparing(HashMap<(LogKind, String), Told>);

impl Sparing {
    /// Leaves out what was told often enough. The next one that is told says how many those were.
    pub(crate) fn spare(&mut self, entries: &mut Vec<NewLogEntry>) {
        entries.retain_mut(|entry| self.is_told(entry));
    }

    fn is_told(&mut self, entry: &mut NewLogEntry) -> bool {
        let (Some(device), true) = (&entry.body.device, may_flap(entry)) else {
            return true;
        };
        if self.0.len() >= MAX_COUNTED {
            self.0.retain(|_, told| told.since + MINUTE > entry.at);
        }
        let key = (entry.body.kind, device.id.clone());
        let told = self.0.entry(key).or_insert(Told {
            since: entry.at,
            entries: 0,
            left_out: 0,
        });
        if told.since + MINUTE <= entry.at {
            (told.since, told.entries) = (entry.at, 0);
        }
        told.entries += 1;
        if told.entries > A_MINUTE {
            told.left_out += 1;
            metrics::counter!("harit_log_left_out_total").increment(1);
            return false;
        }
        if told.left_out > 0 {
            entry.body.fact("leftOut", told.left_out);
            told.left_out = 0;
        }
        true
    }
}

/// Whether a controller can make it happen as often as it likes. What people do, and what the engine locks, is always told.
fn may_flap(entry: &NewLogEntry) -> bool {
    let lock = entry.body.facts.get("lockKind");
    entry.body.user.is_none()
        && lock.is_none_or(|kind| kind == "controller")
        && matches!(
            entry.body.kind,
            LogKind::ControllerOnline
                | LogKind::ControllerOffline
                | LogKind::DeviceOnline
                | LogKind::DeviceOffline
                | LogKind::Locked
                | LogKind::Unlocked
                | LogKind::SafetyOn
                | LogKind::SafetyOff
                | LogKind::SafeCommand
                | LogKind::Corrected
                | LogKind::CommandHeld
                | LogKind::LimitReached
                | LogKind::RestCommand
        )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::log::{LogBody, LogResult, LogType, Named};

    fn entry(kind: LogKind, device: &str, at: i64) -> NewLogEntry {
        let mut body = LogBody::new(kind);
        body.device = Some(Named::new(device, ""));
        NewLogEntry {
            at: Timestamp::from_millis(at),
            log_type: LogType::SafetyOverride,
            result: LogResult::Success,
            body,
            also: Vec::new(),
        }
    }

    #[test]
    fn what_flaps_is_told_a_few_times_a_minute_and_counted() {
        let mut sparing = Sparing::default();
        let mut told = Vec::new();
        for i in 0..60_000 {
            let kind = if i % 2 == 0 {
                LogKind::Locked
            } else {
                LogKind::Unlocked
            };
            // Two minutes.
            let mut all = vec![entry(kind, "fan-1", i * 2)];
            sparing.spare(&mut all);
            told.append(&mut all);
        }
        assert_eq!(told.len(), 2 * 2 * A_MINUTE as usize);
        let left: Vec<u64> = told
            .iter()
            .filter_map(|e| e.body.facts.get("leftOut")?.as_u64())
            .collect();
        assert_eq!(left, [14_997, 14_997], "of each kind, in the minute before");
        let mut others = vec![entry(LogKind::Locked, "fan-2", 119_999)];
        let mut person = entry(LogKind::Locked, "fan-1", 119_999);
        person.body.user = Some(Named::new("u1", "Asha"));
        others.push(person);
        sparing.spare(&mut others);
        assert_eq!(others.len(), 2, "another device's, and a person's");
    }
}
