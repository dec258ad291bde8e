//! Paging: how the pages of a list follow each other.

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
    /// The fields beside the list that say how the list goes on.
    pub marks: Vec<Mark>,
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
    /// Whether a page follows.
    More,
}

impl Says {
    /// All meanings.
    pub const ALL: [Self; 4] = [Self::Last, Self::Total, Self::Next, Self::More];

    /// Returns the key in a spec.
    pub fn word(self) -> &'static str {
        match self {
            Self::Last => "last",
            Self::Total => "total",
            Self::Next => "next",
            Self::More => "more",
        }
    }
}

impl Paging {
    /// Returns the field with a meaning.
    pub fn mark(&self, says: Says) -> Option<&Mark> {
        self.marks.iter().find(|mark| mark.says == says)
    }

    /// Returns the expression for the runtime's `PagedBy`.
    pub fn code(&self) -> String {
        let is_next = self.mark(Says::Next).is_some();
        match self.by {
            PagedBy::Number { first } => format!("PagedBy::Number {{ first: {first} }}"),
            PagedBy::Offset if is_next => "PagedBy::NextOffset".to_owned(),
            PagedBy::Offset => "PagedBy::Offset".to_owned(),
            PagedBy::Cursor => "PagedBy::Cursor".to_owned(),
            PagedBy::Continuation => "PagedBy::Continuation".to_owned(),
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
