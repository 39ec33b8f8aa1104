//! Hours: trees outside of which machines do not run, whoever wants it: a device's own, and those of its groups.
//!
//! What they come to is a function of what is known now, asked whenever it is needed. They are bound anew with every change of the
//! registry; what is remembered of them stands with the device ([`crate::device::Limited`]).

use crate::document::{HoursSpec, NodeKind};
use crate::engine::Engine;
use crate::id::DeviceId;
use crate::place::PlaceIx;
use crate::problem::Problems;
use crate::program::{Program, Programs, Trigger};
use crate::signal::Owner;
use crate::state::State;
use crate::time::{Duration, Timestamp};
use crate::timer::Timer;
use crate::truth::Truth;

/// For how many boundaries ahead it is asked when hours allow a device again.
const MAX_BOUNDARIES: usize = 256;

/// All hours of a farm: those of devices, then those of groups.
#[derive(Debug, Clone, Default)]
pub(crate) struct AllHours {
    pub(crate) trees: Programs,
    of: Vec<Hours>,
}

#[derive(Debug, Clone)]
struct Hours {
    /// Whether what is not known is allowed.
    allows_unknown: bool,
    /// How long they must have allowed a device before it starts.
    lasts: Duration,
    /// The devices whose hours they are.
    members: Vec<u32>,
}

/// What a device's hours say at an instant.
#[derive(Debug, Clone, Copy)]
pub(crate) struct HoursSeen {
    /// Whether they allow it; true where it has none.
    pub(crate) allowed: Truth,
    /// For how long they must have done so before it starts; none where it has no hours.
    pub(crate) lasts: Option<Duration>,
    /// When time alone may change that next.
    pub(crate) boundary: Option<Timestamp>,
}

impl HoursSeen {
    /// Of a device without hours.
    pub(crate) const NONE: Self = Self {
        allowed: Truth::True,
        lasts: None,
        boundary: None,
    };
}

impl AllHours {
    /// All of them, to be looked at.
    pub(crate) fn owners(&self) -> Vec<Owner> {
        self.trees.rules().into_iter().map(Owner::Hours).collect()
    }
}

impl State {
    /// Binds all hours to what is registered.
    ///
    /// # Errors
    /// They name what is not there, or a device whose hours they are.
    pub(crate) fn bind_hours(&mut self) -> Result<(), Problems> {
        let mut problems = Problems::default();
        self.hours = AllHours::default();
        self.ties.values_mut().for_each(|t| t.hours.clear());
        for (n, (spec, place, path, members)) in (0..).zip(self.hours_of_documents()) {
            let path = format!("{path}.while");
            for node in spec.node.nodes() {
                let NodeKind::Device { id, .. } = &node.kind else {
                    continue;
                };
                if members.iter().any(|ix| self.is_device(*ix, id)) {
                    let message = format!("device {id} would depend on itself");
                    problems.add(path.clone(), "circle", message);
                }
            }
            let tree = self.compile_tree(&spec.node, place, &path, &mut problems);
            let mut program = Program::new(Trigger::Tree(tree), None, None);
            self.attach_leaves(&mut program, Owner::Hours(n));
            self.hours.trees.put(n, program);
            for ix in &members {
                self.ties.entry(*ix).or_default().hours.push(n);
            }
            self.hours.of.push(Hours {
                allows_unknown: spec.allows_unknown,
                lasts: spec.lasts,
                members,
            });
        }
        problems.into_result(())
    }

    /// Those of devices and of groups, each with the place where its signals are by default, its path and whose it is.
    fn hours_of_documents(&self) -> Vec<(HoursSpec, PlaceIx, String, Vec<u32>)> {
        let limits = || {
            let all = self.devices.iter();
            all.filter_map(|(ix, d)| Some((ix, d, d.spec.limits.as_deref()?)))
        };
        let own = limits().filter_map(|(ix, device, limits)| {
            let place = self.places.resolve(&self.farm, &device.spec.scope).ok();
            let path = format!("devices.{}.limits.hours", device.spec.id);
            let place = place.unwrap_or(PlaceIx::FARM);
            Some((limits.hours.clone()?, place, path, vec![ix]))
        });
        let groups = self.farm.settings.groups.iter().filter_map(|group| {
            let members = limits().filter(|(_, _, l)| l.groups.contains(&group.id));
            let members = members.map(|(ix, ..)| ix).collect();
            let path = format!("groups.{}.hours", group.id);
            Some((group.hours.clone()?, PlaceIx::FARM, path, members))
        });
        own.chain(groups).collect()
    }

