//! The actions of a log, as they are in JSON.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::columns::{Column, Kind, PRECISION, SCALE};

/// A line of a commit: one of its fields is set. Unknown kinds of actions have none.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Action {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) commit_info: Option<CommitInfo>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) protocol: Option<Protocol>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) meta_data: Option<MetaData>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) txn: Option<Txn>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) add: Option<Add>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) remove: Option<Remove>,
}

/// The origin of a commit.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct CommitInfo {
    #[serde(default)]
    pub(crate) timestamp: i64,
    #[serde(default)]
    pub(crate) operation: String,
    #[serde(default)]
    pub(crate) engine_info: String,
    /// A random id, by which a writer recognizes its own commit after a lost answer.
    #[serde(default)]
    pub(crate) txn_id: String,
}

/// The versions of the protocol that readers and writers need.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Protocol {
    pub(crate) min_reader_version: i32,
    pub(crate) min_writer_version: i32,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) reader_features: Option<Vec<String>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) writer_features: Option<Vec<String>>,
}

impl Protocol {
    /// Returns the protocol of a table with these columns. Times without a zone are a separate feature.
    pub(crate) fn of(columns: &[Column]) -> Self {
        if columns.iter().all(|column| column.kind != Kind::Civil) {
            return Self {
                min_reader_version: 1,
                min_writer_version: 2,
                reader_features: None,
                writer_features: None,
            };
        }
        let features = Some(vec!["timestampNtz".to_owned()]);
        Self {
            min_reader_version: 3,
            min_writer_version: 7,
            reader_features: features.clone(),
            writer_features: features,
        }
    }
}

/// The description of a table.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct MetaData {
    pub(crate) id: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) name: Option<String>,
    pub(crate) format: Format,
    pub(crate) schema_string: String,
    pub(crate) partition_columns: Vec<String>,
    #[serde(default)]
    pub(crate) configuration: BTreeMap<String, String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) created_time: Option<i64>,
}

/// The format of the files.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Format {
    pub(crate) provider: String,
    #[serde(default)]
    pub(crate) options: BTreeMap<String, String>,
}

/// The progress of a writer, in its own words.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Txn {
    pub(crate) app_id: String,
    pub(crate) version: i64,
}

/// A file that belongs to the table from now on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Add {
    pub(crate) path: String,
    #[serde(default)]
    pub(crate) partition_values: BTreeMap<String, Option<String>>,
    pub(crate) size: i64,
    pub(crate) modification_time: i64,
    pub(crate) data_change: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) stats: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) tags: Option<BTreeMap<String, Option<String>>>,
}

impl Add {
    /// Returns the value of a tag.
    pub(crate) fn tag(&self, name: &str) -> Option<&str> {
        self.tags.as_ref()?.get(name)?.as_deref()
    }
}

/// A file that does not belong to the table any more.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Remove {
    pub(crate) path: String,
    #[serde(default)]
    pub(crate) deletion_timestamp: Option<i64>,
    pub(crate) data_change: bool,
}

/// Returns the columns as the schema of a table. The text is compared with that of former exports.
pub(crate) fn schema_string(columns: &[Column]) -> String {
    let decimal = format!("decimal({PRECISION},{SCALE})");
    let field = |column: &Column| {
        let kind = match column.kind {
            Kind::Text => "string",
            Kind::Integer => "long",
            Kind::Real => "double",
            Kind::Boolean => "boolean",
            Kind::Time => "timestamp",
            Kind::Civil => "timestamp_ntz",
            Kind::Decimal => &*decimal,
        };
        // Not `json!`: the order of its keys depends on a feature, which any crate can turn on.
        let name = serde_json::Value::from(&*column.name);
        format!(r#"{{"name":{name},"type":"{kind}","nullable":true,"metadata":{{}}}}"#)
    };
    let fields: Vec<_> = columns.iter().map(field).collect();
    format!(r#"{{"type":"struct","fields":[{}]}}"#, fields.join(","))
}
