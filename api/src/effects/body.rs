//! Marks as they are told.

use harit_effects::{MINUTE_MS, Numbers};
use harit_engine::{Quantity, SensorType};
use serde::Serialize;
use utoipa::ToSchema;

use crate::document::SensorTypeDocument;
use crate::records::EffectMark;

/// The numbers behind a mark, in the signal's unit.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = EffectNumbers)]
pub(crate) struct NumbersBody {
    #[schema(value_type = SensorTypeDocument)]
    signal: SensorType,
    unit: &'static str,
    /// So many minutes before and after the start were compared.
    minutes: i64,
    /// How the signal changed.
    #[schema(value_type = f64)]
    change: Quantity,
    /// How it does in the middle of earlier runs.
    #[schema(value_type = f64)]
    usual: Quantity,
    /// How it does in the middle of times without a run.
    #[schema(value_type = f64)]
    without: Quantity,
    /// From here on, towards `usual`, it worked.
    #[schema(value_type = f64)]
    cut: Quantity,
    /// So many runs were learned from.
    learned: usize,
}

/// What a run came to.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = RunEffect)]
pub(crate) struct MarkBody {
    /// When it began.
    started_at: i64,
    /// worked, `no_effect` or `cannot_tell`
    mark: String,
    /// Of what cannot be told: `no_sensor`, `not_fresh`, `too_short`, together, `too_few`, unlike or unseen.
    #[schema(required)]
    reason: Option<String>,
    /// How many minutes after its start it was looked at.
    minutes: i64,
    /// The devices that were switched at the same time.
    together_with: Vec<String>,
    #[schema(required)]
    numbers: Option<NumbersBody>,
}

impl From<Numbers> for NumbersBody {
    fn from(n: Numbers) -> Self {
        Self {
            signal: n.signal,
            unit: n.signal.unit(),
            minutes: n.minutes,
            change: Quantity::from_micro(n.change),
            usual: Quantity::from_micro(n.usual),
            without: Quantity::from_micro(n.without),
            cut: Quantity::from_micro(n.cut),
            learned: n.learned,
        }
    }
}

impl From<EffectMark> for MarkBody {
    fn from(m: EffectMark) -> Self {
        Self {
            started_at: m.started_at,
            reason: m.reason,
            minutes: (m.looked_at - m.started_at) / MINUTE_MS,
            together_with: serde_json::from_str(&m.company).unwrap_or_default(),
            numbers: numbers(m.numbers.as_deref()),
            mark: m.mark,
        }
    }
}

fn numbers(json: Option<&str>) -> Option<NumbersBody> {
    let numbers: Numbers = serde_json::from_str(json?).ok()?;
    Some(numbers.into())
}
