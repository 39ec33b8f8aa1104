//! An entry in words: what happened, and why it failed, in the reader's language.

use harit_engine::Quantity;
use harit_ingest::CommandState;
use harit_ingest::log::{LogBody, LogEntry, LogKind, LogOrder, LogResult, Named};
use serde_json::Value;

use super::deeds;
use super::words::{self as w, Phrase};
use crate::audit::Action;
use crate::language::{Language, Text, lease_text};
use crate::role::Role;

/// What happened.
pub(crate) fn sentence(body: &LogBody, language: Language) -> String {
    let teller = Teller { body, language };
    let record;
    let phrase = match body.kind {
        LogKind::Override | LogKind::Pulse => &w::BY_HAND,
        LogKind::Release => &w::RELEASE,
        LogKind::ManualEnded => &w::MANUAL_ENDED,
        LogKind::RuleFired if body.orders.is_empty() => &w::RULE_FIRED_ONLY,
        LogKind::RuleFired => &w::RULE_FIRED,
        LogKind::RuleBlocked => &w::RULE_BLOCKED,
        LogKind::RuleStopped => &w::RULE_STOPPED,
        LogKind::StartSkipped if teller.number("count") > Some(1) => &w::STARTS_SKIPPED,
        LogKind::StartSkipped => &w::START_SKIPPED,
        LogKind::RuleCommand => &w::RULE_COMMAND,
        LogKind::ActionMissed => &w::ACTION_MISSED,
        LogKind::PulseSuppressed => &w::PULSE_SUPPRESSED,
        LogKind::CommandHeld => match teller.text("reason") {
            Some("min_on" | "needed") => &w::HELD_ON,
            _ => &w::HELD_OFF,
        },
        LogKind::LimitReached => &w::LIMIT_REACHED,
        LogKind::RestCommand => &w::REST_COMMAND,
        LogKind::Locked => &w::LOCKED,
        LogKind::Unlocked if teller.text("refused").is_some() => &w::UNLOCK_REFUSED,
        LogKind::Unlocked => &w::UNLOCKED,
        LogKind::Stopped => &w::STOPPED,
        LogKind::SafetyOn => &w::SAFETY_ON,
        LogKind::SafetyOff => &w::SAFETY_OFF,
        LogKind::SafeCommand => &w::SAFE_COMMAND,
        LogKind::Corrected => &w::CORRECTED,
        LogKind::DeviceOffline => &w::DEVICE_OFFLINE,
        LogKind::DeviceOnline => &w::DEVICE_ONLINE,
        LogKind::ControllerOffline => &w::CONTROLLER_OFFLINE,
        LogKind::ControllerOnline => &w::CONTROLLER_ONLINE,
        LogKind::Resumed => &w::RESUMED,
        LogKind::AlertRaised => &w::ALERT_RAISED,
        LogKind::AlertResolved => match teller.text("reason") {
            Some("deleted") => &w::ALERT_DELETED,
            Some("disabled") => &w::ALERT_DISABLED,
            Some("changed") => &w::ALERT_CHANGED,
            Some("registry") => &w::ALERT_SENSORS_CHANGED,
            _ => &w::ALERT_RESOLVED,
        },
        LogKind::SensorStale if teller.number("count") > Some(1) => &w::SENSORS_STALE,
        LogKind::SensorStale => &w::SENSOR_STALE,
        LogKind::Record => {
            let action = teller.text("action").and_then(Action::parse);
            record = action.and_then(deeds::phrase);
            record.as_ref().unwrap_or(&w::UNKNOWN)
        }
    };
    let told = teller.fill(phrase);
    match teller.number("leftOut") {
        Some(1) => told + teller.fill(&w::LEFT_OUT_ONE).as_str(),
        Some(_) => told + teller.fill(&w::LEFT_OUT).as_str(),
        None => told,
    }
}

