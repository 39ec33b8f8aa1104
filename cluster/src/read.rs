//! How a range of a stream is read: some megabytes at a time, by a consumer that the server forgets, and with a check of our own
//! that nothing is left out.
//!
//! A message that does not come may be missing, or only be lost on its way. Where one is left out it is asked for by its number;
//! where it is there, the consumer is made anew.

use std::time::{Duration, Instant};

use async_nats::jetstream::ErrorCode;
use async_nats::jetstream::consumer::{AckPolicy, DeliverPolicy, PullConsumer, pull};
use async_nats::jetstream::stream::Stream;
use bytes::Bytes;
use futures_util::StreamExt as _;

use crate::layout::MAX_MESSAGE;
use crate::nats::{Failure, REQUEST, within};

/// How many messages, and about how many bytes of them, are in memory at most.
const MESSAGES: u64 = 512;
const BYTES: usize = 2 * MAX_MESSAGE;
/// For how long nothing may come before reading fails: longer than a stream takes to get another leader.
const PATIENCE: Duration = Duration::from_secs(30);
/// For how long a leader may be behind: one that stood still, or is cut off from the others, answers of what it had until it finds out. NATS
/// looks every 10 s whether a quorum was heard in the last 10 s (`lostQuorumCheck`, `lostQuorumInterval`).
const CATCHING_UP: Duration = Duration::from_secs(25);
/// What is waited before it is tried again.
const PAUSE: Duration = Duration::from_millis(100);
/// After so long without a question the server forgets a consumer.
const FORGOTTEN: Duration = Duration::from_secs(60);

/// What a stream has: from which number to which one.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Bounds {
    /// The first message, or what its number will be.
    pub(crate) first: u64,
    /// The last number that was given.
    pub(crate) last: u64,
    /// How many bytes it has, and may have; 0: any.
    pub(crate) bytes: u64,
    pub(crate) max_bytes: u64,
}

impl Bounds {
    /// Asks the leader.
    pub(crate) async fn of(stream: &Stream) -> Result<Self, Failure> {
        let info = within(REQUEST, stream.get_info()).await?;
        let state = &info.state;
        Ok(Self {
            first: match state.messages {
                0 => state.last_sequence + 1,
                _ => state.first_sequence,
            },
            last: state.last_sequence,
            bytes: state.bytes,
            max_bytes: u64::try_from(info.config.max_bytes).unwrap_or(0),
        })
    }

    /// Asks until it ends with `wanted` at least, or for [`CATCHING_UP`].
    pub(crate) async fn at_least(stream: &Stream, wanted: u64) -> Result<Self, Failure> {
        let until = Instant::now() + CATCHING_UP;
        loop {
            let bounds = Self::of(stream).await?;
            if bounds.last >= wanted || Instant::now() >= until {
                return Ok(bounds);
            }
            tokio::time::sleep(PAUSE).await;
        }
    }

    pub(crate) const fn is_empty(&self) -> bool {
        self.first > self.last
    }
}

/// The message of a number, asked of the leader; `None` where there is none.
pub(crate) async fn message(stream: &Stream, seq: u64) -> Result<Option<Bytes>, Failure> {
    match within(REQUEST, stream.get_raw_message(seq)).await {
        Ok(message) => Ok(Some(message.payload)),
        Err(e) if e.is(ErrorCode::NO_MESSAGE_FOUND) => Ok(None),
        Err(e) => Err(e),
    }
}

/// Where reading is.
pub(crate) struct Cursor<'a> {
    stream: &'a Stream,
    /// The next number, and the last that is read.
    next: u64,
    end: u64,
    consumer: Option<PullConsumer>,
}

impl<'a> Cursor<'a> {
    /// Of the messages from `next` to `end`.
    pub(crate) fn new(stream: &'a Stream, next: u64, end: u64) -> Self {
        Self {
            stream,
            next,
            end,
            consumer: None,
        }
    }

