//! Writing records without a person: the demo's season.

use serde_json::Value;

use super::cycles::CropCycle;
use super::expenses::Expense;
use super::harvests::Harvest;
use super::inventory::InventoryItem;
use super::notes::Note;
use super::nurseries::Nursery;
use super::operations::{self, Record, zones};
use super::sales::Sale;
use super::stock::StockMovement;
use super::templates::Template;
use crate::error::ApiError;
use crate::records::Records;
use harit_engine::FarmId;
use harit_ingest::Hub;

/// A kind of record.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FarmRecord {
    /// Stages of a crop.
    Template,
    /// What grows in a zone.
    CropCycle,
    /// Seedlings.
    Nursery,
    /// Something in the store.
    InventoryItem,
    /// What came into the store or went.
    StockMovement,
    /// What was picked.
    Harvest,
    /// What was sold.
    Sale,
    /// What was paid for.
    Expense,
    /// What somebody saw or did.
    Note,
}

/// A record was not written.
#[derive(Debug, thiserror::Error)]
#[error("the record was refused: {0}")]
pub struct RecordError(String);

impl Records {
    /// Writes a record down as a person would with the same JSON, and returns its id.
    ///
    /// # Errors
    /// When it is not of the kind's form, refers to what is not there, or cannot be written.
    pub async fn create_record(
        &self,
        hub: &Hub,
        farm: &str,
        kind: FarmRecord,
        input: Value,
    ) -> Result<String, RecordError> {
        match kind {
            FarmRecord::Template => self.add::<Template>(hub, farm, input).await,
            FarmRecord::CropCycle => self.add::<CropCycle>(hub, farm, input).await,
            FarmRecord::Nursery => self.add::<Nursery>(hub, farm, input).await,
            FarmRecord::InventoryItem => self.add::<InventoryItem>(hub, farm, input).await,
            FarmRecord::StockMovement => self.add::<StockMovement>(hub, farm, input).await,
            FarmRecord::Harvest => self.add::<Harvest>(hub, farm, input).await,
            FarmRecord::Sale => self.add::<Sale>(hub, farm, input).await,
            FarmRecord::Note => self.add::<Note>(hub, farm, input).await,
            FarmRecord::Expense => self.add::<Expense>(hub, farm, input).await,
        }
    }

    async fn add<R: Record>(
        &self,
        hub: &Hub,
        farm: &str,
        input: Value,
    ) -> Result<String, RecordError> {
        let refused = |e: ApiError| RecordError(format!("{e}: {}", e.say(crate::Language::En)));
        let farm = FarmId::from(farm);
        let input = serde_json::from_value(input).map_err(|e| RecordError(e.to_string()))?;
        let zones = hub
            .read(&farm, zones)
            .await
            .map_err(|e| refused(e.into()))?;
        let write = self.of_farm(farm).write().await;
        let mut write = write.map_err(|e| refused(e.into()))?;
        let (id, _) = operations::add::<R>(&mut write, &zones, input)
            .await
            .map_err(refused)?;
        let done = write.commit_untold(R::RESOURCE).await;
        done.map_err(|e| refused(e.into()))?;
        Ok(id)
    }
}
