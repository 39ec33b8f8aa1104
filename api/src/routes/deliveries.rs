//! What was sent to whom, by what, and what came back; and a message to oneself, to see whether a way works.

use axum::Json;
use axum::http::StatusCode;
use serde::{Deserialize, Serialize};
use serde_json::json;
use utoipa::{IntoParams, ToSchema};

use crate::access::{FarmAccess, OperateFarm, TestDeliveries};
use crate::audit::Action;
use crate::contact::Contact;
use crate::delivery::{Channel, test_message};
use crate::error::{ApiError, Body, ErrorBody, Params};
use crate::language::Language;
use crate::records::{Decimal, MessageMonth, Paise, SentMessage};

/// The most messages of one listing.
const MAX_LISTED: i64 = 500;

/// How many to list.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(super) struct DeliveryQuery {
    /// At most so many: 1 to 500, 100 by default.
    #[param(minimum = 1, maximum = 500)]
    limit: Option<i64>,
}

/// A way to people.
#[derive(Debug, Clone, Copy, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "UPPERCASE")]
#[schema(as = DeliveryChannel)]
pub(super) enum ChannelWord {
    Email,
    Sms,
    WhatsApp,
    Webhook,
    Push,
}

impl ChannelWord {
    const fn channel(self) -> Channel {
        match self {
            Self::Email => Channel::Email,
            Self::Sms => Channel::Sms,
            Self::WhatsApp => Channel::WhatsApp,
            Self::Webhook => Channel::Webhook,
            Self::Push => Channel::Push,
        }
    }

    const fn of(channel: Channel) -> Self {
        match channel {
            Channel::Email => Self::Email,
            Channel::Sms => Self::Sms,
            Channel::WhatsApp => Self::WhatsApp,
            Channel::Webhook => Self::Webhook,
            Channel::Push => Self::Push,
        }
    }
}

/// Messages, and the ways by which they go.
#[derive(Serialize, ToSchema)]
#[schema(as = Deliveries)]
pub(super) struct DeliveriesBody {
    channels: Vec<ChannelBody>,
    /// The latest first.
    messages: Vec<DeliveryBody>,
    /// What went out by each way in a month, for a year, the latest first.
    months: Vec<MonthBody>,
}

/// What went out by a way in a month, and what it cost by the prices that were set then.
#[derive(Serialize, ToSchema)]
#[schema(as = DeliveryMonth)]
pub(super) struct MonthBody {
    /// By UTC.
    #[schema(example = "2026-11")]
    month: String,
    channel: ChannelWord,
    messages: i64,
    /// On the air: a long SMS has parts, each of which costs.
    units: i64,
    /// Null where no price is set.
    #[schema(required)]
    paise: Option<Paise>,
}

fn month_body(m: MessageMonth) -> Option<MonthBody> {
    Some(MonthBody {
        channel: ChannelWord::of(Channel::parse(&m.channel)?),
        month: m.month,
        messages: m.messages,
        units: m.units,
        paise: m.cost.map(|cost| Paise(100).times(Decimal(cost))),
    })
}

/// A way, and whether it works.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = DeliveryChannelState)]
pub(super) struct ChannelBody {
    channel: ChannelWord,
    /// Whether a gateway is set for it.
    connected: bool,
    /// Since when its gateway takes nothing, in epoch milliseconds; none where it does.
    #[schema(required)]
    away_since: Option<i64>,
}

/// What became of a message.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = DeliveryMessage)]
pub(super) struct DeliveryBody {
    id: String,
    channel: ChannelWord,
    /// CODE, INVITE, NOTICE, ALERT or TEST
    kind: String,
    /// Most of it is hidden; "browser" of Web Push.
    #[schema(example = "o***@demo.harit")]
    to: String,
    /// Whose it is, where they have an account.
    #[schema(required)]
    name: Option<String>,
    /// Of an alert; empty otherwise.
    title: String,
    /// How many messages it stands for.
    times: i64,
    /// QUEUED, SENT, DELIVERED, READ or FAILED
    state: String,
    /// Why it waits or was given up: away, refused, too_late, no_gateway, unverified, no_browser, gone, over, answered, folded,
    /// over_share, too_many, undelivered, unreadable
    #[schema(required)]
    reason: Option<String>,
    /// What the gateway answered.
    #[schema(required)]
    answer: Option<String>,
    attempts: i64,
    /// When it is tried next, of a QUEUED one.
    #[schema(required)]
    next_try_at: Option<i64>,
    created_at: i64,
    #[schema(required)]
    sent_at: Option<i64>,
    changed_at: i64,
}

