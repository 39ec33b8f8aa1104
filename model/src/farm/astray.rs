//! Devices that do not do what is meant: who is astray, who is told again, who is locked.

use serde_json::{Value, json};

use super::{Does, Farm, Remembered, STEADY_MS};

/// The times between tellings: 300 s, twice as long after each further one, and no longer than the last.
const PATIENCE_MS: [i64; 5] = [300_000, 600_000, 1_200_000, 2_400_000, 4_800_000];
const HOUR_MS: i64 = 3_600_000;
const DAY_MS: i64 = 24 * HOUR_MS;

/// A device does not do what is meant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Astray {
    /// Since when, or since it was last told.
    since: i64,
    /// How often it was told since it is.
    told: usize,
    /// Whether that is its own doing.
    counting: bool,
}

/// What is to be remembered of a decision.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Note {
    AstrayNoMore,
    Astray { counting: bool },
    Told { counting: bool },
    Locked,
}

/// What is decided about a device.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Decision {
    device: String,
    note: Option<Note>,
    /// Whether what holds is sent again.
    tells: bool,
    /// The kind of the lock that is put on.
    locks: Option<&'static str>,
    /// When it is looked at, if not before.
    looks: Option<i64>,
}

/// What a device is meant to do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Meant {
    on: bool,
    /// From when on.
    from: i64,
}

impl Remembered {
    /// From when on it may be told in a way that counts.
    fn may_be_from(&self) -> i64 {
        let last = |n: usize| {
            let index = self.tellings.len().checked_sub(n)?;
            self.tellings.get(index)
        };
        let hour = last(3).map_or(i64::MIN, |at| at + HOUR_MS);
        let day = last(8).map_or(i64::MIN, |at| at + DAY_MS);
        hour.max(day)
    }
}

impl Farm {
    fn meant(&self, id: &str) -> Option<Meant> {
        let device = self.model.devices.get(id)?;
        let always = |on| Some(Meant { on, from: i64::MIN });
        if let Some(sent) = &device.last_sent {
            return always(sent.is_on());
        }
        if device.is_locked() {
            return always(self.model.safe(id).is_on());
        }
        let (at, seconds) = device.pulses.last()?;
        let from = at + seconds * 1_000 + STEADY_MS;
        Some(Meant { on: false, from })
    }

    /// What is meant of a device that was reported to do something else.
    fn contradicted(&self, id: &str) -> Option<Meant> {
        let does = self.remembered.get(id)?.does?;
        self.meant(id).filter(|meant| !does.is_meant(meant.on))
    }

    fn can_be_told(&self, id: &str) -> bool {
        let known = self.remembered.get(id).cloned().unwrap_or_default();
        let is_online = self.model.devices.get(id).is_some_and(|d| d.online);
        let mac = self.controller_of(id);
        let hears = is_online && mac.is_some_and(|mac| self.is_online(&mac));
        hears && !known.gone && !known.lock && !known.safety
    }

    /// What a report from a controller that was online leads to, in its order.
    pub(super) fn found(&self, mac: &str, report: &Value) -> Vec<Decision> {
        let named = self.named(mac, report).into_iter();
        named
            .filter_map(|(id, said)| self.judge(&id, said))
            .collect()
    }

    /// What a report of a device leads to: the first of the page's list that holds.
    fn judge(&self, id: &str, said: &Value) -> Option<Decision> {
        let device = &self.model.devices[id];
        let before = self.remembered.get(id).cloned().unwrap_or_default();
        let meant = self.meant(id)?;
        let lock = said.get("lock").map_or(before.lock, |l| !l.is_null());
        let safety = said["safety"].as_bool().unwrap_or(before.safety);
        if !device.online || lock || safety {
            return None;
        }
        let on = said["on"].as_bool();
        let others_lock = device.locks.keys().any(|(kind, _)| kind != "controller");
        let lets_go = before.lock && (others_lock || !device.is_locked());
        if lets_go || before.safety && !device.safety {
            let rests = on == Some(false) && !meant.on;
            return (!rests).then(|| decision(id, None, true));
        }
        let does = Does::of(said)?;
        if does.is_meant(meant.on) {
            let note = before.astray.map(|_| Note::AstrayNoMore)?;
            return Some(decision(id, Some(note), false));
        }
        if self.at < meant.from {
            return Some(Decision {
                looks: Some(meant.from),
                ..decision(id, None, false)
            });
        }
        let goes_astray = |counting| decision(id, Some(Note::Astray { counting }), false);
        if before.does.is_none_or(|did| !did.is_meant(meant.on)) {
            return before.astray.is_none().then(|| goes_astray(false));
        }
        let lease_over = said["lease_over"] == true;
        let is_steady = before.since + STEADY_MS <= self.at;
        if !is_steady {
            return Some(goes_astray(!lease_over));
        }
        if lease_over {
            let note = Note::Told { counting: false };
            return Some(decision(id, Some(note), true));
        }
        if does.on {
            return Some(Decision {
                tells: true,
                ..goes_astray(true)
            });
        }
        match self.may_be_told(id, meant) {
            true => Some(decision(id, Some(Note::Told { counting: true }), true)),
            false if device.is_locked() => Some(goes_astray(true)),
            false => Some(locked(id, meant)),
        }
    }

