//! `InfluxDB`'s line protocol: `measurement,tag=value field=1.5,other="text" time`, a line each.

use std::borrow::Cow;

use crate::node::{Member, Node};
use crate::{MAX_NODES, Unread};

/// Reads lines into a list of `{measurement, tags, fields, time}`.
pub(crate) fn read(payload: &[u8]) -> Result<Node<'_>, Unread> {
    let text = std::str::from_utf8(payload).map_err(|_| Unread::Malformed)?;
    let (mut lines, mut nodes) = (Vec::new(), 0);
    for line in text
        .lines()
        .map(|line| line.trim_matches(['\0', '\r', ' ']))
    {
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        let read = read_line(line).ok_or(Unread::Malformed)?;
        nodes += line.matches('=').count() + 5;
        if nodes > MAX_NODES {
            return Err(Unread::TooMany);
        }
        lines.push(read);
    }
    Ok(Node::List(lines))
}

fn read_line(line: &str) -> Option<Node<'_>> {
    let (head, rest) = split(line, ' ')?;
    let (fields, time) = match split(rest.trim_start(), ' ') {
        Some((fields, time)) => (fields, time.trim()),
        None => (rest.trim_start(), ""),
    };
    let (measurement, tags) = split(head, ',').unwrap_or((head, ""));
    let tags = pairs(tags, |text| Some(Node::Text(plain(text))))?;
    let mut all = vec![
        Member::new("fields", pairs(fields, field)?),
        Member::new("measurement", Node::Text(plain(measurement))),
        Member::new("tags", tags),
    ];
    if !time.is_empty() {
        time.parse::<i64>().ok()?;
        all.push(Member::new("time", Node::Number(time.into())));
    }
    Some(Node::Map(all.into()))
}

/// Splits at the first such character that is neither escaped nor within quotes.
fn split(text: &str, at: char) -> Option<(&str, &str)> {
    let (mut quoted, mut escaped) = (false, false);
    for (n, c) in text.char_indices() {
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            '"' => quoted = !quoted,
            c if c == at && !quoted => return Some((&text[..n], &text[n + c.len_utf8()..])),
            _ => {}
        }
    }
    None
}

fn pairs<'p>(text: &'p str, value: impl Fn(&'p str) -> Option<Node<'p>>) -> Option<Node<'p>> {
    let mut all = Vec::new();
    let mut rest = (!text.is_empty()).then_some(text);
    while let Some(here) = rest {
        let (pair, next) = match split(here, ',') {
            Some((pair, next)) => (pair, Some(next)),
            None => (here, None),
        };
        let (key, text) = split(pair, '=')?;
        all.push(Member::new(plain(key), value(text)?));
        rest = next;
    }
    Some(Node::Map(all.into()))
}

/// A field: text in quotes, true or false, a float, or an integer with `i` or `u` after it.
fn field(text: &str) -> Option<Node<'_>> {
    if let Some(inner) = text.strip_prefix('"') {
        let inner = inner.strip_suffix('"')?;
        return Some(Node::Text(inner.replace("\\\"", "\"").into()));
    }
    Some(match text {
        "t" | "T" | "true" | "True" | "TRUE" => Node::Bool(true),
        "f" | "F" | "false" | "False" | "FALSE" => Node::Bool(false),
        "" => return None,
        number => Node::Number(number.trim_end_matches(['i', 'u']).into()),
    })
}

/// A name without its escapes.
fn plain(text: &str) -> Cow<'_, str> {
    if !text.contains('\\') {
        return text.into();
    }
    let text = text
        .replace("\\ ", " ")
        .replace("\\,", ",")
        .replace("\\=", "=");
    text.into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_read() {
        let lines = b"# one\nclimate,house=east\\ 1,bed=2 temperature=27.4,n=3i,ok=t,note=\"a, b=c\" 1700000000000000000\nair x=1\n";
        let expected = br#"[{"measurement":"climate","tags":{"house":"east 1","bed":"2"},
            "fields":{"temperature":27.4,"n":3,"ok":true,"note":"a, b=c"},"time":1700000000000000000},
            {"measurement":"air","tags":{},"fields":{"x":1}}]"#;
        assert_eq!(read(lines), Node::json(expected));
        for wrong in [
            "climate",
            "climate temperature",
            "climate t= 1",
            "climate t=1 now",
            "climate t=\"x",
        ] {
            assert_eq!(read(wrong.as_bytes()), Err(Unread::Malformed), "{wrong}");
        }
        let many = "a b=1\n".repeat(MAX_NODES);
        assert_eq!(read(many.as_bytes()), Err(Unread::TooMany));
    }
}
