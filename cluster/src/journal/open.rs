//! How the streams of a journal are made, and how it is opened: everything is there, set as it must be, and nothing that was
//! acknowledged is lost.

use std::time::Instant;

use async_nats::jetstream::ErrorCode;
use async_nats::jetstream::stream::{Config, Stream};
use harit_journal::JournalError;

use super::{JetStreamJournal, damaged};
use crate::layout::{Partition, Settings, differences};
use crate::mark::{Mark, Marker};
use crate::message;
use crate::nats::{Failure, Nats, REQUEST, within};
use crate::read::{self, Bounds};
use crate::snapshots::Snapshots;

/// What the journal of a partition is made of: three streams.
struct Streams {
    /// The batches.
    batches: Config,
    /// The buckets of marks and snapshots, of all partitions of a cluster, and the streams that they are.
    marks: (String, Config),
    snapshots: (String, Config),
    key: String,
}

impl Streams {
    fn new(partition: &Partition, settings: &Settings) -> Self {
        let ((marks, key), snapshots) = (partition.marks(), partition.snapshots());
        Self {
            batches: settings.journal(partition),
            marks: (marks.clone(), settings.keys(&marks)),
            snapshots: (snapshots.clone(), settings.objects(&snapshots)),
            key,
        }
    }
}

impl JetStreamJournal {
    /// Makes the stream of a partition, and, where they are not there yet, those of its cluster for marks and snapshots. One that
    /// is there with the same settings is left as it is.
    ///
    /// # Errors
    /// When the server refuses, or one is there with other settings.
    pub fn create(
        nats: &Nats,
        partition: &Partition,
        settings: &Settings,
    ) -> Result<(), JournalError> {
        let name = partition.stream();
        let streams = Streams::new(partition, settings);
        nats.wait(async {
            let jetstream = nats.jetstream();
            for config in [&streams.marks.1, &streams.snapshots.1, &streams.batches] {
                match within(REQUEST, jetstream.create_stream(config)).await {
                    Ok(made) => check(config, &made.cached_info().config)?,
                    Err(e) if e.is(ErrorCode::STREAM_NAME_EXIST) => {
                        existing(nats, &name, config).await?;
                    }
                    Err(e) => return Err(e.of(&config.name)),
                }
            }
            let mark = mark(nats, &name, &streams).await?;
            mark.create().await.map_err(|e| e.of(&name))
        })
    }

    /// Removes the stream of a partition, its snapshots and its mark, as far as they are there. Those of its cluster stay.
    ///
    /// # Errors
    /// When the server refuses.
    pub(crate) fn remove(
        nats: &Nats,
        partition: &Partition,
        settings: &Settings,
    ) -> Result<(), JournalError> {
        let name = partition.stream();
        let streams = Streams::new(partition, settings);
        nats.wait(async {
            let jetstream = nats.jetstream();
            match within(REQUEST, jetstream.delete_stream(&name)).await {
                Ok(_) => {}
                Err(e) if e.is(ErrorCode::STREAM_NOT_FOUND) => {}
                Err(e) => return Err(e.of(&name)),
            }
            let snapshots = snapshots(nats, &name, partition, &streams).await?;
            let all = snapshots.list().await.map_err(|e| e.of(&name))?;
            for (seq, _) in all {
                snapshots.delete(seq).await.map_err(|e| e.of(&name))?;
            }
            let mark = mark(nats, &name, &streams).await?;
            mark.remove().await.map_err(|e| e.of(&name))
        })
    }

    /// Takes back that more was acknowledged than the stream of a partition has: its mark is lowered, and snapshots of what is gone go too. One
    /// that has not lost its end stays as it is.
    ///
    /// # Errors
    /// When one of its streams is not there or the server does not answer.
    pub(crate) fn accept_loss(
        nats: &Nats,
        partition: &Partition,
        settings: &Settings,
    ) -> Result<(), JournalError> {
        let name = partition.stream();
        let streams = Streams::new(partition, settings);
        nats.wait(async {
            let (stream, snapshots, mark) = all(nats, partition, &streams).await?;
            let checked = check_end(&name, &stream, &snapshots, &mark, &streams).await;
            let Err(JournalError::Lost { last, .. }) = checked else {
                return checked.map(drop);
            };
            let listed = snapshots.list().await.map_err(|e| e.of(&name))?;
            let bounds = Bounds::of(&stream).await.map_err(|e| e.of(&name))?;
            // Where no batch is left, a snapshot is what there is.
            let kept = match bounds.is_empty() {
                true => listed.first().map_or(0, |(seq, _)| *seq),
                false => last,
            };
            for (seq, _) in listed.into_iter().filter(|(seq, _)| *seq > kept) {
                snapshots.delete(seq).await.map_err(|e| e.of(&name))?;
            }
            mark.lower(kept).await.map_err(|e| e.of(&name))
        })
    }

