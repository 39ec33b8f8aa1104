//! Photos of tasks: one a task, taken by whoever does it.

use super::{FarmRecords, Write, now_ms};
use crate::records::sql;

/// The most photos of a farm; those of closed tasks go first, the oldest of them before the others.
const MAX_PHOTOS: i64 = 500;

/// A photo.
#[derive(Debug, Clone, sqlx::FromRow)]
pub(crate) struct Photo {
    /// `image/jpeg` or `image/webp`
    pub media_type: String,
    pub bytes: Vec<u8>,
}

impl FarmRecords {
    /// The photo of a task, if it has one.
    pub(crate) async fn photo(&self, task_id: &str) -> Result<Option<Photo>, sqlx::Error> {
        const Q: &str =
            "SELECT media_type, bytes FROM task_photos WHERE farm_id = $1 AND task_id = $2";
        let query = sql::query_as(Q).bind(self.farm()).bind(task_id);
        query.fetch_optional(&self.db().readers).await
    }
}

impl Write {
    /// Keeps a photo of a task, in place of the one before.
    pub(crate) async fn put_photo(
        &mut self,
        task_id: &str,
        photo: &Photo,
        by: &str,
    ) -> Result<(), sqlx::Error> {
        const PUT: &str = "INSERT INTO task_photos (task_id, farm_id, media_type, bytes, taken_by, taken_at) VALUES ($2, $1, $3, $4, $5, $6) \
                           ON CONFLICT (task_id) DO UPDATE SET media_type = $3, bytes = $4, taken_by = $5, taken_at = $6";
        const ROOM: &str = "DELETE FROM task_photos WHERE task_id IN (SELECT p.task_id FROM task_photos p JOIN tasks t ON t.id = p.task_id \
                            WHERE p.farm_id = $1 AND p.task_id <> $2 ORDER BY t.status <> 'CLOSED', p.taken_at \
                            LIMIT (SELECT CASE WHEN COUNT(*) > $3 THEN COUNT(*) - $3 ELSE 0 END FROM task_photos WHERE farm_id = $1))";
        let (farm, tx) = self.parts();
        sql::query(PUT)
            .bind(farm)
            .bind(task_id)
            .bind(&photo.media_type)
            .bind(&photo.bytes)
            .bind(by)
            .bind(now_ms())
            .execute(&mut *tx)
            .await?;
        let room = sql::query(ROOM).bind(farm).bind(task_id).bind(MAX_PHOTOS);
        room.execute(tx).await?;
        Ok(())
    }

    /// Forgets the photo of a task, if it has one.
    pub(crate) async fn delete_photo(&mut self, task_id: &str) -> Result<bool, sqlx::Error> {
        const Q: &str = "DELETE FROM task_photos WHERE farm_id = $1 AND task_id = $2";
        let (farm, tx) = self.parts();
        let done = sql::query(Q).bind(farm).bind(task_id).execute(tx).await?;
        Ok(done.rows_affected() > 0)
    }
}
