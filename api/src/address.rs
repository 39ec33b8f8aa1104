//! Where a request comes from: the peer of its connection, or what a trusted proxy in front says of it.

use std::net::IpAddr;
use std::net::Ipv6Addr;

use axum::http::header::FORWARDED;
use axum::http::{HeaderMap, HeaderName};
use ipnet::IpNet;

const X_FORWARDED_FOR: HeaderName = HeaderName::from_static("x-forwarded-for");
/// The bits of an IPv6 address that tell customers of a provider apart: each has at least a /64 to himself.
const IPV6_PREFIX: u32 = 64;

/// The networks whose proxies are believed.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TrustedProxies(Vec<IpNet>);

impl TrustedProxies {
    /// Reads networks and single addresses: `10.0.0.0/8`, `127.0.0.1`, `fd00::/8`.
    ///
    /// # Errors
    /// The first text that is neither.
    pub fn parse<S: AsRef<str>>(texts: &[S]) -> Result<Self, String> {
        let read = |text: &S| {
            let text = text.as_ref().trim();
            let single = || text.parse::<IpAddr>().map(IpNet::from);
            text.parse::<IpNet>()
                .or_else(|_| single())
                .map_err(|_| text.to_owned())
        };
        texts.iter().map(read).collect::<Result<_, _>>().map(Self)
    }

    /// Whether that address is a trusted proxy's.
    pub(crate) fn contains(&self, address: IpAddr) -> bool {
        let address = address.to_canonical();
        self.0.iter().any(|network| network.contains(&address))
    }

    /// From where a request comes that this peer sent.
    pub(crate) fn client(&self, peer: IpAddr, headers: &HeaderMap) -> ClientAddress {
        let peer = peer.to_canonical();
        let direct = ClientAddress {
            ip: peer,
            forwarded: false,
        };
        if !self.contains(peer) {
            return direct;
        }
        let by_x = self.outermost(&list(headers, &X_FORWARDED_FOR), bare);
        let by_rfc = self.outermost(&list(headers, &FORWARDED), forwarded_for);
        let said = match (by_x, by_rfc) {
            (Chain::Absent, Chain::Absent) => return direct,
            (Chain::From(ip), Chain::Absent) | (Chain::Absent, Chain::From(ip)) => Some(ip),
            (Chain::From(a), Chain::From(b)) if a == b => Some(a),
            // A client may have sent the one that the proxy does not write: neither is believed.
            _ => None,
        };
        ClientAddress {
            ip: said.unwrap_or(peer),
            forwarded: true,
        }
    }

    /// The last address of the list that is no trusted proxy: whatever stands before it, its sender may have made up.
    fn outermost(&self, list: &[&str], read: impl Fn(&str) -> Option<IpAddr>) -> Chain {
        let mut last = Chain::Absent;
        for entry in list.iter().rev() {
            let Some(ip) = read(entry) else {
                return Chain::Unreadable;
            };
            last = Chain::From(ip);
            if !self.contains(ip) {
                break;
            }
        }
        last
    }
}

/// What a header says of a request's way.
enum Chain {
    Absent,
    Unreadable,
    From(IpAddr),
}

/// The entries of a header that is a list, in order, over all its lines.
fn list<'a>(headers: &'a HeaderMap, name: &HeaderName) -> Vec<&'a str> {
    let lines = headers.get_all(name).iter();
    // a line that is no text is an entry that nobody can read
    lines
        .flat_map(|line| line.to_str().unwrap_or("?").split(','))
        .map(str::trim)
        .collect()
}

/// `192.0.2.1`, `192.0.2.1:443`, `2001:db8::1` or `[2001:db8::1]:443`.
fn bare(text: &str) -> Option<IpAddr> {
    let inner = |text: &str| text.strip_prefix('[')?.split_once(']')?.0.parse().ok();
    let without_port = |text: &str| text.rsplit_once(':')?.0.parse::<std::net::Ipv4Addr>().ok();
    let ip: Option<IpAddr> = text
        .parse()
        .ok()
        .or_else(|| inner(text))
        .or_else(|| without_port(text).map(IpAddr::V4));
    ip.map(|ip| ip.to_canonical())
}

/// The `for` of an entry of `Forwarded`: `for=192.0.2.1;proto=https`, `for="[2001:db8::1]:443"`.
fn forwarded_for(entry: &str) -> Option<IpAddr> {
    let mut pairs = entry.split(';').filter_map(|pair| pair.split_once('='));
    let (_, node) = pairs.find(|(name, _)| name.trim().eq_ignore_ascii_case("for"))?;
    bare(node.trim().trim_matches('"'))
}

/// From where a request comes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct ClientAddress {
    pub(crate) ip: IpAddr,
    /// Whether a proxy sent it on.
    pub(crate) forwarded: bool,
}

