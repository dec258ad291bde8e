//! Paging: how the pages of a list follow each other.

use crate::ir::{Field, ModelId, Operation, Param, Service};

/// How the pages of a list follow each other.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Paging {
    /// The value that changes from page to page.
    pub by: PagedBy,
    /// The index of the parameter with this value; `None` for a continuation.
    pub param: Option<usize>,
    /// The index of the parameter with the maximum number of records of a page.
    pub size: Option<usize>,
    /// Whether a page with fewer records is the last one.
    pub short_page_ends: bool,
    /// The field beside the list that says how the list goes on.
    pub mark: Option<Mark>,
}

/// The value that changes from page to page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PagedBy {
    /// The number of the page.
    Number {
        /// The number of the first page.
        first: i64,
    },
    /// The number of records before the page.
    Offset,
    /// A text in the page before.
    Cursor,
    /// The parameters in an object in the page before.
    Continuation,
}

/// A field beside a list that says how the list goes on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mark {
    /// The meaning of the field.
    pub says: Says,
    /// The keys that lead to the field.
    pub path: Vec<String>,
}

/// The meaning of a field beside a list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Says {
    /// The number of the last page.
    Last,
    /// The number of records of all pages.
    Total,
    /// The offset, the cursor or the parameters of the next page.
    Next,
}

impl Says {
    /// Returns the key in a spec.
    pub fn word(self) -> &'static str {
        match self {
            Self::Last => "last",
            Self::Total => "total",
            Self::Next => "next",
        }
    }
}

impl PagedBy {
    /// Returns the key in a spec.
    pub fn word(self) -> &'static str {
        match self {
            Self::Number { .. } => "page",
            Self::Offset => "offset",
            Self::Cursor => "cursor",
            Self::Continuation => "continuation",
        }
    }
}

impl Operation {
    /// Returns the parameter with the value that changes from page to page.
    pub fn position_param(&self) -> Option<&Param> {
        self.params.get(self.paging.as_ref()?.param?)
    }

    /// Returns the parameter with the maximum number of records of a page.
    pub fn size_param(&self) -> Option<&Param> {
        self.params.get(self.paging.as_ref()?.size?)
    }

    /// Returns whether an object in a page has the parameters of the next one.
    pub fn is_continued(&self) -> bool {
        self.paging.as_ref().is_some_and(|paging| paging.by == PagedBy::Continuation)
    }

    /// Returns a sentence about how the pages of the list follow each other.
    pub fn pages(&self) -> Option<String> {
        let paging = self.paging.as_ref()?;
        let param = self.position_param().map(|param| format!("`{}`", param.wire));
        let param = param.unwrap_or_default();
        let by = match paging.by {
            PagedBy::Number { first } => {
                format!("The list has pages: {param} is the number of the page, from {first}")
            }
            PagedBy::Offset => {
                format!("The list has pages: {param} is the number of records before the page")
            }
            PagedBy::Cursor => format!("The list has pages: {param} is the cursor of the page"),
            PagedBy::Continuation => {
                "The list has pages: each has the parameters of the next one".to_owned()
            }
        };
        let size = self.size_param().map(|param| format!(", and `{}` its size", param.wire));
        let end = match &paging.mark {
            Some(mark) => {
                let field = format!("`{}`", mark.path.join("."));
                match mark.says {
                    Says::Last => format!("{field} is the number of pages."),
                    Says::Total => format!("{field} is the number of all records."),
                    Says::Next if paging.by == PagedBy::Continuation => {
                        format!("They are in {field}, which the last page does not have.")
                    }
                    Says::Next => {
                        format!("{field} is that of the next page; the last page has none.")
                    }
                }
            }
            None if paging.short_page_ends => {
                "The last page has fewer records than its size.".to_owned()
            }
            None => "An empty page follows the last one.".to_owned(),
        };
        Some(format!("{by}{}. {end}", size.unwrap_or_default()))
    }
}

impl Service {
    /// Returns the fields to which the keys of a path lead, from a model inwards; `None` if one does not exist.
    pub fn fields_at<'s>(&'s self, model: ModelId, path: &[String]) -> Option<Vec<&'s Field>> {
        let mut fields: Vec<&Field> = Vec::new();
        for key in path {
            let model = match fields.last() {
                Some(field) => field.ty.model()?,
                None => model,
            };
            fields.push(self.model(model).fields.iter().find(|field| field.wire == *key)?);
        }
        Some(fields)
    }
}
