//! Telemetry: which sensor says what, and when.

use std::time::Instant;

use harit_engine::{ScopeSpec, Timestamp};
use harit_protocol::{Format, Item, Reject, Stamp, TypeWord, stamp};

use super::Route;
use crate::mqtt::Publish;
use crate::shard::farm::Farm;
use crate::shard::{Shard, Step};

impl Shard {
    pub(super) fn telemetry(
        &mut self,
        route: Route,
        format: Format,
        publish: &Publish,
        arrived: Instant,
    ) -> Result<(), Reject> {
        let all = format.read(&publish.payload)?;
        let crc = all
            .messages
            .iter()
            .any(|m| m.seq.is_some())
            .then(|| crc32fast::hash(&publish.payload));
        let arrival = self.now.at.as_millis().saturating_sub(self.now.ahead_ms);
        let mut new = Vec::new();
        let first = self.values.len();
        let mut ranges = Vec::with_capacity(all.messages.len());
        for message in &all.messages {
            let farm = &mut self.farms[route.farm as usize];
            if let (Some(seq), Some(crc)) = (message.seq, crc) {
                let controller = &mut farm.book.controllers[route.controller as usize];
                if controller.repeats(seq, crc) && !planted!(RepeatedMessageCounts) {
                    // A repeated delivery says nothing new, and must not count as a new sample.
                    metrics::counter!("harit_repeated_messages_total").increment(1);
                    continue;
                }
            }
            let items = &all.items[message.items.clone()];
            let twice = same_type_without_id(items);
            let from = self.values.len();
            for (place, item) in items.iter().enumerate() {
                let farm = &mut self.farms[route.farm as usize];
                let ambiguous = item.id.is_none()
                    && matches!(item.sensor_type, TypeWord::Known(t) if twice & 1 << t as u32 != 0);
                let found = if ambiguous {
                    Err(Reject::Ambiguous)
                } else {
                    let records = &self.records;
                    // Asked for only where a sensor is new.
                    let scope = || records.get(&route.mac).map_or(&FARM, |r| &r.scope);
                    farm.book.resolve(
                        &farm.engine,
                        route.controller,
                        place,
                        item,
                        &scope,
                        &mut new,
                    )
                };
                match found {
                    Ok(sensor) => self.values.push((sensor, item.value)),
                    Err(reject) => self.dead_letter(Some(route.farm), publish, reject),
                }
            }
            let number = message.seq.zip(crc);
            ranges.push((
                message.time.map(|t| t.millis(arrival)),
                number,
                from,
                self.values.len(),
            ));
        }
        if !new.is_empty() && !self.register(route.farm, new, arrived) {
            self.values.truncate(first);
            return Err(Reject::Refused);
        }
        for (ts, number, from, to) in ranges {
            if to > from {
                if let Some(number) = number {
                    let Farm { id, interned, .. } = &mut self.farms[route.farm as usize];
                    self.encoder
                        .message(interned, id.as_str(), route.mac, number);
                }
                self.readings(route.farm, Some(route.controller), ts, from, to, arrived);
            }
        }
        Ok(())
    }

    /// Journals the values from..to as readings of one instant.
    pub(super) fn readings(
        &mut self,
        farm: u32,
        controller: Option<u32>,
        ts: Option<i64>,
        from: usize,
        to: usize,
        arrived: Instant,
    ) {
        let (at, backlog) = match stamp(ts, self.now.at, self.now.ahead_ms) {
            Stamp::At(at) => (at, false),
            Stamp::Backlog(at) if planted!(BacklogDrivesRules) => (at, false),
            Stamp::Replaced(_) if planted!(FutureIsBelieved) => {
                (Timestamp::from_millis(ts.unwrap_or(0)), false)
            }
            Stamp::Replaced(at) => {
                metrics::counter!("harit_future_timestamps_total").increment(1);
                if let Some(c) = controller {
                    let book = &mut self.farms[farm as usize].book;
                    book.controllers[c as usize].future_timestamps += 1;
                }
                (at, false)
            }
            Stamp::Backlog(at) => (at, true),
        };
        let Farm {
            id, book, interned, ..
        } = &mut self.farms[farm as usize];
        self.encoder
            .readings(interned, id.as_str(), at, backlog, to - from);
        for (n, value) in &self.values[from..to] {
            let sensor = &mut book.sensors[*n as usize];
            self.encoder
                .reading(&mut sensor.interned, sensor.id.as_str(), *value);
        }
        self.steps.push(Step::Readings {
            farm,
            at,
            backlog,
            from,
            to,
            arrived,
        });
    }
}

static FARM: ScopeSpec = ScopeSpec::farm();

/// The types of which a message has more than one entry without an id, as bits.
fn same_type_without_id(items: &[Item<'_>]) -> u32 {
    let (mut once, mut twice) = (0_u32, 0);
    for item in items.iter().filter(|i| i.id.is_none()) {
        if let TypeWord::Known(t) = item.sensor_type {
            let bit = 1 << t as u32;
            twice |= once & bit;
            once |= bit;
        }
    }
    twice
}