    fn may_be_told(&self, id: &str, meant: Meant) -> bool {
        let is_locked = self.model.devices[id].is_locked();
        let from = self.remembered.get(id).map(Remembered::may_be_from);
        is_locked && !meant.on || from.is_none_or(|from| from <= self.at)
    }

    /// When something is decided about a device that is astray.
    pub(super) fn astray_until(&self, id: &str) -> Option<i64> {
        let known = self.remembered.get(id)?;
        let astray = known.astray.filter(|_| self.can_be_told(id))?;
        let Some(meant) = self.contradicted(id) else {
            // It is astray no more; that is seen as soon as anybody looks.
            return Some(astray.since);
        };
        let wait = match astray.told {
            0 => STEADY_MS,
            told => PATIENCE_MS[(told - 1).min(PATIENCE_MS.len() - 1)],
        };
        let until = (astray.since + wait).max(meant.from);
        let waits = astray.counting && meant.on && self.model.devices[id].is_locked();
        Some(if waits {
            until.max(known.may_be_from())
        } else {
            until
        })
    }

    /// Decides about all devices of which something is due, then does it.
    pub(super) fn remedy_what_is_due(&mut self) {
        let at = self.at;
        let mut decisions = Vec::new();
        for id in self.devices.keys() {
            if self.astray_until(id).is_some_and(|due| due <= at) {
                decisions.extend(self.decide(id));
            }
        }
        let mut due: Vec<(i64, String)> = (self.looks.iter())
            .filter(|(_, due)| **due <= at)
            .map(|(id, due)| (*due, id.clone()))
            .collect();
        due.sort();
        for (_, id) in due {
            self.looks.remove(&id);
            let is_astray = self.remembered.get(&id).is_some_and(|d| d.astray.is_some());
            match self.contradicted(&id).filter(|_| self.can_be_told(&id)) {
                Some(meant) if !is_astray && meant.from > at => {
                    self.looks.insert(id, meant.from);
                }
                Some(_) if !is_astray => {
                    let note = Note::Told { counting: false };
                    decisions.push(decision(&id, Some(note), true));
                }
                _ => {}
            }
        }
        for decision in decisions {
            self.carry_out(decision);
        }
    }

    /// What is decided about a device that is astray, at its deadline.
    fn decide(&self, id: &str) -> Option<Decision> {
        let astray = self.remembered.get(id)?.astray?;
        let Some(meant) = self.contradicted(id) else {
            return Some(decision(id, Some(Note::AstrayNoMore), false));
        };
        let counting = astray.counting;
        if !counting || self.may_be_told(id, meant) {
            return Some(decision(id, Some(Note::Told { counting }), true));
        }
        // One that is locked has its deadline when it may be told.
        Some(locked(id, meant))
    }

    pub(super) fn carry_out(&mut self, decision: Decision) {
        let (at, id) = (self.at, decision.device.as_str());
        let known = self.remembered(id);
        let so_often = known.astray.map_or(0, |a| a.told) + 1;
        match decision.note {
            None => {}
            Some(Note::AstrayNoMore) => known.astray = None,
            Some(Note::Astray { counting }) => {
                known.astray = Some(Astray {
                    since: at,
                    told: 0,
                    counting,
                });
            }
            Some(Note::Told { counting }) => {
                known.astray = Some(Astray {
                    since: at,
                    told: so_often,
                    counting,
                });
                known.tellings.extend(counting.then_some(at));
            }
            Some(Note::Locked) => {
                known.astray = None;
                known.tellings.clear();
            }
        }
        if let Some(then) = decision.looks {
            self.looks.entry(id.to_owned()).or_insert(then);
        }
        if decision.tells {
            self.own_input(&json!({"at": at, "input": "correct", "device": id}));
        }
        if let Some(kind) = decision.locks {
            self.own_input(
                &json!({"at": at, "input": "device", "device": id, "lock": kind.replace('_', " "),
                "lock_kind": kind}),
            );
        }
    }

    /// After an outage: every device is looked at 30 s later, and being astray begins anew.
    pub(super) fn look_at_all_again(&mut self) {
        let at = self.at;
        for id in self.devices.keys() {
            if self.controller_of(id).is_some() {
                self.looks.insert(id.clone(), at + STEADY_MS);
            }
        }
        for known in self.remembered.values_mut() {
            if let Some(astray) = &mut known.astray {
                astray.since = at;
            }
        }
    }
}

fn decision(id: &str, note: Option<Note>, tells: bool) -> Decision {
    Decision {
        device: id.to_owned(),
        note,
        tells,
        locks: None,
        looks: None,
    }
}

fn locked(id: &str, meant: Meant) -> Decision {
    Decision {
        locks: Some(if meant.on {
            "keeps_stopping"
        } else {
            "keeps_starting"
        }),
        ..decision(id, Some(Note::Locked), false)
    }
}
