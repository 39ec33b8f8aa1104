//! Sales: what a buyer took, at which price, and how much of it is paid.

use crate::records::sql::Json;
use serde::{Deserialize, Serialize};
use sqlx::FromRow;
use utoipa::ToSchema;

use super::cycles::CropCycle;
use super::form::{Form, MAX_PAISE};
use super::harvests::Grade;
use super::inventory::Unit;
use super::operations::{Record, Seen, operations};
use crate::access::{ReadMoney, WriteMoney};
use crate::error::ApiError;
use crate::language::Text;
use crate::records::{Decimal, Paise, Stored, Value};
use crate::resource::Resource;

/// The most lines of a sale.
const MAX_LINES: usize = 50;

/// What somebody bought.
#[derive(Debug, Clone, Default, Serialize, FromRow, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Sale {
    id: String,
    buyer: String,
    /// YYYY-MM-DD
    pub(super) sold_on: String,
    #[schema(value_type = Vec<SaleLine>)]
    pub(super) lines: Json<Vec<SaleLine>>,
    /// What the lines come to.
    #[sqlx(rename = "total")]
    pub(super) total_paise: Paise,
    #[sqlx(rename = "paid")]
    pub(super) paid_paise: Paise,
    #[sqlx(skip)]
    state: State,
    #[schema(required)]
    note: Option<String>,
    /// The version of what people edit, for `If-Match`.
    #[sqlx(skip)]
    etag: String,
}

/// How much of a sale is paid.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
#[schema(as = SaleState)]
enum State {
    #[default]
    Unpaid,
    PartlyPaid,
    Paid,
}

/// A line of a sale. What it comes to is the quantity times the price, rounded to the paisa.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct SaleLine {
    /// Such as "Capsicum red"; 1 to 120 characters.
    #[schema(max_length = 120)]
    what: String,
    #[schema(required)]
    grade: Option<Grade>,
    /// The crop cycle from which it is.
    #[schema(required)]
    pub(super) cycle_id: Option<String>,
    /// More than 0, with up to three decimals.
    quantity: Decimal,
    unit: Unit,
    /// For one unit.
    price_paise: Paise,
}

impl SaleLine {
    /// What it comes to.
    pub(super) fn amount(&self) -> Paise {
        self.price_paise.times(self.quantity)
    }
}

/// A sale as people write it.
#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct SaleInput {
    /// 1 to 120 characters.
    #[schema(required, value_type = String, max_length = 120)]
    buyer: Option<String>,
    #[schema(required, value_type = String)]
    sold_on: Option<String>,
    /// 1 to 50.
    #[schema(required, value_type = Vec<SaleLine>)]
    lines: Option<Vec<SaleLine>>,
    /// How much was paid until now: at most what the lines come to. Nothing by default.
    paid_paise: Option<Paise>,
    #[schema(max_length = 2000)]
    note: Option<String>,
}

impl Stored for Sale {
    const TABLE: &'static str = "sales";
    const DAY: Option<&'static str> = Some("sold_on");
    const MAX: i64 = 50_000;

    fn columns(&self) -> Vec<(&'static str, Value)> {
        vec![
            ("buyer", (&self.buyer).into()),
            ("sold_on", (&self.sold_on).into()),
            ("lines", Value::json(&self.lines)),
            ("total", self.total_paise.into()),
            ("paid", self.paid_paise.into()),
            ("note", (&self.note).into()),
        ]
    }
}

impl Record for Sale {
    const RESOURCE: Resource = Resource::Sale;
    type Input = SaleInput;
    type Read = ReadMoney;
    type Write = WriteMoney;

    async fn read(
        input: SaleInput,
        form: &mut Form<'_>,
        _: Option<&Self>,
    ) -> Result<Self, ApiError> {
        let mut lines = form.list("lines", input.lines, MAX_LINES);
        for (i, line) in lines.iter_mut().take(MAX_LINES).enumerate() {
            let at = |field: &str| format!("lines[{i}].{field}");
            line.what = form.name(&at("what"), Some(std::mem::take(&mut line.what)));
            form.quantity(&at("quantity"), Some(line.quantity), false);
            form.money(&at("pricePaise"), Some(line.price_paise));
            line.cycle_id = form
                .reference::<CropCycle>(&at("cycleId"), line.cycle_id.take())
                .await?;
        }
        let amounts = lines.iter().map(|l| l.amount().0);
        let total = amounts.fold(0_i64, i64::saturating_add);
        if total > MAX_PAISE {
            form.wrong("lines", "out_of_range", Text::FieldOutOfRange);
        }
        let paid = form
            .money("paidPaise", input.paid_paise)
            .unwrap_or_default();
        if paid.0 > total {
            form.wrong("paidPaise", "out_of_range", Text::PaidTooMuch);
        }
        Ok(Self {
            buyer: form.name("buyer", input.buyer),
            sold_on: form.some_day("soldOn", input.sold_on),
            lines: Json(lines),
            total_paise: Paise(total),
            paid_paise: paid,
            note: form.lines("note", input.note),
            ..Self::default()
        })
    }

    fn name(&self) -> String {
        self.buyer.clone()
    }

    fn complete(&mut self, _: &Seen) {
        self.state = if self.paid_paise >= self.total_paise {
            State::Paid
        } else if self.paid_paise > Paise(0) {
            State::PartlyPaid
        } else {
            State::Unpaid
        };
    }
}

operations!(
    Sale, SaleInput, "/api/farms/{farmId}/sales", "/api/farms/{farmId}/sales/{saleId}", "saleId",
    "list_sales": "List sales", "create_sale": "Create a sale",
    "replace_sale": "Replace a sale", "delete_sale": "Delete a sale",
);
