//! By which ways messages go, for who writes them.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use tokio::sync::Notify;

use super::channel::Channel;
use super::config::{DeliveryConfig, Templates};
use super::joined::sms_parts;
use crate::contact::Contact;

/// Which gateways are set, and who waits for messages.
#[derive(Debug, Clone, Default)]
pub(crate) struct Ways(Arc<Inner>);

#[derive(Debug, Default)]
struct Inner {
    is_set: [bool; Channel::ALL.len()],
    /// Whether WhatsApp has a template for codes.
    codes_by_whatsapp: bool,
    keeps_sent: bool,
    share: u32,
    critical_share: u32,
    join_ms: i64,
    /// In millionths of a rupee, of a message or a part of it.
    prices: [Option<i64>; Channel::ALL.len()],
    public_url: Option<String>,
    written: Notify,
    /// Since when each gateway takes nothing, in epoch milliseconds; 0 where it does.
    away_since: [AtomicI64; Channel::ALL.len()],
}

impl Ways {
    pub(crate) fn new(
        config: &DeliveryConfig,
        keeps_sent: bool,
        public_url: Option<String>,
    ) -> Self {
        let codes = |templates: &Templates| !templates.missing().contains(&"code");
        Self(Arc::new(Inner {
            is_set: [
                config.smtp.is_some(),
                config.sms.is_some(),
                config.whatsapp.is_some(),
                config.webhook.is_some(),
                config.push.is_some(),
            ],
            codes_by_whatsapp: config
                .whatsapp
                .as_ref()
                .is_some_and(|w| codes(&w.templates)),
            keeps_sent,
            share: config.per_person_hour,
            critical_share: config.critical_per_person_hour,
            join_ms: i64::try_from(config.join.as_millis()).unwrap_or(i64::MAX),
            prices: Channel::ALL.map(|channel| match channel {
                Channel::Sms => config.sms_price,
                Channel::WhatsApp => config.whatsapp_price,
                Channel::Email | Channel::Webhook | Channel::Push => None,
            }),
            public_url: public_url.map(|url| url.trim_end_matches('/').to_owned()),
            ..Inner::default()
        }))
    }

    /// Whether a gateway is set for it.
    pub(crate) fn has(&self, channel: Channel) -> bool {
        self.0.is_set[channel.index()]
    }

    /// By which way a contact gets what is sent to it: a number by WhatsApp only where there is no SMS.
    pub(crate) fn to(&self, contact: &Contact) -> Channel {
        match contact {
            Contact::Email(_) => Channel::Email,
            Contact::Phone(_) if !self.has(Channel::Sms) && self.0.codes_by_whatsapp => {
                Channel::WhatsApp
            }
            Contact::Phone(_) => Channel::Sms,
        }
    }

    /// Whether what was sent stays readable: on a demo.
    pub(crate) fn keeps_sent(&self) -> bool {
        self.0.keeps_sent
    }

    /// Messages of alerts that a person gets in an hour.
    pub(crate) fn share(&self) -> u32 {
        self.0.share
    }

    /// Critical messages of an hour after which a person is told more of them together.
    pub(crate) fn critical_share(&self) -> u32 {
        self.0.critical_share
    }

    /// How many messages on the air one is, and what it costs in millionths of a rupee, where a price is set.
    pub(crate) fn cost(&self, channel: Channel, body: &str) -> (i64, Option<i64>) {
        let units = match channel {
            Channel::Sms => sms_parts(body),
            _ => 1,
        };
        let price = self.0.prices[channel.index()];
        (units, price.map(|price| price.saturating_mul(units)))
    }

    /// For how long alerts wait for others of their cause, in milliseconds.
    pub(crate) fn join_ms(&self) -> i64 {
        self.0.join_ms
    }

    /// A page of the console as a link, where the server knows its address.
    pub(crate) fn link(&self, path: &str) -> Option<String> {
        let url = self.0.public_url.as_ref()?;
        Some(format!("{url}{path}"))
    }

    /// Something was written that may be due.
    pub(crate) fn wake(&self) {
        self.0.written.notify_one();
    }

    /// Waits for something to be written.
    pub(super) async fn written(&self) {
        self.0.written.notified().await;
    }

    /// Since when a gateway takes nothing.
    pub(crate) fn away_since(&self, channel: Channel) -> Option<i64> {
        let since = self.0.away_since[channel.index()].load(Ordering::Relaxed);
        (since != 0).then_some(since)
    }

    /// It took nothing, or it works; whether that is news.
    pub(super) fn set_away(&self, channel: Channel, now: Option<i64>) -> bool {
        let away = &self.0.away_since[channel.index()];
        match now {
            Some(now) => away
                .compare_exchange(0, now, Ordering::Relaxed, Ordering::Relaxed)
                .is_ok(),
            None => away.swap(0, Ordering::Relaxed) != 0,
        }
    }
}
