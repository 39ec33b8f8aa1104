//! Who is told that an evening letter is ready.

use super::FarmRecords;
use crate::records::sql;
use crate::role::Role;

/// Who is told without having chosen: as SQL, of the memberships `m`.
pub(super) const BY_ROLE: &str = "m.role IN ('OWNER', 'FARM_MANAGER')";

/// The same of a role.
const fn by_role(role: Role) -> bool {
    matches!(role, Role::Owner | Role::FarmManager)
}

impl FarmRecords {
    /// Whether somebody is told: what they chose, else what their role has.
    pub(crate) async fn is_told_of_letters(
        &self,
        user_id: &str,
        role: Role,
    ) -> Result<bool, sqlx::Error> {
        const Q: &str = "SELECT is_told FROM letter_choices WHERE user_id = $1 AND farm_id = $2";
        let chosen: Option<(bool,)> = sql::query_as(Q)
            .bind(user_id)
            .bind(self.farm())
            .fetch_optional(self.reader())
            .await?;
        Ok(chosen.map_or_else(|| by_role(role), |(told,)| told))
    }

    /// Keeps what somebody chose.
    pub(crate) async fn choose_letters(
        &self,
        user_id: &str,
        is_told: bool,
    ) -> Result<(), sqlx::Error> {
        const Q: &str = "INSERT INTO letter_choices (user_id, farm_id, is_told) VALUES ($1, $2, $3) \
                         ON CONFLICT (user_id, farm_id) DO UPDATE SET is_told = excluded.is_told";
        sql::query(Q)
            .bind(user_id)
            .bind(self.farm())
            .bind(is_told)
            .execute(&self.db().writer)
            .await
            .map(drop)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_roles_of_the_query_are_those_of_the_answer() {
        for role in Role::ALL {
            let named = BY_ROLE.contains(&format!("'{}'", role.as_str()));
            assert_eq!(named, by_role(role), "{role:?}");
        }
    }
}
