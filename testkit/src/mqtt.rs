//! MQTT made of bytes: packets that no library would write, a client that costs little, and what comes back.

use std::time::Duration;

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio::time::timeout;

use crate::PATIENCE;

/// A controller, unless a [`Hello`] says otherwise.
pub const MAC: &str = "A4CF120B9E01";
/// Another controller.
pub const OTHER_MAC: &str = "A4CF120B9E02";
/// The password of both.
pub const SECRET: &str = "s3cret";

/// A CONNECT.
#[derive(Debug, Clone, Copy)]
pub struct Hello<'a> {
    /// MQTT 5, or else 3.1.1.
    pub v5: bool,
    /// The client's id.
    pub id: &'a str,
    /// Who it is.
    pub user: Option<&'a str>,
    /// What it shows for that.
    pub password: &'a str,
    /// Whether no earlier session goes on.
    pub clean: bool,
    /// In seconds.
    pub keep_alive: u16,
    /// Topic and payload.
    pub will: Option<(&'a str, &'a str)>,
    /// The will's quality of service.
    pub will_qos: u8,
    /// In seconds; MQTT 5.
    pub will_delay: u32,
    /// Further properties of the will; MQTT 5.
    pub will_properties: &'a [u8],
    /// MQTT 5 properties, without their length.
    pub properties: &'a [u8],
}

impl Hello<'_> {
    /// MQTT 3.1.1.
    #[must_use]
    pub fn v4() -> Self {
        Self {
            v5: false,
            id: "c1",
            user: Some(MAC),
            password: SECRET,
            clean: true,
            keep_alive: 30,
            will: None,
            will_qos: 1,
            will_delay: 0,
            will_properties: &[],
            properties: &[],
        }
    }

    /// Either version.
    #[must_use]
    pub fn of(v5: bool) -> Self {
        if v5 { Self::v5() } else { Self::v4() }
    }

    /// MQTT 5.
    #[must_use]
    pub fn v5() -> Self {
        Self {
            v5: true,
            ..Self::v4()
        }
    }

    /// The packet.
    #[must_use]
    pub fn bytes(&self) -> Vec<u8> {
        let mut body = b"\0\x04MQTT".to_vec();
        body.push(if self.v5 { 5 } else { 4 });
        let will = self.will.map_or(0, |_| 4 | self.will_qos << 3);
        let user = self.user.map_or(0, |_| 0xc0);
        body.push(u8::from(self.clean) << 1 | will | user);
        body.extend(self.keep_alive.to_be_bytes());
        if self.v5 {
            body.push(u8::try_from(self.properties.len()).unwrap());
            body.extend(self.properties);
        }
        text(&mut body, self.id.as_bytes());
        if let Some((topic, payload)) = self.will {
            if self.v5 {
                body.push(u8::try_from(5 + self.will_properties.len()).unwrap());
                body.push(0x18);
                body.extend(self.will_delay.to_be_bytes());
                body.extend(self.will_properties);
            }
            text(&mut body, topic.as_bytes());
            text(&mut body, payload.as_bytes());
        }
        if let Some(user) = self.user {
            text(&mut body, user.as_bytes());
            text(&mut body, self.password.as_bytes());
        }
        packet(0x10, &body)
    }
}

fn text(out: &mut Vec<u8>, text: &[u8]) {
    out.extend(u16::try_from(text.len()).unwrap().to_be_bytes());
    out.extend(text);
}

/// Any packet.
#[must_use]
pub fn packet(first: u8, body: &[u8]) -> Vec<u8> {
    let mut out = vec![first];
    let mut left = body.len();
    loop {
        let low = u8::try_from(left & 0x7f).unwrap();
        left >>= 7;
        out.push(if left > 0 { low | 0x80 } else { low });
        if left == 0 {
            break;
        }
    }
    out.extend(body);
    out
}

/// A PUBLISH, at QoS 1 if it has an id.
#[must_use]
pub fn publish(v5: bool, topic: &str, id: Option<u16>, payload: &[u8]) -> Vec<u8> {
    let mut body = Vec::new();
    text(&mut body, topic.as_bytes());
    body.extend(id.iter().flat_map(|id| id.to_be_bytes()));
    if v5 {
        body.push(0);
    }
    body.extend(payload);
    packet(0x30 | u8::from(id.is_some()) << 1, &body)
}

/// A SUBSCRIBE to one filter.
#[must_use]
pub fn subscribe(v5: bool, id: u16, filter: &str, qos: u8) -> Vec<u8> {
    let mut body = id.to_be_bytes().to_vec();
    if v5 {
        body.push(0);
    }
    text(&mut body, filter.as_bytes());
    body.push(qos);
    packet(0x82, &body)
}

/// A client made of bytes.
#[derive(Debug)]
pub struct Raw {
    /// Its connection.
    pub stream: TcpStream,
}

impl Raw {
    /// Sends bytes.
    pub async fn send(&mut self, bytes: &[u8]) {
        timeout(PATIENCE, self.stream.write_all(bytes))
            .await
            .expect("the endpoint reads")
            .unwrap();
    }

    /// The next packet, whole.
    pub async fn packet(&mut self) -> Vec<u8> {
        timeout(PATIENCE, self.read_packet())
            .await
            .expect("a packet in time")
            .expect("a packet, not the end")
    }

    async fn read_packet(&mut self) -> std::io::Result<Vec<u8>> {
        let mut packet = vec![self.stream.read_u8().await?];
        let mut length = 0;
        for shift in 0..4 {
            let byte = self.stream.read_u8().await?;
            packet.push(byte);
            length |= usize::from(byte & 0x7f) << (7 * shift);
            if byte & 0x80 == 0 {
                break;
            }
        }
        let header = packet.len();
        packet.resize(header + length, 0);
        self.stream.read_exact(&mut packet[header..]).await?;
        Ok(packet)
    }

    /// Asserts that the connection is closed, and that nothing more comes.
    pub async fn closed(&mut self) {
        let mut rest = Vec::new();
        // A reset is an end too.
        let _ = timeout(PATIENCE, self.stream.read_to_end(&mut rest))
            .await
            .expect("the connection ends");
        assert!(rest.is_empty(), "{rest:02x?}");
    }

    /// Asserts that nothing comes for a while.
    pub async fn quiet(&mut self) {
        let mut byte = [0; 1];
        let read = timeout(Duration::from_millis(150), self.stream.read(&mut byte)).await;
        assert!(read.is_err(), "{read:?} {byte:02x?}");
    }

    /// Round trip: everything before it was processed.
    pub async fn ping(&mut self) {
        self.send(&[0xc0, 0]).await;
        assert_eq!(self.packet().await, [0xd0, 0]);
    }

    /// The next packet, or `None` at the end.
    pub async fn try_packet(&mut self) -> Option<Vec<u8>> {
        self.read_packet().await.ok()
    }

    /// Nothing but acknowledgements comes.
    pub async fn quiet_after_acks(&mut self, acks: usize) {
        for _ in 0..acks {
            assert_eq!(self.packet().await[0], 0x40);
        }
        self.quiet().await;
    }
}
