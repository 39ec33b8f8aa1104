//! What the transport refuses, made visible: a line of the log for who runs the server, a dead letter for the farm.
//!
//! Who installs a controller sees "connection refused" and nothing else, so a line says who it was, why, and what to do. A
//! client that tries again and again gets a line a minute, and all of them together [`LINES`]; what is left out is counted.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use harit_protocol::Reject;
use tokio::time::Instant;

use super::throttle::Bucket;
use super::{Principal, Uplink};

/// How often the same is told of the same client.
const TOLD_EVERY: Duration = Duration::from_secs(60);
/// Lines at once, and a second in the long run.
const LINES: (u32, u32) = (60, 1);
/// How many clients with their reasons are remembered; of further ones nothing is told until some are forgotten.
const MAX_REMEMBERED: usize = 1_024;
/// How much of a name that a client gives itself is told, in characters.
const NAME_CHARS: usize = 128;

/// Something of a client that the transport did not take.
#[derive(Debug, Clone, Copy)]
pub struct Refused<'a> {
    /// Why.
    pub reason: Reject,
    /// Who it is; `None` as long as it has not shown that.
    pub from: Option<&'a Principal>,
    /// The user name that it gave, if any.
    pub username: &'a str,
    /// The client id that it gave, if any.
    pub client_id: &'a str,
    /// Where it connects from.
    pub address: IpAddr,
    /// The topic or filter that is not its own; `None` where the connection itself was refused.
    pub topic: Option<&'a str>,
    /// What it published there: the beginning of it.
    pub payload: &'a [u8],
    /// What more there is to say of why; empty: nothing.
    pub detail: &'a str,
}

/// What was told lately.
#[derive(Default)]
pub(super) struct Refusals(Mutex<Lately>);

#[derive(Default)]
struct Lately {
    told: HashMap<(IpAddr, String, Reject), Told>,
    lines: Option<Bucket>,
    /// Refusals of which nothing was told because there were too many lines, or clients.
    untold: u64,
}

struct Told {
    at: Instant,
    /// How many since then.
    more: u64,
}

/// How many refusals went before without a line: of the same client and reason, and of others.
#[derive(Debug, PartialEq, Eq)]
struct LeftOut {
    same: u64,
    others: u64,
}

impl Refusals {
    /// Tells of a refusal: the pipeline always, the log within its limits.
    pub(super) fn tell(&self, uplink: &dyn Uplink, refused: &Refused<'_>, now: Instant) {
        uplink.refused(refused);
        let Some(left_out) = self.may_tell(refused, now) else {
            return;
        };
        let Refused {
            reason,
            address,
            topic,
            detail,
            ..
        } = *refused;
        let (user, client) = (cut(refused.username), cut(refused.client_id));
        let LeftOut { same, others } = left_out;
        let (why, to_do) = (reason.as_str(), to_do(reason));
        match topic {
            // Debug escapes: what strangers call themselves writes no lines of its own.
            None => tracing::warn!(
                ?user, ?client, %address, why, ?detail, to_do, same, others,
                "mqtt: a connection was refused"
            ),
            Some(topic) => tracing::warn!(
                ?user, ?client, %address, topic = ?cut(topic), why, to_do, same, others,
                "mqtt: a topic was refused"
            ),
        }
    }

    fn may_tell(&self, refused: &Refused<'_>, now: Instant) -> Option<LeftOut> {
        let mut lately = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let Lately {
            told,
            lines,
            untold,
        } = &mut *lately;
        let key = (
            refused.address,
            cut(refused.username).to_owned(),
            refused.reason,
        );
        let recent = |told: &Told| now.saturating_duration_since(told.at) < TOLD_EVERY;
        if let Some(told) = told.get_mut(&key).filter(|told| recent(told)) {
            told.more += 1;
            return None;
        }
        if told.len() >= MAX_REMEMBERED && !told.contains_key(&key) {
            told.retain(|_, told| recent(told));
        }
        let lines = lines.get_or_insert_with(|| Bucket::new(LINES.1, LINES.0, now));
        let room = told.len() < MAX_REMEMBERED || told.contains_key(&key);
        if !room || !lines.has_one(now) {
            *untold += 1;
            return None;
        }
        lines.take(1, now);
        let before = told.insert(key, Told { at: now, more: 0 });
        Some(LeftOut {
            same: before.map_or(0, |told| told.more),
            others: std::mem::take(untold),
        })
    }
}

