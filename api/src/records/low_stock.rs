//! What runs low in the store.

use sqlx::FromRow;

use super::{Decimal, FarmRecords};
use crate::records::sql;

/// An item of which no more is left than its lowest stock.
#[derive(Debug, Clone, PartialEq, Eq, FromRow)]
pub(crate) struct LowStock {
    pub id: String,
    pub name: String,
    pub stock: Decimal,
    /// A word such as KG.
    pub unit: String,
}

impl FarmRecords {
    /// The items that run low. One of which nothing came in yet is new, not low.
    pub(crate) async fn low_stock(&self) -> Result<Vec<LowStock>, sqlx::Error> {
        const Q: &str = "SELECT id, name, stock, unit FROM inventory_items i WHERE farm_id = $1 AND stock <= lowest_stock \
                         AND EXISTS (SELECT 1 FROM stock_movements m WHERE m.item_id = i.id)";
        let query = sql::query_as(Q).bind(self.farm());
        query.fetch_all(self.reader()).await
    }
}
