//! Inventory: what lies in the store, by item. How much there is and what it is worth follow from the movements, see
//! [`super::stock`].

use crate::records::sql;
use serde::{Deserialize, Serialize};
use sqlx::FromRow;
use utoipa::ToSchema;

use super::form::Form;
use super::operations::{Record, Seen, operations};
use crate::access::{ReadFarm, WriteCrops};
use crate::error::ApiError;
use crate::records::{Decimal, Paise, Stored, Value, Write};
use crate::resource::Resource;

/// What something in the store is for.
#[derive(
    Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, sqlx::Type, ToSchema,
)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
#[sqlx(type_name = "TEXT", rename_all = "SCREAMING_SNAKE_CASE")]
#[schema(as = InventoryCategory)]
pub(crate) enum Category {
    Seed,
    Fertiliser,
    PlantProtection,
    /// Cocopeat, perlite and the like.
    Media,
    Packaging,
    Tool,
    #[default]
    Other,
}

/// In what something is counted.
#[derive(
    Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, sqlx::Type, ToSchema,
)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
#[sqlx(type_name = "TEXT", rename_all = "SCREAMING_SNAKE_CASE")]
pub(crate) enum Unit {
    #[default]
    Kg,
    G,
    L,
    Ml,
    Piece,
    Packet,
    Bag,
    Box,
    Bunch,
    M,
}

/// Something that lies in the store.
#[derive(Debug, Clone, Default, Serialize, FromRow, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct InventoryItem {
    id: String,
    name: String,
    category: Category,
    unit: Unit,
    /// From this much on it is low.
    #[schema(required)]
    lowest_stock: Option<Decimal>,
    #[schema(required)]
    note: Option<String>,
    /// What the movements come to.
    stock: Decimal,
    /// What that cost, at the mean price of what was bought; null for who does not see prices.
    #[sqlx(rename = "value")]
    #[schema(required)]
    value_paise: Option<Paise>,
    #[sqlx(skip)]
    is_low: bool,
    /// The version of what people edit, for `If-Match`.
    #[sqlx(skip)]
    etag: String,
}

/// An item as people write it.
#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct InventoryItemInput {
    /// 1 to 120 characters, and no other item's.
    #[schema(required, value_type = String, max_length = 120)]
    name: Option<String>,
    #[schema(required, value_type = Category)]
    category: Option<String>,
    /// Stays as it is once there are movements.
    #[schema(required, value_type = Unit)]
    unit: Option<String>,
    /// From this much on it is low, which the farm's people are told.
    lowest_stock: Option<Decimal>,
    #[schema(max_length = 2000)]
    note: Option<String>,
}

impl Stored for InventoryItem {
    const TABLE: &'static str = "inventory_items";
    const MAX: i64 = 2_000;

    fn columns(&self) -> Vec<(&'static str, Value)> {
        vec![
            ("name", (&self.name).into()),
            ("category", Value::word(&self.category)),
            ("unit", Value::word(&self.unit)),
            ("lowest_stock", self.lowest_stock.into()),
            ("note", (&self.note).into()),
        ]
    }
}

/// Whether an item has movements.
async fn has_moved(write: &mut Write, item: &str) -> Result<bool, ApiError> {
    const Q: &str = "SELECT 1 FROM stock_movements WHERE farm_id = $1 AND item_id = $2 LIMIT 1";
    let (farm, tx) = write.parts();
    let query = sql::query(Q).bind(farm).bind(item);
    Ok(query.fetch_optional(tx).await?.is_some())
}

impl Record for InventoryItem {
    const RESOURCE: Resource = Resource::InventoryItem;
    type Input = InventoryItemInput;
    type Read = ReadFarm;
    type Write = WriteCrops;

    async fn read(
        input: InventoryItemInput,
        form: &mut Form<'_>,
        before: Option<&Self>,
    ) -> Result<Self, ApiError> {
        let item = Self {
            name: form.name("name", input.name),
            category: form.some_choice("category", input.category.as_deref()),
            unit: form.some_choice("unit", input.unit.as_deref()),
            lowest_stock: form.quantity("lowestStock", input.lowest_stock, true),
            note: form.lines("note", input.note),
            ..Self::default()
        };
        if let Some(before) = before.filter(|b| b.unit != item.unit)
            && has_moved(form.write(), &before.id).await?
        {
            form.wrong("unit", "in_use", crate::language::Text::UnitInUse);
        }
        Ok(item)
    }

    fn name(&self) -> String {
        self.name.clone()
    }

    fn complete(&mut self, seen: &Seen) {
        self.is_low = self.lowest_stock.is_some_and(|lowest| self.stock <= lowest);
        if !seen.money {
            self.value_paise = None;
        }
    }
}

operations!(
    InventoryItem, InventoryItemInput, "/api/farms/{farmId}/inventory", "/api/farms/{farmId}/inventory/{itemId}", "itemId",
    "list_inventory": "List the inventory", "create_inventory_item": "Create an inventory item",
    "replace_inventory_item": "Replace an inventory item", "delete_inventory_item": "Delete an inventory item",
);
