//! A mail server that takes everything: as much of SMTP (RFC 5321) as a client needs, in plain text.

use std::sync::Arc;
use std::time::Duration;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::json;
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};
use tokio::net::{TcpListener, TcpStream};

use crate::inbox::{Inbox, Mode, Received, now_ms};

/// The longest mail.
const MAX_BYTES: usize = 1 << 20;
/// A client that says nothing for so long is cut off.
const PATIENCE: Duration = Duration::from_secs(60);

pub(crate) async fn serve(listener: TcpListener, inbox: Arc<Inbox>) {
    while let Ok((stream, _)) = listener.accept().await {
        let inbox = Arc::clone(&inbox);
        tokio::spawn(async move {
            let _over = tokio::time::timeout(PATIENCE, talk(stream, &inbox)).await;
        });
    }
}

async fn talk(stream: TcpStream, inbox: &Inbox) -> std::io::Result<()> {
    let (read, mut write) = stream.into_split();
    let mut lines = BufReader::new(read);
    write.write_all(b"220 simulated ESMTP\r\n").await?;
    let (mut to, mut line) = (Vec::new(), String::new());
    loop {
        line.clear();
        if lines.read_line(&mut line).await? == 0 {
            return Ok(());
        }
        let command = line.trim_end().to_owned();
        let word = command.get(..4).unwrap_or_default().to_ascii_uppercase();
        let answer: &[u8] = match word.as_str() {
            "EHLO" => b"250-simulated\r\n250-8BITMIME\r\n250-SMTPUTF8\r\n250 AUTH PLAIN LOGIN\r\n",
            "AUTH" => b"235 2.7.0 welcome\r\n",
            "MAIL" | "NOOP" | "RSET" | "HELO" => b"250 2.1.0 ok\r\n",
            "RCPT" => match inbox.mode() {
                Mode::Refuse => {
                    inbox.refuse();
                    b"550 5.1.1 no such mailbox\r\n"
                }
                Mode::Busy => {
                    inbox.refuse();
                    b"450 4.2.1 try again later\r\n"
                }
                Mode::Broken => {
                    inbox.refuse();
                    b"451 4.3.0 local error\r\n"
                }
                _ => {
                    let address = command.split_once('<').and_then(|(_, a)| a.split_once('>'));
                    to.push(address.map_or_else(String::new, |(a, _)| a.to_owned()));
                    b"250 2.1.5 ok\r\n"
                }
            },
            "DATA" => {
                write.write_all(b"354 go on\r\n").await?;
                let Some(mail) = data(&mut lines).await? else {
                    return Ok(());
                };
                inbox.keep(received(&to.join(", "), &mail));
                match inbox.mode() {
                    Mode::Never => return std::future::pending().await,
                    Mode::Slow => tokio::time::sleep(Duration::from_secs(2)).await,
                    _ => {}
                }
                to.clear();
                b"250 2.0.0 taken\r\n"
            }
            "QUIT" => {
                write.write_all(b"221 2.0.0 bye\r\n").await?;
                return Ok(());
            }
            _ => b"502 5.5.1 not here\r\n",
        };
        write.write_all(answer).await?;
    }
}

/// A mail, up to the line with a dot alone; nothing where the client went away before.
async fn data(lines: &mut (impl AsyncBufReadExt + Unpin)) -> std::io::Result<Option<String>> {
    let mut mail = Vec::new();
    loop {
        let begin = mail.len();
        if lines.read_until(b'\n', &mut mail).await? == 0 || mail.len() > MAX_BYTES {
            return Ok(None);
        }
        let line = &mail[begin..];
        if line == b".\r\n" || line == b".\n" {
            mail.truncate(begin);
            return Ok(Some(String::from_utf8_lossy(&mail).into_owned()));
        }
        if line.starts_with(b"..") {
            mail.remove(begin);
        }
    }
}