    /// The next messages with their numbers, in order. Nothing where there are no more up to the end; where one is left out it is
    /// not in the stream.
    pub(crate) async fn some(&mut self) -> Result<Vec<(u64, Bytes)>, Failure> {
        let until = Instant::now() + PATIENCE;
        while self.next <= self.end {
            let mut messages = Vec::new();
            let fetched = self.fetch(&mut messages).await;
            if fetched.is_err() {
                self.consumer = None;
            }
            let whole = self.until_gap(&messages).await;
            if let Ok(whole) = whole {
                messages.truncate(whole);
                if let Some((newest, _)) = messages.last() {
                    self.next = newest + 1;
                    return Ok(messages);
                }
            }
            let ended = match (fetched, whole) {
                (Err(e), _) | (_, Err(e)) => Err(e),
                (Ok(()), Ok(_)) => self.is_over().await,
            };
            match ended {
                Ok(true) => break,
                Err(e) if Instant::now() >= until => return Err(e),
                Ok(false) if Instant::now() >= until => {
                    let text = format!("batch {} is there, but does not come", self.next);
                    return Err(text.into());
                }
                _ => tokio::time::sleep(PAUSE).await,
            }
        }
        Ok(Vec::new())
    }

    /// How many of the messages come before the first gap that is none in the stream.
    async fn until_gap(&mut self, messages: &[(u64, Bytes)]) -> Result<usize, Failure> {
        let mut wanted = self.next;
        for (place, (seq, _)) in messages.iter().enumerate() {
            if *seq != wanted {
                let lost = match self.has_any_of([wanted, seq - 1]).await {
                    Ok(lost) => lost,
                    // What comes before it is good all the same.
                    Err(_) if place > 0 => true,
                    Err(e) => return Err(e),
                };
                if lost {
                    self.consumer = None;
                    return Ok(place);
                }
            }
            wanted = seq + 1;
        }
        Ok(messages.len())
    }

    /// Both ends of a gap: while it is read, its beginning may be trimmed.
    async fn has_any_of(&self, ends: [u64; 2]) -> Result<bool, Failure> {
        for seq in ends {
            if message(self.stream, seq).await?.is_some() {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Whether nothing is to come because nothing is there: it was trimmed meanwhile, or is missing up to the end.
    async fn is_over(&mut self) -> Result<bool, Failure> {
        let bounds = Bounds::of(self.stream).await?;
        self.next = self.next.max(bounds.first);
        if self.next > self.end {
            return Ok(true);
        }
        // The consumer may be behind the leader, but no message is behind another.
        Ok(message(self.stream, self.end).await?.is_none())
    }

    async fn fetch(&mut self, messages: &mut Vec<(u64, Bytes)>) -> Result<(), Failure> {
        let consumer = match self.consumer.take() {
            Some(consumer) => consumer,
            None => self.consumer().await?,
        };
        let wanted = MESSAGES.min(self.end - self.next + 1);
        let wanted = usize::try_from(wanted).unwrap_or(1);
        let fetch = consumer.fetch().max_messages(wanted).max_bytes(BYTES);
        let mut batch = within(REQUEST, fetch.messages()).await?;
        loop {
            let next = within(REQUEST, async { Ok::<_, Failure>(batch.next().await) }).await?;
            let message = match next {
                None => break,
                // That the next one is too much for this time, too.
                Some(Err(_)) if !messages.is_empty() => break,
                Some(Err(e)) => return Err(e.to_string().into()),
                Some(Ok(message)) => message,
            };
            let info = message.info().map_err(|e| e.to_string())?;
            messages.push((info.stream_sequence, message.message.payload));
        }
        self.consumer = Some(consumer);
        Ok(())
    }

    async fn consumer(&self) -> Result<PullConsumer, Failure> {
        let wanted = self.stream.create_consumer(pull::Config {
            deliver_policy: DeliverPolicy::ByStartSequence {
                start_sequence: self.next,
            },
            ack_policy: AckPolicy::None,
            inactive_threshold: FORGOTTEN,
            memory_storage: true,
            num_replicas: 1,
            ..pull::Config::default()
        });
        within(REQUEST, wanted).await
    }

    /// Has the server forget the consumer now.
    pub(crate) async fn close(self) {
        if let Some(consumer) = self.consumer {
            let name = &consumer.cached_info().name;
            let _ = within(REQUEST, self.stream.delete_consumer(name)).await;
        }
    }
}
