//! What goes over the wire, and the lives of commands.

use harit_ingest::{CommandLife, CommandState};
use serde_json::Value;

use super::{Checks, LEASE_MS, When};

/// How long a command's life may stay open.
const OPEN_MS: i64 = 30_000;

impl Checks {
    /// **I5, I18**: what goes over the wire is a command that was decided (checked at the end, against the journal), and
    /// nothing is sent when it has expired.
    pub fn published(&mut self, when: When, body: &Value) {
        let id = body["command_id"].as_str().unwrap_or("").to_owned();
        if id.contains("-stop-") {
            // A stop that is not in the journal yet: nobody decided it, and all that it may be is off.
            if body["action"]["on"] != false {
                self.blame(
                    "I5",
                    when.at_ms,
                    format!("not off, beside the engine: {body}"),
                );
            }
            return;
        }
        let device = body["device_id"].as_str().unwrap_or("").to_owned();
        if body["cmd_type"] == "renew" {
            let lease = body["lease_sec"].as_i64().unwrap_or(i64::MAX);
            if lease * 1_000 > LEASE_MS {
                self.blame("I9", when.at_ms, format!("a renewal of {lease} s: {body}"));
            }
            return;
        }
        let expires = body["expires_at"].as_i64().unwrap_or(0);
        if expires <= when.engine_ms {
            self.blame(
                "I18 expired",
                when.at_ms,
                format!(
                    "sent {} ms after it expired: {body}",
                    when.engine_ms - expires
                ),
            );
        }
        let is_on = body["cmd_type"] == "override" && body["action"]["on"] == true;
        let lease = body["lease_sec"].as_i64();
        if is_on && lease.is_none_or(|s| s * 1_000 > LEASE_MS) {
            self.blame("I9", when.at_ms, format!("on without a lease: {body}"));
        }
        let waited = when.engine_ms - body["timestamp"].as_i64().unwrap_or(0);
        if waited >= 500 && !self.published.contains_key(&id) {
            self.sent_late.insert(id.clone());
        }
        self.published.entry(id).or_insert((device, when.now_ms));
    }

    /// The command ids that went over the wire, each with its device.
    pub fn published_ids(&self) -> impl Iterator<Item = (&str, &str)> {
        self.published
            .iter()
            .map(|(id, (device, _))| (id.as_str(), device.as_str()))
    }

    /// **I18**: a command's life goes only forward, and nothing is acknowledged that its own controller did not answer.
    /// (One that was given up may go out once more when its controller is there again, under the same id. A release is done
    /// when the command that follows from it is, whether the release itself was answered or not.)
    pub fn life(&mut self, when: When, life: &CommandLife, answered: bool) {
        use CommandState::{Acked, Confirmed, Failed, Queued, Sent, Superseded, TimedOut};
        self.looked += 1;
        let before = self.states.get(&life.command_id).copied();
        let released = life.action == "release" && life.state == Confirmed;
        let forward = matches!(before, Some(Queued | Sent));
        // What was decided in a batch that was durable, and of which nobody heard before the server died.
        let unheard = before.is_none() && self.restarted;
        let allowed = unheard
            || released && forward
            || matches!(
                (before, life.state),
                (None, Queued)
                    | (Some(Queued), Sent | Failed | TimedOut | Superseded | Acked)
                    | (Some(Sent), Acked | Failed | TimedOut | Superseded)
                    | (Some(Acked), Confirmed | Superseded)
                    | (Some(TimedOut), Queued | Acked | Failed)
            );
        if !allowed {
            let what = format!(
                "{} went from {before:?} to {:?}",
                life.command_id, life.state
            );
            self.blame("I18 automaton", when.at_ms, what);
        }
        if matches!(life.state, Acked | Confirmed) && !answered && !released {
            let what = format!(
                "{} is {:?}, and its controller never answered it",
                life.command_id, life.state
            );
            self.blame("I19", when.at_ms, what);
        }
        self.states.insert(life.command_id.clone(), life.state);
        if matches!(life.state, Queued | Sent) {
            let since = (life.state, when.now_ms);
            self.open.insert(life.command_id.clone(), since);
        } else {
            self.open.remove(&life.command_id);
        }
    }

    /// Whether a command could not be sent when it was decided.
    #[must_use]
    pub fn sent_late(&self, id: &str) -> bool {
        self.sent_late.contains(id)
    }

    /// The device that a command went out for.
    #[must_use]
    pub fn device_of(&self, id: &str) -> Option<String> {
        self.published.get(id).map(|(device, _)| device.clone())
    }

    /// The commands that were sent and wait for their answer, each with the instant since when.
    #[must_use]
    pub fn unanswered(&self) -> Vec<(String, i64)> {
        let sent = self
            .open
            .iter()
            .filter(|(_, (s, _))| *s == CommandState::Sent);
        sent.map(|(id, (_, since))| (id.clone(), *since)).collect()
    }

    /// **I18**: no command waits for its answer for ever.
    pub fn open_lives(&mut self, when: When) {
        let late = self
            .open
            .iter()
            .find(|(_, (_, since))| when.now_ms - since > OPEN_MS)
            .map(|(id, (s, _))| format!("{id} is {s:?} for more than {OPEN_MS} ms"));
        if let Some(what) = late {
            self.blame("I18 open", when.at_ms, what);
        }
    }
}
