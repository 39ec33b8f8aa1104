//! Topics: `harit/1/{farm}/{mac}/{kind}`.

use harit_engine::FarmId;
use thiserror::Error;

use crate::{Format, Mac};

/// What every topic of version 1 starts with.
const ROOT: &str = "harit/1/";

/// What a topic is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum TopicKind {
    /// Readings, from a controller, in that format.
    Telemetry(Format),
    /// What a controller has and how it is, from it.
    State,
    /// Orders, to a controller.
    Command,
    /// Answers to orders, from a controller.
    Ack,
}

impl TopicKind {
    /// On which controllers publish.
    pub const PUBLISHED: [Self; 4] = [
        Self::Telemetry(Format::Json),
        Self::Telemetry(Format::SenMl),
        Self::State,
        Self::Ack,
    ];

    /// The filter of all controllers' topics of that kind.
    #[must_use]
    pub fn filter(self) -> String {
        format!("{ROOT}+/+/{}", self.as_str())
    }

    /// The last level of the topic.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Telemetry(format) => format.topic(),
            Self::State => "state",
            Self::Command => "command",
            Self::Ack => "ack",
        }
    }
}

/// A topic of the protocol.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Topic<'a> {
    /// The farm's id.
    pub farm: &'a str,
    /// The controller.
    pub mac: Mac,
    /// What it is for.
    pub kind: TopicKind,
}

/// The topic is none of the protocol's.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[error("not a topic of the form harit/1/{{farm}}/{{mac}}/telemetry|senml|state|command|ack")]
pub struct BadTopic;

impl<'a> Topic<'a> {
    /// Reads a topic. The MAC must be in its one spelling: 12 upper-case hex digits.
    ///
    /// # Errors
    /// When it is none of the protocol's.
    pub fn parse(topic: &'a str) -> Result<Self, BadTopic> {
        let rest = topic.strip_prefix(ROOT).ok_or(BadTopic)?;
        let mut levels = rest.split('/');
        let (Some(farm), Some(mac), Some(kind), None) =
            (levels.next(), levels.next(), levels.next(), levels.next())
        else {
            return Err(BadTopic);
        };
        let kind = match kind {
            "state" => TopicKind::State,
            "command" => TopicKind::Command,
            "ack" => TopicKind::Ack,
            kind => {
                let format = Format::ALL.into_iter().find(|f| f.topic() == kind);
                TopicKind::Telemetry(format.ok_or(BadTopic)?)
            }
        };
        let parsed = Mac::parse(mac).map_err(|_| BadTopic)?;
        if farm.is_empty() || parsed.as_str() != mac {
            return Err(BadTopic);
        }
        Ok(Self {
            farm,
            mac: parsed,
            kind,
        })
    }
}

/// What the topics of a farm start with.
#[must_use]
pub fn farm_prefix(farm: &FarmId) -> String {
    format!("{ROOT}{farm}/")
}

/// What the topics of a controller start with.
#[must_use]
pub fn controller_prefix(farm: &FarmId, mac: Mac) -> String {
    format!("{ROOT}{farm}/{mac}/")
}

/// The topic on which a controller gets its orders.
#[must_use]
pub fn command_topic(farm: &FarmId, mac: Mac) -> String {
    format!("{}command", controller_prefix(farm, mac))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn topics_of_the_protocol() {
        for (kind, word) in [
            (TopicKind::Telemetry(Format::Json), "telemetry"),
            (TopicKind::Telemetry(Format::SenMl), "senml"),
            (TopicKind::State, "state"),
            (TopicKind::Command, "command"),
            (TopicKind::Ack, "ack"),
        ] {
            let text = format!("harit/1/demo-farm-1/A4CF120B9E01/{word}");
            let topic = Topic::parse(&text).unwrap();
            assert_eq!((topic.farm, topic.kind), ("demo-farm-1", kind));
            assert_eq!(topic.mac.as_str(), "A4CF120B9E01");
            assert_eq!(kind.as_str(), word);
        }
        let farm = FarmId::from("f1");
        let mac = Mac::parse("A4CF120B9E01").unwrap();
        assert_eq!(command_topic(&farm, mac), "harit/1/f1/A4CF120B9E01/command");
        assert_eq!(controller_prefix(&farm, mac), "harit/1/f1/A4CF120B9E01/");
        assert_eq!(farm_prefix(&farm), "harit/1/f1/");
        assert_eq!(TopicKind::Ack.filter(), "harit/1/+/+/ack");
    }

    #[test]
    fn what_is_none_of_them() {
        for text in [
            "",
            "harit/1/",
            "harit/2/f/A4CF120B9E01/state",
            "harit/1/f/A4CF120B9E01",
            "harit/1/f/A4CF120B9E01/state/x",
            "harit/1//A4CF120B9E01/state",
            "harit/1/f/a4cf120b9e01/state",
            "harit/1/f/A4:CF:12:0B:9E:01/state",
            "harit/1/f/A4CF120B9E01/states",
            "x/harit/1/f/A4CF120B9E01/state",
        ] {
            assert_eq!(Topic::parse(text), Err(BadTopic), "{text}");
        }
    }
}
