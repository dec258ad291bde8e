//! The forms of text: names, paths, versions, sentences. The reader and the JSON Schema use the same expressions.

use std::sync::LazyLock;

use heck::{ToKebabCase as _, ToSnakeCase as _, ToUpperCamelCase as _};
use regex_lite::Regex;

use crate::text::is_hidden;

/// A form of text.
#[derive(Debug)]
pub(crate) struct Form {
    /// The regular expression, which is also valid in JSON Schema.
    pub(crate) pattern: &'static str,
    /// Maximum length, in characters.
    pub(crate) longest: usize,
    /// A description for use after "must be" in messages.
    pub(crate) expected: &'static str,
    /// Functions that convert other text to this form, for suggestions.
    similar: &'static [fn(&str) -> String],
    /// The compiled regular expression.
    regex: LazyLock<Option<Regex>>,
}

/// A type that stands for a form, such as [`Kebab`].
pub(crate) trait Formed {
    const FORM: &'static Form;
}

/// Defines the forms: a name, the maximum length, the expression, the description, and the conversion of other text.
macro_rules! forms {
    ($($name:ident $longest:literal $pattern:literal $expected:literal $(=> $similar:expr)?;)+) => {
        $(
            #[doc = concat!("Text that is ", $expected, ".")]
            #[derive(Debug)]
            pub(crate) enum $name {}

            impl Formed for $name {
                const FORM: &'static Form = {
                    static FORM: Form = Form {
                        pattern: $pattern, longest: $longest, expected: $expected,
                        similar: &[$($similar)?],
                        regex: LazyLock::new(|| Regex::new($pattern).ok()),
                    };
                    &FORM
                };
            }
        )+
    };
}

forms! {
    Prose 4000 r"\S" "text of at most 4000 characters";
    Line 400 r"^\S(.*\S)?$" "text on one line, with at most 400 characters and no whitespace at its start or end";
    Type 64 "^[A-Z][A-Za-z0-9]*$" "a type name such as `PhotoId`, with at most 64 ASCII letters and digits" => str::to_upper_camel_case;
    Snake 64 "^[a-z][a-z0-9]*(_[a-z0-9]+)*$" "a name such as `list_photos`, with at most 64 lowercase ASCII letters, digits and `_`" => str::to_snake_case;
    Kebab 64 "^[a-z][a-z0-9]*(-[a-z0-9]+)*$" "a name such as `status-names`, with at most 64 lowercase ASCII letters, digits and `-`" => str::to_kebab_case;
    Id 64 "^[A-Za-z][A-Za-z0-9]*(-[A-Za-z0-9]+)*$" "an id such as `D-date`, with at most 64 ASCII letters, digits and `-`";
    Ident 64 "^[A-Za-z][A-Za-z0-9_]*$" "a Rust name such as `kind`, with at most 64 ASCII letters, digits and `_`";
    AnyType 100 "^([A-Za-z][A-Za-z0-9]*|(list|map)<[A-Za-z][A-Za-z0-9]*>|(list|map)<(list|map)<[A-Za-z][A-Za-z0-9]*>>|(list|map)<(list|map)<(list|map)<[A-Za-z][A-Za-z0-9]*>>>)$" "the name of a type, or `list<…>` or `map<…>` at most 3 levels deep";
    Wire 400 r"^\S(.*\S)?$" "text on one line, with at most 400 characters and no whitespace at its start or end";
    Keys 400 r"^[^.\s]([^.]*[^.\s])?(\.[^.]+)*$" "keys separated by single dots, such as `photos.photo`, with at most 400 characters";
    Param 100 "^[A-Za-z0-9._~-]+$" "the name of a query parameter, with at most 100 letters, digits, `-`, `.`, `_` and `~`";
    Bracketed 100 r"^[A-Za-z0-9._~-]+(\[[A-Za-z0-9._~!%<>=@-]+\])*$" "made of at most 100 letters, digits, `-`, `.`, `_` and `~`, with optional keys in brackets at the end" => |text| text.replace("[]", "");
    Select 400 "^[A-Za-z0-9._~-]+(/[A-Za-z0-9._~-]+)*$" "a selector such as `photos/list`, with at most 400 letters, digits, `-`, `.`, `_`, `~` and `/`";
    Path 400 r"^(/([A-Za-z0-9._~-]|\{secret\})+)+/?$" "a path such as `/c/oauth/v1` or `/bot{secret}`, with at most 400 letters, digits, `-`, `.`, `_`, `~` and `/`" => |text| format!("/{}", text.split('?').next().unwrap_or_default().trim_matches('/'));
    Media 400 r"^[a-z0-9]+/([a-z0-9.+-]*[.+-])?json$" "a media type of JSON, such as `application/json`";
    Version 400 r"^(0|[1-9][0-9]{0,8})\.(0|[1-9][0-9]{0,8})\.(0|[1-9][0-9]{0,8})$" "a version of three numbers, such as `1.0.0`" => |text| format!("{text}.0");
    File 400 r"^[A-Za-z0-9_-][A-Za-z0-9._-]*(/[A-Za-z0-9_-][A-Za-z0-9._-]*)*$" "a relative path without `..` or spaces, such as `fixtures/credits.json`" => |text| text.trim_start_matches("./").to_owned();
    Query 400 "^[!-~]+$" "a query string of at most 400 printable ASCII characters, such as `method=credits/get`";
}

