//! What machines do (section 14): whether they run and start, whether they carry what needs them, and who is looked at
//! because of that.

use crate::condition::Truth;
use crate::document::Setting;
use crate::ledger::Ledger;
use crate::mutation::Mutation;
use crate::state::Model;

/// What section 14 remembers of a device.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Duty {
    /// When it started, oldest first.
    pub(crate) starts: Vec<i64>,
    /// The end of its last on period.
    pub(crate) on_until: Option<i64>,
    /// The end of its last pulse.
    pub(crate) pulse_until: Option<i64>,
    /// The last setting sent that was on.
    pub(crate) last_on: Option<Setting>,
    pub(crate) ledger: Option<Ledger>,
    pub(crate) carries_since: Option<i64>,
    /// Since when it runs and its need is not TRUE.
    pub(crate) unmet_since: Option<i64>,
    /// Since when its hours allow it; none where it has no hours.
    pub(crate) allowed_since: Option<i64>,
    /// Since when it runs and they do not.
    pub(crate) shut_since: Option<i64>,
    /// Whether it has limits, or another needs it, so that this is remembered.
    is_kept: bool,
    pub(crate) held: Option<Held>,
    seen: Seen,
    /// What its hours came to when it was looked at last.
    allowed: Option<Truth>,
}

/// Why what is desired is not sent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Held {
    pub(crate) reason: &'static str,
    /// The winner's rule, or `rest`.
    pub(crate) cause: String,
}

/// What others depend on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Seen {
    runs: bool,
    online: bool,
    running: Option<bool>,
    carries: Truth,
}

impl Duty {
    pub(crate) fn new(online: bool) -> Self {
        Self {
            starts: Vec::new(),
            on_until: None,
            pulse_until: None,
            last_on: None,
            ledger: None,
            carries_since: None,
            unmet_since: None,
            allowed_since: None,
            shut_since: None,
            allowed: None,
            is_kept: false,
            held: None,
            seen: Seen {
                runs: false,
                online,
                running: None,
                carries: Truth::Unknown,
            },
        }
    }

    /// Until when the device ran; of one that runs, until when it did before.
    pub(crate) fn ran_until(&self) -> Option<i64> {
        self.on_until.max(self.pulse_until)
    }
}

impl Model {
    /// Whether a device carries those that need it.
    pub(crate) fn carries(&self, id: &str) -> Truth {
        let device = &self.devices[id];
        let believes_reports = self.mutation == Some(Mutation::CarriesWhateverWasSent);
        match &device.last_sent {
            Some(sent) if !sent.is_on() && !believes_reports => Truth::False,
            _ if !device.online => Truth::Unknown,
            _ => device.running.map_or(Truth::Unknown, Truth::of),
        }
    }

    pub(crate) fn is_pulsing(&self, id: &str) -> bool {
        let until = self.devices[id].duty.pulse_until;
        until.is_some_and(|until| until > self.now)
    }

    pub(crate) fn runs(&self, id: &str) -> bool {
        self.devices[id].on_since.is_some() || self.is_pulsing(id)
    }

    /// The truth of what a device needs, if it needs anything.
    pub(crate) fn need(&self, id: &str) -> Option<Truth> {
        let needs = self.devices[id].doc.limits.needs.as_ref()?;
        let carry: Vec<Truth> = (needs.any.iter()).map(|n| self.carries(n)).collect();
        Some(Truth::any(&carry))
    }

    /// Whether section 14 says how this device is settled.
    pub(crate) fn is_limited(&self, id: &str) -> bool {
        let device = &self.devices[id];
        device.doc.limits.are_some() || device.duty.held.is_some() || self.is_needed(id)
    }

    pub(crate) fn is_needed(&self, id: &str) -> bool {
        !self.needing(id).is_empty()
    }

    pub(crate) fn look_at(&mut self, id: &str) {
        self.looked.insert(id.to_owned());
    }

    pub(crate) fn look_at_all_devices(&mut self) {
        self.looked.extend(self.device_ids());
    }

    /// A pulse that runs is over, because something else is sent.
    pub(crate) fn end_pulse(&mut self, id: &str) {
        if self.is_pulsing(id) {
            let now = self.now;
            self.device_mut(id).duty.pulse_until = Some(now);
        }
    }

    /// An on period is over.
    pub(crate) fn end_on_period(&mut self, id: &str) {
        let now = self.now;
        let device = self.device_mut(id);
        if device.on_since.take().is_some() {
            device.duty.on_until = Some(now);
        }
        self.account(id);
    }

    /// A setting or a pulse was sent to a device; `ran` says whether it ran before.
    pub(crate) fn note_start(&mut self, id: &str, ran: bool) {
        let now = self.now;
        if !ran && self.runs(id) {
            self.device_mut(id).duty.starts.push(now);
        }
        self.keep_ledger(id);
    }

    /// Finds what changed at every device, and looks at those that depend on it.
    pub(crate) fn watch(&mut self) {
        for id in self.device_ids() {
            let device = self.device_mut(&id);
            if !device.duty.is_kept {
                device.duty = Duty::new(device.online);
                continue;
            }
            self.keep_ledger(&id);
            let now = self.now;
            let (device, carries) = (&self.devices[&id], self.carries(&id));
            let seen = Seen {
                runs: self.runs(&id),
                online: device.online,
                running: device.running,
                carries,
            };
            let is_unmet = seen.runs && self.need(&id).is_some_and(|need| need != Truth::True);
            let allowed = self.allowed(&id);
            let is_shut = seen.runs && allowed.is_some_and(|a| a != Truth::True);
            let duty = &mut self.device_mut(&id).duty;
            let allowed_since = duty.allowed_since.unwrap_or(now);
            duty.allowed_since = (allowed == Some(Truth::True)).then_some(allowed_since);
            duty.shut_since = is_shut.then(|| duty.shut_since.unwrap_or(now));
            let is_other = std::mem::replace(&mut duty.allowed, allowed) != allowed;
            let carries_since = duty.carries_since.unwrap_or(now);
            duty.carries_since = (carries == Truth::True).then_some(carries_since);
            duty.unmet_since = is_unmet.then(|| duty.unmet_since.unwrap_or(now));
            if std::mem::replace(&mut duty.seen, seen) != seen {
                self.look_around(&id);
            }
            if is_other {
                self.look_at(&id);
            }
        }
    }

    /// What is remembered begins with the first limit, or with who needs the device, and ends with the last.
    pub(crate) fn begin_or_end(&mut self, id: &str) {
        let is_kept = self.devices[id].doc.limits.are_some() || self.is_needed(id);
        let device = self.device_mut(id);
        if device.duty.is_kept == is_kept {
            return;
        }
        let was_held = device.duty.held.is_some();
        device.duty = Duty::new(device.online);
        device.duty.is_kept = is_kept;
        if is_kept {
            device.duty.last_on = device.last_sent.clone().filter(Setting::is_on);
        }
        if was_held {
            self.touch(id);
        }
        self.look_at(id);
    }

    /// Looks at the others of its groups, those that it needs, those that need it, and what those need.
    fn look_around(&mut self, id: &str) {
        let limits = self.devices[id].doc.limits.clone();
        let is_other = |other: &&crate::state::Device| {
            other.doc.id != id && other.doc.limits.name_one_group_of(&limits)
        };
        let others = self.devices.values().filter(is_other);
        let mut around: Vec<String> = others.map(|d| d.doc.id.clone()).collect();
        around.extend(limits.needed().to_vec());
        for needing in self.needing(id) {
            around.extend(self.devices[&needing].doc.limits.needed().to_vec());
            around.push(needing);
        }
        self.looked.extend(around);
    }
}