/// What counts as one address where something is limited by address: an IPv4 address, or a /64 of IPv6.
pub(crate) fn limited(ip: IpAddr) -> IpAddr {
    match ip.to_canonical() {
        IpAddr::V4(v4) => IpAddr::V4(v4),
        IpAddr::V6(v6) => {
            let mask = u128::MAX << (u128::BITS - IPV6_PREFIX);
            IpAddr::V6(Ipv6Addr::from_bits(v6.to_bits() & mask))
        }
    }
}

/// The same for an address as text; what is none stands for itself.
pub(crate) fn limited_text(address: &str) -> String {
    let ip = address.parse::<IpAddr>().map(limited);
    ip.map_or_else(|_| address.to_owned(), |ip| ip.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn client(trusted: &[&str], peer: &str, headers: &[(&'static str, &str)]) -> (String, bool) {
        let trusted = TrustedProxies::parse(trusted).expect("networks");
        let mut map = HeaderMap::new();
        for (name, value) in headers {
            map.append(*name, value.parse().expect("a value"));
        }
        let found = trusted.client(peer.parse().expect("an address"), &map);
        (found.ip.to_string(), found.forwarded)
    }

    #[test]
    fn only_trusted_proxies_are_believed() {
        const X: &str = "x-forwarded-for";
        let is = |ip: &str, forwarded: bool| (ip.to_owned(), forwarded);
        let proxies = &["10.0.0.0/8", "127.0.0.1", "fd00::/8"];
        // a stranger says what he likes
        let liar = client(proxies, "203.0.113.9", &[(X, "198.51.100.1")]);
        assert_eq!(liar, is("203.0.113.9", false));
        assert_eq!(
            client(&[], "127.0.0.1", &[(X, "198.51.100.1")]),
            is("127.0.0.1", false)
        );
        // the last address that no proxy of ours has
        for (value, ip) in [
            ("198.51.100.1", "198.51.100.1"),
            ("1.2.3.4, 198.51.100.1", "198.51.100.1"),
            ("1.2.3.4, 198.51.100.1, 10.1.1.1", "198.51.100.1"),
            ("10.9.9.9, 10.1.1.1", "10.9.9.9"),
            ("1.2.3.4, nonsense", "127.0.0.1"),
            ("[2001:db8::7]:4711", "2001:db8::7"),
            ("198.51.100.1:4711", "198.51.100.1"),
            ("::ffff:198.51.100.1", "198.51.100.1"),
        ] {
            assert_eq!(
                client(proxies, "127.0.0.1", &[(X, value)]),
                is(ip, true),
                "{value}"
            );
        }
        // lines of one header are one list
        let two = [(X, "1.2.3.4"), (X, "198.51.100.1")];
        assert_eq!(
            client(proxies, "::ffff:10.0.0.1", &two),
            is("198.51.100.1", true)
        );
        assert_eq!(client(proxies, "10.0.0.1", &[]), is("10.0.0.1", false));
    }

    #[test]
    fn the_standard_header_is_read_and_two_that_differ_are_not_believed() {
        let trusted = &["10.0.0.1"];
        let f = |value| ("forwarded", value);
        let is = |ip: &str| (ip.to_owned(), true);
        for (value, ip) in [
            ("for=198.51.100.1;proto=https;by=10.0.0.1", "198.51.100.1"),
            (
                "for=1.2.3.4, For=\"[2001:db8::7]:80\";proto=http",
                "2001:db8::7",
            ),
            ("for=unknown", "10.0.0.1"),
            ("proto=https", "10.0.0.1"),
        ] {
            assert_eq!(client(trusted, "10.0.0.1", &[f(value)]), is(ip), "{value}");
        }
        let differ = [f("for=1.2.3.4"), ("x-forwarded-for", "198.51.100.1")];
        assert_eq!(client(trusted, "10.0.0.1", &differ), is("10.0.0.1"));
        let same = [f("for=198.51.100.1"), ("x-forwarded-for", "198.51.100.1")];
        assert_eq!(client(trusted, "10.0.0.1", &same), is("198.51.100.1"));
    }

    #[test]
    fn ipv6_is_limited_by_its_network() {
        for (address, limited) in [
            ("2001:db8:1:2:3:4:5:6", "2001:db8:1:2::"),
            ("2001:db8:1:2::1", "2001:db8:1:2::"),
            ("2001:db8:1:3::1", "2001:db8:1:3::"),
            ("192.0.2.7", "192.0.2.7"),
            ("::ffff:192.0.2.7", "192.0.2.7"),
            ("", ""),
        ] {
            assert_eq!(limited_text(address), limited, "{address}");
        }
    }

    #[test]
    fn what_is_no_network_is_named() {
        assert_eq!(
            TrustedProxies::parse(&["10.0.0.0/8", "proxy.local"]),
            Err("proxy.local".to_owned())
        );
    }
}
