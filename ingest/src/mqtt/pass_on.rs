//! Connections of farms that another server has: known by their CONNECT, and passed on byte for byte.

use std::io;
use std::net::IpAddr;
use std::time::Duration;

use bytes::BytesMut;
use futures_util::future::BoxFuture;
use harit_engine::FarmId;
use harit_protocol::Mac;
use tokio::io::{AsyncRead, AsyncWrite, AsyncWriteExt as _, copy_bidirectional_with_sizes};
use tokio::sync::Notify;
use tokio_util::io::InspectReader;

/// How long the other server may take to take a connection.
const PATIENCE: Duration = Duration::from_secs(3);
/// How long the other side may go on when one has ended.
const LAST_MOMENT: Duration = Duration::from_secs(2);
/// Bytes that wait in each direction, at most.
const BUFFER: usize = 2 << 10;

/// Who connects, as this server has found it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Client {
    /// From where.
    pub address: IpAddr,
    /// Whose certificate was shown and verified.
    pub certificate: Option<Mac>,
}

/// A connection to another server.
pub trait Link: AsyncRead + AsyncWrite + Send + Unpin {}

impl<T: AsyncRead + AsyncWrite + Send + Unpin> Link for T {}

/// What passes connections on.
pub trait PassOn: Send + Sync + 'static {
    /// Whether another server has that farm.
    fn is_elsewhere(&self, farm: &FarmId) -> bool;

    /// Opens a connection to the server that has the farm.
    ///
    /// # Errors
    /// When it does not answer, or no server has the farm at present.
    fn open<'a>(
        &'a self,
        farm: &'a FarmId,
        client: Client,
    ) -> BoxFuture<'a, io::Result<Box<dyn Link>>>;
}

/// A connection that is another server's.
pub(super) struct Elsewhere {
    pub(super) farm: FarmId,
    pub(super) client: Client,
    /// All that came so far, its CONNECT first.
    pub(super) first: BytesMut,
}

impl Elsewhere {
    /// Opens the way and sends on what came so far.
    pub(super) async fn open(&self, by: &dyn PassOn) -> io::Result<Box<dyn Link>> {
        let opened = async {
            let mut link = by.open(&self.farm, self.client).await?;
            link.write_all(&self.first).await?;
            link.flush().await?;
            Ok(link)
        };
        let late = |_| io::Error::new(io::ErrorKind::TimedOut, "the other server does not answer");
        tokio::time::timeout(PATIENCE, opened).await.map_err(late)?
    }
}

/// Passes everything on both ways. When one of the two ends, the other one has a moment to take what was on its way: a client that
/// vanished would say nothing for a quarter of an hour.
pub async fn pass<A, B>(one: A, other: B)
where
    A: AsyncRead + AsyncWrite + Unpin,
    B: AsyncRead + AsyncWrite + Unpin,
{
    let ended = Notify::new();
    let notes_end = |read: &[u8]| {
        if read.is_empty() {
            ended.notify_one();
        }
    };
    let mut one = InspectReader::new(one, notes_end);
    let mut other = InspectReader::new(other, notes_end);
    let passing = copy_bidirectional_with_sizes(&mut one, &mut other, BUFFER, BUFFER);
    let over = async {
        ended.notified().await;
        tokio::time::sleep(LAST_MOMENT).await;
    };
    tokio::select! {
        _counted = passing => {}
        () = over => {}
    }
}

#[cfg(test)]
mod tests {
    use tokio::io::{AsyncReadExt as _, duplex};

    use super::*;

    #[tokio::test(start_paused = true)]
    async fn what_was_on_its_way_arrives_and_who_says_nothing_more_is_not_waited_for() {
        let (mut client, inner) = duplex(64);
        let (outer, mut server) = duplex(64);
        let passing = tokio::spawn(pass(inner, outer));
        // More than the buffers have.
        let sending = async {
            client.write_all(&[7; 10_000]).await.unwrap();
            client.shutdown().await.unwrap();
        };
        let mut all = Vec::new();
        let (_, received) = tokio::join!(sending, server.read_to_end(&mut all));
        assert_eq!(received.unwrap(), 10_000);
        // The client still listens, and the server never answers.
        let began = tokio::time::Instant::now();
        passing.await.unwrap();
        assert!(began.elapsed() <= LAST_MOMENT);
        assert_eq!(client.read(&mut [0; 1]).await.unwrap(), 0);
    }
}
