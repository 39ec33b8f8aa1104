//! Which topics a principal may publish and subscribe to, and which topics a filter matches.
//!
//! A controller publishes to its own telemetry, state and ack, and to topics of other systems, which profiles read as its own; it
//! subscribes under its own topics. An integration account
//! publishes nothing and subscribes under its farm's topics. Filters are compared level by level in text: a wildcard
//! never stands where the farm or the MAC has to be, so that no filter reaches beyond what its owner may see.

use std::sync::Arc;

use harit_protocol::{TopicKind, topic};

use super::{Principal, reason};

/// What one principal may do.
#[derive(Debug)]
pub(super) struct Rights {
    /// What every filter has to start with.
    prefix: String,
    /// The topics that may be published to; the connection hands out these very strings.
    publish: Vec<Arc<str>>,
    /// Whether topics that are none of the protocol's may be published to: what stands there is the account's own all the same.
    foreign: bool,
}

/// The longest topic of other systems that is taken, in bytes.
const MAX_FOREIGN_BYTES: usize = 256;

impl Rights {
    pub(super) fn of(principal: &Principal) -> Self {
        match principal {
            Principal::Controller { farm, mac } => {
                let prefix = topic::controller_prefix(farm, *mac);
                let publish = TopicKind::PUBLISHED
                    .iter()
                    .map(|kind| format!("{prefix}{}", kind.as_str()).into())
                    .collect();
                Self {
                    prefix,
                    publish,
                    foreign: true,
                }
            }
            Principal::Integration { farm, .. } => Self {
                prefix: topic::farm_prefix(farm),
                publish: Vec::new(),
                foreign: false,
            },
        }
    }

    /// The shared topic, if it may be published to.
    pub(super) fn publish(&self, topic: &str) -> Option<&Arc<str>> {
        self.publish
            .iter()
            .find(|allowed| allowed.as_ref() == topic)
    }

    /// A topic of another system, if it may be published to: profiles say what it means, for nobody but the account itself.
    pub(super) fn foreign(&self, topic: &str) -> Option<Arc<str>> {
        let is_foreign = !topic.is_empty()
            && topic.len() <= MAX_FOREIGN_BYTES
            && !topic.starts_with('$')
            && topic.split('/').find(|level| !level.is_empty()) != Some("harit");
        (self.foreign && is_foreign).then(|| topic.into())
    }

    /// Whether a filter may be subscribed to; the error is MQTT 5's code.
    pub(super) fn subscribe(&self, filter: &str) -> Result<(), u8> {
        if filter.starts_with("$share/") {
            return Err(reason::SHARED_SUBSCRIPTIONS);
        }
        if !is_filter(filter) {
            return Err(reason::TOPIC_FILTER_INVALID);
        }
        match filter.strip_prefix(&self.prefix) {
            Some(rest) if !rest.is_empty() => Ok(()),
            _ => Err(reason::NOT_AUTHORIZED),
        }
    }
}

/// Whether the text is a topic filter: `#` alone at the end, `+` alone in a level.
pub(super) fn is_filter(filter: &str) -> bool {
    if filter.is_empty() || filter.contains('\0') {
        return false;
    }
    let mut levels = filter.split('/').peekable();
    while let Some(level) = levels.next() {
        let good = match level {
            "#" => levels.peek().is_none(),
            "+" => true,
            _ => !level.contains(['#', '+']),
        };
        if !good {
            return false;
        }
    }
    true
}

/// Whether a topic matches a filter. Both are well formed, and no topic here starts with `$`.
pub(super) fn matches(filter: &str, topic: &str) -> bool {
    let mut topic = topic.split('/');
    for level in filter.split('/') {
        if level == "#" {
            return true;
        }
        match topic.next() {
            Some(name) if level == "+" || level == name => {}
            // `a/#` also matches `a`; that case ends here with the topic used up.
            _ => return false,
        }
    }
    topic.next().is_none()
}

#[cfg(test)]
mod tests {
    use harit_protocol::Mac;

    use super::*;

