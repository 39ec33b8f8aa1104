//! Where things are, as documents say it.

use serde::{Deserialize, Serialize};

use super::reader::{Fields, document};
use crate::id::{FarmId, PolyhouseId, ZoneId};
use crate::problem::Problems;

/// A farm, a polyhouse or a zone.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ScopeKind {
    /// The whole farm.
    Farm,
    /// A polyhouse.
    Polyhouse,
    /// A zone in a polyhouse.
    Zone,
}

/// A scope: `{"type", "farmId", "polyhouseId", "zoneId", "name", "path"}`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ScopeSpec {
    /// What kind of place it is.
    #[serde(rename = "type")]
    pub kind: ScopeKind,
    /// The farm; a label.
    #[serde(rename = "farmId", skip_serializing_if = "Option::is_none")]
    pub farm_id: Option<FarmId>,
    /// The polyhouse: required for a polyhouse, the zone's own (or absent) for a zone.
    #[serde(rename = "polyhouseId", skip_serializing_if = "Option::is_none")]
    pub polyhouse_id: Option<PolyhouseId>,
    /// The zone: required for a zone.
    #[serde(rename = "zoneId", skip_serializing_if = "Option::is_none")]
    pub zone_id: Option<ZoneId>,
    /// The place's name; a label.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// The place's path for people; a label.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
}

impl ScopeSpec {
    /// The whole farm.
    #[must_use]
    pub const fn farm() -> Self {
        Self {
            kind: ScopeKind::Farm,
            farm_id: None,
            polyhouse_id: None,
            zone_id: None,
            name: None,
            path: None,
        }
    }

    /// A polyhouse.
    #[must_use]
    pub fn polyhouse(id: impl Into<PolyhouseId>) -> Self {
        Self {
            kind: ScopeKind::Polyhouse,
            polyhouse_id: Some(id.into()),
            ..Self::farm()
        }
    }

    /// A zone.
    #[must_use]
    pub fn zone(id: impl Into<ZoneId>) -> Self {
        Self {
            kind: ScopeKind::Zone,
            zone_id: Some(id.into()),
            ..Self::farm()
        }
    }

    pub(super) fn read(f: &mut Fields<'_>) -> Self {
        let kind = f.one_of(
            "type",
            &[
                ("farm", ScopeKind::Farm),
                ("polyhouse", ScopeKind::Polyhouse),
                ("zone", ScopeKind::Zone),
            ],
        );
        let scope = Self {
            kind: kind.unwrap_or(ScopeKind::Farm),
            farm_id: f.optional_id("farmId").map(FarmId::new),
            polyhouse_id: f.optional_id("polyhouseId").map(PolyhouseId::new),
            zone_id: f.optional_id("zoneId").map(ZoneId::new),
            name: f.optional_text("name"),
            path: f.optional_text("path"),
        };
        match kind {
            None => f.missing_unless_reported("type"),
            Some(ScopeKind::Polyhouse) if scope.polyhouse_id.is_none() => {
                f.missing_unless_reported("polyhouseId");
            }
            Some(ScopeKind::Zone) if scope.zone_id.is_none() => f.missing_unless_reported("zoneId"),
            Some(_) => {}
        }
        scope
    }
}

document!(ScopeSpec);
