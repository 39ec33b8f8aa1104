//! Stock movements: what was bought, used and counted. An item's stock and its value are folded from all of its movements, in
//! the order of their days, in the change that writes one of them.

use crate::records::sql;
use serde::{Deserialize, Serialize};
use sqlx::FromRow;
use utoipa::ToSchema;

use super::cycles::{CropCycle, cycle_label};
use super::form::Form;
use super::inventory::{InventoryItem, Unit};
use super::operations::{Record, Seen, operations};
use crate::access::{ReadFarm, WriteCrops};
use crate::error::{ApiError, Limits};
use crate::language::Text;
use crate::records::{Decimal, Paise, Stored, Value, Write};
use crate::resource::Resource;

/// What a movement does to the stock.
#[derive(
    Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, sqlx::Type, ToSchema,
)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
#[sqlx(type_name = "TEXT", rename_all = "SCREAMING_SNAKE_CASE")]
#[schema(as = StockMovementKind)]
pub(crate) enum Kind {
    /// It came in.
    #[default]
    In,
    /// It was used or went.
    Out,
    /// It was counted: so much there is.
    Count,
}

/// A change of the stock of an item.
#[derive(Debug, Clone, Default, Serialize, FromRow, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct StockMovement {
    id: String,
    item_id: String,
    item: String,
    pub(super) kind: Kind,
    /// YYYY-MM-DD
    pub(super) moved_on: String,
    quantity: Decimal,
    /// The item's unit, in which the quantity is.
    unit: Unit,
    /// What all of it cost; null for who does not see prices, and where nothing was bought.
    #[sqlx(rename = "cost")]
    #[schema(required)]
    pub(super) cost_paise: Option<Paise>,
    /// The crop cycle for which it was used.
    #[schema(required)]
    cycle_id: Option<String>,
    #[schema(required)]
    cycle: Option<String>,
    #[schema(required)]
    note: Option<String>,
    /// The version of what people edit, for `If-Match`.
    #[sqlx(skip)]
    etag: String,
}

/// A movement as people write it.
#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct StockMovementInput {
    #[schema(required, value_type = String)]
    item_id: Option<String>,
    #[schema(required, value_type = Kind)]
    kind: Option<String>,
    #[schema(required, value_type = String)]
    moved_on: Option<String>,
    /// In the item's unit, with up to three decimals. No more can go than there is on that day.
    #[schema(required, value_type = Decimal)]
    quantity: Option<Decimal>,
    /// What all of it cost, where it came in.
    cost_paise: Option<Paise>,
    cycle_id: Option<String>,
    #[schema(max_length = 2000)]
    note: Option<String>,
}

/// A movement as the fold sees it.
#[derive(Debug, Clone, Copy, FromRow)]
struct Step {
    kind: Kind,
    quantity: Decimal,
    cost: Option<Paise>,
}

/// How much there is, and what it cost at the mean price of what was bought.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct Stock {
    quantity: Decimal,
    value: Paise,
}

impl Stock {
    /// The stock after a movement; so much there is where more went than that.
    fn after(self, step: Step) -> Result<Self, Decimal> {
        let left = match step.kind {
            Kind::In => {
                let quantity = Decimal(self.quantity.0.saturating_add(step.quantity.0));
                // what was given is worth what there is
                let cost = step
                    .cost
                    .unwrap_or_else(|| self.value.share(step.quantity, self.quantity));
                let value = Paise(self.value.0.saturating_add(cost.0));
                return Ok(Self { quantity, value });
            }
            Kind::Out if step.quantity > self.quantity => return Err(self.quantity),
            Kind::Out => Decimal(self.quantity.0 - step.quantity.0),
            Kind::Count => step.quantity,
        };
        Ok(Self {
            quantity: left,
            value: self.value.share(left, self.quantity),
        })
    }
}

/// Folds an item's movements and keeps what they come to. Refuses a change after which more went than there was.
async fn fold(write: &mut Write, item: &str) -> Result<(), ApiError> {
    const STEPS: &str = "SELECT kind, quantity, cost FROM stock_movements WHERE farm_id = $1 AND item_id = $2 \
                         ORDER BY moved_on, created_at, id";
    const KEEP: &str =
        "UPDATE inventory_items SET stock = $3, value = $4 WHERE farm_id = $1 AND id = $2";
    let (farm, tx) = write.parts();
    let query = sql::query_as(STEPS).bind(farm).bind(item);
    let steps: Vec<Step> = query.fetch_all(&mut *tx).await?;
    let stock = steps.into_iter().try_fold(Stock::default(), Stock::after);
    let stock = stock.map_err(|there_is| {
        let limits = Limits::at_most(there_is);
        let wrong = (
            "quantity".to_owned(),
            "out_of_range",
            Text::NotInStock,
            Some(limits),
        );
        ApiError::limited(vec![wrong])
    })?;
    let query = sql::query(KEEP).bind(farm).bind(item);
    let query = query.bind(stock.quantity).bind(stock.value);
    query.execute(tx).await?;
    Ok(())
}

