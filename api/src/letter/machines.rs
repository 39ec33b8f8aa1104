//! What each device did on a day: how long it was on, how often it started, and who had wanted it so.

use std::collections::HashMap;

use harit_engine::{DeviceSpec, DeviceType, Engine, Quantity, ScopeSpec, Timestamp};
use harit_ingest::command::MAX_LISTED;
use harit_ingest::{CommandFilter, CommandLife};
use serde::Serialize;
use utoipa::ToSchema;

use super::houses::unreadable;
use super::minutes::Span;
use crate::access::FarmHub;
use crate::device_past::{COMMAND_BEFORE_MS, Segment, segments};
use crate::document::{DeviceTypeDocument, ScopeDocument};
use crate::error::ApiError;

/// A device on a day. Times are whole seconds.
#[derive(Debug, Clone, PartialEq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = LetterDevice)]
pub(crate) struct Machine {
    id: String,
    name: String,
    #[serde(rename = "type")]
    #[schema(value_type = DeviceTypeDocument)]
    pub(crate) device_type: DeviceType,
    #[schema(value_type = ScopeDocument)]
    scope: ScopeSpec,
    /// The polyhouse in which it is; null for the farm's.
    #[schema(required)]
    pub(crate) polyhouse_id: Option<String>,
    /// Null where nothing at all is known of it, as the others.
    #[schema(required)]
    pub(crate) on_sec: Option<i64>,
    /// How long it is not known: its controller could not be reached, or the server was off.
    pub(crate) unknown_sec: i64,
    /// How often it was switched on, as far as that is known.
    #[schema(required)]
    starts: Option<usize>,
    /// How long it was on because of a rule.
    by_rule_sec: i64,
    /// How long it was on because of a person.
    by_hand_sec: i64,
    /// How long it was on for other reasons: its default setting, safety, or itself.
    otherwise_sec: i64,
    /// The longest time that it was on.
    #[schema(required)]
    longest: Option<Span>,
    /// What flowed; null where its flow is not known for the whole time that it was on.
    #[schema(required, value_type = Option<f64>)]
    pub(crate) litres: Option<Quantity>,
}

/// A device, and where it is.
struct Asked {
    spec: DeviceSpec,
    scope: ScopeSpec,
    polyhouse: Option<String>,
}

fn ask(engine: &Engine) -> (Vec<Asked>, HashMap<String, String>) {
    let polyhouses = engine.document().polyhouses;
    let devices = engine.devices().map(|d| {
        let scope = &d.spec.scope;
        let house = polyhouses.iter().find(|p| {
            scope.polyhouse_id.as_ref() == Some(&p.id)
                || p.zones
                    .iter()
                    .any(|z| Some(&z.id) == scope.zone_id.as_ref())
        });
        Asked {
            scope: engine.labelled(scope).unwrap_or_else(|| scope.clone()),
            polyhouse: house.map(|p| p.id.to_string()),
            spec: d.spec,
        }
    });
    let rules = engine.rules().map(|r| (r.spec.id.to_string(), r.spec.name));
    (devices.collect(), rules.collect())
}

/// What the farm's devices did on a day up to `day.until`; while nobody was heard, nothing is known of them.
pub(super) async fn machines(
    hub: &FarmHub<'_>,
    day: Span,
    unheard: &[Span],
) -> Result<Vec<Machine>, ApiError> {
    let (asked, rules) = hub.read(ask).await?;
    let (from, to) = (
        Timestamp::from_millis(day.from),
        Timestamp::from_millis(day.until),
    );
    let mut machines = Vec::with_capacity(asked.len());
    for asked in asked {
        let id = asked.spec.id.clone();
        let reports = hub.reports(&id, from, to).await.map_err(unreadable)?;
        let found = hub
            .commands(CommandFilter {
                device: Some(id),
                from: Some(Timestamp::from_millis(day.from - COMMAND_BEFORE_MS)),
                to: Some(to),
                limit: MAX_LISTED,
                state: None,
            })
            .await?;
        let mut commands: Vec<CommandLife> = found.items;
        commands.reverse();
        // of more than that only the latest are known
        let cut = reports.len() >= MAX_LISTED;
        let since = reports.first().filter(|_| cut).map(|r| r.at.as_millis());
        let known = Span {
            from: since.unwrap_or(day.from).max(day.from),
            until: day.until,
        };
        let past = segments(&reports, &commands, &rules);
        machines.push(machine(asked, &past, day, known, unheard));
    }
    Ok(machines)
}

