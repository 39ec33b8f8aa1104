//! Patterns: of topics with captures, of words with `*`, and of places in a payload.

use crate::document::{Fault, fault};
use crate::{MAX_LIST, MAX_TEXT_BYTES};

/// Whether a word matches a pattern in which `*` stands for anything. Case does not matter. A word that is longer than any id can be
/// matches nothing.
pub(crate) fn glob(pattern: &str, word: &str) -> bool {
    if word.len() > MAX_TEXT_BYTES {
        return false;
    }
    let (pattern, word) = (pattern.as_bytes(), word.as_bytes());
    let (mut p, mut w, mut star) = (0, 0, None);
    while let Some(b) = word.get(w) {
        match pattern.get(p) {
            Some(b'*') => {
                star = Some((p, w));
                p += 1;
            }
            Some(c) if c.eq_ignore_ascii_case(b) => (p, w) = (p + 1, w + 1),
            _ => match star {
                // The star takes one more.
                Some((at, from)) => {
                    (p, w) = (at + 1, from + 1);
                    star = Some((at, from + 1));
                }
                None => return false,
            },
        }
    }
    pattern
        .get(p..)
        .is_none_or(|rest| rest.iter().all(|b| *b == b'*'))
}

/// What a capture took of a topic, with its name.
pub(crate) type Captures<'t> = Vec<(&'t str, &'t str)>;

/// A topic with captures: `{name}` takes a level or a part of one, `{name...}` one level or several.
#[derive(Debug, Clone)]
pub(crate) struct TopicPattern(Vec<Level>);

#[derive(Debug, Clone)]
enum Level {
    Word(String),
    /// What stands before the capture, its name, what stands after it.
    Capture(String, String, String),
    Several(String),
}

impl TopicPattern {
    pub(crate) fn parse(text: &str) -> Result<Self, Fault> {
        if text.is_empty() || text.len() > MAX_TEXT_BYTES {
            return fault(format!("a topic has 1 to {MAX_TEXT_BYTES} bytes"));
        }
        if text.starts_with("harit/") || text.starts_with('$') {
            return fault(format!("{text:?} is not a topic of other devices"));
        }
        let mut levels = Vec::new();
        for level in text.split('/') {
            if level.contains(['+', '#']) {
                return fault(format!(
                    "{level:?}: write {{name}} for + and {{name...}} for #"
                ));
            }
            levels.push(match level.split_once('{') {
                None => Level::Word(level.to_owned()),
                Some((before, rest)) => {
                    let Some((name, after)) = rest.split_once('}') else {
                        return fault(format!("{level:?} has no closing brace"));
                    };
                    if after.contains('{') || name.is_empty() {
                        return fault(format!("{level:?}: a level has one capture with a name"));
                    }
                    match name.strip_suffix("...") {
                        Some(name) if before.is_empty() && after.is_empty() => {
                            Level::Several(name.to_owned())
                        }
                        Some(_) => return fault(format!("{level:?}: several levels stand alone")),
                        None => Level::Capture(before.into(), name.into(), after.into()),
                    }
                }
            });
        }
        let several = levels.iter().filter(|l| matches!(l, Level::Several(_)));
        if several.count() > 1 || levels.len() > MAX_LIST {
            return fault(format!(
                "at most one {{name...}} and {MAX_LIST} levels in a topic"
            ));
        }
        Ok(Self(levels))
    }

    /// The topics that a template can become: a capture without dots may stand for several levels there.
    pub(crate) fn topics_of(text: &str) -> Result<Self, Fault> {
        let mut pattern = Self::parse(text)?;
        for level in &mut pattern.0 {
            if let Level::Capture(before, name, after) = level
                && before.is_empty()
                && after.is_empty()
            {
                *level = Level::Several(std::mem::take(name));
            }
        }
        Ok(pattern)
    }

