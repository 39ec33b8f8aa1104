//! Places: the farm, its polyhouses and their zones, and which sensors lie in each.

use std::collections::{BTreeMap, BTreeSet};

use crate::document::{
    FarmSpec, PolyhouseSpec, Problems, ScopeKind, ScopeSpec, SensorSpec, ZoneSpec,
};
use crate::id::{PolyhouseId, ZoneId};
use crate::sensor_type::SensorType;
use crate::table::Table;

/// A place's number: stays the same as long as the place exists.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum PlaceIx {
    Farm,
    Polyhouse(u32),
    Zone { polyhouse: u32, zone: u32 },
}

impl PlaceIx {
    #[cfg(test)]
    pub(crate) const FARM: Self = Self::Farm;

    /// The place that encloses this one.
    pub(crate) const fn parent(self) -> Option<Self> {
        match self {
            Self::Farm => None,
            Self::Polyhouse(_) => Some(Self::Farm),
            Self::Zone { polyhouse, .. } => Some(Self::Polyhouse(polyhouse)),
        }
    }

    /// This place and those that enclose it, narrowest first.
    pub(crate) fn outwards(self) -> impl Iterator<Item = Self> {
        std::iter::successors(Some(self), |p| p.parent())
    }

    /// 0 for the farm, 1 for a polyhouse, 2 for a zone: the narrower scope wins a tie.
    pub(crate) const fn narrowness(self) -> u8 {
        match self {
            Self::Farm => 0,
            Self::Polyhouse(_) => 1,
            Self::Zone { .. } => 2,
        }
    }
}

/// The polyhouses and zones of a farm.
#[derive(Debug, Clone, Default)]
pub(crate) struct Places {
    polyhouses: Table<PolyhouseId, PolyhouseSpec>,
    zones: Table<ZoneId, u32>,
}

impl Places {
    /// Adds a polyhouse with all its zones, or replaces the one of its id.
    pub(crate) fn put(&mut self, spec: &PolyhouseSpec) -> Result<(), Problems> {
        let mut problems = Problems::default();
        let own = self.polyhouses.index(&spec.id);
        let mut kept = BTreeSet::new();
        for (i, zone) in spec.zones.iter().enumerate() {
            let owner = self
                .zones
                .index(&zone.id)
                .and_then(|z| self.zones.get(z))
                .copied();
            if owner.is_some_and(|p| Some(p) != own) || !kept.insert(&zone.id) {
                let message = format!("zone {} exists already", zone.id);
                problems.add(format!("zones[{i}].id"), "duplicate", message);
            }
        }
        problems.into_result(())?;
        if let Some(old) = own.and_then(|ix| self.polyhouses.get(ix)) {
            for zone in old.zones.iter().filter(|z| !kept.contains(&z.id)) {
                self.zones.remove(&zone.id);
            }
        }
        let polyhouse = self.polyhouses.put(spec.id.clone(), spec.clone());
        for zone in &spec.zones {
            self.zones.put(zone.id.clone(), polyhouse);
        }
        Ok(())
    }

    pub(crate) fn knows(&self, id: &PolyhouseId) -> bool {
        self.polyhouses.index(id).is_some()
    }

    pub(crate) fn remove(&mut self, id: &PolyhouseId) {
        if let Some(old) = self.polyhouses.remove(id) {
            for zone in &old.zones {
                self.zones.remove(&zone.id);
            }
        }
    }

    pub(crate) fn specs(&self) -> impl Iterator<Item = &PolyhouseSpec> {
        self.polyhouses.iter().map(|(_, p)| p)
    }

    /// The place's name, and its path for people: `Polyhouse 1 / Zone A`.
    pub(crate) fn label(&self, farm: &FarmSpec, scope: &ScopeSpec) -> Option<(String, String)> {
        let (PlaceIx::Polyhouse(ix) | PlaceIx::Zone { polyhouse: ix, .. }) =
            self.resolve(farm, scope).ok()?
        else {
            return Some((farm.name.clone(), farm.name.clone()));
        };
        let polyhouse = self.polyhouses.get(ix)?;
        if scope.kind != ScopeKind::Zone {
            return Some((polyhouse.name.clone(), polyhouse.name.clone()));
        }
        let own = |z: &&ZoneSpec| Some(&z.id) == scope.zone_id.as_ref();
        let zone = polyhouse.zones.iter().find(own)?.name.clone();
        let path = format!("{} / {zone}", polyhouse.name);
        Some((zone, path))
    }

    /// The place that a document names.
    pub(crate) fn resolve(&self, farm: &FarmSpec, scope: &ScopeSpec) -> Result<PlaceIx, Problems> {
        if let Some(id) = scope.farm_id.as_ref().filter(|id| **id != farm.id) {
            return Err(Problems::one(
                "farmId",
                "unknown",
                format!("farm {id} is not this farm, {}", farm.id),
            ));
        }
        let polyhouse = |id: &PolyhouseId| {
            self.polyhouses.index(id).ok_or_else(|| {
                Problems::one(
                    "polyhouseId",
                    "unknown",
                    format!("there is no polyhouse {id}"),
                )
            })
        };
        match (scope.kind, &scope.polyhouse_id, &scope.zone_id) {
            (ScopeKind::Farm, _, _) => Ok(PlaceIx::Farm),
            (ScopeKind::Polyhouse, Some(id), _) => polyhouse(id).map(PlaceIx::Polyhouse),
            (ScopeKind::Zone, named, Some(id)) => {
                let zone = self.zones.index(id).ok_or_else(|| {
                    Problems::one("zoneId", "unknown", format!("there is no zone {id}"))
                })?;
                let own = self.zones.get(zone).copied().unwrap_or(u32::MAX);
                match named {
                    Some(p) if polyhouse(p)? != own => Err(Problems::one(
                        "zoneId",
                        "unknown",
                        format!("zone {id} does not lie in polyhouse {p}"),
                    )),
                    _ => Ok(PlaceIx::Zone {
                        polyhouse: own,
                        zone,
                    }),
                }
            }
            (ScopeKind::Polyhouse, None, _) => Err(Problems::one(
                "polyhouseId",
                "required",
                "polyhouseId is required",
            )),
            (ScopeKind::Zone, _, None) => {
                Err(Problems::one("zoneId", "required", "zoneId is required"))
            }
        }
    }
}

/// Which sensors of a type lie in a place, in the order of their numbers.
pub(crate) type Members = BTreeMap<(PlaceIx, SensorType), Vec<u32>>;

pub(crate) fn members<'a>(
    sensors: impl Iterator<Item = (u32, PlaceIx, &'a SensorSpec)>,
) -> Members {
    let mut members = Members::new();
    for (ix, place, spec) in sensors {
        for p in place.outwards() {
            members.entry((p, spec.sensor_type)).or_default().push(ix);
        }
    }
    for list in members.values_mut() {
        list.sort_unstable();
    }
    members
}

/// Where a condition that names this place gets its signal: the nearest place outwards that has a sensor of the type.
pub(crate) fn resolve_signal(
    members: &Members,
    place: PlaceIx,
    sensor_type: SensorType,
) -> Option<PlaceIx> {
    place
        .outwards()
        .find(|p| members.contains_key(&(*p, sensor_type)))
}
