//! What errors of the parts mean for who asked.

use axum::http::StatusCode;
use harit_engine::Problems;
use harit_ingest::AdmitError;
use harit_ingest::past::PastError;

use super::{ApiError, Said};
use crate::language::Text;
use crate::records::AuditError;

/// SQLite's primary codes for a disk that is full, one that fails, and a file that another process writes for longer than one waits.
const SQLITE_FULL: i32 = 13;
const SQLITE_IOERR: i32 = 10;
const SQLITE_BUSY: i32 = 5;
/// PostgreSQL's code for a disk that is full.
const POSTGRES_FULL: &str = "53100";
/// Codes, or how they begin, of what may be over in a moment: connections, resources, a server that stops or starts, a replica that
/// does not write yet, a disk that fails.
const POSTGRES_AWAY: [&str; 5] = ["08", "53", "57P", "25006", "58"];

impl From<Problems> for ApiError {
    fn from(problems: Problems) -> Self {
        let mut e = Self::new(StatusCode::UNPROCESSABLE_ENTITY, "invalid", Text::Invalid);
        e.problems = problems
            .0
            .into_iter()
            .map(|p| Said::English {
                path: p.path,
                code: p.code,
                message: p.message,
                range: p.range,
            })
            .collect();
        e
    }
}

impl From<AdmitError> for ApiError {
    fn from(error: AdmitError) -> Self {
        match error {
            AdmitError::UnknownFarm(_) => Self::not_found(),
            AdmitError::Rejected(problems) => problems.into(),
            AdmitError::FarmExists(_) => Self::already_exists(),
            AdmitError::Unavailable(_) => Self::unavailable(),
        }
    }
}

impl From<PastError> for ApiError {
    fn from(error: PastError) -> Self {
        match error {
            PastError::TooEarly { .. } => Self::field("at", "before_journal", Text::BeforeJournal),
            PastError::TooLong(_) => Self::field("at", "too_long", Text::PastTooLong),
            PastError::Busy | PastError::Cancelled => Self::busy(),
            PastError::Rules(problems) => problems.into(),
            PastError::Unknown(..) => Self::not_found(),
            error => {
                tracing::error!(%error, "the journal could not be asked");
                Self::unavailable()
            }
        }
    }
}

impl From<AuditError> for ApiError {
    fn from(error: AuditError) -> Self {
        match error {
            AuditError::Records(error) => error.into(),
            AuditError::Json(error) => {
                tracing::error!(%error, "an audit entry cannot be written");
                Self::internal()
            }
        }
    }
}

impl From<sqlx::Error> for ApiError {
    fn from(error: sqlx::Error) -> Self {
        metrics::counter!("harit_records_errors_total").increment(1);
        tracing::error!(%error, "the records failed");
        match error {
            sqlx::Error::PoolTimedOut | sqlx::Error::PoolClosed | sqlx::Error::Io(_) => {
                Self::unavailable()
            }
            sqlx::Error::Database(e)
                if e.try_downcast_ref::<sqlx::postgres::PgDatabaseError>()
                    .is_some() =>
            {
                match e.code().as_deref() {
                    Some(POSTGRES_FULL) => Self::disk_full(),
                    Some(code) if POSTGRES_AWAY.iter().any(|away| code.starts_with(away)) => {
                        Self::unavailable()
                    }
                    _ => Self::internal(),
                }
            }
            sqlx::Error::Database(e) => {
                let code = e.code().and_then(|code| code.parse::<i32>().ok());
                // Its last byte says what it is, the others say of what.
                match code.map(|code| code & 0xff) {
                    Some(SQLITE_FULL) => Self::disk_full(),
                    Some(SQLITE_IOERR | SQLITE_BUSY) => Self::unavailable(),
                    _ => Self::internal(),
                }
            }
            _ => Self::internal(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::language::Language;

    #[tokio::test]
    async fn a_full_disk_is_said_as_such() {
        let options = sqlx::sqlite::SqliteConnectOptions::new().in_memory(true);
        let mut connection = sqlx::ConnectOptions::connect(&options)
            .await
            .expect("opened");
        for sql in ["CREATE TABLE t (x BLOB)", "PRAGMA max_page_count = 3"] {
            sqlx::query(sql).execute(&mut connection).await.expect(sql);
        }
        let full = sqlx::query("INSERT INTO t VALUES (zeroblob(100000))")
            .execute(&mut connection)
            .await
            .expect_err("no room");
        let refused = ApiError::from(full);
        assert_eq!(refused.status, StatusCode::INSUFFICIENT_STORAGE);
        assert_eq!(refused.code(), "disk_full");
        assert!(refused.say(Language::En).contains("disk is full"));
    }
    #[tokio::test]
    async fn who_is_kept_waiting_by_another_process_may_try_again() {
        let dir = tempfile::tempdir().expect("a directory");
        let options = sqlx::sqlite::SqliteConnectOptions::new()
            .filename(dir.path().join("records.db"))
            .create_if_missing(true)
            .busy_timeout(std::time::Duration::ZERO);
        let connect = || async { sqlx::ConnectOptions::connect(&options).await };
        let mut other = connect().await.expect("opened");
        let mut own = connect().await.expect("opened");
        let begin = || sqlx::query("BEGIN IMMEDIATE");
        begin().execute(&mut other).await.expect("begun");
        let busy = begin().execute(&mut own).await.expect_err("it is taken");
        let refused = ApiError::from(busy);
        assert_eq!(refused.status, StatusCode::SERVICE_UNAVAILABLE);
    }
}
