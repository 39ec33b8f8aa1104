//! What is said to QuestDB, over its HTTP interface.

use std::time::Duration;

use reqwest::{Client, RequestBuilder, Response, StatusCode, Url};

use super::QuestDbError;

/// How long an answer may take.
const PATIENCE: Duration = Duration::from_secs(30);
/// So much of a refusal is told.
const MAX_SAID: usize = 300;

/// Where it is, and who asks.
#[derive(Debug, Clone)]
pub(crate) struct Settings {
    pub(crate) url: String,
    pub(crate) table: String,
    pub(crate) username: String,
    pub(crate) password: String,
}

/// A way to QuestDB.
pub(crate) struct QuestDb {
    http: Client,
    settings: Settings,
}

impl QuestDb {
    pub(crate) fn new(settings: Settings) -> Result<Self, QuestDbError> {
        // the client has no cryptography of its own; the first provider in the process stays
        let _ = rustls::crypto::ring::default_provider().install_default();
        let http = Client::builder().timeout(PATIENCE).user_agent("harit");
        let http = http.build().map_err(QuestDbError::Client)?;
        Ok(Self { http, settings })
    }

    pub(super) fn table(&self) -> &str {
        &self.settings.table
    }

    /// Makes the table where it is not there.
    pub(super) async fn prepare(&self) -> Result<(), QuestDbError> {
        let table = &self.settings.table;
        let sql = format!(
            "CREATE TABLE IF NOT EXISTS '{table}' (ts TIMESTAMP, farm SYMBOL, sensor SYMBOL, type SYMBOL, value DOUBLE, good BOOLEAN, pos LONG) \
             TIMESTAMP(ts) PARTITION BY DAY WAL DEDUP UPSERT KEYS(ts, farm, sensor, pos)"
        );
        self.ask(&sql).await.map(drop)
    }

    /// Whether what it acknowledges survives a power cut.
    pub(super) async fn syncs(&self) -> Result<bool, QuestDbError> {
        let sql = "(SHOW PARAMETERS) WHERE property_path = 'cairo.commit.mode'";
        let said = self.ask(sql).await?;
        Ok(["\"sync\"", "\"adaptive\""]
            .iter()
            .any(|mode| said.contains(mode)))
    }

    /// Writes lines; they are there when this returns.
    pub(super) async fn write(&self, lines: String) -> Result<(), QuestDbError> {
        let url = format!("{}/write", self.base());
        let sent = self.signed(self.http.post(url)).body(lines).send().await;
        checked(sent.map_err(QuestDbError::Away)?).await.map(drop)
    }

    /// Asks something, and gives the answer as it is.
    pub(crate) async fn ask(&self, sql: &str) -> Result<String, QuestDbError> {
        let url = Url::parse_with_params(&format!("{}/exec", self.base()), &[("query", sql)])
            .map_err(|e| QuestDbError::Address(e.to_string()))?;
        let asked = self.signed(self.http.get(url)).send().await;
        let answer = asked.map_err(QuestDbError::Away)?;
        checked(answer).await
    }

    fn base(&self) -> &str {
        self.settings.url.trim_end_matches('/')
    }

    fn signed(&self, request: RequestBuilder) -> RequestBuilder {
        match self.settings.username.is_empty() {
            true => request,
            false => request.basic_auth(&self.settings.username, Some(&self.settings.password)),
        }
    }
}

async fn checked(answer: Response) -> Result<String, QuestDbError> {
    let status = answer.status();
    let said = answer.text().await.map_err(QuestDbError::Away)?;
    if status == StatusCode::OK || status == StatusCode::NO_CONTENT {
        return Ok(said);
    }
    Err(QuestDbError::Refused {
        status: status.as_u16(),
        said: said.chars().take(MAX_SAID).collect(),
    })
}