/// Why it failed, if it did.
pub(crate) fn failure(entry: &LogEntry, language: Language) -> Option<String> {
    if entry.result != LogResult::Failure {
        return None;
    }
    let teller = Teller {
        body: &entry.body,
        language,
    };
    if let Some(refused) = teller.text("refused") {
        let text = match refused {
            "offline" => Text::DeviceOffline,
            "locked" => Text::DeviceLocked,
            "safety" => Text::SafetyMode,
            "max_on" => Text::PulseLimit,
            "min_off" => Text::LimitMinOff,
            "starts" => Text::LimitStarts,
            "group" => Text::LimitGroup,
            "needs" => Text::LimitNeeds,
            "budget" => Text::LimitBudget,
            "hours" => Text::LimitHours,
            _ => Text::CommandInvalid,
        };
        return Some(text.say(language).to_owned());
    }
    let failed = entry.states.iter().find_map(|order| match order.state {
        CommandState::Failed => {
            let said = order.message.clone().filter(|m| !m.is_empty());
            let lease = said.as_deref().and_then(lease_text);
            let said = lease.map(|t| t.say(language).to_owned()).or(said);
            Some(said.unwrap_or_else(|| Text::CommandFailed.say(language).to_owned()))
        }
        CommandState::TimedOut => Some(Text::CommandTimedOut.say(language).to_owned()),
        CommandState::Superseded => Some(Text::CommandReplaced.say(language).to_owned()),
        _ => None,
    });
    failed.or_else(|| match entry.body.kind {
        LogKind::RuleBlocked
        | LogKind::StartSkipped
        | LogKind::PulseSuppressed
        | LogKind::CommandHeld => Some(capital(&teller.why())),
        LogKind::Record => Some(Text::LoginFailed.say(language).to_owned()).filter(|_| {
            teller.text("action").and_then(Action::parse) == Some(Action::SignInFailed)
        }),
        _ => None,
    })
}

/// Why something was or was not done, by the word of events: of locks `lock.` and their kind, `stopped_before` where a stop condition is
/// true already. A word that is not known is said as it is.
pub(crate) fn reason(word: &str, language: Language) -> String {
    let phrase = match word {
        "stopped_before" => &w::WHY_STOP_BEFORE,
        "stop_condition" => &w::WHY_STOP,
        "trigger_cleared" => &w::WHY_CLEARED,
        "signal_lost" => &w::WHY_SIGNAL,
        "run_ended" => &w::WHY_RUN_ENDED,
        "running" => &w::WHY_RUNNING,
        "guard" => &w::WHY_GUARD,
        "unknown" => &w::WHY_UNKNOWN,
        "missed" => &w::WHY_MISSED,
        "deactivated" => &w::WHY_DEACTIVATED,
        "offline" => &w::WHY_OFFLINE,
        "locked" => &w::WHY_LOCKED,
        "safety" => &w::WHY_SAFETY,
        "manual" => &w::WHY_MANUAL,
        "outranked" => &w::WHY_OUTRANKED,
        "on" => &w::WHY_ON,
        "max_on" => &w::WHY_PULSES,
        "min_on" => &w::WHY_MIN_ON,
        "needed" => &w::WHY_NEEDED,
        "min_off" => &w::WHY_MIN_OFF,
        "starts" => &w::WHY_STARTS,
        "group" => &w::WHY_GROUP,
        "needs" => &w::WHY_NEEDS,
        "budget" => &w::WHY_BUDGET,
        "hours" => &w::WHY_HOURS,
        "lock.max_on" => &w::WHY_MAX_ON,
        "lock.keeps_stopping" => &w::WHY_KEEPS_STOPPING,
        "lock.keeps_starting" => &w::WHY_KEEPS_STARTING,
        said => return said.to_owned(),
    };
    phrase.say(language).to_owned()
}

struct Teller<'a> {
    body: &'a LogBody,
    language: Language,
}

