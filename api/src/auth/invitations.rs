//! Accepting an invite. Whoever has the link that was sent to the contact has shown that the contact is theirs; who invited has
//! another one to pass on, which shows nothing: a new account then only claims the contact. A contact that has an account joins
//! with it, and must show that it is theirs: a link alone opens nobody's account.

use serde_json::json;

use super::Accounts;
use crate::audit::{Action, Entry};
use crate::contact::Contact;
use crate::error::ApiError;
use crate::records::{
    ClaimError, InviteRow, Invitee, LinkRow, Method, Origin, PeopleError, UserRow, new_id, now_ms,
};
use crate::role::Role;
use crate::secret::sha256_hex;

/// Who accepts.
pub(crate) struct Acceptance<'a> {
    pub(crate) name: Option<String>,
    pub(crate) password: Option<&'a str>,
    /// The user who is signed in, if one is, and the sign-in's id.
    pub(crate) signed_in: Option<(&'a UserRow, &'a str)>,
}

/// What a link leads to.
pub(crate) struct OpenInvite {
    pub(crate) invite: InviteRow,
    pub(crate) role: Role,
    /// Whether the contact is verified for an account.
    pub(crate) has_account: bool,
    /// Whether it is the link that who invited passes on.
    pub(crate) shared: bool,
}

impl Accounts {
    /// The invite of a link. One whose inviter may no longer give the role is gone.
    pub(crate) async fn invite(&self, token: &str) -> Result<OpenInvite, ApiError> {
        let found = self
            .records
            .invite_by_token(&sha256_hex(token.as_bytes()))
            .await?;
        let LinkRow { invite, shared } = found.ok_or_else(ApiError::invite_gone)?;
        let role = Role::parse(&invite.role).ok_or_else(ApiError::invite_gone)?;
        let farm = invite.farm_id.as_str().into();
        let inviter = self.records.role_in(&invite.invited_by, &farm).await?;
        if !inviter.is_some_and(|inviter| inviter.may_manage(role)) {
            return Err(ApiError::invite_gone());
        }
        let has_account = self
            .records
            .user_by_contact(&invite.contact())
            .await?
            .is_some();
        Ok(OpenInvite {
            invite,
            role,
            has_account,
            shared,
        })
    }

    /// Accepts an invite, and opens a sign-in.
    pub(crate) async fn accept(
        &self,
        token: &str,
        by: Acceptance<'_>,
        from: Origin<'_>,
    ) -> Result<(String, UserRow, InviteRow), ApiError> {
        let open = self.invite(token).await?;
        let contact = open.invite.contact();
        let known = match self.records.user_by_contact(&contact).await? {
            Some(user) => {
                self.show_it_is_theirs(&user, &by, from).await?;
                Some(user)
            }
            None if open.shared => {
                let claims = by.signed_in.filter(|(user, _)| user.claims(&contact));
                claims.map(|(user, _)| user.clone())
            }
            None => self.claimant(&contact, &by, from).await?,
        };
        if let Some(user) = known {
            let id = user.id.clone();
            return self.accepted(user, Invitee::Known(&id), open, from).await;
        }
        let new = self.new_user(&open, contact, by).await?;
        let by = Invitee::New(&new);
        self.accepted(new.clone(), by, open, from).await
    }

    async fn accepted(
        &self,
        user: UserRow,
        by: Invitee<'_>,
        open: OpenInvite,
        from: Origin<'_>,
    ) -> Result<(String, UserRow, InviteRow), ApiError> {
        let OpenInvite { invite, role, .. } = open;
        let mut write = self.records.write_own(&user.id).await?;
        let accepted = write.accept_invite(&invite, role, by).await;
        accepted.map_err(refused)?;
        let entry = Entry {
            actor: Some((user.id.clone(), user.name.clone())),
            action: Action::InviteAccepted,
            subject: invite.id.clone(),
            details: json!({"role": role, "invitedBy": invite.invited_by, "shared": open.shared}),
            address: from.address.map(str::to_owned),
        };
        let farms = vec![invite.farm_id.clone()];
        write.commit_in(farms, &entry).await?;
        let token = self.open(&user, Method::Invite, from).await?;
        Ok((token, user, invite))
    }

