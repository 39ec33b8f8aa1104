//! Records as lines of input files.

use harit_engine::{Input, Problems, Timestamp};
use harit_protocol::Item;
use harit_protocol::jsonl::{Line, LineKind};

use crate::farm::Farm;
use crate::key::Key;
use crate::observer::Observer;
use crate::record::{Record, Telemetry};

impl Record<'_> {
    /// The record as a line. An input of the engine has its own instant, which is the record's.
    #[must_use]
    pub fn line(&self, at: Timestamp) -> Line<'_> {
        let kind = match *self {
            // who decided it is not for files that go to others
            Record::Input(Input { at, kind })
            | Record::Authored {
                input: Input { at, kind },
                ..
            } => {
                let kind = LineKind::Input(kind.clone());
                return Line { at: *at, kind };
            }
            Record::Controller { mac, scope } => LineKind::Controller {
                mac,
                scope: scope.clone(),
            },
            Record::Telemetry(ref message) => LineKind::Telemetry {
                mac: message.mac,
                ts: message.at,
                backlog: message.backlog,
                number: message.number,
                sensors: message.entries().collect(),
            },
            Record::Report { mac, report } => LineKind::Report {
                mac,
                report: report.clone(),
            },
            Record::Gone { mac } => LineKind::Gone { mac },
            Record::Ack { mac, ack } => LineKind::Ack {
                mac,
                ack: ack.clone(),
            },
            Record::Unsent { commands } => LineKind::Unsent {
                commands: commands.to_vec(),
            },
            Record::WayOut => LineKind::WayOut,
        };
        Line { at, kind }
    }
}

impl Telemetry<'_> {
    /// Its entries as they were said.
    fn entries(&self) -> impl Iterator<Item = Item<'_>> {
        self.items.iter().filter_map(|(place, value)| {
            let key = self.keys.get(*place as usize)?;
            Some(Item {
                id: key.id.as_deref().map(Into::into),
                sensor_type: key.sensor_type,
                unit: key.unit.as_deref().map(Into::into),
                value: *value,
            })
        })
    }
}

impl Farm {
    /// Applies the record that a line is; see [`Self::apply`].
    ///
    /// # Errors
    /// Why the engine refuses an input; then nothing has changed.
    pub fn apply_line(
        &mut self,
        line: Line<'_>,
        observer: &mut impl Observer,
    ) -> Result<(), Problems> {
        let at = line.at;
        match line.kind {
            LineKind::Input(kind) => {
                let input = Input { at, kind };
                self.engine.check(&input)?;
                self.apply(at, Record::Input(&input), observer);
            }
            LineKind::Controller { mac, scope } => {
                let scope = &scope;
                self.apply(at, Record::Controller { mac, scope }, observer);
            }
            LineKind::Telemetry {
                mac,
                ts,
                backlog,
                number,
                sensors,
            } => {
                let values = sensors.iter().map(|item| item.value);
                let items: Vec<_> = (0..).zip(values).collect();
                let keys = sensors.into_iter();
                let keys: Vec<_> = keys
                    .map(|item| Key::new(item.id, item.sensor_type, item.unit))
                    .collect();
                let telemetry = Telemetry {
                    mac,
                    at: ts,
                    backlog,
                    number,
                    keys: &keys,
                    items: &items,
                };
                self.apply(at, Record::Telemetry(telemetry), observer);
            }
            LineKind::Report { mac, report } => {
                let report = &report;
                self.apply(at, Record::Report { mac, report }, observer);
            }
            LineKind::Gone { mac } => self.apply(at, Record::Gone { mac }, observer),
            LineKind::Ack { mac, ack } => {
                self.apply(at, Record::Ack { mac, ack: &ack }, observer);
            }
            LineKind::Unsent { commands } => {
                let commands = &commands;
                self.apply(at, Record::Unsent { commands }, observer);
            }
            LineKind::WayOut => self.apply(at, Record::WayOut, observer),
        }
        Ok(())
    }
}