fn body(m: SentMessage) -> Option<DeliveryBody> {
    let channel = Channel::parse(&m.channel)?;
    Some(DeliveryBody {
        id: m.id,
        channel: ChannelWord::of(channel),
        kind: m.kind,
        to: match Contact::parse(&m.recipient) {
            // an id says nothing
            _ if channel == Channel::Push => "browser".to_owned(),
            Some(contact) => contact.masked(),
            None => m.recipient,
        },
        name: m.name,
        title: m.title,
        times: m.times,
        next_try_at: (m.state == "QUEUED").then_some(m.next_try_at),
        state: m.state,
        reason: m.reason,
        answer: m.answer.filter(|a| !a.is_empty()),
        attempts: m.attempts,
        created_at: m.created_at,
        sent_at: m.sent_at,
        changed_at: m.changed_at,
    })
}

/// What was sent
///
/// The farm's messages and the codes of its people, the latest first, without what they said: what is secret is erased when it
/// is sent. For OWNER and ADMIN.
#[utoipa::path(
    get, path = "/api/farms/{farmId}/deliveries", tag = "notifications",
    operation_id = "list_deliveries", summary = "List what was sent to people", params(DeliveryQuery),
    responses((status = OK, body = DeliveriesBody))
)]
pub(super) async fn list(
    access: FarmAccess<OperateFarm>,
    Params(query): Params<DeliveryQuery>,
) -> Result<Json<DeliveriesBody>, ApiError> {
    let limit = query.limit.unwrap_or(100).clamp(1, MAX_LISTED);
    let records = access.records();
    let messages = records.messages(limit).await?;
    let months = records.message_months().await?;
    let ways = records.ways();
    let channel = |channel| ChannelBody {
        channel: ChannelWord::of(channel),
        connected: ways.has(channel),
        away_since: ways.away_since(channel),
    };
    Ok(Json(DeliveriesBody {
        channels: Channel::ALL.into_iter().map(channel).collect(),
        messages: messages.into_iter().filter_map(body).collect(),
        months: months.into_iter().filter_map(month_body).collect(),
    }))
}

/// Which way to try.
#[derive(Deserialize, ToSchema)]
#[schema(as = TestDelivery)]
pub(super) struct TestRequest {
    channel: ChannelWord,
}

/// Sends the caller a message
///
/// To their own verified contact, or to each browser in which they asked to be told, to see whether the way works. Five an hour. For OWNER and ADMIN.
#[utoipa::path(
    post, path = "/api/farms/{farmId}/deliveries/test", tag = "notifications",
    operation_id = "test_delivery", summary = "Send oneself a message", request_body = TestRequest,
    responses(
        (status = ACCEPTED),
        (status = CONFLICT, description = "No gateway is set for it, no contact is verified, or no browser asked", body = ErrorBody),
    )
)]
pub(super) async fn test(
    access: FarmAccess<TestDeliveries>,
    Body(TestRequest { channel }): Body<TestRequest>,
) -> Result<StatusCode, ApiError> {
    let channel = channel.channel();
    let user = access.user();
    let contacts: Vec<String> = match channel {
        Channel::Email => user.email.iter().cloned().collect(),
        Channel::Sms | Channel::WhatsApp => user.phone.iter().cloned().collect(),
        Channel::Webhook => vec!["webhook".to_owned()],
        Channel::Push => access.own_browsers().await?,
    };
    let mut write = access.write().await?;
    if !access.records().ways().has(channel) {
        return Err(ApiError::no_gateway());
    }
    if contacts.is_empty() && channel == Channel::Push {
        return Err(ApiError::no_browser());
    } else if contacts.is_empty() {
        return Err(ApiError::contact_unverified());
    }
    access.count_test()?;
    let language = Language::parse(&user.language).unwrap_or_default();
    let link = access.records().ways().link("/deliveries");
    let content = test_message(language, link.as_deref());
    for contact in &contacts {
        write
            .send_test(&user.id, contact, channel, language, &content)
            .await?;
    }
    let details = json!({"channel": channel.as_str()});
    write
        .commit(Action::DeliveryTested, &user.id, details)
        .await?;
    Ok(StatusCode::ACCEPTED)
}
