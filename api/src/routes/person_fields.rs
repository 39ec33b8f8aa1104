//! The fields of people, as they are typed: each is read into its one spelling, or what is wrong with it is collected.

use super::wrong::Wrong;
use crate::auth::guessable;
use crate::contact::Contact;
use crate::language::{Language, Text};
use crate::role::Role;
use crate::secret::MAX_PASSWORD_BYTES;

const MIN_NAME_CHARS: usize = 2;
const MAX_NAME_CHARS: usize = 120;
const MIN_PASSWORD_CHARS: usize = 8;

impl Wrong {
    pub(super) fn name(&mut self, typed: Option<&str>) -> String {
        let name = typed.unwrap_or("").trim();
        match name.chars().count() {
            0 => self.say("name", "required", Text::NameRequired),
            n if n < MIN_NAME_CHARS => self.say("name", "too_short", Text::NameTooShort),
            n if n > MAX_NAME_CHARS => self.say("name", "too_long", Text::NameTooLong),
            _ if name.chars().any(char::is_control) => {
                self.say("name", "invalid", Text::NameRequired);
            }
            _ => {}
        }
        name.to_owned()
    }

    /// An e-mail address that must be there.
    pub(super) fn email(&mut self, typed: Option<&str>) -> Option<Contact> {
        let typed = typed.unwrap_or("").trim();
        if typed.is_empty() {
            self.say("email", "required", Text::EmailRequired);
            return None;
        }
        let email = Contact::parse(typed).filter(|c| matches!(c, Contact::Email(_)));
        if email.is_none() {
            self.say("email", "invalid_email", Text::EmailInvalid);
        }
        email
    }

    /// An e-mail address and a mobile number, of which one may be blank.
    pub(super) fn contacts(
        &mut self,
        email: Option<&str>,
        field: &str,
        mobile: Option<&str>,
    ) -> (Option<Contact>, Option<Contact>) {
        let blank = |typed: Option<&str>| typed.unwrap_or("").trim().is_empty();
        let email = match (blank(email), blank(mobile)) {
            (true, false) => None,
            _ => self.email(email),
        };
        (email, self.mobile(field, mobile))
    }

    /// A mobile number that may be blank: an optional plus, a digit that is not zero, 1 to 14 more.
    pub(super) fn mobile(&mut self, field: &str, typed: Option<&str>) -> Option<Contact> {
        let typed = typed.unwrap_or("").trim();
        if typed.is_empty() {
            return None;
        }
        let digits = typed.strip_prefix('+').unwrap_or(typed);
        let form = digits.bytes().all(|b| b.is_ascii_digit());
        let phone = Contact::parse(typed).filter(|c| form && matches!(c, Contact::Phone(_)));
        if phone.is_none() {
            self.say(field, "invalid_mobile", Text::MobileInvalid);
        }
        phone
    }

    /// A contact of either kind that must be there.
    pub(super) fn contact(&mut self, field: &str, typed: Option<&str>) -> Option<Contact> {
        let typed = typed.unwrap_or("").trim();
        if typed.is_empty() {
            self.say(field, "required", Text::ContactRequired);
            return None;
        }
        let contact = Contact::parse(typed);
        if contact.is_none() {
            self.say(field, "invalid_contact", Text::ContactInvalid);
        }
        contact
    }

    /// A new password that may be blank: the account then signs in by code only.
    pub(super) fn optional_password(
        &mut self,
        typed: Option<String>,
        own: &[&str],
    ) -> Option<String> {
        let typed = typed.filter(|p| !p.is_empty())?;
        self.strength(&typed, own);
        Some(typed)
    }

    /// A new password that must be there; `own` are the person's name and contacts, which it must not be.
    pub(super) fn password(&mut self, typed: &str, own: &[&str]) {
        if typed.is_empty() {
            self.say("password", "required", Text::PasswordRequired);
        } else {
            self.strength(typed, own);
        }
    }

    fn strength(&mut self, password: &str, own: &[&str]) {
        if password.chars().count() < MIN_PASSWORD_CHARS {
            self.say("password", "too_short", Text::PasswordTooShort);
        } else if password.len() > MAX_PASSWORD_BYTES {
            self.say("password", "too_long", Text::PasswordTooLong);
        } else if guessable(password, own) {
            self.say("password", "guessable", Text::PasswordGuessable);
        }
    }

    pub(super) fn role(&mut self, typed: Option<&str>) -> Option<Role> {
        let role = typed.and_then(Role::parse);
        if role.is_none() {
            self.say("role", "required", Text::RoleRequired);
        }
        role
    }

    pub(super) fn language(&mut self, typed: Option<&str>) -> Option<Language> {
        let language = typed.and_then(Language::parse);
        if language.is_none() {
            self.say("languagePref", "required", Text::LanguageRequired);
        }
        language
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mobile_number_has_the_form_of_the_specification() {
        for (typed, stored) in [
            ("+919876543210", Some("+919876543210")),
            ("9876543210", Some("+919876543210")),
            ("12", Some("+12")),
            ("123456789012345", Some("+123456789012345")),
            ("1", None),
            ("0123", None),
            ("+0123", None),
            ("1234567890123456", None),
            ("98765 43210", None),
            ("++12", None),
            ("a@b.test", None),
        ] {
            let mut wrong = Wrong::default();
            let phone = wrong.mobile("mobile", Some(typed));
            assert_eq!(phone.as_ref().map(Contact::key), stored, "{typed}");
            assert_eq!(wrong.done().is_err(), stored.is_none(), "{typed}");
        }
    }
}
