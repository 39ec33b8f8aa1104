//! What is looked at while the world runs: after each turn, and now and then.

use harit_ingest::CommandState;

use super::{COMMIT_AGAIN_MS, World};

/// How long a controller may be away and count as there: the grace after a start, and a little.
const AWAY_MS: i64 = 75_000;

impl World {
    pub(super) fn look(&mut self) {
        let when = self.when();
        for unit in &mut self.units {
            unit.copy_traces();
        }
        let Some(server) = &self.server else { return };
        for farm in &self.farms {
            let id = &farm.plan.id;
            if let Some(engine) = server.engine(id) {
                self.checks.look(id, when, engine);
                let devices = farm.plan.document.devices.len();
                if server.remembered(id) > devices {
                    let what = format!(
                        "{} commands are remembered of {devices} devices",
                        server.remembered(id)
                    );
                    self.checks.blame("I23", when.at_ms, what);
                }
            } else {
                self.checks
                    .blame("I3", when.at_ms, format!("{id} is not there any more"));
            }
        }
        self.checks.open_lives(when);
        self.retries();
        self.presence();
    }

    /// **I18**: a setting is confirmed by a report of it, and by nothing else.
    pub(super) fn confirmed(&mut self, farm: usize, life: &harit_ingest::CommandLife) {
        let when = self.when();
        let wants_on = match life.action.as_str() {
            "off" => false,
            "pulse" | "release" => return,
            _ => life.value.is_none_or(|v| v.as_micro() > 0),
        };
        let Some(server) = &self.server else { return };
        let reported = server
            .controllers(&self.farms[farm].plan.id)
            .into_iter()
            .flat_map(|c| c.devices)
            .find(|d| d.id == life.device)
            .and_then(|d| d.reported);
        // What was reported in this very turn may have come after the answer.
        if reported.is_none_or(|r| r.on != wants_on && r.at < life.changed_at) {
            let what = format!(
                "{} is confirmed at {:?}, and reported was {reported:?}",
                life.command_id, life.changed_at
            );
            self.checks.blame("I18 confirmed", when.at_ms, what);
        }
    }

    /// **I18**: what is not answered is sent again after 1, 3 and 9 seconds.
    fn retries(&mut self) {
        let when = self.when();
        let Some(server) = &self.server else { return };
        let mut wrong = Vec::new();
        // For so long a turn may wait for the journal.
        let journal_ms = if self.rates.unanswered > 0 {
            4 * COMMIT_AGAIN_MS
        } else {
            0
        };
        for (id, since) in self.checks.unanswered() {
            let age = when.now_ms - since - self.rates.batch_ms - 500 - journal_ms;
            let due = [1_000, 3_000, 9_000].iter().filter(|t| age > **t).count();
            let unit = self.checks.device_of(&id).and_then(|device| {
                let has =
                    |u: &&crate::unit::Unit| u.plan.spec.devices.iter().any(|d| d.id == device);
                self.units.iter().find(has)
            });
            let there = unit.is_some_and(|u| u.server_conn.is_some() && u.conn_since < since);
            let farm = unit.map(|u| &self.farms[u.farm].plan.id);
            let life = farm.and_then(|f| server.command(f, &id));
            // One that could not be sent at first has had its attempts meanwhile; a release is not sent again after what
            // followed from it.
            let resent = |l: &&harit_ingest::CommandLife| l.action != "release";
            let life = life.filter(|_| !self.checks.sent_late(&id)).filter(resent);
            let Some(life) = life.filter(|l| there && l.state == CommandState::Sent) else {
                continue;
            };
            if usize::try_from(life.attempts).unwrap_or(0) < 1 + due {
                wrong.push(format!(
                    "{id} was sent {} times and is unanswered for {age} ms",
                    life.attempts
                ));
            }
        }
        if self.farms.len() == 1 && !self.clock_stepped {
            for what in wrong {
                self.checks.blame("I18 retry", when.at_ms, what);
            }
        }
    }

    /// **Presence**: who has not been there for a while does not count as online.
    fn presence(&mut self) {
        let when = self.when();
        let Some(server) = &self.server else { return };
        let mut wrong = Vec::new();
        for unit in self.units.iter().filter(|u| u.server_conn.is_none()) {
            let away = when.now_ms - unit.gone_since.max(self.started_ms);
            let farm = &self.farms[unit.farm].plan.id;
            let Some(engine) = server.engine(farm) else {
                continue;
            };
            for device in &unit.plan.spec.devices {
                if away > AWAY_MS && engine.device(&device.id).is_some_and(|d| d.online) {
                    wrong.push(format!(
                        "{} counts as online, and its controller has been away for {away} ms",
                        device.id
                    ));
                }
            }
        }
        for what in wrong {
            self.checks.blame("presence", when.at_ms, what);
        }
    }
}
