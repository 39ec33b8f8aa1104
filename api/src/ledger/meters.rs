//! The meters of a reservoir: which sensors measure what flows, whose water it is, and what they measured.

use std::collections::{BTreeMap, BTreeSet};

use harit_engine::Timestamp;
use harit_engine::{DeviceSpec, DeviceType, Engine, Quantity, SensorId, SensorSpec, SensorType};
use harit_ingest::history::Rollup;
use harit_ingest::history::place::PlaceQuestion;
use serde::Serialize;
use utoipa::ToSchema;

use super::device::{Ran, ml};
use super::measured::{Measured, differs, measured, needed_from};
use crate::access::FarmHub;
use crate::error::ApiError;
use crate::letter::Span;
use crate::records::EffectSetting;

/// So many seconds of a day it may be unknown what a device did where measured is compared with computed: a restart of the server.
const UNKNOWN_SEC: i64 = 60;

/// A sensor of type flow or volume.
#[derive(Debug, Clone)]
pub(crate) struct Meter {
    pub(crate) spec: SensorSpec,
    /// The devices whose water it measures, where that is known: what they came to can be compared with it.
    pub(crate) of: Vec<String>,
}

/// What a meter measured on a day, or on all of them, beside what its devices came to.
#[derive(Serialize, ToSchema)]
#[schema(as = LedgerReading)]
pub(crate) struct Reading {
    sensor_id: String,
    /// What was measured, in ml; null where there was no reading.
    #[schema(required, value_type = Option<f64>)]
    ml: Option<Quantity>,
    /// How long nothing measured, in seconds. What a volume meter counted meanwhile is in `ml`, but over midnight.
    unknown_sec: i64,
    /// How often a volume meter began anew; what it counted around that is not in `ml`.
    restarts: usize,
    /// What its devices came to by time and flow, in ml; null where that cannot be compared: no devices, an unknown flow, or gaps.
    #[schema(required, value_type = Option<f64>)]
    computed_ml: Option<Quantity>,
    /// Whether both lie apart by more than 20 % of the larger and by more than 20 L.
    differs: bool,
}

/// The sensors of a type that measure what flows through a device: those of its controller, else those of the nearest place, but
/// none of another reservoir's controllers; and whether they are its controller's.
fn seen(
    engine: &Engine,
    all: &[SensorSpec],
    device: &DeviceSpec,
    of: SensorType,
    elsewhere: &BTreeSet<String>,
) -> (Vec<SensorSpec>, bool) {
    let own = |s: &&SensorSpec| s.sensor_type == of && s.controller == device.controller;
    let own: Vec<_> = all.iter().filter(own).cloned().collect();
    if !own.is_empty() {
        return (own, true);
    }
    let near = engine.sensors_seen(&device.scope, of).into_iter();
    let is_elsewhere =
        |s: &SensorSpec| { s.controller.as_ref() }.is_some_and(|c| elsewhere.contains(c));
    (near.filter(|s| !is_elsewhere(s)).collect(), false)
}

/// The meters of a reservoir's devices. A device's is the one that was chosen for it, else the only volume meter of its controller,
/// else its only flow meter: of several nobody knows which. `elsewhere` are the controllers of other reservoirs.
pub(crate) fn plan(
    engine: &Engine,
    devices: &[DeviceSpec],
    settings: &BTreeMap<String, EffectSetting>,
    elsewhere: &BTreeSet<String>,
) -> Vec<Meter> {
    let all: Vec<SensorSpec> = engine.sensors().map(|s| s.spec).collect();
    let mut meters: BTreeMap<SensorId, Meter> = BTreeMap::new();
    let mut whose: BTreeMap<SensorId, Vec<&DeviceSpec>> = BTreeMap::new();
    for device in devices {
        let chosen = settings.get(device.id.as_str());
        let chosen = chosen.and_then(|s| s.sensor_id.as_deref());
        let chosen = chosen.and_then(|id| all.iter().find(|s| s.id.as_str() == id));
        let mut its = chosen
            .filter(|s| s.sensor_type == SensorType::Flow)
            .map(|s| s.id.clone());
        let mut meet = |spec: SensorSpec| {
            let of = Vec::new();
            meters.entry(spec.id.clone()).or_insert(Meter { spec, of });
        };
        if let Some(chosen) = chosen.filter(|s| s.sensor_type == SensorType::Flow) {
            meet(chosen.clone());
        }
        let mut is_unclear = its.is_some();
        for of in [SensorType::Volume, SensorType::Flow] {
            let (found, is_own) = seen(engine, &all, device, of, elsewhere);
            if let ([one], true, false) = (found.as_slice(), is_own, is_unclear) {
                its = Some(one.id.clone());
            }
            is_unclear |= is_own;
            found.into_iter().for_each(&mut meet);
        }
        if let Some(its) = its {
            whose.entry(its).or_default().push(device);
        }
    }
    for (id, devices) in whose {
        if let Some(meter) = meters.get_mut(&id) {
            meter.of = compared(&devices);
        }
    }
    meters.into_values().collect()
}

