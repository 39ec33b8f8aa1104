//! The address at a push service, which a browser gives: whoever is signed in can write any. It must be of a push service that
//! the server's settings name, and never lead into the server's own network.

use std::io;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};

use reqwest::Url;
use reqwest::dns::{Addrs, Name, Resolve, Resolving};

use super::super::config::PushConfig;

/// The longest address, in bytes.
pub(crate) const MAX_ENDPOINT_BYTES: usize = 1_024;

/// Why an address is refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum BadEndpoint {
    /// It is none of the web, without TLS, or too long.
    Invalid,
    /// It is of no push service that the settings name.
    Unknown,
}

impl PushConfig {
    /// Reads an address, if messages may go there.
    pub(crate) fn endpoint(&self, text: &str) -> Result<Url, BadEndpoint> {
        if text.len() > MAX_ENDPOINT_BYTES {
            return Err(BadEndpoint::Invalid);
        }
        let url = Url::parse(text).map_err(|_| BadEndpoint::Invalid)?;
        let is_plain =
            url.username().is_empty() && url.password().is_none() && url.fragment().is_none();
        let host = { url.host_str() }.filter(|_| is_plain);
        let host = host.ok_or(BadEndpoint::Invalid)?;
        let is_loopback = ip(host).is_some_and(|ip| ip.is_loopback());
        if url.scheme() == "http" && self.loopback && is_loopback {
            return Ok(url);
        }
        if url.scheme() != "https" || url.port().is_some() {
            return Err(BadEndpoint::Invalid);
        }
        let is_known = self.services.iter().any(|s| is_of(host, s));
        is_known.then_some(url).ok_or(BadEndpoint::Unknown)
    }
}

/// The address that a host is, where it is no name.
fn ip(host: &str) -> Option<IpAddr> {
    host.trim_matches(['[', ']']).parse().ok()
}

/// Whether a host is one that a setting names: a name, or `*.` and the name above.
fn is_of(host: &str, service: &str) -> bool {
    match service.strip_prefix("*.") {
        Some(above) => host
            .strip_suffix(above)
            .is_some_and(|below| below.len() > 1 && below.ends_with('.')),
        None => host == service,
    }
}

/// Whether a name of the settings can be that of a push service.
pub(super) fn is_service(text: &str) -> bool {
    let name = text.strip_prefix("*.").unwrap_or(text);
    let plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-' || c == '.';
    let read = Url::parse(&format!("https://{name}/"));
    let is_host = read.is_ok_and(|url| url.host_str() == Some(name));
    is_host && name.contains('.') && name.chars().all(plain) && ip(name).is_none()
}

/// Finds addresses by name, those of the public network alone: what a name stands for may be changed by whose it is.
pub(super) struct PublicNames;

impl Resolve for PublicNames {
    fn resolve(&self, name: Name) -> Resolving {
        Box::pin(async move {
            let found = tokio::net::lookup_host((name.as_str(), 0)).await?;
            let public: Vec<SocketAddr> = found.filter(|a| is_public(a.ip())).collect();
            if public.is_empty() {
                let no = io::Error::other("no address in the public network");
                return Err(no.into());
            }
            Ok(Box::new(public.into_iter()) as Addrs)
        })
    }
}

/// Whether an address is one of the public network, in which no server of a farm's own network is.
fn is_public(ip: IpAddr) -> bool {
    match ip.to_canonical() {
        IpAddr::V4(ip) => is_public_v4(ip),
        // 2000::/3 without Teredo, what documents use, and 6to4, which leads to any IPv4
        IpAddr::V6(ip) => {
            let [first, second, ..] = ip.segments();
            first & 0xe000 == 0x2000
                && !(first == 0x2001 && (second < 0x0200 || second == 0x0db8))
                && first != 0x2002
                && first != 0x3fff
        }
    }
}

fn is_public_v4(ip: Ipv4Addr) -> bool {
    let [a, b, c, _] = ip.octets();
    let is_special = matches!(
        (a, b, c),
        (0 | 10 | 127 | 224..=255, ..)
            | (100, 64..=127, _)
            | (169, 254, _)
            | (172, 16..=31, _)
            | (192, 168, _)
            | (192, 0, 0 | 2)
            | (198, 18 | 19, _)
            | (198, 51, 100)
            | (203, 0, 113)
    );
    !is_special
}

