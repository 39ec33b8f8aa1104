//! Sends what waits in the outbox. Each channel has its own loop, so that a gateway that is slow holds up nobody else's; nothing
//! that people or controllers do waits for any of them. A message is tried until its gateway takes it, refuses it, or it is
//! worth nothing any more; over a restart under the same key, so that a gateway that knows keys takes it once.

mod cause;
mod channel;
mod config;
mod http;
mod http_sms;
mod joined;
mod msg91;
pub(crate) mod push;
pub(crate) mod receipts;
pub(crate) mod replies;
mod smtp;
mod twilio;
mod ways;
mod webhook;
mod whatsapp;
mod words;

use std::sync::Arc;
use std::time::{Duration, Instant};

use futures_util::StreamExt;
use futures_util::stream::FuturesUnordered;
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

pub use config::{
    DeliveryConfig, PushConfig, Secret, SmsConfig, SmtpConfig, SmtpSecurity, Templates,
    WebhookConfig, WebhookFormat, WhatsAppConfig,
};

pub(crate) use cause::{Cause, Lost};
pub(crate) use channel::Channel;
pub(crate) use joined::{CONTROLLER, Flaps, Joined, Part};
pub(crate) use ways::Ways;
pub(crate) use words::{escaped, left_out, test_message};

use crate::auth::{Limit, Throttle};
use crate::records::{Due, Ending, Records, now_ms};
use crate::secret::VapidKey;
use channel::{Answer, Gateway, Outgoing};
use push::PushTarget;

/// Messages that one gateway is given at one time.
const AT_ONCE: usize = 4;
/// How often what is due is looked for, where nothing new is written.
const ROUND: Duration = Duration::from_secs(1);
/// A gateway is not asked again before its answer is over for sure.
const BEYOND_TIMEOUT: Duration = Duration::from_secs(5);
/// A gateway that asks for more than this is asked again then.
const LONGEST_ASKED_SECS: u64 = 3_600;

/// A gateway cannot be used as it is set.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct GatewayError(String);

/// The gateways that are set.
pub(crate) struct Gateways {
    all: Vec<(Channel, Arc<dyn Gateway>)>,
    config: DeliveryConfig,
}

impl std::fmt::Debug for Gateways {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Gateways").finish_non_exhaustive()
    }
}

impl DeliveryConfig {
    /// Whether the gateways can be used as they are set. Nothing is sent, and nobody is asked.
    ///
    /// # Errors
    /// The first that cannot.
    pub fn check(&self) -> Result<(), GatewayError> {
        self.push.as_ref().map_or(Ok(()), push::check)?;
        Gateways::of(self, None, None).map(drop)
    }
}

impl Gateways {
    pub(crate) fn of(
        config: &DeliveryConfig,
        public_url: Option<&str>,
        push_key: Option<Arc<VapidKey>>,
    ) -> Result<Self, GatewayError> {
        let mut all: Vec<(Channel, Arc<dyn Gateway>)> = Vec::new();
        if let Some(smtp) = &config.smtp {
            let smtp = smtp::Smtp::new(smtp, config.timeout, public_url)?;
            all.push((Channel::Email, Arc::new(smtp)));
        }
        match &config.sms {
            None => {}
            Some(SmsConfig::Twilio {
                url,
                account,
                token,
                sender,
            }) => {
                let twilio = twilio::Twilio::new(url, account, token, sender, config.timeout)?
                    .telling(public_url);
                all.push((Channel::Sms, Arc::new(twilio)));
            }
            Some(SmsConfig::Msg91 {
                url,
                token,
                sender,
                templates,
            }) => {
                let msg91 = msg91::Msg91::new(url, token, sender, templates, config.timeout)?;
                all.push((Channel::Sms, Arc::new(msg91)));
            }
            Some(SmsConfig::Http {
                url,
                token,
                sender,
                body,
            }) => {
                let http = http_sms::HttpSms::new(url, token, sender, body, config.timeout)?;
                all.push((Channel::Sms, Arc::new(http)));
            }
        }
        if let Some(whatsapp) = &config.whatsapp {
            let whatsapp = whatsapp::WhatsApp::new(whatsapp, config.timeout)?;
            all.push((Channel::WhatsApp, Arc::new(whatsapp)));
        }
        if let Some(webhook) = &config.webhook {
            let webhook = webhook::Webhook::new(webhook, config.timeout)?;
            all.push((Channel::Webhook, Arc::new(webhook)));
        }
        if let Some((push, key)) = config.push.as_ref().zip(push_key) {
            let push = push::Push::new(push, config.timeout, key)?;
            all.push((Channel::Push, Arc::new(push)));
        }
        Ok(Self {
            all,
            config: config.clone(),
        })
    }