impl Form {
    /// Checks that text has this form. The error is a phrase that follows the text's name in a message. A fix may
    /// follow the phrase after `; `.
    pub(crate) fn check(&self, text: &str) -> Result<(), String> {
        let is_short = (1..=self.longest).contains(&text.chars().count());
        let fits = |text: &str| self.regex.as_ref().is_some_and(|one| one.is_match(text));
        match text.chars().find(|&c| is_hidden(c) && c != '\n').map(u32::from) {
            Some(c) => {
                Err(format!("contains the invisible character U+{c:04X}; remove the character"))
            }
            None if is_short && fits(text) => Ok(()),
            None if text.trim().is_empty() => Err("must not be empty".to_owned()),
            None => {
                let mut similar = self.similar.iter().map(|similar| similar(text));
                let meant = similar.find(|similar| is_short && fits(similar));
                let fix = meant.map(|meant| format!("; did you mean `{meant}`?"));
                Err(format!("must be {}{}", self.expected, fix.unwrap_or_default()))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_form_has_its_texts() {
        for (form, good, bad) in [
            (Type::FORM, "A PhotoId V2", "a A_b A-b Ä"),
            (Snake::FORM, "a list_all2", "A _a a_ a__b a-b 2a"),
            (Kebab::FORM, "a on-hold-2", "a_b -a a- a--b"),
            (
                AnyType::FORM,
                "text list<text> map<list<Photo>>",
                "list<> list<text set<text> map<map<map<map<a>>>>",
            ),
            (Wire::FORM, "a é\"\\", ""),
            (Bracketed::FORM, "a.b options[ids][0] filter[>=n]", "[a] a[] a[b a[b]c a[b]] a[[b]]"),
            (Param::FORM, "album_id a.b~c-d", "a&b a=b a/b é"),
            (Select::FORM, "photos/list match", "/a a/ a//b a?b"),
            (Path::FORM, "/c /c/ /bot{secret} /a/{secret}/b", "/ c /c//d /c?d /{x} {secret} /{"),
            (Media::FORM, "application/vnd.shed+json", "json a/ a/b;q=1"),
            (Version::FORM, "1.0.0 10.20.30", "1.0 1.0.0.0 01.0.0 1.0.x"),
            (File::FORM, "fixtures/a.json", "/a ../a a/../b a//b .a"),
        ] {
            assert!(good.split(' ').all(|text| form.check(text).is_ok()), "{form:?}: {good}");
            assert!(!bad.split(' ').any(|text| form.check(text).is_ok()), "{form:?}: {bad}");
            assert!(form.check("").is_err() && form.check(&"a".repeat(401)).is_err(), "{form:?}");
        }
    }
}
