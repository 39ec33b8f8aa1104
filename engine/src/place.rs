//! Places: the farm, its polyhouses and their zones.

use std::collections::BTreeSet;

use crate::document::{FarmSpec, PolyhouseSpec, ScopeKind, ScopeSpec, ZoneSpec};
use crate::id::{PolyhouseId, ZoneId};
use crate::problem::Problems;
use crate::table::{Keyed, Table};

/// A place's number: stays the same as long as the place exists.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct PlaceIx {
    /// `NONE` for the farm.
    polyhouse: u32,
    /// `NONE` for the farm and for polyhouses.
    zone: u32,
}

const NONE: u32 = u32::MAX;

impl PlaceIx {
    pub(crate) const FARM: Self = Self::polyhouse(NONE);

    const fn polyhouse(polyhouse: u32) -> Self {
        Self {
            polyhouse,
            zone: NONE,
        }
    }

    pub(crate) const fn kind(self) -> ScopeKind {
        if self.zone != NONE {
            ScopeKind::Zone
        } else if self.polyhouse != NONE {
            ScopeKind::Polyhouse
        } else {
            ScopeKind::Farm
        }
    }

    /// The number of the polyhouse that it is or lies in; none for the farm.
    pub(crate) const fn house(self) -> Option<u32> {
        match self.kind() {
            ScopeKind::Farm => None,
            ScopeKind::Polyhouse | ScopeKind::Zone => Some(self.polyhouse),
        }
    }

    /// The place of that kind which this one is or lies in.
    pub(crate) const fn widened(self, kind: ScopeKind) -> Self {
        match kind {
            ScopeKind::Farm => Self::FARM,
            ScopeKind::Polyhouse => Self::polyhouse(self.polyhouse),
            ScopeKind::Zone => self,
        }
    }

    /// The place that encloses this one.
    pub(crate) const fn parent(self) -> Option<Self> {
        match self.kind() {
            ScopeKind::Farm => None,
            ScopeKind::Polyhouse => Some(Self::FARM),
            ScopeKind::Zone => Some(Self::polyhouse(self.polyhouse)),
        }
    }

    /// This place and those that enclose it, narrowest first.
    pub(crate) fn outwards(self) -> impl Iterator<Item = Self> {
        std::iter::successors(Some(self), |p| p.parent())
    }

    /// 0 for the farm, 1 for a polyhouse, 2 for a zone: the narrower scope wins a tie.
    pub(crate) const fn specificity(self) -> u8 {
        match self.kind() {
            ScopeKind::Farm => 0,
            ScopeKind::Polyhouse => 1,
            ScopeKind::Zone => 2,
        }
    }
}

impl Keyed for PolyhouseSpec {
    type Key = [u8];
    fn key(&self) -> &[u8] {
        self.id.as_str().as_bytes()
    }
}

/// A zone and the number of its polyhouse.
#[derive(Debug, Clone)]
struct Zone {
    id: ZoneId,
    polyhouse: u32,
}

impl Keyed for Zone {
    type Key = [u8];
    fn key(&self) -> &[u8] {
        self.id.as_str().as_bytes()
    }
}

/// The polyhouses and zones of a farm.
#[derive(Debug, Clone, Default)]
pub(crate) struct Places {
    polyhouses: Table<PolyhouseSpec>,
    zones: Table<Zone>,
}

impl Places {
    /// Adds a polyhouse with all its zones, or replaces the one of its id.
    pub(crate) fn put(&mut self, spec: &PolyhouseSpec) -> Result<(), Problems> {
        let mut problems = Problems::default();
        let own = self.polyhouses.index(spec.id.as_str());
        let mut kept = BTreeSet::new();
        for (i, zone) in spec.zones.iter().enumerate() {
            let owner = self
                .zones
                .index(zone.id.as_str())
                .and_then(|z| self.zones.get(z))
                .map(|z| z.polyhouse);
            if owner.is_some_and(|p| Some(p) != own) || !kept.insert(&zone.id) {
                let message = format!("zone {} exists already", zone.id);
                problems.add(format!("zones[{i}].id"), "duplicate", message);
            }
        }
        problems.into_result(())?;
        if let Some(old) = own.and_then(|ix| self.polyhouses.get(ix)) {
            for zone in old.zones.iter().filter(|z| !kept.contains(&z.id)) {
                self.zones.remove(zone.id.as_str());
            }
        }
        let (polyhouse, _) = self.polyhouses.put(spec.clone());
        for zone in &spec.zones {
            self.zones.put(Zone {
                id: zone.id.clone(),
                polyhouse,
            });
        }
        Ok(())
    }

    pub(crate) fn knows(&self, id: &PolyhouseId) -> bool {
        self.polyhouses.index(id.as_str()).is_some()
    }

    pub(crate) fn remove(&mut self, id: &PolyhouseId) {
        if let Some(old) = self.polyhouses.remove(id.as_str()) {
            for zone in &old.zones {
                self.zones.remove(zone.id.as_str());
            }
        }
    }

    pub(crate) fn specs(&self) -> impl Iterator<Item = &PolyhouseSpec> {
        self.polyhouses.iter().map(|(_, p)| p)
    }

    /// The polyhouses with their numbers, by id.
    pub(crate) fn houses(&self) -> impl Iterator<Item = (u32, &PolyhouseSpec)> {
        self.polyhouses.iter()
    }

    /// The polyhouse that a place is or lies in.
    pub(crate) fn house_id(&self, place: PlaceIx) -> Option<&PolyhouseId> {
        self.polyhouses.get(place.house()?).map(|p| &p.id)
    }

    /// The place's name, and its path for people: `Polyhouse 1 / Zone A`.
    pub(crate) fn label(&self, farm: &FarmSpec, scope: &ScopeSpec) -> Option<(String, String)> {
        let place = self.resolve(farm, scope).ok()?;
        if place == PlaceIx::FARM {
            return Some((farm.name.clone(), farm.name.clone()));
        }
        let polyhouse = self.polyhouses.get(place.polyhouse)?;
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
            self.polyhouses.index(id.as_str()).ok_or_else(|| {
                Problems::one(
                    "polyhouseId",
                    "unknown",
                    format!("there is no polyhouse {id}"),
                )
            })
        };
        match (scope.kind, &scope.polyhouse_id, &scope.zone_id) {
            (ScopeKind::Farm, _, _) => Ok(PlaceIx::FARM),
            (ScopeKind::Polyhouse, Some(id), _) => polyhouse(id).map(PlaceIx::polyhouse),
            (ScopeKind::Zone, named, Some(id)) => {
                let zone = self.zones.index(id.as_str()).ok_or_else(|| {
                    Problems::one("zoneId", "unknown", format!("there is no zone {id}"))
                })?;
                let own = self.zones.get(zone).map_or(NONE, |z| z.polyhouse);
                match named {
                    Some(p) if polyhouse(p)? != own => Err(Problems::one(
                        "zoneId",
                        "unknown",
                        format!("zone {id} does not lie in polyhouse {p}"),
                    )),
                    _ => Ok(PlaceIx {
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