    /// Sends until it is stopped.
    pub(crate) async fn run(self, records: Records, stop: CancellationToken) {
        while let Err(error) = records.resume_messages(now_ms()).await {
            tracing::warn!(%error, "messages wait");
            tokio::select! {
                () = stop.cancelled() => return,
                () = tokio::time::sleep(ROUND) => {}
            }
        }
        let wakes: Vec<Arc<tokio::sync::Notify>> =
            self.all.iter().map(|_| Arc::default()).collect();
        let loops: FuturesUnordered<_> = self
            .all
            .into_iter()
            .zip(&wakes)
            .map(|((channel, gateway), wake)| {
                let sender = Sender {
                    channel,
                    gateway,
                    config: self.config.clone(),
                    records: records.clone(),
                    budget: Throttle::new(Limit::per_minute(self.config.per_gateway_minute)),
                    wake: Arc::clone(wake),
                };
                tokio::spawn(Arc::new(sender).run(stop.clone()))
            })
            .collect();
        let waking = async {
            loop {
                records.ways().written().await;
                wakes.iter().for_each(|wake| wake.notify_one());
            }
        };
        let counting = async {
            let mut round = tokio::time::interval(ROUND * 5);
            loop {
                round.tick().await;
                if let Ok(waiting) = records.messages_waiting().await {
                    // A number of rows of a bounded table.
                    #[allow(clippy::cast_precision_loss, reason = "a bounded count")]
                    metrics::gauge!("harit_messages_waiting").set(waiting as f64);
                }
            }
        };
        let ended = loops.for_each(|_| async {});
        tokio::select! {
            () = stop.cancelled() => {}
            () = waking => {}
            () = counting => {}
            () = ended => {}
        }
    }
}

/// Sends by one channel.
struct Sender {
    channel: Channel,
    gateway: Arc<dyn Gateway>,
    config: DeliveryConfig,
    records: Records,
    budget: Throttle,
    wake: Arc<tokio::sync::Notify>,
}

impl Sender {
    async fn run(self: Arc<Self>, stop: CancellationToken) {
        metrics::gauge!("harit_gateway_up", "channel" => self.channel.as_str()).set(1.0);
        // Tasks of their own: one that has got the records' one writer must go on while this loop waits for it.
        let mut under_way = JoinSet::new();
        let mut not_before = Instant::now();
        loop {
            let room = AT_ONCE - under_way.len();
            if room > 0 && Instant::now() >= not_before {
                let (due, wait) = self.take(room).await;
                if let Some(wait) = wait {
                    not_before = Instant::now() + wait;
                }
                for message in due {
                    under_way.spawn(Arc::clone(&self).deliver(message));
                }
            }
            tokio::select! {
                // what is under way is sent again at the next start, under the same key
                () = stop.cancelled() => return,
                Some(_) = under_way.join_next() => {}
                () = self.wake.notified() => {}
                () = tokio::time::sleep(ROUND) => {}
            }
        }
    }

    /// What is due, as far as the gateway's budget goes; and how long to wait where that is used up.
    async fn take(&self, room: usize) -> (Vec<Due>, Option<Duration>) {
        let mut wait = None;
        let mut may = 0;
        for _ in 0..room {
            match self.budget.take("", Instant::now()) {
                Ok(()) => may += 1,
                Err(seconds) => {
                    wait = Some(Duration::from_secs(seconds));
                    break;
                }
            }
        }
        let now = now_ms();
        let until = now + millis(self.config.timeout + BEYOND_TIMEOUT);
        let due = self.records.take_due(self.channel, may, now, until).await;
        let due = due.unwrap_or_else(|error| {
            metrics::counter!("harit_records_errors_total").increment(1);
            tracing::warn!(%error, channel = self.channel.as_str(), "messages wait");
            Vec::new()
        });
        for _ in due.len()..may {
            self.budget.give_back("");
        }
        (due, wait)
    }

