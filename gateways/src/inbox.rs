//! What the gateways were given, and how they are to behave.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::phone::Back;

/// The most messages that are kept; older ones go.
const MAX_KEPT: usize = 20_000;
/// So many things that were done with a message are kept.
const MAX_PRESSED: usize = 50;

/// How a gateway behaves.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Mode {
    /// It takes everything.
    #[default]
    Ok,
    /// It refuses everything: 400, 550 of mail, or 410 of a push service.
    Refuse,
    /// It asks for time: 429 with `Retry-After: 1`, or 450 of mail.
    Busy,
    /// It fails: 500, or 451 of mail.
    Broken,
    /// It takes everything after two seconds.
    Slow,
    /// It takes everything and never answers.
    Never,
    /// It takes everything and sends each receipt twice.
    Twice,
    /// It takes everything and sends the receipt of reading before that of delivery.
    OutOfOrder,
}

impl Mode {
    /// Whether what comes is taken.
    pub(crate) const fn takes(self) -> bool {
        !matches!(self, Self::Refuse | Self::Busy | Self::Broken)
    }
}

/// A message that was taken.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Received {
    /// Counts from 1.
    pub number: u64,
    /// email, sms, whatsapp, webhook or push
    pub channel: &'static str,
    /// For whom.
    pub to: String,
    /// The sender's key, where the gateway has a place for one.
    pub key: Option<String>,
    /// The subject of a mail.
    pub subject: String,
    /// What a person reads.
    pub text: String,
    /// Headers that matter, as they came.
    pub headers: Value,
    /// The document or the mail, as it came; of a push service base64url of it.
    pub raw: String,
    /// Epoch milliseconds.
    pub at: i64,
    /// By what receipts and answers go back; none where the way has neither.
    #[serde(skip)]
    pub(crate) back: Option<Back>,
    /// What was done with it, and what the server answered to that.
    pub pressed: Vec<String>,
}

/// Everything that came.
#[derive(Debug, Default)]
pub struct Inbox {
    received: Mutex<VecDeque<Received>>,
    mode: Mutex<Mode>,
    count: AtomicU64,
    refused: AtomicU64,
    /// Where WhatsApp's receipts go by themselves.
    receipts_to: Mutex<Option<String>>,
    /// The server's address, for what people do with messages.
    server: Mutex<Option<String>>,
    presses: AtomicU64,
}

impl Inbox {
    /// How it behaves now.
    pub fn mode(&self) -> Mode {
        *self.mode.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Behaves so from now on.
    pub fn set_mode(&self, mode: Mode) {
        *self.mode.lock().unwrap_or_else(PoisonError::into_inner) = mode;
    }

    /// Where WhatsApp's receipts go from now on.
    pub fn send_receipts_to(&self, url: Option<String>) {
        *self
            .receipts_to
            .lock()
            .unwrap_or_else(PoisonError::into_inner) = url;
    }

    pub(crate) fn receipts_to(&self) -> Option<String> {
        let to = self.receipts_to.lock();
        to.unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// The server that sends to these gateways: `http://127.0.0.1:8080`.
    pub fn set_server(&self, url: &str) {
        let url = url.trim_end_matches('/').to_owned();
        *self.server.lock().unwrap_or_else(PoisonError::into_inner) = Some(url);
    }

    pub(crate) fn server(&self) -> Option<String> {
        let server = self.server.lock();
        server.unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Counts what people do.
    pub(crate) fn count_press(&self) -> u64 {
        self.presses.fetch_add(1, Ordering::Relaxed) + 1
    }

    /// Keeps what was done with a message.
    pub(crate) fn note_press(&self, number: u64, said: String) {
        let received = self.received.lock();
        let mut received = received.unwrap_or_else(PoisonError::into_inner);
        if let Some(message) = received.iter_mut().find(|m| m.number == number)
            && message.pressed.len() < MAX_PRESSED
        {
            message.pressed.push(said);
        }
    }

    /// What came, the first first.
    pub fn all(&self) -> Vec<Received> {
        let received = self.received.lock();
        let received = received.unwrap_or_else(PoisonError::into_inner);
        received.iter().cloned().collect()
    }

    /// How many tries were not taken.
    pub fn refused(&self) -> u64 {
        self.refused.load(Ordering::Relaxed)
    }

    pub(crate) fn refuse(&self) {
        self.refused.fetch_add(1, Ordering::Relaxed);
    }

    /// Keeps a message; its number.
    pub(crate) fn keep(&self, mut message: Received) -> u64 {
        message.number = self.count.fetch_add(1, Ordering::Relaxed) + 1;
        let number = message.number;
        let received = self.received.lock();
        let mut received = received.unwrap_or_else(PoisonError::into_inner);
        if received.len() >= MAX_KEPT {
            received.pop_front();
        }
        received.push_back(message);
        number
    }
}

pub(crate) fn now_ms() -> i64 {
    jiff::Timestamp::now().as_millisecond()
}
