//! Scopes, as people read and write them, and what refers to a place.

use harit_engine::{
    Engine, FarmDocument, PolyhouseId, PolyhouseSpec, Problems, RuleSpec, ScopeKind, ScopeSpec,
    WhenSpec, ZoneId,
};
use serde_json::Value;

use super::uses::{MAX_USES, Uses};
use crate::access::{FarmAccess, Needs};
use crate::error::ApiError;
use crate::language::Text;

/// A farm's places with their names.
pub(super) struct Places {
    farm: (String, String),
    polyhouses: Vec<PolyhouseSpec>,
}

impl Places {
    pub(super) fn of(engine: &Engine) -> Self {
        let FarmDocument {
            farm, polyhouses, ..
        } = engine.document();
        Self {
            farm: (farm.id.to_string(), farm.name),
            polyhouses,
        }
    }

    /// A scope with its labels as they are now: the stored ones are of when it was written.
    pub(super) fn labelled(&self, scope: &ScopeSpec) -> ScopeSpec {
        let (id, farm) = &self.farm;
        let polyhouse = self.polyhouse_of(scope);
        let zone = polyhouse.and_then(|p| {
            let zones = &mut p.zones.iter();
            zones.find(|z| Some(&z.id) == scope.zone_id.as_ref())
        });
        let names = [
            Some(farm),
            polyhouse.map(|p| &p.name),
            zone.map(|z| &z.name),
        ];
        let names: Vec<&str> = names.into_iter().flatten().map(String::as_str).collect();
        ScopeSpec {
            kind: scope.kind,
            farm_id: Some(id.as_str().into()),
            polyhouse_id: polyhouse.map(|p| p.id.clone()),
            zone_id: zone.map(|z| z.id.clone()),
            name: names.last().map(|&n| n.to_owned()),
            path: Some(names.join(" / ")),
        }
    }

    fn polyhouse_of(&self, scope: &ScopeSpec) -> Option<&PolyhouseSpec> {
        self.polyhouses.iter().find(|p| match scope.kind {
            ScopeKind::Farm => false,
            ScopeKind::Polyhouse => Some(&p.id) == scope.polyhouse_id.as_ref(),
            ScopeKind::Zone => (p.zones.iter()).any(|z| Some(&z.id) == scope.zone_id.as_ref()),
        })
    }

    /// The scope that somebody wrote, without labels; it must be a place of the farm.
    pub(super) fn read(&self, typed: &Value) -> Result<ScopeSpec, ApiError> {
        let unknown =
            |field: &str| ApiError::field(&format!("scope.{field}"), "unknown", Text::PlaceUnknown);
        let typed = ScopeSpec::from_json(typed).map_err(|mut problems: Problems| {
            for p in &mut problems.0 {
                p.path = format!("scope.{}", p.path);
            }
            ApiError::from(problems)
        })?;
        if typed
            .farm_id
            .as_ref()
            .is_some_and(|id| id.as_str() != self.farm.0)
        {
            return Err(unknown("farmId"));
        }
        let polyhouse = self.polyhouse_of(&typed);
        match (typed.kind, polyhouse) {
            (ScopeKind::Farm, _) => Ok(ScopeSpec::farm()),
            (ScopeKind::Polyhouse, Some(p)) => Ok(ScopeSpec::polyhouse(p.id.clone())),
            (ScopeKind::Polyhouse, None) => Err(unknown("polyhouseId")),
            (ScopeKind::Zone, None) => Err(unknown("zoneId")),
            (ScopeKind::Zone, Some(p)) => {
                if typed.polyhouse_id.as_ref().is_some_and(|id| *id != p.id) {
                    return Err(unknown("polyhouseId"));
                }
                Ok(ScopeSpec {
                    polyhouse_id: Some(p.id.clone()),
                    ..typed.zone_id.map_or_else(ScopeSpec::farm, ScopeSpec::zone)
                })
            }
        }
    }
}

/// What is in a polyhouse or refers to it; of one of its zones alone, where one is given.
pub(super) async fn in_use<N: Needs>(
    access: &FarmAccess<N>,
    polyhouse: &PolyhouseSpec,
    zone: Option<&str>,
) -> Result<Uses, ApiError> {
    let here = Here {
        polyhouse: zone.is_none().then(|| polyhouse.id.clone()),
        zones: match zone {
            Some(zone) => vec![zone.into()],
            None => polyhouse.zones.iter().map(|z| z.id.clone()).collect(),
        },
    };
    access.hub().read(move |engine| here.uses(engine)).await
}

/// The place that is to go.
struct Here {
    polyhouse: Option<PolyhouseId>,
    zones: Vec<ZoneId>,
}

impl Here {
    fn holds(&self, scope: &ScopeSpec) -> bool {
        match scope.kind {
            ScopeKind::Farm => false,
            ScopeKind::Polyhouse => {
                self.polyhouse.is_some() && scope.polyhouse_id == self.polyhouse
            }
            ScopeKind::Zone => scope
                .zone_id
                .as_ref()
                .is_some_and(|z| self.zones.contains(z)),
        }
    }

    fn rule(&self, rule: &RuleSpec) -> bool {
        let stop = rule.stop_condition.iter().flat_map(WhenSpec::conditions);
        let conditions = rule.trigger.conditions().into_iter().chain(stop);
        let scopes = conditions.filter_map(|c| c.scope.as_ref());
        let compared = rule.setpoint_conditions().filter_map(|c| c.scope.as_ref());
        let curves = rule.actions.iter().filter_map(|a| a.curve.as_ref());
        let followed = curves.filter_map(|c| c.scope.as_ref());
        let mut scopes = scopes.chain(compared).chain(followed);
        self.holds(&rule.scope) || scopes.any(|s| self.holds(s))
    }

    fn uses(&self, engine: &Engine) -> Uses {
        let mut uses = Uses::new();
        let FarmDocument {
            sensors,
            devices,
            rules,
            alerts,
            farm,
            ..
        } = engine.document();
        for s in farm.settings.setpoints {
            if s.scope.as_ref().is_some_and(|scope| self.holds(scope)) {
                uses.push((format!("setpoints.{}", s.id), Text::UsedBySetpoint, s.name));
            }
        }
        for s in sensors.into_iter().filter(|s| self.holds(&s.scope)) {
            let name = s.name.unwrap_or_else(|| s.id.to_string());
            uses.push((format!("sensors.{}", s.id), Text::UsedBySensor, name));
        }
        for d in devices.into_iter().filter(|d| self.holds(&d.scope)) {
            uses.push((format!("devices.{}", d.id), Text::UsedByDevice, d.name));
        }
        for r in rules.into_iter().filter(|r| self.rule(r)) {
            uses.push((format!("rules.{}", r.id), Text::UsedByRule, r.name));
        }
        for a in alerts {
            if a.scope.as_ref().is_some_and(|s| self.holds(s)) {
                uses.push((format!("alerts.{}", a.id), Text::UsedByAlert, a.name));
            }
        }
        uses.truncate(MAX_USES);
        uses
    }
}
