//! The forms of text: names, paths, versions, sentences.
//!
//! Each form is defined three times: for messages, as a regular expression for the JSON Schema, and
//! as code for the reader, which has no regular expression engine. `tests/it/schemas.rs` checks that
//! the expression and the code agree.

/// The form of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// Sentences; line breaks are allowed.
    Prose,
    /// Any text on one line.
    Line,
    /// `PhotoId`.
    Type,
    /// `list_photos`.
    Snake,
    /// `photo-archive`.
    Kebab,
    /// `D-date`.
    Id,
    /// `phone_mobile` or `phoneMobile`: a value of `rust-name`.
    Ident,
    /// The name of a type, built in or declared.
    TypeRef,
    /// The name of a type, or a list or a map of one.
    AnyType,
    /// A JSON key or an enum value: any non-empty text on one line.
    Wire,
    /// A query parameter: unreserved characters of RFC 3986.
    Param,
    /// A query parameter, which may have keys in brackets after its name: `options[ids][0]`.
    Bracketed,
    /// The value of the selector: unreserved characters and `/`.
    Select,
    /// A URL path from the root.
    Path,
    /// A URL path from the root, which may contain `{secret}`.
    SecretPath,
    /// A media type of JSON.
    Media,
    /// `1.2.3`.
    Version,
    /// A relative path that does not leave its folder.
    File,
    /// A query string of printable ASCII.
    Query,
}

/// Maximum length of a name, in characters.
const LONGEST_NAME: usize = 64;
/// Maximum length of a text on one line, in characters.
const LONGEST_LINE: usize = 400;

impl Form {
    /// All forms.
    pub const ALL: &[Self] = &[
        Self::Prose,
        Self::Line,
        Self::Type,
        Self::Snake,
        Self::Kebab,
        Self::Id,
        Self::Ident,
        Self::TypeRef,
        Self::AnyType,
        Self::Wire,
        Self::Param,
        Self::Bracketed,
        Self::Select,
        Self::Path,
        Self::SecretPath,
        Self::Media,
        Self::Version,
        Self::File,
        Self::Query,
    ];

