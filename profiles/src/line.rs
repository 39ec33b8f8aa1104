//! `InfluxDB`'s line protocol: `measurement,tag=value field=1.5,other="text" time`, a line each.

use std::collections::BTreeMap;

use crate::node::Node;
use crate::{MAX_NODES, Unread};

/// Reads lines into a list of `{measurement, tags, fields, time}`.
pub(crate) fn read(payload: &[u8]) -> Result<Node, Unread> {
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

fn read_line(line: &str) -> Option<Node> {
    let (head, rest) = split(line, ' ')?;
    let (fields, time) = match split(rest.trim_start(), ' ') {
        Some((fields, time)) => (fields, time.trim()),
        None => (rest.trim_start(), ""),
    };
    let (measurement, tags) = split(head, ',').unwrap_or((head, ""));
    let mut all = BTreeMap::from([
        ("measurement".to_owned(), Node::Text(plain(measurement))),
        (
            "tags".to_owned(),
            pairs(tags, |text| Some(Node::Text(plain(text))))?,
        ),
        ("fields".to_owned(), pairs(fields, field)?),
    ]);
    if !time.is_empty() {
        time.parse::<i64>().ok()?;
        all.insert("time".to_owned(), Node::Number(time.to_owned()));
    }
    Some(Node::Map(all))
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

fn pairs(text: &str, value: impl Fn(&str) -> Option<Node>) -> Option<Node> {
    let mut all = BTreeMap::new();
    let mut rest = (!text.is_empty()).then_some(text);
    while let Some(here) = rest {
        let (pair, next) = match split(here, ',') {
            Some((pair, next)) => (pair, Some(next)),
            None => (here, None),
        };
        let (key, text) = split(pair, '=')?;
        all.insert(plain(key), value(text)?);
        rest = next;
    }
    Some(Node::Map(all))
}

/// A field: text in quotes, true or false, a float, or an integer with `i` or `u` after it.
fn field(text: &str) -> Option<Node> {
    if let Some(inner) = text.strip_prefix('"') {
        return Some(Node::Text(inner.strip_suffix('"')?.replace("\\\"", "\"")));
    }
    Some(match text {
        "t" | "T" | "true" | "True" | "TRUE" => Node::Bool(true),
        "f" | "F" | "false" | "False" | "FALSE" => Node::Bool(false),
        "" => return None,
        number => Node::Number(number.trim_end_matches(['i', 'u']).to_owned()),
    })
}

/// A name without its escapes.
fn plain(text: &str) -> String {
    text.replace("\\ ", " ")
        .replace("\\,", ",")
        .replace("\\=", "=")
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
