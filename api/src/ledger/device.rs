//! What a device did on a day: for how long it ran by whom, and what flowed.

use std::collections::BTreeMap;

use harit_engine::{DeviceSpec, DeviceType, Quantity};
use serde::Serialize;
use utoipa::ToSchema;

use crate::device_past::Segment;
use crate::document::DeviceTypeDocument;
use crate::letter::Span;

/// What a device ran because of somebody, or something.
#[derive(Serialize, ToSchema)]
#[schema(as = LedgerShare)]
pub(crate) struct Share {
    /// rule, manual, or what else the history of a device says.
    cause: String,
    /// The rule's or the person's name.
    #[schema(required)]
    by: Option<String>,
    /// How long, in seconds.
    on_sec: i64,
    /// What flowed, in ml: time x flow; null where the flow is not known for all of it.
    #[schema(required, value_type = Option<f64>)]
    ml: Option<Quantity>,
}

/// A device on a day, or on all of them.
#[derive(Serialize, ToSchema)]
#[schema(as = LedgerDevice)]
pub(crate) struct Ran {
    device_id: String,
    name: String,
    #[serde(rename = "type")]
    #[schema(value_type = DeviceTypeDocument)]
    device_type: DeviceType,
    /// By who decided it.
    shares: Vec<Share>,
    on_sec: i64,
    #[schema(required, value_type = Option<f64>)]
    ml: Option<Quantity>,
    /// How long it is not known what it did, in seconds: its controller was away, or the server was off.
    unknown_sec: i64,
    /// When it ran.
    #[serde(skip)]
    pub(super) on: Vec<Span>,
    /// What flowed, in micro-millilitres.
    #[serde(skip)]
    pub(super) flowed: Option<i128>,
}

impl Ran {
    pub(super) fn device_id(&self) -> &str {
        &self.device_id
    }

    /// How long it is not known what it did, in seconds.
    pub(super) const fn unknown_sec(&self) -> i64 {
        self.unknown_sec
    }
}

/// The flow of a device while it runs, in ml/s: as commanded, else by its limits.
fn flow(spec: &DeviceSpec, segment: &Segment) -> Option<Quantity> {
    let actions = spec.supported_actions.as_array();
    let has_rate = actions.is_some_and(|all| all.iter().any(|a| a["action"] == "set_flow_rate"));
    let commanded = segment.value.filter(|_| has_rate);
    commanded.or_else(|| spec.limits.as_ref()?.ml_per_sec)
}

/// Micro-millilitres as an amount in ml.
pub(super) fn ml(volume: i128) -> Option<Quantity> {
    i64::try_from(volume).ok().map(Quantity::from_micro)
}

/// For how many milliseconds, and micro-millilitres a second times milliseconds; none where the flow is not known.
type Lasted = (i64, Option<i128>);

/// What a device did on a day up to its end; while the server was off, nothing is known.
pub(crate) fn ran(spec: &DeviceSpec, day: Span, past: &[Segment], server_off: &[Span]) -> Ran {
    let mut shares: BTreeMap<(&str, Option<&str>), Lasted> = BTreeMap::new();
    let mut known = 0;
    let mut on_spans = Vec::new();
    let first = past.partition_point(|s| s.until.is_some_and(|until| until <= day.from));
    let past = past.get(first..).unwrap_or_default().iter();
    for segment in past.take_while(|s| s.at < day.until) {
        let whole = Span {
            from: segment.at,
            until: segment.until.unwrap_or(day.until),
        };
        let parts = { whole.within(day) }.map_or_else(Vec::new, |s| s.without(server_off));
        let length = parts.iter().map(|p| p.until - p.from).sum::<i64>();
        known += length;
        if !segment.on || length == 0 {
            continue;
        }
        on_spans.extend(parts);
        let flowed = flow(spec, segment).map(|f| i128::from(f.as_micro()) * i128::from(length));
        let share = shares
            .entry((segment.cause, segment.by.as_deref()))
            .or_insert((0, Some(0)));
        share.0 += length;
        share.1 = share.1.zip(flowed).map(|(a, b)| a + b);
    }
    let (mut on, mut sum) = (0, Some(0));
    for (length, flowed) in shares.values() {
        on += length;
        sum = sum.zip(*flowed).map(|(a, b)| a + b);
    }
    let flowed = sum.map(|s| s / 1_000);
    Ran {
        device_id: spec.id.to_string(),
        name: spec.name.clone(),
        device_type: spec.device_type,
        shares: { shares.into_iter() }
            .map(|((cause, by), (length, flowed))| Share {
                cause: cause.to_owned(),
                by: by.map(str::to_owned),
                on_sec: length / 1_000,
                ml: flowed.and_then(|f| ml(f / 1_000)),
            })
            .collect(),
        on_sec: on / 1_000,
        ml: flowed.and_then(ml),
        unknown_sec: (day.until - day.from - known) / 1_000,
        on: on_spans,
        flowed,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MINUTE: i64 = 60_000;

    fn segment(from: i64, until: i64, on: bool, cause: &'static str, by: &str) -> Segment {
        Segment {
            at: from * MINUTE,
            until: Some(until * MINUTE),
            on,
            value: None,
            cause,
            by: Some(by.to_owned()),
        }
    }

    #[test]
    fn volume_is_time_and_flow_by_who_decided_and_null_where_the_flow_is_not_known() {
        let mut document = serde_json::json!({
            "id": "d", "name": "Acid", "type": "dosing_pump", "scope": {"type": "farm"},
            "limits": {"ml_per_sec": 2, "ml_per_day": 1000},
        });
        let spec = |d: &serde_json::Value| DeviceSpec::from_json(d).expect("a device");
        let day = Span {
            from: 0,
            until: 100 * MINUTE,
        };
        let past = [
            segment(-5, 1, true, "rule", "Acid rule"),
            segment(1, 10, false, "rule", "Acid rule"),
            segment(10, 13, true, "manual", "Sunita"),
            segment(13, 90, false, "manual", "Sunita"),
        ];
        let told = ran(&spec(&document), day, &past, &[]);
        let shares: Vec<_> = { told.shares.iter() }
            .map(|s| (s.cause.as_str(), s.on_sec, s.ml.map(Quantity::as_micro)))
            .collect();
        assert_eq!(
            shares,
            [
                ("manual", 180, Some(360_000_000)),
                ("rule", 60, Some(120_000_000))
            ]
        );
        assert_eq!((told.on_sec, told.unknown_sec), (240, 600));
        assert_eq!(told.ml, Some(Quantity::from_micro(480_000_000)));
        let off = Span {
            from: 11 * MINUTE,
            until: 12 * MINUTE,
        };
        let less = ran(&spec(&document), day, &past, &[off]);
        assert_eq!((less.on_sec, less.unknown_sec), (180, 660));
        assert_eq!(less.on.len(), 3, "{:?}", less.on);
        document["limits"] = serde_json::Value::Null;
        let told = ran(&spec(&document), day, &past, &[]);
        assert_eq!((told.ml, told.on_sec), (None, 240));
    }
}
