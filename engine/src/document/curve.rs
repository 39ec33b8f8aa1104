//! Curves: an action whose setting follows a signal.

use serde::Serialize;
use serde_json::Value;

use super::reader::Fields;
use super::rule::as_secs;
use super::scope::ScopeSpec;
use crate::id::SetpointId;
use crate::problem::NumberRange;
use crate::quantity::{Decimal, Quantity};
use crate::sensor_type::SensorType;
use crate::setting::{Order, OrderSpec};
use crate::time::Duration;

/// The most points of a curve.
const MAX_POINTS: usize = 16;
/// The widest dead band, in the signal's unit.
const MAX_DEAD_BAND: i64 = 1_000_000;
/// The longest least time between two changes, in seconds, and the one that is meant unless the document says otherwise.
const MAX_LEAST_SECS: i64 = 3_600;
const DEFAULT_LEAST: Duration = Duration::from_secs(60);

/// How a setting follows a signal: piecewise linear, level beyond its ends.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct CurveSpec {
    /// What is measured.
    pub sensor_type: SensorType,
    /// Where; the rule's scope by default.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub scope: Option<ScopeSpec>,
    /// What the signal is less of, where it is a difference that is followed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub setpoint: Option<SetpointId>,
    /// 2 to 16 points: the signal, and the command's value there; the signal ascends.
    pub points: Vec<(Quantity, Quantity)>,
    /// How far the signal moves from where it was followed last until it is followed again.
    pub dead_band: Quantity,
    /// What the command's value is a multiple of.
    pub step: Quantity,
    /// The least time between two changes.
    #[serde(rename = "least_sec", serialize_with = "as_secs")]
    pub least: Duration,
}

impl CurveSpec {
    /// The field `curve` of an action with this command.
    pub(super) fn read(f: &mut Fields<'_>, command: &OrderSpec) -> Option<Box<Self>> {
        let curve = f.nested("curve", |c| Self::read_fields(c, command))?;
        let follows = ["set_speed", "set_position", "set_flow_rate"];
        if !follows.contains(&command.action.as_str()) {
            let message = format!("a curve is for {}", follows.join(", "));
            f.problem("curve", "not_here", message);
        }
        Some(Box::new(curve))
    }

    fn read_fields(f: &mut Fields<'_>, command: &OrderSpec) -> Self {
        let words = SensorType::ALL.map(|t| (t.as_str(), t));
        let sensor_type = f.required_one_of("sensor_type", &words);
        let (min_step, max_step, default_step) = match command.action.as_str() {
            "set_flow_rate" => (100_000, 10_000_000, 100_000),
            _ => (1_000_000, 100_000_000, 1_000_000),
        };
        let [min_step, max_step, default_step] =
            [min_step, max_step, default_step].map(Quantity::from_micro);
        let step = f.decimal("step").map_or(default_step, Decimal::rounded);
        if step < min_step || step > max_step {
            f.outside("step", step, NumberRange::new(min_step, max_step));
        }
        let nothing = Decimal::exact(Quantity::default());
        let dead_band = f.decimal("dead_band").unwrap_or(nothing);
        if !dead_band.within(0, MAX_DEAD_BAND) {
            let range = NumberRange::of_units(0, MAX_DEAD_BAND);
            f.outside("dead_band", dead_band.rounded(), range);
        }
        let setpoint = f.optional_id("setpoint").map(SetpointId::new);
        Self {
            sensor_type: sensor_type.unwrap_or(SensorType::Temperature),
            scope: f.nested("scope", ScopeSpec::read),
            setpoint,
            points: read_points(f, command),
            dead_band: dead_band.rounded(),
            step,
            least: f
                .whole("least_sec", 0, MAX_LEAST_SECS)
                .map_or(DEFAULT_LEAST, Duration::from_secs),
        }
    }
}

fn read_points(f: &mut Fields<'_>, command: &OrderSpec) -> Vec<(Quantity, Quantity)> {
    if f.length("points") > MAX_POINTS {
        let message = format!("{} points are more than {MAX_POINTS}", f.length("points"));
        f.problem("points", "too_many", message);
        return Vec::new();
    }
    let label = f.label("points");
    let mut points: Vec<(Quantity, Quantity)> = Vec::new();
    for (i, entry) in label.as_array().into_iter().flatten().enumerate() {
        let number = |v: &Value| Decimal::parse(&v.as_number()?.to_string()).map(Decimal::rounded);
        let pair = match entry.as_array().map(Vec::as_slice) {
            Some([x, y]) => number(x).zip(number(y)),
            _ => None,
        };
        let path = format!("points[{i}]");
        let Some((x, y)) = pair else {
            f.problem(&path, "invalid", "a point is two numbers, [signal, value]");
            continue;
        };
        if let Err(e) = Order::parse(&command.action, Some(y))
            && e.field() == "value"
        {
            f.order(&path, &e);
        }
        if let Some((before, _)) = points.last()
            && x <= *before
        {
            f.problem(&path, "out_of_order", format!("{x} is not above {before}"));
        }
        points.push((x, y));
    }
    if points.len() < 2 {
        f.problem("points", "too_few", "a curve has 2 to 16 points");
    }
    points
}
