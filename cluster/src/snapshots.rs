//! Snapshots, as objects beside the stream.

use std::collections::HashMap;

use async_nats::jetstream::object_store::{
    DeleteErrorKind, GetErrorKind, ObjectMetadata, ObjectStore,
};
use async_nats::jetstream::stream::Stream;
use base64::Engine as _;
use base64::prelude::BASE64_URL_SAFE;
use futures_util::StreamExt as _;
use harit_engine::Timestamp;
use std::time::Duration;
use tokio::io::AsyncReadExt as _;

use crate::message;
use crate::nats::{Failure, REQUEST, within};

/// How long a snapshot may take to be written.
const PUT: Duration = Duration::from_secs(60);
/// How many bytes one message of an object has at most.
const CHUNK: usize = 1 << 20;
/// What an object says beside its body.
const AT: &str = "at";

/// The snapshots of one journal.
pub(crate) struct Snapshots {
    store: ObjectStore,
    /// The store as a stream.
    stream: Stream,
    /// The name of the store, and what the names of these snapshots begin with.
    bucket: String,
    prefix: String,
}

/// Why a snapshot cannot be had.
pub(crate) enum NoSnapshot {
    /// It is not there.
    Missing,
    /// It is not what was stored.
    Damaged(String),
    /// The server does not say.
    Failed(Failure),
}

impl Snapshots {
    pub(crate) fn new(store: ObjectStore, stream: Stream, bucket: String, prefix: String) -> Self {
        Self {
            store,
            stream,
            bucket,
            prefix,
        }
    }

    fn name(&self, seq: u64) -> String {
        format!("{}{seq}", self.prefix)
    }

    /// The numbers and instants of all of them, newest first.
    pub(crate) async fn list(&self) -> Result<Vec<(u64, Timestamp)>, Failure> {
        let mut list = within(REQUEST, self.store.list()).await?;
        let mut all = Vec::new();
        loop {
            let next = within(REQUEST, async { Ok::<_, Failure>(list.next().await) }).await?;
            let Some(object) = next else { break };
            let object = object.map_err(Failure::from)?;
            let Some(seq) = object.name.strip_prefix(&self.prefix) else {
                continue;
            };
            let at = object.metadata.get(AT).and_then(|at| at.parse().ok());
            let (Ok(seq), Some(at)) = (seq.parse(), at) else {
                let text = format!("object {} in {} is no snapshot", object.name, self.bucket);
                return Err(text.into());
            };
            all.push((seq, Timestamp::from_millis(at)));
        }
        all.sort_unstable_by(|a, b| b.cmp(a));
        Ok(all)
    }

    /// The body of one.
    pub(crate) async fn get(&self, seq: u64) -> Result<Vec<u8>, NoSnapshot> {
        let failed = |e: String| NoSnapshot::Failed(e.into());
        let got = tokio::time::timeout(REQUEST, self.store.get(self.name(seq))).await;
        let mut object = match got {
            Ok(Ok(object)) => object,
            Ok(Err(e)) if e.kind() == GetErrorKind::NotFound => return Err(NoSnapshot::Missing),
            Ok(Err(e)) => return Err(failed(e.to_string())),
            Err(_) => return Err(failed(format!("no answer from NATS within {REQUEST:?}"))),
        };
        let mut all = Vec::with_capacity(object.info().size);
        loop {
            match tokio::time::timeout(REQUEST, object.read_buf(&mut all)).await {
                Ok(Ok(0)) => break,
                Ok(Ok(_)) => {}
                // Its own checksum, which is looked at when the last of it was read.
                Ok(Err(e)) if all.len() >= object.info().size => {
                    return Err(NoSnapshot::Damaged(e.to_string()));
                }
                Ok(Err(e)) => return Err(failed(e.to_string())),
                Err(_) => return Err(failed(format!("no answer from NATS within {REQUEST:?}"))),
            }
        }
        message::decode_snapshot(seq, &all).map_err(NoSnapshot::Damaged)
    }

    /// Stores one, in place of what has that number: until it is whole that is there.
    pub(crate) async fn put(&self, seq: u64, at: Timestamp, body: &[u8]) -> Result<(), Failure> {
        let object = message::encode_snapshot(seq, at, body);
        let about = ObjectMetadata {
            name: self.name(seq),
            description: None,
            chunk_size: Some(CHUNK),
            metadata: HashMap::from([(AT.to_owned(), at.as_millis().to_string())]),
            headers: None,
        };
        within(PUT, self.store.put(about, &mut &object[..])).await?;
        Ok(())
    }

    /// Removes one, if it is there. Nothing is left of it, whereas the store by itself would keep its name for ever.
    pub(crate) async fn delete(&self, seq: u64) -> Result<(), Failure> {
        let name = self.name(seq);
        match tokio::time::timeout(REQUEST, self.store.delete(&name)).await {
            Ok(Ok(())) => {}
            Ok(Err(e)) if e.kind() == DeleteErrorKind::NotFound => return Ok(()),
            Ok(Err(e)) => return Err(e.into()),
            Err(_) => return Err(format!("no answer from NATS within {REQUEST:?}").into()),
        }
        let subject = format!("$O.{}.M.{}", self.bucket, BASE64_URL_SAFE.encode(name));
        within(REQUEST, self.stream.purge().filter(subject)).await?;
        Ok(())
    }
}