    /// What the captures take of a topic; none where it does not match.
    pub(crate) fn captures<'t>(&'t self, topic: &'t str) -> Option<Captures<'t>> {
        // Most patterns are of other systems.
        if let Some(Level::Word(first)) = self.0.first()
            && !topic.starts_with(first.as_str())
        {
            return None;
        }
        let several = self.0.iter().position(|l| matches!(l, Level::Several(_)));
        let count = topic.split('/').count();
        // How many levels the one that takes several has to take.
        let takes = match several {
            None if count != self.0.len() => return None,
            None => 0,
            Some(_) => (count + 1).checked_sub(self.0.len()).filter(|n| *n > 0)?,
        };
        let mut captures = Captures::new();
        let mut rest = Some(topic);
        for level in &self.0 {
            let here = rest?;
            let levels = if matches!(level, Level::Several(_)) {
                takes
            } else {
                1
            };
            let end = here.match_indices('/').nth(levels - 1).map(|(at, _)| at);
            let word = &here[..end.unwrap_or(here.len())];
            rest = end.map(|at| &here[at + 1..]);
            match level {
                Level::Word(known) if known == word => {}
                Level::Word(_) => return None,
                Level::Several(name) => captures.push((name, word)),
                Level::Capture(before, name, after) => {
                    let inner = word.strip_prefix(before.as_str())?;
                    let inner = inner.strip_suffix(after.as_str())?;
                    if inner.is_empty() {
                        return None;
                    }
                    captures.push((name, inner));
                }
            }
        }
        rest.is_none().then_some(captures)
    }

    /// Whether a subscription's filter takes in any topic that matches. Its first level is a word: nobody asks for everything.
    pub(crate) fn meets(&self, filter: &str) -> bool {
        let levels: Vec<&str> = filter.split('/').collect();
        let first = levels.first().copied().unwrap_or_default();
        !matches!(first, "+" | "#" | "" | "harit")
            && !first.starts_with('$')
            && meets(&self.0, &levels)
    }

    /// The names of the captures.
    pub(crate) fn names(&self) -> impl Iterator<Item = &str> {
        self.0.iter().filter_map(|level| match level {
            Level::Word(_) => None,
            Level::Capture(_, name, _) | Level::Several(name) => Some(name.as_str()),
        })
    }
}

fn meets(pattern: &[Level], filter: &[&str]) -> bool {
    match (pattern.split_first(), filter.split_first()) {
        (_, Some((&"#", _))) => true,
        (None, None) => true,
        (None, Some(_)) | (Some(_), None) => false,
        (Some((level, rest)), Some((word, others))) => match level {
            // It takes this level, and perhaps the next.
            Level::Several(_) => meets(rest, others) || meets(pattern, others),
            Level::Word(known) => (*word == "+" || known == word) && meets(rest, others),
            Level::Capture(before, _, after) => {
                let fits = *word == "+"
                    || word.len() > before.len() + after.len()
                        && word.starts_with(before.as_str())
                        && word.ends_with(after.as_str());
                fits && meets(rest, others)
            }
        },
    }
}

/// A place in a payload: keys, one perhaps with `*`; from the payload's root (`/a/b`) or from where one is (`a/b`).
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Pointer {
    pub(crate) from_root: bool,
    pub(crate) keys: Vec<Key>,
    /// Which key has a `*`.
    star: Option<usize>,
}

/// A key of a place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Key {
    pub(crate) text: String,
    pub(crate) sketch: Sketch,
}

/// What keys that differ in case alone have in common: their length, and three of their bytes. Most others differ in it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Sketch(u32);

impl Sketch {
    pub(crate) fn of(key: &str) -> Self {
        let bytes = key.as_bytes();
        let byte = |at: usize| bytes.get(at).map_or(0, |b| b | 0x20);
        #[allow(clippy::cast_possible_truncation, reason = "long keys may be alike")]
        let length = bytes.len() as u8;
        let last = bytes.len().saturating_sub(1);
        Self(u32::from_le_bytes([
            length,
            byte(0),
            byte(last / 2),
            byte(last),
        ]))
    }

    /// The bit that stands for it among those of other keys.
    pub(crate) const fn bit(self) -> u64 {
        // Multiplied by the golden ratio, so that all of it matters.
        1 << (self.0.wrapping_mul(0x9e37_79b9) >> 26)
    }
}

impl Key {
    pub(crate) fn new(text: String) -> Self {
        Self {
            sketch: Sketch::of(&text),
            text,
        }
    }
}

impl Pointer {
    /// Where one is.
    pub(crate) const HERE: Self = Self::empty(false);
    /// The payload itself.
    pub(crate) const ROOT: Self = Self::empty(true);

    const fn empty(from_root: bool) -> Self {
        Self {
            from_root,
            keys: Vec::new(),
            star: None,
        }
    }