/// Those of a meter's devices whose amounts add up to what passes it: not doses, and not what carries others, for it is the same
/// water. Where pumps and valves are left of which nobody said who carries whom, none.
fn compared(devices: &[&DeviceSpec]) -> Vec<String> {
    let needs = |d: &&DeviceSpec| {
        let needs = d.limits.as_ref().and_then(|l| l.needs.as_ref());
        needs.map_or_else(Vec::new, |n| n.any.clone())
    };
    let carries: BTreeSet<_> = devices.iter().flat_map(needs).collect();
    let ends = devices
        .iter()
        .filter(|d| d.device_type != DeviceType::DosingPump && !carries.contains(&d.id));
    let ends: Vec<_> = ends.collect();
    let pumps = ends.iter().filter(|d| d.device_type == DeviceType::Pump);
    if !(pumps.clone().count() == 0 || pumps.count() == ends.len()) {
        return Vec::new();
    }
    ends.iter().map(|d| d.id.to_string()).collect()
}

/// The minutes of the meters from a little before a span on.
pub(crate) async fn readings(
    hub: &FarmHub<'_>,
    meters: &[Meter],
    span: Span,
) -> Result<Vec<Vec<Rollup>>, ApiError> {
    if meters.is_empty() {
        return Ok(Vec::new());
    }
    let stale = meters.iter().map(|m| m.spec.stale_after.as_millis());
    let question = PlaceQuestion {
        sensors: meters
            .iter()
            .enumerate()
            .map(|(i, m)| (m.spec.id.clone(), i))
            .collect(),
        from: needed_from(span.from, stale.max().unwrap_or(0)),
        to: Timestamp::from_millis(span.until),
        step_sec: 60,
        each: true,
    };
    let past = hub.place(question).await.map_err(super::unreadable)?;
    Ok(past.sensors.into_iter().map(|s| s.steps).collect())
}

impl Meter {
    /// What it measured in a span, in which the reservoir's devices did that.
    pub(crate) fn reading(&self, minutes: &[Rollup], span: Span, ran: &[Ran]) -> Reading {
        let of = self.spec.sensor_type;
        let found = measured(of, minutes, span, self.spec.stale_after.as_millis());
        let its: Vec<&Ran> = { ran.iter() }
            .filter(|r| self.of.iter().any(|id| id == r.device_id()))
            .collect();
        let computed = self.computed(&found, span, &its);
        Reading {
            sensor_id: self.spec.id.to_string(),
            ml: found.volume.and_then(ml),
            unknown_sec: found.gaps.iter().map(|g| g.until - g.from).sum::<i64>() / 1_000,
            restarts: found.restarts,
            computed_ml: computed.and_then(ml),
            differs: { found.volume.zip(computed) }.is_some_and(|(m, c)| differs(m, c)),
        }
    }

    /// What its devices came to, where both are known for the same time.
    fn computed(&self, found: &Measured, span: Span, its: &[&Ran]) -> Option<i128> {
        let is_whole = match self.spec.sensor_type {
            SensorType::Volume => {
                let at_end = |g: &Span| g.from == span.from || g.until == span.until;
                found.restarts == 0 && !found.gaps.iter().any(at_end)
            }
            _ => {
                let mut on = its.iter().flat_map(|r| &r.on);
                !on.any(|s| found.gaps.iter().any(|g| g.within(*s).is_some()))
            }
        };
        let is_known = its.iter().all(|r| r.unknown_sec() <= UNKNOWN_SEC);
        if !is_whole || !is_known || its.is_empty() || found.volume.is_none() {
            return None;
        }
        its.iter().map(|r| r.flowed).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn device(id: &str, device_type: &str, needs: Option<&str>) -> DeviceSpec {
        let limits = needs.map(|n| serde_json::json!({"needs": {"any": [n], "for_sec": 0}}));
        let document = serde_json::json!({
            "id": id, "name": id, "type": device_type, "scope": {"type": "farm"}, "limits": limits,
        });
        DeviceSpec::from_json(&document).expect("a device")
    }

    #[test]
    fn the_same_water_is_counted_once_and_doses_are_not_water() {
        let (pump, dose) = (device("p", "pump", None), device("d", "dosing_pump", None));
        let valve = |id: &str, needs| device(id, "valve", needs);
        let (one, two) = (valve("a", Some("p")), valve("b", Some("p")));
        assert_eq!(compared(&[&pump, &one, &two, &dose]), ["a", "b"]);
        assert_eq!(compared(&[&pump, &dose]), ["p"]);
        let loose = valve("c", None);
        assert_eq!(compared(&[&pump, &loose]), Vec::<String>::new());
        assert_eq!(compared(&[&loose, &one]), ["c", "a"]);
    }
}
