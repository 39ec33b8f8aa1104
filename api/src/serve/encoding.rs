//! Which compressed forms of a file a caller takes.

use axum::http::HeaderMap;
use axum::http::header::ACCEPT_ENCODING;

/// A form in which the build left the console's files beside the files themselves.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Encoding {
    Brotli,
    Gzip,
}

impl Encoding {
    /// As `Content-Encoding` says it.
    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Brotli => "br",
            Self::Gzip => "gzip",
        }
    }

    /// What follows the file's name.
    pub(super) const fn suffix(self) -> &'static str {
        match self {
            Self::Brotli => ".br",
            Self::Gzip => ".gz",
        }
    }
}

/// The forms that the caller takes, the one that he would rather have first; of two that are as good to him, the shorter one.
/// What he does not name he is not given.
pub(super) fn accepted(headers: &HeaderMap) -> Vec<Encoding> {
    let mut wanted = [Encoding::Brotli, Encoding::Gzip].map(|encoding| (0, encoding));
    let lines = headers.get_all(ACCEPT_ENCODING);
    let items = lines.iter().filter_map(|line| line.to_str().ok());
    for item in items.flat_map(|line| line.split(',')) {
        let mut parts = item.split(';').map(str::trim);
        let name = parts.next().unwrap_or("");
        let weight = parts.find_map(weight).unwrap_or(1_000);
        for (wish, encoding) in &mut wanted {
            if name.eq_ignore_ascii_case(encoding.name()) {
                *wish = weight;
            }
        }
    }
    // stable: brotli stays first among equals
    wanted.sort_by_key(|(wish, _)| std::cmp::Reverse(*wish));
    wanted
        .into_iter()
        .filter_map(|(wish, encoding)| (wish > 0).then_some(encoding))
        .collect()
}

/// A weight (`q=0.5`) in thousandths; one that cannot be read is no wish.
fn weight(part: &str) -> Option<u32> {
    let text = part
        .strip_prefix("q=")
        .or_else(|| part.strip_prefix("Q="))?;
    let (whole, rest) = text.split_once('.').unwrap_or((text, ""));
    let digits = |text: &str| text.bytes().all(|b| b.is_ascii_digit());
    let parsed = match whole {
        "0" | "1" if rest.len() <= 3 && digits(rest) => {
            let thousandths = format!("{rest:0<3}").parse::<u32>().unwrap_or(0);
            if whole == "1" { 1_000 } else { thousandths }
        }
        _ => 0,
    };
    Some(parsed)
}

#[cfg(test)]
mod tests {
    use axum::http::HeaderValue;

    use super::*;

    fn of(lines: &[&str]) -> Vec<&'static str> {
        let mut headers = HeaderMap::new();
        for line in lines {
            let value = HeaderValue::from_str(line).expect("a header");
            headers.append(ACCEPT_ENCODING, value);
        }
        accepted(&headers).into_iter().map(Encoding::name).collect()
    }

    #[test]
    fn the_shortest_form_that_the_caller_takes() {
        assert_eq!(of(&["gzip, deflate, br, zstd"]), ["br", "gzip"]);
        assert_eq!(of(&["gzip", "BR"]), ["br", "gzip"]);
        assert_eq!(of(&["gzip;q=1.0, br;q=0.5"]), ["gzip", "br"]);
        assert_eq!(of(&["gzip; q=0.8 , br; q=0.801"]), ["br", "gzip"]);
    }

    #[test]
    fn nothing_that_he_does_not_take() {
        for nothing in [
            "",
            "identity",
            "*",
            "deflate",
            "brotli",
            "gzip;q=0, br;q=0.000",
        ] {
            assert!(of(&[nothing]).is_empty(), "{nothing}");
        }
        assert!(of(&[]).is_empty());
        assert_eq!(of(&["br;q=0, gzip"]), ["gzip"]);
        // what cannot be read is no wish
        for broken in ["br;q=2", "br;q=x", "br;q=0.1234", "br;q=-1", "br;q="] {
            assert!(of(&[broken]).is_empty(), "{broken}");
        }
    }
}
