//! What other servers of the installation change in the records, where this one has it in memory.
//!
//! PostgreSQL tells it by itself (migration 0031): which controller or integration is another one, and that access may have been taken
//! away. After a connection that was lost everything is loaded anew.

use std::time::Duration;

use harit_engine::FarmId;
use harit_ingest::history::PostgresUrl;
use harit_protocol::Mac;
use sqlx::postgres::{PgListener, PgPoolOptions};

use super::Records;
use super::db::SCHEMA;

const CHANNEL: &str = "harit_records";
/// How long is waited after a database that does not answer.
const AGAIN: Duration = Duration::from_secs(1);

impl Records {
    /// Follows what other servers change, for as long as this one runs; `changed` is given each controller that is another one than before.
    pub async fn follow(&self, url: &PostgresUrl, changed: impl Fn(&FarmId, &Mac) + Send + Sync) {
        loop {
            if let Err(error) = self.hear(url, &changed).await {
                tracing::warn!(%error, "what other servers change in the records is not heard");
            }
            tokio::time::sleep(AGAIN).await;
        }
    }

    async fn hear(
        &self,
        url: &PostgresUrl,
        changed: &(impl Fn(&FarmId, &Mac) + Send + Sync),
    ) -> Result<(), sqlx::Error> {
        let own = PgPoolOptions::new().max_connections(1);
        let pool = own.connect_with(url.options(SCHEMA)).await?;
        let mut listener = PgListener::connect_with(&pool).await?;
        listener.listen(CHANNEL).await?;
        loop {
            // What was told while nobody listened.
            self.directory.reload(&self.db).await?;
            self.access_changed();
            while let Some(notice) = listener.try_recv().await? {
                match notice.payload().split_once(' ') {
                    Some(("controller", mac)) => {
                        if let Ok(mac) = Mac::parse(mac) {
                            for farm in self.directory.renew(&self.db, mac).await? {
                                changed(&farm, &mac);
                            }
                        }
                    }
                    Some(("integration", name)) => {
                        self.directory.integrations.renew(&self.db, name).await?;
                    }
                    _ => self.access_changed(),
                }
            }
        }
    }
}
