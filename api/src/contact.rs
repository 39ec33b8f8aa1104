//! What people sign in with: an e-mail address or a mobile number, in one spelling each.

/// The longest contact.
const MAX_BYTES: usize = 254;
/// The country of numbers that name none.
const COUNTRY: &str = "91";
/// How many digits such a number has.
const NATIONAL_DIGITS: usize = 10;

/// An e-mail address in lower case, or a phone number as plus sign and digits.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) enum Contact {
    Email(String),
    Phone(String),
}

impl Contact {
    /// Reads what a person typed. It is an e-mail address if it looks like one, else it must be a number of up to 15
    /// digits, with spaces, dots, hyphens and brackets anywhere.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let text = text.trim();
        if text.is_empty() || text.len() > MAX_BYTES {
            return None;
        }
        if text.contains('@') {
            Self::email(text)
        } else {
            Self::phone(text)
        }
    }

    fn email(text: &str) -> Option<Self> {
        let (local, domain) = text.split_once('@')?;
        let plain = |s: &str| {
            !s.is_empty()
                && !s
                    .chars()
                    .any(|c| c.is_whitespace() || c.is_control() || c == '@' || c == ',')
        };
        let dotted =
            domain.split('.').count() >= 2 && domain.split('.').all(|label| !label.is_empty());
        (plain(local) && plain(domain) && dotted).then(|| Self::Email(text.to_lowercase()))
    }

    fn phone(text: &str) -> Option<Self> {
        let (international, rest) = match text.strip_prefix('+') {
            Some(rest) => (true, rest),
            None => (false, text),
        };
        let mut digits = String::with_capacity(15);
        for c in rest.chars() {
            match c {
                '0'..='9' => digits.push(c),
                ' ' | '-' | '.' | '(' | ')' => {}
                _ => return None,
            }
        }
        if !(2..=15).contains(&digits.len()) || digits.starts_with('0') {
            return None;
        }
        let country = if !international && digits.len() == NATIONAL_DIGITS {
            COUNTRY
        } else {
            ""
        };
        Some(Self::Phone(format!("+{country}{digits}")))
    }

    /// So much of it that its owner recognises it, and nobody else learns it.
    pub(crate) fn masked(&self) -> String {
        match self {
            Self::Email(text) => {
                let (local, domain) = text.split_once('@').unwrap_or((text, ""));
                let first = local.chars().next().unwrap_or('*');
                format!("{first}***@{domain}")
            }
            Self::Phone(text) => {
                let shown = if text.len() > 8 { 4 } else { 1 };
                // digits and a plus sign: each is one byte
                format!(
                    "{}{}",
                    "*".repeat(text.len() - shown),
                    &text[text.len() - shown..]
                )
            }
        }
    }

    /// As one key, for limits.
    pub(crate) fn key(&self) -> &str {
        match self {
            Self::Email(text) | Self::Phone(text) => text,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mask_shows_little() {
        for (contact, masked) in [
            (Contact::Email("owner@demo.harit".into()), "o***@demo.harit"),
            (Contact::Phone("+919876543210".into()), "*********3210"),
            (Contact::Phone("+12".into()), "**2"),
        ] {
            assert_eq!(contact.masked(), masked);
        }
    }

    #[test]
    fn one_spelling_each() {
        for (typed, stored) in [
            (
                " Owner@Demo.Harit ",
                Some(Contact::Email("owner@demo.harit".into())),
            ),
            ("98765 43210", Some(Contact::Phone("+919876543210".into()))),
            (
                "+91-98765-43210",
                Some(Contact::Phone("+919876543210".into())),
            ),
            ("919876543210", Some(Contact::Phone("+919876543210".into()))),
            (
                "+1 (555) 010-9999",
                Some(Contact::Phone("+15550109999".into())),
            ),
            ("", None),
            ("owner@", None),
            ("owner@localhost", None),
            ("a b@c.de", None),
            ("a@b@c.de", None),
            ("0987654321", None),
            ("1234567890123456", None),
            ("12a45", None),
        ] {
            assert_eq!(Contact::parse(typed), stored, "{typed:?}");
        }
    }
}