    async fn deliver(self: Arc<Self>, due: Due) {
        let push = match self.push_target(&due).await {
            Ok(target) => target,
            Err(ending) => return self.end(&due, &ending).await,
        };
        let outgoing = Outgoing {
            key: &due.id,
            to: &due.recipient,
            kind: due.kind,
            language: due.language,
            content: &due.content,
            rest_secs: ((due.deadline - now_ms()) / 1_000).max(0),
            push: push.as_ref(),
        };
        let began = Instant::now();
        let answer = tokio::time::timeout(self.config.timeout, self.gateway.send(&outgoing)).await;
        let answer = answer.unwrap_or_else(|_| Answer::NotNow {
            after_secs: None,
            why: "no answer in time".to_owned(),
        });
        metrics::histogram!("harit_gateway_seconds", "channel" => self.channel.as_str())
            .record(began.elapsed().as_secs_f64());
        self.note(&answer).await;
        let now = now_ms();
        let ending = match answer {
            Answer::Taken(gateway_id) => Ending::Sent(gateway_id),
            Answer::Refused(answer) => Ending::GivenUp {
                reason: "refused",
                answer,
            },
            Answer::Gone => {
                if let Err(error) = self.records.forget_push(&due.recipient).await {
                    tracing::warn!(%error, "a browser that is gone is still known");
                }
                Ending::gone()
            }
            Answer::NotNow { after_secs, why } => Ending::Later {
                at: now + self.wait_ms(due.attempts, after_secs, &due.id),
                answer: why,
            },
        };
        self.end(&due, &ending).await;
    }

    /// The browser that a message goes to, of Web Push; how the message ends where there is none any more.
    async fn push_target(&self, due: &Due) -> Result<Option<PushTarget>, Ending> {
        if self.channel != Channel::Push {
            return Ok(None);
        }
        match self.records.push_target(&due.id, now_ms()).await {
            Ok(Some(target)) => Ok(Some(target)),
            Ok(None) => Err(Ending::gone()),
            Err(_) => Err(Ending::Later {
                at: now_ms() + self.wait_ms(due.attempts, None, &due.id),
                answer: String::new(),
            }),
        }
    }

    async fn end(&self, due: &Due, ending: &Ending) {
        let ended = self
            .records
            .end_try(&due.id, self.channel, ending, now_ms());
        if let Err(error) = ended.await {
            metrics::counter!("harit_records_errors_total").increment(1);
            tracing::error!(%error, "what became of a message was not written down: it is sent again");
        }
    }

    /// Says when a gateway goes away, and when it is back.
    async fn note(&self, answer: &Answer) {
        let channel = self.channel.as_str();
        let ways = self.records.ways();
        if let Answer::NotNow { why, .. } = answer {
            if ways.set_away(self.channel, Some(now_ms())) {
                metrics::gauge!("harit_gateway_up", "channel" => channel).set(0.0);
                tracing::warn!(channel, why, "a gateway takes no messages: they wait");
            }
        } else if ways.set_away(self.channel, None) {
            metrics::gauge!("harit_gateway_up", "channel" => channel).set(1.0);
            tracing::info!(channel, "a gateway takes messages again");
            if let Err(error) = self.records.retry_channel(self.channel, now_ms()).await {
                tracing::warn!(%error, "messages wait for their time");
            }
        }
    }

    /// How long to wait after a failure: as the gateway asks, else twice as long each time, and up to a quarter more or less so
    /// that not everything comes at once.
    fn wait_ms(&self, attempts: i64, asked_secs: Option<u64>, id: &str) -> i64 {
        if let Some(secs) = asked_secs {
            return millis(Duration::from_secs(secs.clamp(1, LONGEST_ASKED_SECS)));
        }
        let doublings = u32::try_from(attempts.clamp(0, 16)).unwrap_or(0);
        let wait = self.config.first_wait.saturating_mul(1 << doublings);
        let wait = millis(wait.min(self.config.longest_wait));
        // the end of an id is random
        let jitter = id.bytes().rev().take(2).map(i64::from).sum::<i64>() % 51 - 25;
        wait + wait * jitter / 100
    }
}

fn millis(duration: Duration) -> i64 {
    i64::try_from(duration.as_millis()).unwrap_or(i64::MAX)
}
