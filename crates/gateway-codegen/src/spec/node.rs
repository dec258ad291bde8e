//! The tree of a spec: values and keys with their positions.

use std::ops::Range;

/// A value of the spec with its position. Values that violate the grammar are left out of the tree.
#[derive(Debug)]
pub(crate) struct Node {
    pub(crate) span: Range<usize>,
    pub(crate) value: Value,
}

#[derive(Debug)]
pub(crate) enum Value {
    Text(String),
    Integer(i64),
    /// A finite number with a fraction, as it is written.
    Float(String),
    Boolean(bool),
    List(Vec<Node>),
    Table(Vec<Entry>),
}

/// A key with its value.
#[derive(Debug)]
pub(crate) struct Entry {
    pub(crate) key: String,
    pub(crate) key_span: Range<usize>,
    pub(crate) node: Node,
}

impl Node {
    /// Returns the entries of a table, in the order of the file.
    pub(crate) fn entries(&self) -> &[Entry] {
        if let Value::Table(entries) = &self.value { entries } else { &[] }
    }

    /// Returns the entries of the table under a key; empty if the key is missing.
    pub(crate) fn entries_of(&self, key: &str) -> &[Entry] {
        self.get(key).map(Self::entries).unwrap_or_default()
    }

    /// Returns the items of a list.
    pub(crate) fn list(&self) -> &[Self] {
        if let Value::List(nodes) = &self.value { nodes } else { &[] }
    }

    /// Returns the items of the list under a key; empty if the key is missing.
    pub(crate) fn list_of(&self, key: &str) -> &[Self] {
        self.get(key).map(Self::list).unwrap_or_default()
    }

    pub(crate) fn get(&self, key: &str) -> Option<&Self> {
        self.entries().iter().find(|entry| entry.key == key).map(|entry| &entry.node)
    }

    pub(crate) fn as_text(&self) -> Option<&str> {
        if let Value::Text(text) = &self.value { Some(text) } else { None }
    }

    /// Returns the text under a key; empty if the key is missing.
    pub(crate) fn text(&self, key: &str) -> String {
        self.get(key).and_then(Self::as_text).unwrap_or_default().to_owned()
    }

    pub(crate) fn integer(&self, key: &str) -> Option<i64> {
        if let Value::Integer(number) = self.get(key)?.value { Some(number) } else { None }
    }

    pub(crate) fn flag(&self, key: &str) -> bool {
        matches!(self.get(key), Some(Self { value: Value::Boolean(true), .. }))
    }
}