    /// Opens the journal of a partition, which must be there with these settings, and checks its end.
    ///
    /// # Errors
    /// [`JournalError::Missing`] where one of its streams or its mark is not there; [`JournalError::Lost`] where it ends before
    /// what was acknowledged or what a snapshot follows from; when its end is damaged; when a setting differs; when the server
    /// does not answer.
    pub fn open(
        nats: &Nats,
        partition: &Partition,
        settings: &Settings,
    ) -> Result<Self, JournalError> {
        let name = partition.stream();
        let streams = Streams::new(partition, settings);
        let writer = getrandom::u64().map_err(|e| Failure::from(e.to_string()).of(&name))?;
        let (stream, snapshots, mark, end) = nats.wait(async {
            let (stream, snapshots, mark) = all(nats, partition, &streams).await?;
            let end = check_end(&name, &stream, &snapshots, &mark, &streams).await?;
            Ok::<_, JournalError>((stream, snapshots, mark, end))
        })?;
        let (room, crc) = end;
        Ok(Self {
            marker: Marker::start(nats.clone(), mark, name.clone()),
            nats: nats.clone(),
            name,
            subject: partition.subject(),
            stream,
            snapshots,
            writer,
            last: room.last,
            crc,
            unknown: None,
            room,
            looked: Instant::now(),
            reserved: false,
        })
    }
}

fn missing(name: &str, what: &str) -> JournalError {
    JournalError::Missing {
        name: name.to_owned(),
        otherwise: format!("; NATS has no {what}, and opening makes none"),
    }
}

pub(crate) fn check(wanted: &Config, found: &Config) -> Result<(), JournalError> {
    let differences = differences(wanted, found);
    if differences.is_empty() {
        return Ok(());
    }
    let text = format!("its settings differ: {}", differences.join("; "));
    Err(Failure::from(text).of(&wanted.name))
}

/// One of the streams of a journal, which must be there with its settings.
async fn existing(nats: &Nats, journal: &str, config: &Config) -> Result<Stream, JournalError> {
    let stream = within(REQUEST, nats.jetstream().get_stream(&config.name)).await;
    let stream = stream.map_err(|e| {
        if e.is(ErrorCode::STREAM_NOT_FOUND) {
            missing(journal, &format!("stream {}", config.name))
        } else {
            e.of(journal)
        }
    })?;
    check(config, &stream.cached_info().config)?;
    Ok(stream)
}

/// All that a journal is made of, which must be there.
async fn all(
    nats: &Nats,
    partition: &Partition,
    streams: &Streams,
) -> Result<(Stream, Snapshots, Mark), JournalError> {
    let name = partition.stream();
    Ok((
        existing(nats, &name, &streams.batches).await?,
        snapshots(nats, &name, partition, streams).await?,
        mark(nats, &name, streams).await?,
    ))
}

async fn snapshots(
    nats: &Nats,
    journal: &str,
    partition: &Partition,
    streams: &Streams,
) -> Result<Snapshots, JournalError> {
    let (bucket, config) = &streams.snapshots;
    let objects = existing(nats, journal, config).await?;
    let store = within(REQUEST, nats.jetstream().get_object_store(bucket)).await;
    let store = store.map_err(|e| e.of(journal))?;
    let prefix = partition.snapshot_prefix();
    Ok(Snapshots::new(store, objects, bucket.clone(), prefix))
}

async fn mark(nats: &Nats, journal: &str, streams: &Streams) -> Result<Mark, JournalError> {
    let (bucket, config) = &streams.marks;
    existing(nats, journal, config).await?;
    let store = within(REQUEST, nats.jetstream().get_key_value(bucket)).await;
    Ok(Mark::new(
        store.map_err(|e| e.of(journal))?,
        streams.key.clone(),
    ))
}

pub(super) async fn go_on_after(stream: &Stream, seq: u64) -> Result<(), Failure> {
    within(REQUEST, stream.purge().sequence(seq.saturating_add(1))).await?;
    Ok(())
}

/// What the stream has, and the checksum of its last batch, which is whole and not before what was acknowledged.
async fn check_end(
    name: &str,
    stream: &Stream,
    snapshots: &Snapshots,
    mark: &Mark,
    streams: &Streams,
) -> Result<(Bounds, u32), JournalError> {
    let acknowledged = mark.read(name).await?.ok_or_else(|| {
        let what = format!("key {} of bucket {}", streams.key, streams.marks.0);
        missing(name, &what)
    })?;
    let newest = snapshots.list().await.map_err(|e| e.of(name))?;
    let newest = newest.first().map_or(0, |(seq, _)| *seq);
    let bounds = Bounds::at_least(stream, acknowledged.max(newest)).await;
    let mut bounds = bounds.map_err(|e| e.of(name))?;
    // A snapshot in an empty stream is where it begins: the numbers go on after it, also where that was cut off.
    if bounds.is_empty() && bounds.last < newest && acknowledged <= newest {
        let gone_on = go_on_after(stream, newest).await;
        gone_on.map_err(|e| e.of(name))?;
        bounds = Bounds::of(stream).await.map_err(|e| e.of(name))?;
    }
    let acknowledged = acknowledged.max(newest);
    if bounds.last < acknowledged {
        return Err(JournalError::Lost {
            name: name.to_owned(),
            last: bounds.last,
            acknowledged,
        });
    }
    if bounds.is_empty() {
        return Ok((bounds, 0));
    }
    let last = bounds.last;
    let tail = read::message(stream, last).await.map_err(|e| e.of(name))?;
    let tail = tail.ok_or_else(|| damaged(name, format!("batch {last} is missing")))?;
    message::decode(last, &tail).map_err(|e| damaged(name, format!("batch {last}: {e}")))?;
    Ok((bounds, message::stored_checksum(&tail).unwrap_or(0)))
}
