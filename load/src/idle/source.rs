//! Which address an idle controller connects from.
//!
//! One address has about 28,000 ports to connect from, and a connection that this side closed keeps its port for a minute.
//! On loopback every address of 127.0.0.0/8 is this machine's.

use std::net::{Ipv4Addr, SocketAddr};

/// Ports for which the system's own choice of an address does.
const FEW: usize = 10_000;
/// Ports of one address that are in use at most otherwise, so that a free one is found at once, also where an earlier run's
/// are not free yet: with 10,000 the system searched for longer than all else took.
const PORTS: usize = 1_000;
/// How long a closed connection keeps its port, in seconds.
const CLOSED: usize = 60;

/// The addresses that are connected from; none where the system chooses.
#[derive(Debug, Clone, Copy)]
pub(super) struct Sources(Option<usize>);

impl Sources {
    pub(super) fn new(server: &[SocketAddr], connections: usize, reconnects: u32) -> Self {
        let loopback = server
            .iter()
            .find(|address| address.is_ipv4())
            .is_some_and(|address| address.ip().is_loopback());
        let ports = connections + CLOSED * reconnects as usize;
        Self((loopback && ports > FEW).then(|| ports.div_ceil(PORTS)))
    }

    /// The address of the `n`th connection, from 127.0.1.1 on.
    pub(super) fn of(self, n: usize) -> Option<Ipv4Addr> {
        let place = u32::try_from(n % self.0?).ok()?;
        // 250 of each 256, so that none ends in 0 or 255.
        Some(Ipv4Addr::from_bits(
            Ipv4Addr::new(127, 0, 1, 1).to_bits() + place / 250 * 256 + place % 250,
        ))
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    #[test]
    fn many_connections_are_spread_over_addresses_of_this_machine() {
        let here: [SocketAddr; 2] = [
            "[::1]:1883".parse().unwrap(),
            "127.0.0.1:1883".parse().unwrap(),
        ];
        let sources = Sources::new(&here, 50_000, 500);
        let mut of_each = BTreeMap::new();
        for n in 0..50_000 {
            *of_each.entry(sources.of(n).unwrap()).or_insert(0) += 1;
        }
        assert_eq!(of_each.len(), 80, "{of_each:?}");
        assert!(of_each.keys().all(Ipv4Addr::is_loopback));
        assert!(of_each.values().all(|n| *n == 625));
        let all = Sources::new(&here, 1_000_000, 100_000);
        assert_eq!(all.of(250).unwrap(), Ipv4Addr::new(127, 0, 2, 1));
        assert_eq!(all.of(6_999).unwrap(), Ipv4Addr::new(127, 0, 28, 250));
        assert_eq!(all.of(7_000), all.of(0));
    }

    #[test]
    fn few_connections_and_those_to_elsewhere_come_from_where_the_system_says() {
        let here = ["127.0.0.1:1883".parse().unwrap()];
        let elsewhere = ["192.0.2.1:1883".parse().unwrap()];
        assert_eq!(Sources::new(&here, 50, 20).of(0), None);
        assert_eq!(Sources::new(&elsewhere, 50_000, 500).of(0), None);
    }
}
