//! What a value should look like, as data: for saying what is wrong with one that does not.

/// The shape of a value.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Shape {
    /// A JSON string.
    Text,
    /// A JSON object with known members.
    Object(&'static Object),
}

/// The shape of an object.
#[derive(Debug)]
pub(crate) struct Object {
    /// What it is called, with an article.
    pub(crate) what: &'static str,
    /// Its members in the order of the spec.
    pub(crate) members: &'static [Member],
}

/// The shape of a member.
#[derive(Debug)]
pub(crate) struct Member {
    pub(crate) name: &'static str,
    /// It must be there and must not be `null`.
    pub(crate) required: bool,
    pub(crate) shape: Shape,
}

impl Shape {
    /// Returns what should stand there, in plain words.
    pub(crate) fn expected(self) -> &'static str {
        match self {
            Self::Text => "text",
            Self::Object(object) => object.what,
        }
    }
}
