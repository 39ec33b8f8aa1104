//! A scope as one word of a packed document.

use crate::document::scope::{ScopeKind, ScopeSpec};
use crate::interner::Interner;
use crate::packed::Unpacker;

/// A scope is one word, the same for all that lies there: its kind, then each text with its length before it, `-` for none
/// and `=` for the farm's own id.
pub(super) fn packed_scope(scope: &ScopeSpec, words: &Interner) -> String {
    let mut all = String::from(match scope.kind {
        ScopeKind::Farm => "f",
        ScopeKind::Polyhouse => "p",
        ScopeKind::Zone => "z",
    });
    let mut add = |text: Option<&str>| match text {
        None => all.push('-'),
        Some(text) => {
            all.push_str(&text.len().to_string());
            all.push(':');
            all.push_str(text);
        }
    };
    add(scope.polyhouse_id.as_ref().map(|id| id.as_str()));
    add(scope.zone_id.as_ref().map(|id| id.as_str()));
    add(scope.name.as_deref());
    add(scope.path.as_deref());
    match &scope.farm_id {
        Some(id) if id == words.farm() => all.push('='),
        other => add(other.as_ref().map(|id| id.as_str())),
    }
    all
}

pub(super) fn unpack_scope(u: &mut Unpacker<'_>) -> ScopeSpec {
    let farm = u.words().farm().clone();
    let (kind, mut rest) = u.word().split_at_checked(1).unwrap_or_default();
    ScopeSpec {
        kind: match kind {
            "z" => ScopeKind::Zone,
            "p" => ScopeKind::Polyhouse,
            _ => ScopeKind::Farm,
        },
        polyhouse_id: next_text(&mut rest).map(Into::into),
        zone_id: next_text(&mut rest).map(Into::into),
        name: next_text(&mut rest).map(str::to_owned),
        path: next_text(&mut rest).map(str::to_owned),
        farm_id: if rest == "=" {
            Some(farm)
        } else {
            next_text(&mut rest).map(Into::into)
        },
    }
}

fn next_text<'a>(rest: &mut &'a str) -> Option<&'a str> {
    if let Some(after) = rest.strip_prefix('-') {
        *rest = after;
        return None;
    }
    let (length, after) = rest.split_once(':')?;
    let (text, after) = after.split_at_checked(length.parse().ok()?)?;
    *rest = after;
    Some(text)
}
