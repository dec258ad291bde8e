//! The tree of a spec: values and keys with their positions.

use std::ops::Range;

/// A value of the spec with its position. Values that violate the grammar are left out of the tree.
#[derive(Debug)]
pub(super) struct Node {
    pub(super) span: Range<usize>,
    pub(super) value: Value,
}

#[derive(Debug)]
pub(super) enum Value {
    Text(String),
    Integer(i64),
    Boolean(bool),
    List(Vec<Node>),
    Table(Vec<Entry>),
}

/// A key with its value.
#[derive(Debug)]
pub(super) struct Entry {
    pub(super) key: String,
    pub(super) key_span: Range<usize>,
    pub(super) node: Node,
}

impl Node {
    /// Returns the entries of a table, in the order of the file.
    pub(super) fn entries(&self) -> &[Entry] {
        if let Value::Table(entries) = &self.value { entries } else { &[] }
    }

    /// Returns the entries of the table under a key; empty if the key is missing.
    pub(super) fn entries_of(&self, key: &str) -> &[Entry] {
        self.get(key).map(Self::entries).unwrap_or_default()
    }

    /// Returns the items of a list.
    pub(super) fn list(&self) -> &[Self] {
        if let Value::List(nodes) = &self.value { nodes } else { &[] }
    }

    /// Returns the items of the list under a key; empty if the key is missing.
    pub(super) fn list_of(&self, key: &str) -> &[Self] {
        self.get(key).map(Self::list).unwrap_or_default()
    }

    pub(super) fn get(&self, key: &str) -> Option<&Self> {
        self.entries().iter().find(|entry| entry.key == key).map(|entry| &entry.node)
    }

    pub(super) fn as_text(&self) -> Option<&str> {
        if let Value::Text(text) = &self.value { Some(text) } else { None }
    }

    /// Returns the text under a key; empty if the key is missing.
    pub(super) fn text(&self, key: &str) -> String {
        self.get(key).and_then(Self::as_text).unwrap_or_default().to_owned()
    }

    pub(super) fn integer(&self, key: &str) -> Option<i64> {
        if let Value::Integer(number) = self.get(key)?.value { Some(number) } else { None }
    }

    pub(super) fn flag(&self, key: &str) -> bool {
        matches!(self.get(key), Some(Self { value: Value::Boolean(true), .. }))
    }
}