fn received(to: &str, mail: &str) -> Received {
    let (head, body) = mail.split_once("\r\n\r\n").unwrap_or((mail, ""));
    let head = head.replace("\r\n ", " ").replace("\r\n\t", " ");
    let header = |name: &str| {
        head.lines().find_map(|line| {
            let (key, value) = line.split_once(':')?;
            key.eq_ignore_ascii_case(name)
                .then(|| value.trim().to_owned())
        })
    };
    let id = header("Message-ID").unwrap_or_default();
    let key = id.trim_matches(['<', '>']).split('@').next();
    Received {
        number: 0,
        channel: "email",
        to: to.to_owned(),
        key: key.filter(|k| !k.is_empty()).map(str::to_owned),
        subject: words(&header("Subject").unwrap_or_default()),
        text: plain(header("Content-Type").unwrap_or_default().as_str(), body),
        headers: json!({"from": header("From"), "listUnsubscribe": header("List-Unsubscribe")}),
        raw: mail.to_owned(),
        at: now_ms(),
        back: None,
        pressed: Vec::new(),
    }
}

/// The first part of a mail in plain text.
fn plain(content_type: &str, body: &str) -> String {
    let boundary = content_type.split_once("boundary=").map(|(_, b)| b);
    let boundary = boundary.map(|b| b.split(';').next().unwrap_or(b).trim_matches('"'));
    let part = match boundary {
        Some(boundary) => body.split(&format!("--{boundary}")).nth(1).unwrap_or(""),
        None => return body.trim().to_owned(),
    };
    let (head, text) = part
        .trim_start_matches("\r\n")
        .split_once("\r\n\r\n")
        .unwrap_or(("", part));
    let head = head.to_ascii_lowercase();
    if head.contains("base64") {
        let joined: String = text.split_whitespace().collect();
        let bytes = STANDARD.decode(joined).unwrap_or_default();
        String::from_utf8_lossy(&bytes).trim().to_owned()
    } else if head.contains("quoted-printable") {
        let joined = text.replace("=\r\n", "");
        String::from_utf8_lossy(&unquoted(&joined, '='))
            .trim()
            .to_owned()
    } else {
        text.trim().to_owned()
    }
}

/// Encoded words of a header (RFC 2047).
fn words(text: &str) -> String {
    let mut bytes: Vec<u8> = Vec::new();
    let mut after_word = false;
    for part in text.split(' ') {
        let fields: Vec<&str> = part.split('?').collect();
        if let ["=", charset, encoding, data, "="] = fields.as_slice()
            && charset.eq_ignore_ascii_case("utf-8")
        {
            if !after_word && !bytes.is_empty() {
                bytes.push(b' ');
            }
            bytes.extend(if encoding.eq_ignore_ascii_case("b") {
                STANDARD.decode(data).unwrap_or_default()
            } else {
                unquoted(&data.replace('_', " "), '=')
            });
            after_word = true;
        } else {
            if !bytes.is_empty() {
                bytes.push(b' ');
            }
            bytes.extend(part.bytes());
            after_word = false;
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

/// Bytes that are written as a sign and two hexadecimal digits.
fn unquoted(text: &str, sign: char) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once(sign) {
        bytes.extend(before.bytes());
        match after
            .get(..2)
            .and_then(|hex| u8::from_str_radix(hex, 16).ok())
        {
            Some(byte) => {
                bytes.push(byte);
                rest = &after[2..];
            }
            None => {
                bytes.push(b'=');
                rest = after;
            }
        }
    }
    bytes.extend(rest.bytes());
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mail_is_read_as_people_do() {
        let mail = "Message-ID: <k-1@farm.example>\r\nSubject: =?utf-8?b?4KSa4KWH4KSk?= =?utf-8?b?4KS+4KS1?= x\r\n\
                    Content-Type: multipart/alternative;\r\n boundary=\"bb\"\r\n\r\n--bb\r\nContent-Type: text/plain; charset=utf-8\r\n\
                    Content-Transfer-Encoding: quoted-printable\r\n\r\npH 5=2E5 =E0=A4=B9=\r\n!\r\n--bb\r\n\r\n<p>\r\n--bb--\r\n";
        let read = received("a@x.test", mail);
        assert_eq!(read.key.as_deref(), Some("k-1"));
        assert_eq!(read.subject, "चेताव x");
        assert_eq!(read.text, "pH 5.5 ह!");
    }
}