    pub(crate) fn parse(text: &str) -> Result<Self, Fault> {
        if text.len() > MAX_TEXT_BYTES {
            return fault(format!("a place has at most {MAX_TEXT_BYTES} bytes"));
        }
        let (from_root, rest) = match text.strip_prefix('/') {
            Some(rest) => (true, rest),
            None => (false, text),
        };
        let keys: Vec<_> = match rest {
            "" => Vec::new(),
            rest => (rest.split('/'))
                .map(|key| Key::new(key.replace("~1", "/").replace("~0", "~")))
                .collect(),
        };
        let has_star = |key: &Key| key.text.contains('*');
        let stars = keys.iter().filter(|key| has_star(key)).count();
        if stars > 1 {
            return fault(format!("{text:?} has {stars} keys with *; one is possible"));
        }
        let star = keys.iter().position(has_star);
        Ok(Self {
            from_root,
            keys,
            star,
        })
    }

    /// The bit of the key without which nothing is there; none where no such key is known.
    pub(crate) fn bit(&self) -> Option<u64> {
        let first = self
            .keys
            .first()
            .filter(|_| !self.from_root && self.star != Some(0));
        first.map(|key| key.sketch.bit())
    }

    /// The key with a `*`, and those before and after it.
    pub(crate) fn around_star(&self) -> Option<(&[Key], &Key, &[Key])> {
        let (before, rest) = self.keys.split_at(self.star?);
        let (star, after) = rest.split_first()?;
        Some((before, star, after))
    }

    /// Its keys, with what `*` took.
    pub(crate) fn words<'a>(&'a self, taken: Option<&'a str>) -> impl Iterator<Item = &'a str> {
        let word = move |(n, key): (usize, &'a Key)| {
            let taken = taken.filter(|_| self.star == Some(n));
            taken.unwrap_or(&key.text)
        };
        self.keys.iter().enumerate().map(word)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn taken(pattern: &str, topic: &str) -> Option<Vec<String>> {
        let pattern = TopicPattern::parse(pattern).unwrap();
        let captures = pattern.captures(topic)?;
        let all = captures.iter();
        Some(all.map(|(name, word)| format!("{name}={word}")).collect())
    }

    #[test]
    fn topics_match_with_captures() {
        for (pattern, topic, expected) in [
            ("tele/{dev}/SENSOR", "tele/bed-1/SENSOR", Some("dev=bed-1")),
            ("tele/{dev}/SENSOR", "tele/a/b/SENSOR", None),
            ("tele/{dev...}/SENSOR", "tele/a/b/SENSOR", Some("dev=a/b")),
            ("tele/{dev...}/SENSOR", "tele/SENSOR", None),
            (
                "{dev}/status/switch:{n}",
                "s/status/switch:0",
                Some("dev=s n=0"),
            ),
            ("{dev}/status/switch:{n}", "s/status/switch:", None),
            ("{base...}/{last}", "a/b/c", Some("base=a/b last=c")),
            ("{base...}/{last}", "a", None),
            ("a/{x}", "a/", None),
            ("a", "a/", None),
            (
                "spBv1.0/{g}/NDATA/{e}",
                "spBv1.0/My Group/NDATA/Raspberry Pi",
                Some("g=My Group e=Raspberry Pi"),
            ),
        ] {
            let found = taken(pattern, topic).map(|all| all.join(" "));
            assert_eq!(found.as_deref(), expected, "{pattern} {topic}");
        }
        for wrong in [
            "",
            "a/+/b",
            "a/#",
            "a/{x",
            "{a...}/{b...}",
            "x{a...}",
            "{}",
            "harit/1/x",
            "$SYS/{x}",
        ] {
            assert!(TopicPattern::parse(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn words_match_with_stars() {
        for (pattern, word, matches) in [
            ("Temperature", "temperature", true),
            ("temperature_*", "temperature_3", true),
            ("temperature_*", "temperature", false),
            ("*temp*", "soil_TEMP_2", true),
            ("a*b*c", "aXbYbZc", true),
            ("a*b*c", "aXbYbZ", false),
            ("*", "", true),
            ("", "", true),
            ("", "a", false),
        ] {
            assert_eq!(glob(pattern, word), matches, "{pattern} {word}");
        }
    }
}
