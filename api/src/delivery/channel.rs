//! The seam to gateways: what they are given, and what they answer. A gateway is one file; it knows no records.

use futures_util::future::BoxFuture;
use serde::{Deserialize, Serialize};

use super::push::PushTarget;
use crate::language::Language;
use crate::records::{Content, MessageKind};

/// A way to people.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub(crate) enum Channel {
    Email,
    Sms,
    WhatsApp,
    Webhook,
    Push,
}

impl Channel {
    pub(crate) const ALL: [Self; 5] = [
        Self::Email,
        Self::Sms,
        Self::WhatsApp,
        Self::Webhook,
        Self::Push,
    ];

    /// Those that reach people.
    pub(crate) const PEOPLE: [Self; 4] = [Self::Email, Self::Sms, Self::WhatsApp, Self::Push];

    pub(crate) const fn as_str(self) -> &'static str {
        match self {
            Self::Email => "EMAIL",
            Self::Sms => "SMS",
            Self::WhatsApp => "WHATSAPP",
            Self::Webhook => "WEBHOOK",
            Self::Push => "PUSH",
        }
    }

    pub(crate) fn parse(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|c| c.as_str() == word)
    }

    pub(super) const fn index(self) -> usize {
        self as usize
    }
}

/// A message as a gateway is given it.
pub(super) struct Outgoing<'a> {
    /// The same each time that it is sent: the gateway may know it again by it.
    pub(super) key: &'a str,
    pub(super) to: &'a str,
    pub(super) kind: MessageKind,
    pub(super) language: Language,
    pub(super) content: &'a Content,
    /// For how many more seconds it is worth sending.
    pub(super) rest_secs: i64,
    /// The browser that it goes to, of Web Push.
    pub(super) push: Option<&'a PushTarget>,
}

impl Outgoing<'_> {
    /// What it is for, as templates are named.
    pub(super) const fn purpose(&self) -> &'static str {
        match self.kind {
            MessageKind::Code => "code",
            MessageKind::Invite => "invite",
            MessageKind::Alert => "alert",
            MessageKind::Notice | MessageKind::Test => "notice",
        }
    }
}

/// What a gateway answered; in words without anything of the message, which is shown to owners.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Answer {
    /// It took the message, under a name of its own.
    Taken(Option<String>),
    /// It did not take it now.
    NotNow {
        /// It asked for so many seconds.
        after_secs: Option<u64>,
        why: String,
    },
    /// It will not take this message.
    Refused(String),
    /// It knows the recipient no more, and takes nothing for it again.
    Gone,
}

/// Something that takes messages to people.
pub(super) trait Gateway: Send + Sync {
    /// Gives it a message.
    fn send<'a>(&'a self, message: &'a Outgoing<'a>) -> BoxFuture<'a, Answer>;
}
