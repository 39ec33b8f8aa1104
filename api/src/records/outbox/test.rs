//! A message to oneself.

use super::super::{Write, new_id, now_ms};
use super::{Content, MessageKind, NewRow};
use crate::delivery::Channel;
use crate::language::Language;

impl Write {
    /// Writes a message that tries a way.
    pub(crate) async fn send_test(
        &mut self,
        user: &str,
        to: &str,
        channel: Channel,
        language: Language,
        content: &Content,
    ) -> Result<(), sqlx::Error> {
        let records = self.records().records.clone();
        let (farm, tx) = self.parts();
        let row = NewRow {
            id: new_id(),
            cause: format!("TEST/{}/{}", new_id(), channel.as_str()),
            farm: Some(farm),
            user: Some(user),
            recipient: to,
            channel,
            kind: MessageKind::Test,
            language,
            content,
            about: "",
            incident: (None, None),
            critical: false,
            times: 1,
            not_before: None,
            given_up: None,
            join: None,
        };
        records.insert(tx, row, now_ms()).await?;
        self.after(|records| records.ways().wake());
        Ok(())
    }
}