impl Teller<'_> {
    fn text(&self, fact: &str) -> Option<&str> {
        self.body.facts.get(fact)?.as_str()
    }

    fn number(&self, fact: &str) -> Option<i64> {
        self.body.facts.get(fact)?.as_i64()
    }

    fn digits(&self, number: i64) -> String {
        self.language.digits(&number.to_string())
    }

    /// Puts the parts of the entry into the places of the phrase.
    fn fill(&self, phrase: &Phrase) -> String {
        let mut told = String::new();
        let mut rest = phrase.say(self.language);
        while let Some((before, after)) = rest.split_once('{') {
            told.push_str(before);
            let (place, after) = after.split_once('}').unwrap_or((after, ""));
            told.push_str(&self.part(place));
            rest = after;
        }
        told + rest
    }

    fn part(&self, place: &str) -> String {
        let name = |of: &Option<Named>| of.as_ref().map(|n| n.name.clone()).unwrap_or_default();
        match place {
            "rule" => name(&self.body.rule),
            "device" => name(&self.body.device),
            "orders" => self.orders(),
            "then" => self.then(),
            "why" => self.why(),
            "for" => self.for_time(),
            "time" => self.rounded(),
            "leftOut" => self.digits(self.number("leftOut").unwrap_or(0)),
            "count" => self.digits(self.number("count").unwrap_or(1)),
            "minutes" => self.digits(self.number("minutes").unwrap_or(0)),
            "role" => self.role(),
            "name" => self.name(),
            "hazards" => self.hazards(),
            fact => self.text(fact).unwrap_or("").to_owned(),
        }
    }

    /// What was asked of a device by hand, or what was sent.
    fn orders(&self) -> String {
        let asked = self.text("action").or(match self.body.kind {
            LogKind::Pulse => Some("pulse"),
            _ => None,
        });
        if let (Some(action), Some(device)) = (asked, &self.body.device) {
            let value = self.body.facts.get("value").map(plain);
            return self.order(&device.name, action, value.as_deref());
        }
        self.sent(|_| true)
    }

    /// What was sent, of the orders that the filter takes.
    fn sent(&self, filter: impl Fn(&LogOrder) -> bool) -> String {
        let one = |o: &LogOrder| {
            let value = o.value.map(|v: Quantity| v.to_string());
            self.order(&o.device.name, &o.action, value.as_deref())
        };
        let orders = self.body.orders.iter().filter(|o| filter(o));
        let all: Vec<String> = orders.map(one).collect();
        all.join(w::AND.say(self.language))
    }

    /// What automatic control wants of a device that was given back to it.
    fn then(&self) -> String {
        let sent = self.sent(|o| o.action != "release");
        if sent.is_empty() {
            sent
        } else {
            format!(": {sent}")
        }
    }

    fn order(&self, device: &str, action: &str, value: Option<&str>) -> String {
        let phrase = match action {
            "on" => &w::ON,
            "off" => &w::OFF,
            "set_speed" => &w::SPEED,
            "set_position" => &w::POSITION,
            "set_flow_rate" => &w::FLOW,
            "pulse" => &w::PULSE,
            "release" => &w::BACK,
            _ => return format!("{device} {action}"),
        };
        let phrase = phrase.say(self.language);
        put(
            put(
                phrase,
                "{value}",
                &self.language.digits(value.unwrap_or("")),
            )
            .as_str(),
            "{device}",
            device,
        )
    }

    fn why(&self) -> String {
        if self.body.kind == LogKind::Locked {
            let reason = self.text("lock").unwrap_or("");
            return match reason {
                "max_on" => w::WHY_MAX_ON.say(self.language).to_owned(),
                "keeps stopping" => w::WHY_KEEPS_STOPPING.say(self.language).to_owned(),
                "keeps starting" => w::WHY_KEEPS_STARTING.say(self.language).to_owned(),
                said => said.to_owned(),
            };
        }
        let said = self.text("reason").unwrap_or("");
        let said = match (said, self.body.kind) {
            ("stop_condition", LogKind::RuleBlocked) => "stopped_before",
            (other, _) => other,
        };
        reason(said, self.language)
    }

    fn for_time(&self) -> String {
        let Some(secs) = self.number("durationSec").filter(|s| *s > 0) else {
            return String::new();
        };
        put(w::FOR.say(self.language), "{time}", &self.time(secs))
    }

    /// How long it took, in whole minutes where it was one or more.
    fn rounded(&self) -> String {
        let secs = self.number("durationSec").unwrap_or(0);
        self.time(if secs < 60 {
            secs
        } else {
            (secs + 30) / 60 * 60
        })
    }

    fn time(&self, secs: i64) -> String {
        let (n, unit) = match secs {
            s if s % 3_600 == 0 => (s / 3_600, &w::HOURS),
            60 => (1, &w::MINUTE),
            s if s % 60 == 0 => (s / 60, &w::MINUTES),
            s => (s, &w::SECONDS),
        };
        put(unit.say(self.language), "{n}", &self.digits(n))
    }

    fn role(&self) -> String {
        let word = self.text("to").or(self.text("role")).unwrap_or("");
        Role::parse(word)
            .map_or(word, |role| role.say(self.language))
            .to_owned()
    }

    /// What an owner deployed a rule over.
    fn hazards(&self) -> String {
        let all = self.body.facts.get("hazards").and_then(Value::as_array);
        let say = |word: &Value| {
            let word = word.as_str().unwrap_or("");
            let text = match word {
                "flood" => Text::HazardFlood,
                "dosing" => Text::HazardDosing,
                "circle" => Text::HazardCircle,
                other => return other.to_owned(),
            };
            text.say(self.language).to_owned()
        };
        let all: Vec<String> = all.into_iter().flatten().map(say).collect();
        all.join("; ")
    }

    fn name(&self) -> String {
        let facts = &self.body.facts;
        let of = |fact: &str| Some(facts.get(fact)?.get("name")?.as_str()?.to_owned());
        let first = || {
            Some(
                facts
                    .get("sensors")?
                    .get(0)?
                    .get("name")?
                    .as_str()?
                    .to_owned(),
            )
        };
        let own = self
            .text("name")
            .or(self.text("title"))
            .filter(|n| !n.is_empty());
        own.map(str::to_owned)
            .or_else(|| of("alert"))
            .or_else(first)
            .or_else(|| Some(self.text("subject")?.to_owned()))
            .unwrap_or_default()
    }
}