    fn is_device(&self, ix: u32, id: &DeviceId) -> bool {
        self.devices.get(ix).is_some_and(|d| d.spec.id == *id)
    }

    fn hours_of(&self, ix: u32) -> &[u32] {
        self.ties.get(&ix).map_or(&[], |t| &t.hours)
    }

    /// What the hours of a device come to.
    fn allowed(&self, ix: u32, at: Timestamp) -> Truth {
        let around = self.surroundings(at);
        Truth::all(self.hours_of(ix).iter().map(|n| {
            let tree = self.hours.trees.get(*n).and_then(|p| p.trigger.tree());
            let truth = tree.map_or(Truth::Unknown, |tree| tree.truth_at(&around));
            match self.hours.of.get(*n as usize) {
                Some(hours) if hours.allows_unknown && truth == Truth::Unknown => Truth::True,
                _ => truth,
            }
        }))
    }

    /// What the hours of a device say.
    pub(crate) fn hours_seen(&self, ix: u32, now: Timestamp) -> HoursSeen {
        let own = self.hours_of(ix);
        if own.is_empty() {
            return HoursSeen::NONE;
        }
        let of = own.iter().filter_map(|n| self.hours.of.get(*n as usize));
        let trees = own.iter().filter_map(|n| self.hours.trees.get(*n));
        HoursSeen {
            allowed: self.allowed(ix, now),
            lasts: of.map(|hours| hours.lasts).max(),
            boundary: trees.filter_map(Program::boundary).min(),
        }
    }

    /// Looks for the next boundaries of a device's hours, where the last are behind.
    pub(crate) fn look_ahead_hours(&mut self, ix: u32, now: Timestamp) {
        for n in self.hours_of(ix).to_vec() {
            if let Some(program) = self.hours.trees.get_mut(n)
                && program.boundary().is_none_or(|at| at <= now)
            {
                program.look_ahead(&self.almanac, &[], now);
            }
        }
    }

    /// When time alone would have the hours of a device allow it to start, as all else stands: for people.
    pub(crate) fn hours_begin(&self, ix: u32, now: Timestamp) -> Option<Timestamp> {
        let lasts = self.hours_seen(ix, now).lasts.unwrap_or(Duration::ZERO);
        if self.allowed(ix, now) == Truth::True {
            let limited = self.devices.get(ix)?.limited.as_ref()?;
            return Some(limited.allowed_since? + lasts);
        }
        let mut at = now;
        for _ in 0..MAX_BOUNDARIES {
            let trees = self.hours_of(ix).iter();
            let trees = trees.filter_map(|n| self.hours.trees.get(*n));
            let next = trees.filter_map(|p| p.boundary_after(&self.almanac, at));
            at = next.min()?;
            if self.allowed(ix, at) == Truth::True {
                return Some(at + lasts);
            }
        }
        None
    }
}

impl Engine {
    /// Looks at the devices whose hours come to something else now.
    pub(crate) fn look_at_hours(&mut self, hours: u32, now: Timestamp) {
        let of = self.state.hours.of.get(hours as usize);
        for ix in of.map(|h| h.members.clone()).unwrap_or_default() {
            // To see how it stands forgets what is due now.
            if { self.state.deadline(Timer::Limit, ix) }.is_some_and(|at| at <= now) {
                self.look_at(ix);
            }
            self.tell_neighbours(ix, now);
            if let Some(deadline) = self.state.deadline(Timer::Limit, ix) {
                self.timers.set(Timer::Limit, ix, deadline);
            }
        }
    }

    /// Has all hours looked at, after the days that are known have changed.
    pub(crate) fn touch_hours(&mut self, now: Timestamp) {
        for n in self.state.hours.trees.rules() {
            if let Some(program) = self.state.hours.trees.get_mut(n) {
                program.look_ahead(&self.state.almanac, &[], now);
            }
        }
        self.dirty.extend(self.state.hours.owners());
    }
}