    /// Returns a description of the form, which follows "must be" in messages.
    pub fn expected(self) -> &'static str {
        match self {
            Self::Prose => "sentences",
            Self::Line => "text on one line",
            Self::Type => "a type name such as `PhotoId`, with at most 64 ASCII letters and digits",
            Self::Snake => {
                "a name such as `list_photos`, with at most 64 lowercase ASCII letters, digits and `_`"
            }
            Self::Kebab => {
                "a name such as `status-names`, with at most 64 lowercase ASCII letters, digits and `-`"
            }
            Self::Id => "an id such as `D-date`, with at most 64 ASCII letters, digits and `-`",
            Self::Ident => {
                "a Rust name such as `kind`, with at most 64 ASCII letters, digits and `_`"
            }
            Self::TypeRef => "the name of a type",
            Self::AnyType => "the name of a type, or `list<…>` or `map<…>` at most 3 levels deep",
            Self::Wire => "non-empty text on one line, without whitespace at its start or end",
            Self::Param => {
                "the name of a query parameter, with letters, digits, `-`, `.`, `_` and `~`"
            }
            Self::Bracketed => {
                "a name of letters, digits, `-`, `.`, `_` and `~`, which may have keys in brackets after it"
            }
            Self::Select => {
                "a selector such as `photos/list`, with letters, digits, `-`, `.`, `_`, `~` and `/`"
            }
            Self::Path => "a path such as `/c/oauth/v1`, without a trailing slash",
            Self::SecretPath => {
                "a path such as `/c/oauth/v1` or `/bot{secret}`, without a trailing slash"
            }
            Self::Media => "a media type of JSON, such as `application/json`",
            Self::Version => "a version of three numbers, such as `1.0.0`",
            Self::File => "a relative path without `..`, such as `fixtures/credits.json`",
            Self::Query => "a query string of printable ASCII, such as `method=credits/get`",
        }
    }

    /// Returns whether the form allows only ASCII characters.
    pub fn is_ascii(self) -> bool {
        !matches!(self, Self::Prose | Self::Line | Self::Wire)
    }

    /// Returns the form as a regular expression for JSON Schema.
    pub fn pattern(self) -> &'static str {
        match self {
            Self::Prose => r"\S",
            Self::Line | Self::Wire => r"^\S(.*\S)?$",
            Self::Type => "^[A-Z][A-Za-z0-9]{0,63}$",
            Self::Snake => "^[a-z][a-z0-9]*(_[a-z0-9]+)*$",
            Self::Kebab => "^[a-z][a-z0-9]*(-[a-z0-9]+)*$",
            Self::Id => "^[A-Za-z][A-Za-z0-9]*(-[A-Za-z0-9]+)*$",
            Self::Ident => "^[A-Za-z][A-Za-z0-9_]{0,63}$",
            Self::TypeRef => "^[A-Za-z][A-Za-z0-9]{0,63}$",
            Self::AnyType => {
                "^([A-Za-z][A-Za-z0-9]*|(list|map)<[A-Za-z][A-Za-z0-9]*>|(list|map)<(list|map)<[A-Za-z][A-Za-z0-9]*>>|(list|map)<(list|map)<(list|map)<[A-Za-z][A-Za-z0-9]*>>>)$"
            }
            Self::Param => "^[A-Za-z0-9._~-]+$",
            Self::Bracketed => r"^[A-Za-z0-9._~-]+(\[[A-Za-z0-9._~!%<>=@-]+\])*$",
            Self::Select => "^[A-Za-z0-9._~-]+(/[A-Za-z0-9._~-]+)*$",
            Self::Path => "^(/[A-Za-z0-9._~-]+)+$",
            Self::SecretPath => r"^(/([A-Za-z0-9._~-]|\{secret\})+)+$",
            Self::Media => r"^[a-z0-9]+/([a-z0-9.+-]*[.+-])?json$",
            Self::Version => r"^(0|[1-9]\d{0,8})\.(0|[1-9]\d{0,8})\.(0|[1-9]\d{0,8})$",
            Self::File => r"^[A-Za-z0-9_-][A-Za-z0-9._-]*(/[A-Za-z0-9_-][A-Za-z0-9._-]*)*$",
            Self::Query => r"^[!-~]+$",
        }
    }

    /// Returns whether a text has the form. In addition to [`pattern`](Self::pattern), this checks
    /// the length.
    pub fn fits(self, text: &str) -> bool {
        (1..=self.longest()).contains(&text.chars().count()) && self.shape_fits(text)
    }

    /// Returns the maximum length of a text of the form, in characters.
    pub fn longest(self) -> usize {
        match self {
            Self::Prose => 4000,
            Self::Type | Self::Snake | Self::Kebab | Self::Id | Self::Ident | Self::TypeRef => {
                LONGEST_NAME
            }
            Self::Param | Self::Bracketed | Self::AnyType => 100,
            Self::Line
            | Self::Wire
            | Self::Select
            | Self::Path
            | Self::SecretPath
            | Self::Media
            | Self::Version
            | Self::File
            | Self::Query => LONGEST_LINE,
        }
    }

    fn shape_fits(self, text: &str) -> bool {
        let words = |separator: char, start: fn(char) -> bool, rest: fn(char) -> bool| {
            text.starts_with(start)
                && text.split(separator).all(|word| !word.is_empty() && word.chars().all(rest))
        };
        let lower_digit = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit();
        match self {
            Self::Prose => !text.trim().is_empty(),
            Self::Line | Self::Wire => !text.contains('\n') && text.trim() == text,
            Self::Type => {
                text.starts_with(|c: char| c.is_ascii_uppercase())
                    && text.chars().all(|c| c.is_ascii_alphanumeric())
            }
            Self::Snake => words('_', |c| c.is_ascii_lowercase(), lower_digit),
            Self::Kebab => words('-', |c| c.is_ascii_lowercase(), lower_digit),
            Self::Id => words('-', |c| c.is_ascii_alphabetic(), |c| c.is_ascii_alphanumeric()),
            Self::Ident => {
                text.starts_with(|c: char| c.is_ascii_alphabetic())
                    && text.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
            }
            Self::TypeRef => is_type_name(text),
            Self::AnyType => {
                let (levels, name) = elements(text);
                levels <= DEEPEST && is_type_name(name)
            }
            Self::Param => text.chars().all(is_unreserved),
            Self::Bracketed => {
                let mut parts = text.split('[');
                parts.next().is_some_and(is_segment)
                    && parts.all(|part| part.strip_suffix(']').is_some_and(is_key))
            }
            Self::Select => words('/', is_unreserved, is_unreserved),
            Self::Path => {
                text.strip_prefix('/').is_some_and(|rest| rest.split('/').all(is_segment))
            }
            Self::SecretPath => Self::Path.shape_fits(&text.replace("{secret}", "x")),
            Self::Media => text.split_once('/').is_some_and(|(a, b)| {
                !a.is_empty()
                    && a.chars().all(lower_digit)
                    && b.chars().all(|c| lower_digit(c) || matches!(c, '.' | '+' | '-'))
                    && b.strip_suffix("json")
                        .is_some_and(|b| b.is_empty() || b.ends_with(['.', '+', '-']))
            }),
            Self::Version => is_version(text),
            Self::File => text.split('/').all(|part| {
                is_segment(part) && !part.starts_with(['.', '~']) && !part.contains('~')
            }),
            Self::Query => text.chars().all(|c| c.is_ascii_graphic()),
        }
    }
}

