//! What the server says of itself: its metrics, and its process's memory and processor time.

use std::collections::BTreeMap;
use std::io::{self, Read as _, Write as _};
use std::net::{SocketAddr, TcpStream};
use std::time::Duration;

/// How long the metrics may take; a server under load answers late.
const PATIENCE: Duration = Duration::from_secs(15);
/// Pages and clock ticks as Linux counts them in /proc.
const PAGE_BYTES: u64 = 4_096;
const TICKS_PER_SECOND: u64 = 100;

/// Counters by name, their labels summed up, and each by name and labels.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Counters(BTreeMap<String, f64>);

impl Counters {
    /// Asks a server.
    pub(crate) fn of(http: SocketAddr) -> io::Result<Self> {
        let mut stream = TcpStream::connect_timeout(&http, PATIENCE)?;
        stream.set_read_timeout(Some(PATIENCE))?;
        // In one write, so that no part of it is still on its way when the server closes.
        let request = format!("GET /metrics HTTP/1.0\r\nHost: {http}\r\nConnection: close\r\n\r\n");
        stream.write_all(request.as_bytes())?;
        let mut answer = String::new();
        stream.read_to_string(&mut answer)?;
        let (head, body) = answer.split_once("\r\n\r\n").unwrap_or((&answer, ""));
        let status = head.lines().next().unwrap_or_default();
        if status.split(' ').nth(1) != Some("200") {
            return Err(io::Error::other(format!("/metrics: {status}")));
        }
        Ok(Self::parse(body))
    }

    fn parse(text: &str) -> Self {
        let mut sums = BTreeMap::new();
        for line in text.lines().filter(|l| !l.starts_with('#')) {
            let Some((series, value)) = line.rsplit_once(' ') else {
                continue;
            };
            let name = series.split('{').next().unwrap_or(series);
            if let Ok(value) = value.parse::<f64>() {
                *sums.entry(name.to_owned()).or_insert(0.0) += value;
                if name != series {
                    sums.insert(series.to_owned(), value);
                }
            }
        }
        Self(sums)
    }

    /// By how much a counter has grown since then.
    pub(crate) fn since(&self, before: &Self, name: &str) -> u64 {
        let of = |c: &Self| c.0.get(name).copied().unwrap_or(0.0);
        let grown = (of(self) - of(before)).max(0.0);
        #[allow(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "counters are whole numbers far below 2^53"
        )]
        let grown = grown.round() as u64;
        grown
    }
}

/// A process.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Process(pub(crate) u32);

impl Process {
    /// The memory that it has in RAM, in bytes; none where that cannot be known.
    pub(crate) fn memory(self) -> Option<u64> {
        let text = std::fs::read_to_string(format!("/proc/{}/statm", self.0)).ok()?;
        let pages: u64 = text.split(' ').nth(1)?.parse().ok()?;
        Some(pages * PAGE_BYTES)
    }

    /// The processor time that it has had.
    pub(crate) fn processor_time(self) -> Option<Duration> {
        let text = std::fs::read_to_string(format!("/proc/{}/stat", self.0)).ok()?;
        // The name before it may contain anything.
        let mut fields = text.rsplit_once(')')?.1.split_ascii_whitespace().skip(11);
        let mut ticks = || fields.next().and_then(|f| f.parse::<u64>().ok());
        Some(Duration::from_millis(
            (ticks()? + ticks()?) * 1_000 / TICKS_PER_SECOND,
        ))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counters_are_summed_over_their_labels() {
        let before = Counters::parse("# TYPE a counter\na{x=\"1\"} 3\na{x=\"2\"} 4\nb 1.5\n");
        let after = Counters::parse("a{x=\"1 2\"} 10\n");
        assert_eq!(after.since(&before, "a"), 3);
        assert_eq!(after.since(&before, "b"), 0, "the server was restarted");
        assert_eq!(before.since(&Counters::default(), "a"), 7);
    }

    #[test]
    fn this_process_has_memory_and_time() {
        let me = Process(std::process::id());
        let begin = std::time::Instant::now();
        while me.processor_time().unwrap() < Duration::from_millis(20) {
            assert!(begin.elapsed() < Duration::from_secs(20));
        }
        assert!(me.memory().unwrap() > 100_000);
        assert_eq!(Process(u32::MAX).memory(), None);
    }

    #[test]
    fn metrics_come_over_http() {
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let server = std::thread::spawn(move || {
            for answer in ["200 OK\r\n\r\na 1\n", "404 Not Found\r\n\r\n"] {
                let (mut stream, _) = listener.accept().unwrap();
                let mut request = [0; 256];
                let n = stream.read(&mut request).unwrap();
                assert!(request[..n].starts_with(b"GET /metrics "));
                write!(stream, "HTTP/1.1 {answer}").unwrap();
            }
        });
        assert_eq!(Counters::of(address).unwrap(), Counters::parse("a 1"));
        assert!(
            Counters::of(address)
                .unwrap_err()
                .to_string()
                .contains("404")
        );
        server.join().unwrap();
    }
}