/// What whoever looks after the client can do about it.
const fn to_do(reason: Reject) -> &'static str {
    match reason {
        Reject::NoCredentials => {
            "set the user name (the controller's MAC, or an integration account's name) and the password in the client"
        }
        Reject::BadCredentials => {
            "check the user name (the MAC) and the password; Controllers > New password in the console makes a new one"
        }
        Reject::Certificate => {
            "check the certificate in the client: who signed it, until when, and that its common name is the controller's MAC, which is the user name too, if one is set"
        }
        Reject::UnknownController => {
            "register the controller that its certificate names, in the console under Controllers"
        }
        Reject::Disabled => "it is blocked: unblock it in the console, if it should connect",
        Reject::TooManyConnects => {
            "it connects, fails to connect or sends what is refused too often: mend its settings; it may try again later"
        }
        Reject::TooManySessions => {
            "too many connections at once: give the client one client id that stays, or raise mqtt.connections_per_address"
        }
        Reject::ClientId => {
            "set a client id of 1 to 128 bytes, or a clean session without one in MQTT 3.1.1"
        }
        Reject::NoMqtt => {
            "set the client to MQTT 3.1.1 or 5, and to TLS where this port serves TLS"
        }
        Reject::Unavailable => {
            "it may try again; when this goes on, the server has more clients than it can check"
        }
        Reject::ForeignWill => {
            "nothing, if the client has a topic of its own for its last will: it is connected, and this will is passed over"
        }
        Reject::ForeignFilter => {
            "subscribe under its own topics (harit/1/{farm}/{mac}/#, of an integration account harit/1/{farm}/#)"
        }
        _ => "set the topic prefix in the client to its own, harit/1/{farm}/{mac}/",
    }
}

fn cut(text: &str) -> &str {
    let end = text.char_indices().nth(NAME_CHARS);
    &text[..end.map_or(text.len(), |(at, _)| at)]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(username: &str, reason: Reject) -> Refused<'_> {
        Refused {
            reason,
            from: None,
            username,
            client_id: "c",
            address: IpAddr::from([10, 0, 0, 1]),
            topic: None,
            payload: b"",
            detail: "",
        }
    }

    #[test]
    fn who_tries_again_and_again_gets_a_line_a_minute() {
        let (refusals, begin) = (Refusals::default(), Instant::now());
        let at = |s| begin + Duration::from_secs(s);
        let none = Some(LeftOut { same: 0, others: 0 });
        let wrong = of("a", Reject::BadCredentials);
        assert_eq!(refusals.may_tell(&wrong, at(0)), none);
        assert_eq!(refusals.may_tell(&wrong, at(1)), None);
        assert_eq!(refusals.may_tell(&wrong, at(59)), None);
        let other = of("a", Reject::Disabled);
        assert_eq!(refusals.may_tell(&other, at(59)), none, "another reason");
        let two = Some(LeftOut { same: 2, others: 0 });
        assert_eq!(refusals.may_tell(&wrong, at(60)), two);
    }

    #[test]
    fn a_flood_of_names_fills_neither_log_nor_memory() {
        let (refusals, now) = (Refusals::default(), Instant::now());
        let lines = (0..5_000)
            .filter(|n| {
                let name = format!("{n}{}", "é".repeat(400));
                refusals
                    .may_tell(&of(&name, Reject::BadCredentials), now)
                    .is_some()
            })
            .count();
        assert_eq!(lines, 60);
        let later = now + Duration::from_secs(1);
        let others = 5_000 - 60;
        assert_eq!(
            refusals.may_tell(&of("late", Reject::BadCredentials), later),
            Some(LeftOut { same: 0, others })
        );
        let lately = refusals.0.lock().unwrap();
        assert!(lately.told.len() <= MAX_REMEMBERED);
        assert!(
            lately
                .told
                .keys()
                .all(|k| k.1.chars().count() <= NAME_CHARS)
        );
    }
}
