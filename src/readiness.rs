//! What a running server says of itself at `/readyz`, asked over HTTP as a proxy or a person asks.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::time::Duration;

use serde::Deserialize;

/// How long an answer may take.
const PATIENCE: Duration = Duration::from_secs(10);

/// The answer of `/readyz`, 200 or 503.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub(crate) struct Readiness {
    pub(crate) ready: bool,
    /// Words for programs: `journal`, `shard`, ...
    pub(crate) problems: Vec<String>,
    /// The same for people.
    pub(crate) reasons: Vec<String>,
}

/// A server that is asked.
#[derive(Debug, Clone)]
pub(crate) struct Asked {
    client: reqwest::Client,
    url: String,
}

impl Asked {
    /// The server below `url`, such as `http://127.0.0.1:8080`.
    ///
    /// # Errors
    /// When no client can be made.
    pub(crate) fn at(url: &str) -> Result<Self, reqwest::Error> {
        Ok(Self {
            client: plain_client(PATIENCE)?,
            url: url.trim_end_matches('/').to_owned(),
        })
    }

    /// Asks whether it is ready.
    ///
    /// # Errors
    /// When there is no answer in time, or not that of a Harit server.
    pub(crate) async fn readiness(&self) -> Result<Readiness, reqwest::Error> {
        let url = format!("{}/readyz", self.url);
        self.client.get(url).send().await?.json().await
    }

    /// Its metrics as text.
    ///
    /// # Errors
    /// When there is no answer in time, or a refusal.
    pub(crate) async fn metrics(&self, token: &str) -> Result<String, reqwest::Error> {
        let mut request = self.client.get(format!("{}/metrics", self.url));
        if !token.is_empty() {
            request = request.bearer_auth(token);
        }
        request.send().await?.error_for_status()?.text().await
    }
}

/// Asks by plain HTTP, also where no certificates of authorities are installed.
///
/// # Errors
/// When no client can be made.
pub(crate) fn plain_client(patience: Duration) -> Result<reqwest::Client, reqwest::Error> {
    // fails where there is one already, which serves as well
    let _ = rustls::crypto::ring::default_provider().install_default();
    reqwest::Client::builder()
        .timeout(patience)
        .no_proxy()
        .tls_certs_only([])
        // each question goes the whole way, and none holds a stopping server
        .pool_max_idle_per_host(0)
        .build()
}

/// Where a server that listens on `address` is reached from its own machine.
pub(crate) fn own_url(address: SocketAddr) -> String {
    let ip = match address.ip() {
        IpAddr::V4(ip) if ip.is_unspecified() => Ipv4Addr::LOCALHOST.into(),
        IpAddr::V6(ip) if ip.is_unspecified() => Ipv6Addr::LOCALHOST.into(),
        ip => ip,
    };
    format!("http://{}", SocketAddr::new(ip, address.port()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_server_on_all_addresses_is_on_loopback() {
        let url = |text: &str| own_url(text.parse().unwrap());
        assert_eq!(url("0.0.0.0:80"), "http://127.0.0.1:80");
        assert_eq!(url("[::]:80"), "http://[::1]:80");
        assert_eq!(url("10.1.2.3:80"), "http://10.1.2.3:80");
    }
}
