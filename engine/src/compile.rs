//! Documents of rules and alerts, resolved against what is registered: which signals they watch, or all that is wrong with them.

use crate::document::{AlertSpec, ConditionSpec, RuleSpec, ScopeSpec, WhenSpec};
use crate::place::PlaceIx;
use crate::problem::Problems;
use crate::program::{Program, Tree};
use crate::sensor_type::SensorType;
use crate::setting::Order;
use crate::state::State;

/// A condition that is resolved: which signal it watches.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Watch {
    /// The place that the document names, defaults filled in.
    pub(crate) named: PlaceIx,
    /// The place whose signal it gets.
    pub(crate) place: PlaceIx,
    pub(crate) sensor_type: SensorType,
}

/// A rule document, resolved against the farm.
#[derive(Debug, Clone)]
pub(crate) struct CompiledRule {
    pub(crate) place: PlaceIx,
    pub(crate) conditions: CompiledConditions,
    /// What its curves watch.
    pub(crate) curves: Vec<Watch>,
}

/// What a rule watches.
#[derive(Debug, Clone)]
pub(crate) enum CompiledConditions {
    /// A signal each.
    Signals { trigger: Watch, stop: Option<Watch> },
    /// What its trees do.
    Program(Box<Program>),
}

impl CompiledRule {
    /// The signals that its conditions watch.
    pub(crate) fn watches(&self) -> Vec<Watch> {
        let mut all = self.watched_by_conditions();
        all.extend(&self.curves);
        all
    }

    fn watched_by_conditions(&self) -> Vec<Watch> {
        match &self.conditions {
            CompiledConditions::Signals { trigger, stop } => {
                std::iter::once(*trigger).chain(*stop).collect()
            }
            CompiledConditions::Program(program) => {
                let leaves = program.trees().flat_map(Tree::leaves);
                leaves.map(|leaf| leaf.watch).collect()
            }
        }
    }
}

impl State {
    pub(crate) fn watch(
        &self,
        named: PlaceIx,
        sensor_type: SensorType,
        path: &str,
        problems: &mut Problems,
    ) -> Watch {
        let place = self.resolve_signal(named, sensor_type);
        if place.is_none() {
            problems.add(
                path,
                "no_sensor",
                format!(
                    "no {sensor_type} sensor is registered in the scope or in one that encloses it"
                ),
            );
        }
        Watch {
            named,
            place: place.unwrap_or(named),
            sensor_type,
        }
    }

    /// Resolves a rule against what is registered, or says all that is wrong.
    pub(crate) fn compile_rule(&self, spec: &RuleSpec) -> Result<CompiledRule, Problems> {
        let mut problems = Problems::default();
        let place = self.place_named(Some(&spec.scope), PlaceIx::FARM, "scope", &mut problems);
        let conditions = if spec.is_program() {
            let program = self.compile_program(spec, place, &mut problems);
            CompiledConditions::Program(Box::new(program))
        } else {
            self.compile_conditions(spec, place, &mut problems)
        };
        let mut curves = Vec::new();
        for (i, action) in spec.actions.iter().enumerate() {
            if let Some(curve) = &action.curve {
                let path = format!("actions[{i}].curve");
                curves.push(self.watch_curve(curve, place, &path, &mut problems));
            }
            if self.devices.index(action.device_id.as_str()).is_none() {
                problems.add(
                    format!("actions[{i}].device_id"),
                    "unknown",
                    format!("there is no device {}", action.device_id),
                );
                continue;
            }
            if let Err(e) = Order::compile(&action.command) {
                let path = format!("actions[{i}].command.{}", e.field());
                problems.put(e.at(path));
            }
        }
        problems.into_result(CompiledRule {
            place,
            conditions,
            curves,
        })
    }

    /// The place that a scope names, or the default; what is wrong with it is a problem.
    pub(crate) fn place_named(
        &self,
        scope: Option<&ScopeSpec>,
        default: PlaceIx,
        path: &str,
        problems: &mut Problems,
    ) -> PlaceIx {
        let Some(scope) = scope else {
            return default;
        };
        self.places.resolve(&self.farm, scope).unwrap_or_else(|e| {
            problems.0.extend(e.under(path).0);
            default
        })
    }

    /// Resolves a condition's signal.
    pub(crate) fn watch_condition(
        &self,
        sensor_type: SensorType,
        scope: Option<&ScopeSpec>,
        default: PlaceIx,
        path: &str,
        problems: &mut Problems,
    ) -> Watch {
        let place = self.place_named(scope, default, &format!("{path}.scope"), problems);
        let path = format!("{path}.sensor_type");
        self.watch(place, sensor_type, &path, problems)
    }

    /// Resolves the conditions of a rule that is no program.
    fn compile_conditions(
        &self,
        spec: &RuleSpec,
        place: PlaceIx,
        problems: &mut Problems,
    ) -> CompiledConditions {
        let mut watch = |c: &ConditionSpec, default, path: &str| {
            let scope = c.scope.as_ref();
            self.watch_condition(c.sensor_type, scope, default, path, problems)
        };
        let nowhere = Watch {
            named: place,
            place,
            sensor_type: SensorType::Temperature,
        };
        let trigger = spec.trigger.as_condition();
        let trigger = trigger.map_or(nowhere, |c| watch(c, place, "trigger"));
        let stop = spec
            .stop_condition
            .as_ref()
            .and_then(WhenSpec::as_condition);
        let stop = stop.map(|c| watch(c, trigger.named, "stop_condition"));
        CompiledConditions::Signals { trigger, stop }
    }

    /// Resolves an alert's conditions, and those of its tree after them, against what is registered, or says all that is wrong.
    pub(crate) fn compile_alert(&self, spec: &AlertSpec) -> Result<Vec<Watch>, Problems> {
        let mut problems = Problems::default();
        let place = spec
            .scope
            .as_ref()
            .map_or(Ok(PlaceIx::FARM), |s| self.places.resolve(&self.farm, s))
            .unwrap_or_else(|e| {
                problems.0.extend(e.under("scope").0);
                PlaceIx::FARM
            });
        let beside = self.compile_only_if(spec, place, &mut problems);
        let beside = beside.iter().flat_map(Tree::leaves).map(|leaf| leaf.watch);
        let beside: Vec<Watch> = beside.collect();
        let watches = spec.conditions.iter().enumerate();
        let watches = watches
            .map(|(i, c)| {
                self.watch(
                    place,
                    c.sensor.sensor_type(),
                    &format!("conditions[{i}].sensor"),
                    &mut problems,
                )
            })
            .chain(beside)
            .collect();
        problems.into_result(watches)
    }
}
