//! Templates: the stages of a crop, from which cycles are begun.

use crate::records::sql::Json;
use serde::{Deserialize, Serialize};
use sqlx::FromRow;
use utoipa::ToSchema;

use super::form::Form;
use super::operations::{Record, operations};
use super::stages::{self, Stage};
use crate::access::{ReadFarm, WriteCrops};
use crate::error::ApiError;
use crate::records::{Stored, Value};
use crate::resource::Resource;

/// A crop with its stages, from which cycles are begun.
#[derive(Debug, Clone, Default, Serialize, FromRow, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Template {
    id: String,
    name: String,
    crop: String,
    #[schema(required)]
    variety: Option<String>,
    #[schema(value_type = Vec<Stage>)]
    stages: Json<Vec<Stage>>,
    /// The version of what people edit, for `If-Match`.
    #[sqlx(skip)]
    etag: String,
}

/// A template as people write it.
#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct TemplateInput {
    /// 1 to 120 characters.
    #[schema(required, value_type = String, max_length = 120)]
    name: Option<String>,
    /// 1 to 120 characters.
    #[schema(required, value_type = String, max_length = 120)]
    crop: Option<String>,
    #[schema(max_length = 120)]
    variety: Option<String>,
    /// 1 to 20.
    #[schema(required, value_type = Vec<Stage>)]
    stages: Option<Vec<Stage>>,
}

impl Stored for Template {
    const TABLE: &'static str = "templates";
    const MAX: i64 = 200;

    fn columns(&self) -> Vec<(&'static str, Value)> {
        vec![
            ("name", (&self.name).into()),
            ("crop", (&self.crop).into()),
            ("variety", (&self.variety).into()),
            ("stages", Value::json(&self.stages)),
        ]
    }
}

impl Record for Template {
    const RESOURCE: Resource = Resource::Template;
    type Input = TemplateInput;
    type Read = ReadFarm;
    type Write = WriteCrops;

    async fn read(
        input: TemplateInput,
        form: &mut Form<'_>,
        _: Option<&Self>,
    ) -> Result<Self, ApiError> {
        let stages = form.list("stages", input.stages, usize::MAX);
        Ok(Self {
            name: form.name("name", input.name),
            crop: form.name("crop", input.crop),
            variety: form.line("variety", input.variety),
            stages: Json(stages::read(form, Some(stages))),
            ..Self::default()
        })
    }

    fn name(&self) -> String {
        self.name.clone()
    }
}

operations!(
    Template, TemplateInput, "/api/farms/{farmId}/templates", "/api/farms/{farmId}/templates/{templateId}", "templateId",
    "list_templates": "List templates", "create_template": "Create a template",
    "replace_template": "Replace a template", "delete_template": "Delete a template",
);