/// A value without quotes.
fn plain(value: &Value) -> String {
    value
        .as_str()
        .map_or_else(|| value.to_string(), str::to_owned)
}

/// Fills one place; what is put in is never looked at again.
fn put(phrase: &str, place: &str, part: &str) -> String {
    phrase.replacen(place, part, 1)
}

fn capital(text: &str) -> String {
    let mut chars = text.chars();
    chars
        .next()
        .map(|c| c.to_uppercase().chain(chars).collect())
        .unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use harit_ingest::log::LogOrder;
    use serde_json::json;

    fn body(kind: LogKind, facts: Value) -> LogBody {
        let mut body = LogBody::new(kind);
        body.rule = Some(Named::new("r", "Cool {device}"));
        body.device = Some(Named::new("f", "Fan"));
        body.facts = facts.as_object().expect("an object").clone();
        body
    }

    #[test]
    fn entries_are_told_in_each_language() {
        let mut fired = body(LogKind::RuleFired, json!({}));
        for (device, action, value) in [("Fan", "on", None), ("Vent", "set_position", Some(40))] {
            fired.orders.push(LogOrder {
                command_id: "a-1".into(),
                device: Named::new(device, device),
                action: action.into(),
                value: value.map(Quantity::from_units),
            });
        }
        let by_hand = body(
            LogKind::Override,
            json!({"action": "set_speed", "value": 40, "durationSec": 600}),
        );
        let changed = body(
            LogKind::Record,
            json!({"action": "role_changed", "subject": "u-1", "name": "Ravi", "to": "ADMIN"}),
        );
        for (told, en, hi, mr) in [
            (
                &fired,
                "Rule \"Cool {device}\" started: Fan on, Vent open 40%",
                "नियम \"Cool {device}\" शुरू हुआ: Fan चालू, Vent को 40% खोला",
                "नियम \"Cool {device}\" सुरू झाला: Fan चालू, Vent ४०% उघडे",
            ),
            (
                &by_hand,
                "Manual command: Fan at 40% for 10 min",
                "मैनुअल आदेश: Fan 40% स्पीड पर, 10 मिनट के लिए",
                "मॅन्युअल आदेश: Fan ४०% स्पीडने, १० मिनिटे",
            ),
            (
                &changed,
                "Role of Ravi changed to Admin",
                "Ravi की नई भूमिका: एडमिन",
                "Ravi यांची नवीन भूमिका: अ‍ॅडमिन",
            ),
        ] {
            assert_eq!(sentence(told, Language::En), en);
            assert_eq!(sentence(told, Language::Hi), hi);
            assert_eq!(sentence(told, Language::Mr), mr);
        }
    }

    #[test]
    fn every_kind_is_told_whole_in_each_language() {
        let facts =
            json!({"action": "sign_in", "reason": "signal_lost", "lock": "door", "count": 1});
        for kind in LogKind::ALL {
            for language in [Language::En, Language::Hi, Language::Mr] {
                let mut told = body(*kind, facts.clone());
                told.rule = Some(Named::new("r", "Cool"));
                let told = sentence(&told, language);
                assert!(
                    !told.is_empty() && !told.contains(['{', '}']),
                    "{kind:?}: {told}"
                );
            }
        }
    }

    #[test]
    fn a_word_that_is_not_known_is_told_all_the_same() {
        let later = body(LogKind::Record, json!({"action": "harvest_weighed"}));
        assert_eq!(
            sentence(&later, Language::En),
            "Another entry: harvest_weighed"
        );
    }
}