#[cfg(test)]
mod tests {
    use super::*;

    fn config(loopback: bool) -> PushConfig {
        PushConfig {
            contact: "mailto:a@farm.example".into(),
            services: vec!["fcm.googleapis.com".into(), "*.push.apple.com".into()],
            loopback,
        }
    }

    #[test]
    fn an_address_is_of_a_push_service_that_is_named() {
        let taken = [
            "https://fcm.googleapis.com/fcm/send/a:b",
            "https://web.push.apple.com/x",
        ];
        for text in taken {
            assert!(config(false).endpoint(text).is_ok(), "{text}");
        }
        for text in [
            "https://push.apple.com/x",
            "https://evilpush.apple.com.example/x",
            "https://xfcm.googleapis.com/x",
            "https://fcm.googleapis.com.example/x",
            "https://example/x",
            "https://127.0.0.1/x",
            "https://10.0.0.1/x",
            "https://[::1]/x",
            "https://[::ffff:169.254.169.254]/x",
            "https://2130706433/x",
            "https://localhost/x",
        ] {
            let unknown = Err(BadEndpoint::Unknown);
            assert_eq!(config(true).endpoint(text), unknown, "{text}");
        }
        let long = format!("https://fcm.googleapis.com/{}", "a".repeat(1_024));
        for text in [
            "",
            "fcm.googleapis.com/x",
            "http://fcm.googleapis.com/x",
            "ftp://fcm.googleapis.com/x",
            "file:///etc/passwd",
            "https://fcm.googleapis.com:8080/x",
            "https://a@fcm.googleapis.com/x",
            "https://:b@fcm.googleapis.com/x",
            "https://fcm.googleapis.com/x#y",
            "http://127.0.0.1:80/x",
            &long,
        ] {
            let invalid = Err(BadEndpoint::Invalid);
            assert_eq!(config(false).endpoint(text), invalid, "{text}");
        }
        assert!(
            config(true)
                .endpoint("http://127.0.0.1:8025/push/1")
                .is_ok()
        );
        assert!(config(true).endpoint("http://[::1]:8025/push/1").is_ok());
        assert!(config(true).endpoint("http://192.168.1.2/push/1").is_err());
        assert!(config(true).endpoint("http://localhost/push/1").is_err());
    }

    #[test]
    fn a_name_that_stands_for_a_private_address_leads_nowhere() {
        for ip in [
            "8.8.8.8",
            "172.32.0.1",
            "100.128.0.1",
            "2a00:1450::1",
            "2607:f8b0::1",
        ] {
            assert!(is_public(ip.parse().expect(ip)), "{ip}");
        }
        for ip in [
            "0.0.0.0",
            "10.1.2.3",
            "127.0.0.1",
            "100.64.0.1",
            "169.254.169.254",
            "172.16.0.1",
            "172.31.255.255",
            "192.168.0.1",
            "198.18.0.1",
            "224.0.0.1",
            "255.255.255.255",
            "::",
            "::1",
            "::ffff:10.0.0.1",
            "fe80::1",
            "fc00::1",
            "ff02::1",
            "64:ff9b::a00:1",
            "2002:a00:1::",
            "2001::1",
            "2001:db8::1",
        ] {
            assert!(!is_public(ip.parse().expect(ip)), "{ip}");
        }
    }

    #[tokio::test]
    async fn names_are_found_in_the_public_network_alone() {
        let name = "localhost".parse().expect("a name");
        let Err(refused) = PublicNames.resolve(name).await else {
            panic!("localhost is no public name");
        };
        assert!(refused.to_string().contains("public network"), "{refused}");
    }

    #[test]
    fn a_service_is_a_name() {
        for name in ["fcm.googleapis.com", "*.push.apple.com"] {
            assert!(is_service(name), "{name}");
        }
        for name in [
            "",
            "*",
            "*.",
            "com",
            "https://a.example",
            "a.example/x",
            "10.0.0.1",
            "A.example",
        ] {
            assert!(!is_service(name), "{name}");
        }
    }
}
