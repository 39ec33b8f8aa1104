//! Expenses: what the farm paid for, other than what went into the store.

use serde::{Deserialize, Serialize};
use sqlx::FromRow;
use utoipa::ToSchema;

use super::cycles::{CropCycle, cycle_label};
use super::form::Form;
use super::operations::{Record, operations};
use crate::access::{ReadMoney, WriteMoney};
use crate::error::ApiError;
use crate::records::{Paise, Stored, Value};
use crate::resource::Resource;

/// What money was spent for.
#[derive(
    Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, sqlx::Type, ToSchema,
)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
#[sqlx(type_name = "TEXT", rename_all = "SCREAMING_SNAKE_CASE")]
#[schema(as = ExpenseCategory)]
enum Category {
    Labour,
    Electricity,
    Water,
    Transport,
    Repair,
    Rent,
    Loan,
    Input,
    #[default]
    Other,
}

/// Something that was paid for.
#[derive(Debug, Clone, Default, Serialize, FromRow, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Expense {
    id: String,
    what: String,
    category: Category,
    /// YYYY-MM-DD
    pub(super) spent_on: String,
    #[sqlx(rename = "amount")]
    pub(super) amount_paise: Paise,
    /// The crop cycle for which it was.
    #[schema(required)]
    pub(super) cycle_id: Option<String>,
    #[schema(required)]
    cycle: Option<String>,
    #[schema(required)]
    note: Option<String>,
    /// The version of what people edit, for `If-Match`.
    #[sqlx(skip)]
    etag: String,
}

/// An expense as people write it.
#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct ExpenseInput {
    /// 1 to 120 characters.
    #[schema(required, value_type = String, max_length = 120)]
    what: Option<String>,
    #[schema(required, value_type = Category)]
    category: Option<String>,
    #[schema(required, value_type = String)]
    spent_on: Option<String>,
    #[schema(required, value_type = Paise)]
    amount_paise: Option<Paise>,
    cycle_id: Option<String>,
    #[schema(max_length = 2000)]
    note: Option<String>,
}

impl Stored for Expense {
    const TABLE: &'static str = "expenses";
    const ALSO: &'static str = cycle_label!();
    const DAY: Option<&'static str> = Some("spent_on");
    const MAX: i64 = 50_000;

    fn columns(&self) -> Vec<(&'static str, Value)> {
        vec![
            ("what", (&self.what).into()),
            ("category", Value::word(&self.category)),
            ("spent_on", (&self.spent_on).into()),
            ("amount", self.amount_paise.into()),
            ("cycle_id", (&self.cycle_id).into()),
            ("note", (&self.note).into()),
        ]
    }
}

impl Record for Expense {
    const RESOURCE: Resource = Resource::Expense;
    type Input = ExpenseInput;
    type Read = ReadMoney;
    type Write = WriteMoney;

    async fn read(
        input: ExpenseInput,
        form: &mut Form<'_>,
        _: Option<&Self>,
    ) -> Result<Self, ApiError> {
        Ok(Self {
            what: form.name("what", input.what),
            category: form.some_choice("category", input.category.as_deref()),
            spent_on: form.some_day("spentOn", input.spent_on),
            amount_paise: form.some_money("amountPaise", input.amount_paise),
            cycle_id: form
                .reference::<CropCycle>("cycleId", input.cycle_id)
                .await?,
            note: form.lines("note", input.note),
            ..Self::default()
        })
    }

    fn name(&self) -> String {
        self.what.clone()
    }
}

operations!(
    Expense, ExpenseInput, "/api/farms/{farmId}/expenses", "/api/farms/{farmId}/expenses/{expenseId}", "expenseId",
    "list_expenses": "List expenses", "create_expense": "Create an expense",
    "replace_expense": "Replace an expense", "delete_expense": "Delete an expense",
);
