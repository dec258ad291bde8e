//! Operations that are called by POST.

/// How an operation is called by POST. Its parameters are in the body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Post {
    /// The format of the body.
    pub format: BodyFormat,
    /// Whether several calls have the effect of one, so that a client may repeat a call.
    pub is_idempotent: bool,
}

/// The format of the body of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BodyFormat {
    /// Parameters as in a query.
    Form,
    /// A JSON object whose members are the parameters.
    Json,
}

impl BodyFormat {
    /// Returns the word in a spec.
    pub fn word(self) -> &'static str {
        match self {
            Self::Form => "form",
            Self::Json => "json",
        }
    }

    /// Returns the format for people, with an article.
    pub fn described(self) -> &'static str {
        match self {
            Self::Form => "a form",
            Self::Json => "a JSON object",
        }
    }

    /// Returns the value of the header `Content-Type`.
    pub fn media_type(self) -> &'static str {
        match self {
            Self::Form => "application/x-www-form-urlencoded",
            Self::Json => "application/json",
        }
    }

    /// Returns the variant of the type in the runtime.
    pub(crate) fn variant(self) -> &'static str {
        match self {
            Self::Form => "BodyFormat::Form",
            Self::Json => "BodyFormat::Json",
        }
    }
}
