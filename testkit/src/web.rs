//! A WebSocket made of bytes: the handshake, and frames that are whole messages.

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio::time::timeout;

use crate::PATIENCE;

/// A client's side.
#[derive(Debug)]
pub struct WebSocket(TcpStream);

impl WebSocket {
    /// Opens one at that path of a server, by `HOST:PORT`.
    ///
    /// # Errors
    /// What the server answers that refuses it.
    pub async fn open(host: &str, path: &str, protocol: Option<&str>) -> Result<Self, String> {
        let mut stream = TcpStream::connect(host).await.unwrap();
        let named = protocol.map(|name| format!("Sec-WebSocket-Protocol: {name}\r\n"));
        let named = named.unwrap_or_default();
        let request = format!(
            "GET {path} HTTP/1.1\r\nHost: {host}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n\
             Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n{named}\r\n"
        );
        stream.write_all(request.as_bytes()).await.unwrap();
        let mut head = Vec::new();
        while !head.ends_with(b"\r\n\r\n") {
            head.push(stream.read_u8().await.unwrap());
        }
        let head = String::from_utf8(head).unwrap();
        if !head.starts_with("HTTP/1.1 101") {
            return Err(head);
        }
        let agreed = protocol.map(|name| format!("sec-websocket-protocol: {name}"));
        assert!(
            agreed.is_none_or(|agreed| head.to_lowercase().contains(&agreed)),
            "{head}"
        );
        Ok(Self(stream))
    }

    /// Sends a binary message of less than 64 KiB.
    pub async fn binary(&mut self, bytes: &[u8]) {
        self.send(0x82, bytes).await;
    }

    /// Sends a text of less than 64 KiB.
    pub async fn text(&mut self, text: &str) {
        self.send(0x81, text.as_bytes()).await;
    }

    /// As clients do, with a mask: of zeros.
    async fn send(&mut self, kind: u8, bytes: &[u8]) {
        let mut frame = vec![kind];
        match u8::try_from(bytes.len()).ok().filter(|short| *short < 126) {
            Some(short) => frame.push(0x80 | short),
            None => {
                frame.push(0x80 | 126);
                frame.extend(u16::try_from(bytes.len()).unwrap().to_be_bytes());
            }
        }
        frame.extend([0; 4]);
        frame.extend(bytes);
        self.0.write_all(&frame).await.unwrap();
    }

    /// The next text or binary message; none at the end.
    pub async fn next(&mut self) -> Option<Vec<u8>> {
        timeout(PATIENCE, self.read()).await.expect("in time")
    }

    async fn read(&mut self) -> Option<Vec<u8>> {
        let kind = self.0.read_u8().await.ok()?;
        let length = match self.0.read_u8().await.ok()? {
            126 => usize::from(self.0.read_u16().await.ok()?),
            short if short < 126 => usize::from(short),
            long => panic!("a frame of more than 64 KiB: {long}"),
        };
        let mut bytes = vec![0; length];
        self.0.read_exact(&mut bytes).await.ok()?;
        matches!(kind, 0x81 | 0x82).then_some(bytes)
    }
}