    fn controller() -> Rights {
        Rights::of(&Principal::Controller {
            farm: "green".into(),
            mac: Mac::parse("A4CF120B9E01").unwrap(),
        })
    }

    #[test]
    fn a_controller_publishes_its_own() {
        let rights = controller();
        for last in TopicKind::PUBLISHED.map(TopicKind::as_str) {
            assert!(
                rights
                    .publish(&format!("harit/1/green/A4CF120B9E01/{last}"))
                    .is_some()
            );
        }
        for topic in [
            "harit/1/green/A4CF120B9E01/command",
            "harit/1/green/A4CF120B9E01/telemetry/",
            "harit/1/green/A4CF120B9E01/telemetryX",
            "harit/1/green/a4cf120b9e01/telemetry",
            "harit/1/green/A4CF120B9E02/telemetry",
            "harit/1/other/A4CF120B9E01/telemetry",
            "harit/2/green/A4CF120B9E01/telemetry",
            "/harit/1/green/A4CF120B9E01/telemetry",
            "$SYS/x",
            "",
        ] {
            assert!(rights.publish(topic).is_none(), "{topic}");
            assert!(rights.foreign(topic).is_none(), "{topic}");
        }
    }

    #[test]
    fn a_controller_subscribes_under_its_own() {
        let rights = controller();
        for filter in ["command", "#", "+", "+/x", "a/b/#"] {
            assert_eq!(
                rights.subscribe(&format!("harit/1/green/A4CF120B9E01/{filter}")),
                Ok(()),
                "{filter}"
            );
        }
        for filter in [
            "#",
            "+/1/green/A4CF120B9E01/command",
            "harit/1/green/+/command",
            "harit/1/+/A4CF120B9E01/command",
            "harit/1/green/#",
            "harit/1/green/A4CF120B9E01",
            "harit/1/green/A4CF120B9E01/",
            "harit/1/green/A4CF120B9E02/command",
            "$SYS/#",
        ] {
            assert_eq!(
                rights.subscribe(filter),
                Err(reason::NOT_AUTHORIZED),
                "{filter}"
            );
        }
        for filter in [
            "",
            "harit/1/green/A4CF120B9E01/#/x",
            "harit/1/green/A4CF120B9E01/x#",
            "a+/b",
            "a\0b",
        ] {
            assert_eq!(
                rights.subscribe(filter),
                Err(reason::TOPIC_FILTER_INVALID),
                "{filter}"
            );
        }
        let shared = "$share/g/harit/1/green/A4CF120B9E01/command";
        assert_eq!(rights.subscribe(shared), Err(reason::SHARED_SUBSCRIPTIONS));
    }

    #[test]
    fn an_integration_reads_its_farm_and_writes_nothing() {
        let rights = Rights::of(&Principal::Integration {
            farm: "green".into(),
            name: "erp".into(),
        });
        assert!(
            rights
                .publish("harit/1/green/A4CF120B9E01/telemetry")
                .is_none()
        );
        for filter in [
            "harit/1/green/#",
            "harit/1/green/+/state",
            "harit/1/green/A4CF120B9E01/telemetry",
        ] {
            assert_eq!(rights.subscribe(filter), Ok(()), "{filter}");
        }
        for filter in [
            "harit/1/#",
            "harit/1/+/#",
            "harit/1/greenhouse/#",
            "harit/1/green",
            "#",
        ] {
            assert_eq!(
                rights.subscribe(filter),
                Err(reason::NOT_AUTHORIZED),
                "{filter}"
            );
        }
    }

    #[test]
    fn filters_match_as_the_standard_says() {
        for (filter, topic, expected) in [
            ("a/b", "a/b", true),
            ("a/b", "a/b/c", false),
            ("a/+", "a/b", true),
            ("a/+", "a/b/c", false),
            ("a/+/c", "a//c", true),
            ("a/#", "a/b/c", true),
            ("a/b/#", "a/b", true),
            ("a/b/#", "a", false),
            ("#", "a", true),
            ("a/b", "a", false),
            ("+", "a", true),
            ("+/+", "/x", true),
        ] {
            assert_eq!(matches(filter, topic), expected, "{filter} {topic}");
        }
    }
}