fn is_segment(text: &str) -> bool {
    !text.is_empty() && text.chars().all(is_unreserved)
}

/// Returns whether a text can be between the brackets of a parameter.
fn is_key(text: &str) -> bool {
    let fits = |c| is_unreserved(c) || matches!(c, '!' | '%' | '<' | '>' | '=' | '@');
    !text.is_empty() && text.chars().all(fits)
}

fn is_type_name(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_alphabetic())
        && text.chars().all(|c| c.is_ascii_alphanumeric())
}

/// Returns the number of lists and maps in a type, and the type of the values in them.
fn elements(ty: &str) -> (usize, &str) {
    let of = list_of(ty).or_else(|| map_of(ty));
    of.map_or((0, ty), |of| {
        let (levels, name) = elements(of);
        (levels + 1, name)
    })
}

/// Returns the type of the values in a list.
pub fn list_of(ty: &str) -> Option<&str> {
    ty.strip_prefix("list<")?.strip_suffix('>')
}

/// Returns the type of the values in a map.
pub fn map_of(ty: &str) -> Option<&str> {
    ty.strip_prefix("map<")?.strip_suffix('>')
}

/// Maximum number of lists and maps in each other.
const DEEPEST: usize = 3;

/// Returns whether a character never needs escaping in a URL (RFC 3986, section 2.3).
fn is_unreserved(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '-' | '.' | '_' | '~')
}

fn is_version(text: &str) -> bool {
    let number = |part: &str| {
        (1..=9).contains(&part.len())
            && part.chars().all(|c| c.is_ascii_digit())
            && (part == "0" || !part.starts_with('0'))
    };
    text.split('.').count() == 3 && text.split('.').all(number)
}

#[cfg(test)]
mod tests {
    use super::Form;

    #[track_caller]
    fn check(form: Form, good: &[&str], bad: &[&str]) {
        for text in good {
            assert!(form.fits(text), "{form:?} rejects `{text}`");
        }
        for text in bad {
            assert!(!form.fits(text), "{form:?} accepts `{text}`");
        }
    }

    #[test]
    fn names() {
        check(Form::Type, &["A", "PhotoId", "V2"], &["", "a", "A_b", "A-b", "Ä", &"A".repeat(65)]);
        check(Form::Snake, &["a", "list_all2"], &["", "A", "_a", "a_", "a__b", "a-b", "2a"]);
        check(Form::Kebab, &["a", "on-hold-2"], &["", "a_b", "-a", "a-", "a--b"]);
        check(
            Form::AnyType,
            &["text", "PhotoId", "list<text>", "map<list<Photo>>", "list<list<list<text>>>"],
            &[
                "",
                "list",
                "list<>",
                "list<text",
                "set<text>",
                "list<list<list<list<text>>>>",
                "map< text>",
            ][2..],
        );
        check(Form::Id, &["D-date", "q1"], &["", "1q", "D-", "D_date"]);
    }

    #[test]
    fn texts_on_the_wire() {
        check(Form::Wire, &["a", "a b", "é\"\\"], &["", " a", "a ", "a\nb"]);
        check(
            Form::Bracketed,
            &["a.b", "options[ids][0]", "filter[>=n]"],
            &["", "[a]", "a[]", "a[b", "a[b]c", "a[b]]", "a[[b]]", "a[b c]"],
        );
        check(Form::Param, &["album_id", "a.b~c-d"], &["", "a b", "a&b", "a=b", "a/b", "é"]);
        check(Form::Select, &["photos/list", "match"], &["", "/a", "a/", "a//b", "a?b"]);
        check(Form::Path, &["/c/oauth/v1"], &["", "/", "c", "/c/", "/c//d", "/c?d"]);
        check(
            Form::SecretPath,
            &["/c", "/bot{secret}", "/a/{secret}/b"],
            &["/{x}", "{secret}", "/{"],
        );
        check(
            Form::Media,
            &["application/vnd.shed+json"],
            &["", "json", "a/", "a b/c", "a/b; q=1"],
        );
        check(Form::Version, &["1.0.0", "10.20.30"], &["", "1.0", "1.0.0.0", "01.0.0", "1.0.x"]);
        check(Form::File, &["fixtures/a.json"], &["", "/a", "../a", "a/../b", "a//b", ".a", "a b"]);
    }
}