    /// The account that claims the contact, if one does. The link was sent to the contact, so whoever has it has shown that
    /// the contact is theirs: who is signed in with a claim keeps the account, and an account that is nobody's yet becomes
    /// theirs, with the name and the password that they chose.
    async fn claimant(
        &self,
        contact: &Contact,
        by: &Acceptance<'_>,
        from: Origin<'_>,
    ) -> Result<Option<UserRow>, ApiError> {
        if let Some((user, session)) = by.signed_in.filter(|(user, _)| user.claims(contact)) {
            let mut write = self.records.write_own(&user.id).await?;
            let done = write.verify_claim(user, contact, session).await;
            done.map_err(|e| match e {
                ClaimError::Records(e) => e.into(),
                _ => ApiError::sign_in_to_accept(),
            })?;
            let entry = Entry {
                actor: Some((user.id.clone(), user.name.clone())),
                action: Action::ContactVerified,
                subject: user.id.clone(),
                details: json!({"contact": contact.key(), "first": !user.is_verified()}),
                address: from.address.map(str::to_owned),
            };
            write.commit(&entry).await?;
            return Ok(self.records.user_by_contact(contact).await?);
        }
        if self.records.claimants(contact).await?.is_empty() {
            return Ok(None);
        }
        let name = by.name.clone().ok_or_else(ApiError::name_required)?;
        let hash = match by.password {
            Some(password) => Some(self.hash(password).await?),
            None => None,
        };
        let Some(proof) = self.records.prove(contact).await? else {
            return Ok(None);
        };
        if !proof.first {
            // somebody was quicker
            return Err(ApiError::sign_in_to_accept());
        }
        let user = UserRow {
            name,
            password_hash: hash,
            onboarding_completed: true,
            ..proof.user
        };
        self.records.take_over(&user).await?;
        self.tell_proof(&user, contact, from).await;
        Ok(Some(user))
    }

    async fn show_it_is_theirs(
        &self,
        user: &UserRow,
        by: &Acceptance<'_>,
        from: Origin<'_>,
    ) -> Result<(), ApiError> {
        if by.signed_in.is_some_and(|(s, _)| s.id == user.id) {
            return Ok(());
        }
        let password = by.password.ok_or_else(ApiError::sign_in_to_accept)?;
        if user.is_active && self.check_password(user, password, from).await? {
            Ok(())
        } else {
            Err(ApiError::sign_in_to_accept())
        }
    }

    /// The account of somebody who has none.
    async fn new_user(
        &self,
        open: &OpenInvite,
        contact: Contact,
        by: Acceptance<'_>,
    ) -> Result<UserRow, ApiError> {
        let contacts = match contact {
            Contact::Email(email) => (Some(email), None),
            Contact::Phone(phone) => (None, Some(phone)),
        };
        let ((email, phone), (claimed_email, claimed_phone)) = match open.shared {
            true => ((None, None), contacts),
            false => (contacts, (None, None)),
        };
        let password_hash = match by.password {
            Some(password) => Some(self.hash(password).await?),
            None => None,
        };
        Ok(UserRow {
            id: new_id(),
            email,
            phone,
            claimed_email,
            claimed_phone,
            name: by.name.ok_or_else(ApiError::name_required)?,
            password_hash,
            language: open.invite.language.clone(),
            is_active: true,
            // the farm is set up already
            onboarding_completed: true,
            created_at: now_ms(),
        })
    }
}

fn refused(error: PeopleError) -> ApiError {
    match error {
        PeopleError::Records(e) => e.into(),
        // a member already, or somebody was quicker with the same link
        _ => ApiError::invite_gone(),
    }
}