fn machine(asked: Asked, past: &[Segment], day: Span, known: Span, unheard: &[Span]) -> Machine {
    let mut tally = Tally::default();
    for segment in past {
        let whole = Span {
            from: segment.at,
            until: segment.until.unwrap_or(day.until),
        };
        for part in whole
            .within(known)
            .map_or_else(Vec::new, |s| s.without(unheard))
        {
            tally.add(segment, part);
        }
    }
    let is_measured = has_flow(&asked.spec) && tally.flow_known && tally.known_ms > 0;
    let litres = is_measured.then(|| litres(tally.flowed)).flatten();
    let unknown_ms = (day.until - day.from) - tally.known_ms;
    let is_known = tally.known_ms > 0;
    Machine {
        id: asked.spec.id.to_string(),
        name: asked.spec.name,
        device_type: asked.spec.device_type,
        scope: asked.scope,
        polyhouse_id: asked.polyhouse,
        on_sec: is_known.then_some(tally.on_ms / 1_000),
        unknown_sec: unknown_ms / 1_000,
        starts: is_known.then_some(tally.starts),
        by_rule_sec: tally.by_rule_ms / 1_000,
        by_hand_sec: tally.by_hand_ms / 1_000,
        otherwise_sec: (tally.on_ms - tally.by_rule_ms - tally.by_hand_ms) / 1_000,
        longest: tally.longest,
        litres,
    }
}

/// Whether a device's value is a flow, in millilitres a second.
fn has_flow(spec: &DeviceSpec) -> bool {
    let actions = spec.supported_actions.as_array();
    actions.is_some_and(|all| all.iter().any(|a| a["action"] == "set_flow_rate"))
}

/// What the parts of a day come to.
struct Tally {
    known_ms: i64,
    on_ms: i64,
    by_rule_ms: i64,
    by_hand_ms: i64,
    starts: usize,
    longest: Option<Span>,
    /// The time of being on that goes on.
    running: Option<Span>,
    /// Whether every time of being on had its flow.
    flow_known: bool,
    /// Micro-units of the device's value, times milliseconds: of millilitres a second where it has a flow.
    flowed: i128,
}

impl Default for Tally {
    fn default() -> Self {
        Self {
            known_ms: 0,
            on_ms: 0,
            by_rule_ms: 0,
            by_hand_ms: 0,
            starts: 0,
            longest: None,
            running: None,
            flow_known: true,
            flowed: 0,
        }
    }
}

impl Tally {
    fn add(&mut self, segment: &Segment, part: Span) {
        let length = part.until - part.from;
        self.known_ms += length;
        if !segment.on {
            self.running = None;
            return;
        }
        self.on_ms += length;
        match segment.cause {
            "rule" => self.by_rule_ms += length,
            "manual" => self.by_hand_ms += length,
            _ => {}
        }
        match segment.value {
            Some(flow) => self.flowed += i128::from(flow.as_micro()) * i128::from(length),
            None => self.flow_known = false,
        }
        let goes_on = self.running.filter(|r| r.until == part.from);
        // what was on already when the day, or what is known, began was not switched on then
        if goes_on.is_none() && segment.at == part.from {
            self.starts += 1;
        }
        let running = Span {
            from: goes_on.map_or(part.from, |r| r.from),
            until: part.until,
        };
        self.running = Some(running);
        if self.longest.is_none_or(|l| l.seconds() < running.seconds()) {
            self.longest = Some(running);
        }
    }
}

