//! Whose cell a farm is.

use harit_engine::FarmId;
use serde_json::json;

use super::{Operator, OperatorError, entry};
use crate::audit::Action;
use crate::records::{Cell, FarmOfCell};

impl Operator {
    /// The farms of all cells.
    ///
    /// # Errors
    /// When the records fail.
    pub async fn farms_of_cells(&self) -> Result<Vec<FarmOfCell>, OperatorError> {
        Ok(self.records.farms_of_cells().await?)
    }

    /// Makes a farm another cell's, whose journals and history have it.
    ///
    /// # Errors
    /// When the records fail; then it is whose it was.
    pub async fn give_farm(&self, farm: &FarmId, to: &Cell) -> Result<(), OperatorError> {
        let mut write = self.write(farm).await?;
        write.give_to(to).await?;
        let details = json!({"from": self.records.cell(), "to": to.as_str()});
        let entry = entry(Action::FarmGiven, farm.as_str(), details);
        Ok(write.commit(entry).await?)
    }
}
