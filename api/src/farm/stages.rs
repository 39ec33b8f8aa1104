//! The stages of a crop: how long each takes and what it wants. A template has them, and a cycle has its own copy.

use harit_engine::SensorType;
use jiff::civil::Date;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::form::Form;
use crate::document::SensorTypeDocument;
use crate::language::Text;
use crate::records::Decimal;

/// The most stages of a crop, and what one of them wants at most.
const MAX_STAGES: usize = 20;
const MAX_SETPOINTS: usize = 12;
/// The longest stage, in days.
const MAX_DAYS: i64 = 1_000;

/// A stage of a crop.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct Stage {
    /// Such as "Flowering"; up to 120 characters.
    #[schema(max_length = 120)]
    name: String,
    /// How many days it takes, 1 to 1000.
    #[schema(minimum = 1, maximum = 1000)]
    days: i64,
    /// What the crop wants in this time.
    #[serde(default)]
    setpoints: Vec<Setpoint>,
}

/// The range in which a measured value should lie.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct Setpoint {
    #[schema(value_type = SensorTypeDocument)]
    pub(super) sensor_type: SensorType,
    pub(super) min: Decimal,
    /// Not below `min`.
    pub(super) max: Decimal,
}

/// Reads a list of stages, which may be empty.
pub(super) fn read(form: &mut Form<'_>, typed: Option<Vec<Stage>>) -> Vec<Stage> {
    let mut stages = typed.unwrap_or_default();
    if stages.is_empty() {
        return stages;
    }
    stages = form.list("stages", Some(stages), MAX_STAGES);
    for (i, stage) in stages.iter_mut().enumerate() {
        let path = format!("stages[{i}]");
        stage.name = form.name(
            &format!("{path}.name"),
            Some(std::mem::take(&mut stage.name)),
        );
        form.count(&format!("{path}.days"), Some(stage.days), 1..=MAX_DAYS);
        if stage.setpoints.len() > MAX_SETPOINTS {
            form.wrong(&format!("{path}.setpoints"), "too_many", Text::FieldTooMany);
        }
        for (n, setpoint) in stage.setpoints.iter().enumerate() {
            let path = format!("{path}.setpoints[{n}]");
            if setpoint.max < setpoint.min {
                form.wrong(&format!("{path}.max"), "reversed", Text::RangeReversed);
            }
            let twice = stage.setpoints.iter().take(n);
            if twice
                .into_iter()
                .any(|s| s.sensor_type == setpoint.sensor_type)
            {
                form.wrong(&format!("{path}.sensorType"), "taken", Text::FieldTaken);
            }
        }
    }
    stages
}

/// Where a crop stands.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = CurrentStage)]
pub(crate) struct Current {
    name: String,
    /// The day of the stage, from 1 on.
    day: i64,
    days: i64,
    pub(super) setpoints: Vec<Setpoint>,
}

/// The stage on a day, of a crop that began on another; none before it began and after its last stage.
pub(super) fn current(stages: &[Stage], began: &str, today: &str) -> Option<Current> {
    let (began, today) = (began.parse::<Date>().ok()?, today.parse::<Date>().ok()?);
    let mut day = i64::from(began.until(today).ok()?.get_days());
    if day < 0 {
        return None;
    }
    for stage in stages {
        if day < stage.days {
            return Some(Current {
                name: stage.name.clone(),
                day: day + 1,
                days: stage.days,
                setpoints: stage.setpoints.clone(),
            });
        }
        day -= stage.days;
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_crop_goes_from_stage_to_stage() {
        let stage = |name: &str, days| Stage {
            name: name.to_owned(),
            days,
            setpoints: Vec::new(),
        };
        let stages = [stage("Rooting", 10), stage("Growth", 30)];
        let at = |today| current(&stages, "2026-02-25", today).map(|c| (c.name, c.day));
        assert_eq!(at("2026-02-24"), None, "not begun");
        assert_eq!(at("2026-02-25"), Some(("Rooting".to_owned(), 1)));
        assert_eq!(at("2026-03-06"), Some(("Rooting".to_owned(), 10)));
        assert_eq!(at("2026-03-07"), Some(("Growth".to_owned(), 1)));
        assert_eq!(at("2026-04-05"), Some(("Growth".to_owned(), 30)));
        assert_eq!(at("2026-04-06"), None, "past the last stage");
    }
}
