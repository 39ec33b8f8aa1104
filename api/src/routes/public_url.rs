//! The address by which people reach this server, for links that leave it.

use std::net::IpAddr;

use axum::http::header::{HOST, ORIGIN};
use axum::http::{HeaderMap, Uri};

use crate::config::ApiConfig;

/// A path of the console as a link: under the address of the setting, else under the one of the page that asks for somebody
/// who is signed in (browsers write `Origin` themselves), else under the one that the request came to, where that is near. A
/// name on the internet that neither confirms is not put into a link that goes to somebody else: the path stays as it is.
pub(super) fn link(config: &ApiConfig, headers: &HeaderMap, path: &str) -> String {
    if let Some(url) = &config.public_url {
        return format!("{}{path}", url.trim_end_matches('/'));
    }
    let origin = headers.get(ORIGIN).and_then(|h| h.to_str().ok());
    if let Some(origin) = origin.filter(|origin| is_page(origin)) {
        return format!("{origin}{path}");
    }
    let host = headers.get(HOST).and_then(|h| h.to_str().ok());
    match host.filter(|host| is_near(host)) {
        Some(host) => {
            let scheme = if config.behind_tls { "https" } else { "http" };
            format!("{scheme}://{host}{path}")
        }
        None => path.to_owned(),
    }
}

/// Whether an `Origin` is that of a page of a server: a scheme, a name and maybe a port. Others are `null`, or of an extension.
fn is_page(origin: &str) -> bool {
    let uri = origin.parse::<Uri>().ok();
    uri.is_some_and(|uri| {
        matches!(uri.scheme_str(), Some("http" | "https"))
            && uri.path_and_query().is_none_or(|rest| rest == "/")
            && !origin.ends_with('/')
            && !origin.contains('@')
    })
}

/// Whether a `Host` names this machine or one of its own network.
fn is_near(host: &str) -> bool {
    let name = match host.rsplit_once(':') {
        Some((name, port)) if port.parse::<u16>().is_ok() => name,
        Some(_) if !host.ends_with(']') => return false,
        _ => host,
    };
    let bare = name.strip_prefix('[').and_then(|n| n.strip_suffix(']'));
    match bare.unwrap_or(name).parse::<IpAddr>() {
        Ok(IpAddr::V4(ip)) => bare.is_none() && (ip.is_loopback() || ip.is_private()),
        Ok(IpAddr::V6(ip)) => bare.is_some() && (ip.is_loopback() || ip.is_unique_local()),
        Err(_) => name == "localhost",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked(config: &ApiConfig, host: &str) -> String {
        let mut headers = HeaderMap::new();
        headers.insert(HOST, host.parse().expect("a header"));
        link(config, &headers, "/invite/t")
    }

    #[test]
    fn a_link_is_under_the_address_of_the_setting() {
        let config = ApiConfig {
            public_url: Some("https://farm.example/".into()),
            ..ApiConfig::default()
        };
        assert_eq!(
            asked(&config, "evil.example"),
            "https://farm.example/invite/t"
        );
        assert_eq!(
            link(&config, &HeaderMap::new(), "/x"),
            "https://farm.example/x"
        );
    }

    #[test]
    fn else_under_that_of_the_page_which_asks() {
        let link = |origin: &str| {
            let mut headers = HeaderMap::new();
            headers.insert(HOST, "evil.example".parse().expect("a header"));
            headers.insert(ORIGIN, origin.parse().expect("a header"));
            super::link(&ApiConfig::default(), &headers, "/invite/t")
        };
        for origin in ["https://farm.example", "http://192.168.1.5:8080"] {
            assert_eq!(link(origin), format!("{origin}/invite/t"));
        }
        for origin in [
            "null",
            "chrome-extension://abc",
            "https://a@b.example",
            "https://farm.example/",
            "https://farm.example/x?y",
        ] {
            assert_eq!(link(origin), "/invite/t", "{origin}");
        }
    }

    #[test]
    fn without_one_only_a_near_host_is_believed() {
        let plain = ApiConfig::default();
        for host in [
            "localhost:8080",
            "192.168.1.5",
            "127.0.0.1:8080",
            "[::1]:8080",
            "[fd00::1]",
        ] {
            assert_eq!(asked(&plain, host), format!("http://{host}/invite/t"));
        }
        for host in [
            "evil.example",
            "8.8.8.8",
            "localhost:8080/@evil",
            "user@127.0.0.1",
            "127.0.0.1:http",
            "::1",
            "[127.0.0.1]",
            "[2001:4860:4860::8888]:80",
        ] {
            assert_eq!(asked(&plain, host), "/invite/t", "{host}");
        }
        let tls = ApiConfig {
            behind_tls: true,
            ..ApiConfig::default()
        };
        assert_eq!(asked(&tls, "10.0.0.7"), "https://10.0.0.7/invite/t");
    }
}