/// Litres to a tenth, of micro-millilitres a second times milliseconds.
fn litres(flowed: i128) -> Option<Quantity> {
    // a tenth of a litre is 100 ml: 10^8 micro-millilitres in 1,000 ms
    const TENTH: i128 = 100_000_000_000;
    let tenths = (flowed + TENTH / 2) / TENTH;
    i64::try_from(tenths * 100_000)
        .ok()
        .map(Quantity::from_micro)
}

#[cfg(test)]
mod tests {
    use super::*;

    const MINUTE: i64 = 60_000;
    const DAY: Span = Span {
        from: 0,
        until: 600 * MINUTE,
    };

    fn asked(action: &str) -> Asked {
        let spec = DeviceSpec::from_json(&serde_json::json!({
            "id": "d", "name": "Pump", "type": "pump", "scope": {"type": "farm"},
            "supportedActions": [{"action": "on"}, {"action": action}],
        }))
        .expect("a device");
        Asked {
            scope: spec.scope.clone(),
            polyhouse: None,
            spec,
        }
    }

    fn segment(at: i64, until: i64, on: bool, value: Option<i64>, cause: &'static str) -> Segment {
        Segment {
            at: at * MINUTE,
            until: Some(until * MINUTE),
            on,
            value: value.map(|v| Quantity::from_micro(v * 1_000_000)),
            cause,
            by: None,
        }
    }

    #[test]
    fn what_was_on_over_midnight_counts_from_midnight_and_is_no_start() {
        let past = [
            segment(-60, 30, true, None, "rule"),
            segment(30, 100, false, None, "rest"),
            segment(100, 110, true, None, "manual"),
            segment(110, 700, false, None, "rest"),
        ];
        let m = machine(asked("off"), &past, DAY, DAY, &[]);
        assert_eq!((m.on_sec, m.starts), (Some(2_400), Some(1)));
        assert_eq!((m.by_rule_sec, m.by_hand_sec), (1_800, 600));
        assert_eq!((m.otherwise_sec, m.unknown_sec), (0, 0));
        let longest = m.longest.expect("a time");
        assert_eq!((longest.from, longest.until), (0, 30 * MINUTE));
        assert_eq!(m.litres, None, "it has no flow");
    }

    #[test]
    fn while_nobody_was_heard_nothing_is_known() {
        let past = [segment(0, 600, true, None, "rule")];
        let gap = Span {
            from: 100 * MINUTE,
            until: 200 * MINUTE,
        };
        let m = machine(asked("off"), &past, DAY, DAY, &[gap]);
        assert_eq!((m.on_sec, m.unknown_sec), (Some(30_000), 6_000));
        assert_eq!(
            m.starts,
            Some(1),
            "that it was on after the gap is no start"
        );
        let never = machine(asked("off"), &[], DAY, DAY, &[]);
        assert_eq!((never.on_sec, never.starts), (None, None));
        assert_eq!(never.unknown_sec, 36_000);
    }

    #[test]
    fn litres_are_told_only_where_all_of_the_flow_is_known() {
        let past = [
            segment(0, 10, true, Some(2), "rule"),
            segment(10, 20, true, Some(4), "rule"),
            segment(20, 600, false, None, "rest"),
        ];
        let m = machine(asked("set_flow_rate"), &past, DAY, DAY, &[]);
        // 2 ml/s and 4 ml/s for ten minutes each
        assert_eq!(m.litres, Some(Quantity::from_micro(3_600_000)));
        assert_eq!(m.starts, Some(1), "another flow is no start");
        let past = [
            segment(0, 10, true, None, "rule"),
            segment(10, 20, true, Some(4), "rule"),
        ];
        let m = machine(asked("set_flow_rate"), &past, DAY, DAY, &[]);
        assert_eq!(m.litres, None);
        let fan = machine(asked("set_speed"), &past[1..], DAY, DAY, &[]);
        assert_eq!(fan.litres, None, "a speed is no flow");
    }
}