impl Stored for StockMovement {
    const TABLE: &'static str = "stock_movements";
    const ALSO: &'static str = concat!(
        cycle_label!(),
        ", (SELECT i.name FROM inventory_items i WHERE i.id = r.item_id) AS item",
        ", (SELECT i.unit FROM inventory_items i WHERE i.id = r.item_id) AS unit"
    );
    const DAY: Option<&'static str> = Some("moved_on");
    const MAX: i64 = 50_000;

    fn columns(&self) -> Vec<(&'static str, Value)> {
        vec![
            ("item_id", (&self.item_id).into()),
            ("kind", Value::word(&self.kind)),
            ("moved_on", (&self.moved_on).into()),
            ("quantity", self.quantity.into()),
            ("cost", self.cost_paise.into()),
            ("cycle_id", (&self.cycle_id).into()),
            ("note", (&self.note).into()),
        ]
    }
}

impl Record for StockMovement {
    const RESOURCE: Resource = Resource::StockMovement;
    type Input = StockMovementInput;
    type Read = ReadFarm;
    type Write = WriteCrops;

    async fn read(
        input: StockMovementInput,
        form: &mut Form<'_>,
        _: Option<&Self>,
    ) -> Result<Self, ApiError> {
        let kind = form.some_choice("kind", input.kind.as_deref());
        if kind == Kind::Count && input.quantity.is_none() {
            form.wrong("quantity", "required", Text::FieldRequired);
        }
        if kind != Kind::In && input.cost_paise.is_some() {
            form.wrong("costPaise", "unexpected", Text::FieldNoValue);
        }
        Ok(Self {
            item_id: form
                .some_reference::<InventoryItem>("itemId", input.item_id)
                .await?,
            kind,
            moved_on: form.some_day("movedOn", input.moved_on),
            quantity: if kind == Kind::Count {
                // nothing may be left
                form.quantity("quantity", input.quantity, true)
                    .unwrap_or_default()
            } else {
                form.some_quantity("quantity", input.quantity)
            },
            cost_paise: form.money("costPaise", input.cost_paise),
            cycle_id: form
                .reference::<CropCycle>("cycleId", input.cycle_id)
                .await?,
            note: form.lines("note", input.note),
            ..Self::default()
        })
    }

    fn name(&self) -> String {
        self.item.clone()
    }

    fn complete(&mut self, seen: &Seen) {
        if !seen.money {
            self.cost_paise = None;
        }
    }

    async fn follow(
        write: &mut Write,
        before: Option<&Self>,
        after: Option<&Self>,
    ) -> Result<(), ApiError> {
        let was = before.map(|b| &b.item_id);
        let is = after.map(|a| &a.item_id);
        for item in was.into_iter().chain(is.filter(|i| Some(*i) != was)) {
            fold(write, item).await?;
        }
        Ok(())
    }
}

operations!(
    StockMovement, StockMovementInput, "/api/farms/{farmId}/stock-movements", "/api/farms/{farmId}/stock-movements/{movementId}", "movementId",
    "list_stock_movements": "List stock movements", "create_stock_movement": "Create a stock movement",
    "replace_stock_movement": "Replace a stock movement", "delete_stock_movement": "Delete a stock movement",
);

#[cfg(test)]
mod tests {
    use super::*;

    const fn step(kind: Kind, units: i64, rupees: Option<i64>) -> Step {
        Step {
            kind,
            quantity: Decimal(units * 1_000_000),
            cost: match rupees {
                Some(rupees) => Some(Paise(rupees * 100)),
                None => None,
            },
        }
    }

    fn folded(steps: &[Step]) -> Result<(i64, i64), i64> {
        let stock = steps
            .iter()
            .try_fold(Stock::default(), |s, step| s.after(*step));
        stock
            .map(|s| (s.quantity.0 / 1_000_000, s.value.0))
            .map_err(|d| d.0 / 1_000_000)
    }

    #[test]
    fn stock_is_worth_the_mean_price_of_what_was_bought() {
        let bought = [step(Kind::In, 10, Some(100)), step(Kind::In, 10, Some(200))];
        assert_eq!(folded(&bought), Ok((20, 30_000)));
        let used = [bought[0], bought[1], step(Kind::Out, 5, None)];
        assert_eq!(folded(&used), Ok((15, 22_500)));
        let counted = [bought[0], bought[1], step(Kind::Count, 4, None)];
        assert_eq!(folded(&counted), Ok((4, 6_000)));
        let given = [bought[0], step(Kind::In, 5, None)];
        assert_eq!(folded(&given), Ok((15, 15_000)));
        let all_gone = [
            bought[0],
            step(Kind::Out, 10, None),
            step(Kind::In, 1, None),
        ];
        assert_eq!(folded(&all_gone), Ok((1, 0)));
    }

    #[test]
    fn no_more_goes_than_there_is() {
        let steps = [
            step(Kind::In, 3, None),
            step(Kind::Out, 4, None),
            step(Kind::In, 9, None),
        ];
        assert_eq!(folded(&steps), Err(3));
    }
}
