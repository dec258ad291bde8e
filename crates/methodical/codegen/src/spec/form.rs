//! The forms of text: names, paths, versions, sentences. The reader and the JSON Schema use the same expressions.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use regex_lite::Regex;

use crate::ir::RustName;

/// A form of text.
#[derive(Debug)]
pub(crate) struct Form {
    /// The regular expression, which is also one of JSON Schema.
    pub(crate) pattern: &'static str,
    /// Maximum length, in characters.
    pub(crate) longest: usize,
    /// A description, which follows "must be" in messages.
    pub(crate) expected: &'static str,
}

/// A type that stands for a form, such as [`Kebab`].
pub(crate) trait Formed {
    const FORM: Form;
    const NAME: &'static str;
}

/// Defines the forms: a name, the maximum length, the expression, and the description.
macro_rules! forms {
    ($($name:ident $longest:literal $pattern:literal $expected:literal;)+) => {
        $(
            #[doc = concat!("Text that is ", $expected, ".")]
            #[derive(Debug)]
            pub(crate) enum $name {}

            impl Formed for $name {
                const FORM: Form = Form { pattern: $pattern, longest: $longest, expected: $expected };
                const NAME: &'static str = stringify!($name);
            }
        )+

        /// All forms by name, with their compiled expressions.
        static FORMS: LazyLock<BTreeMap<&'static str, (Form, Option<Regex>)>> = LazyLock::new(|| {
            BTreeMap::from([$(($name::NAME, ($name::FORM, Regex::new($pattern).ok()))),+])
        });
    };
}

forms! {
    Prose 4000 r"\S" "sentences";
    Line 400 r"^\S(.*\S)?$" "text on one line";
    Type 64 "^[A-Z][A-Za-z0-9]*$" "a type name such as `PhotoId`, with at most 64 ASCII letters and digits";
    Snake 64 "^[a-z][a-z0-9]*(_[a-z0-9]+)*$" "a name such as `list_photos`, with at most 64 lowercase ASCII letters, digits and `_`";
    Kebab 64 "^[a-z][a-z0-9]*(-[a-z0-9]+)*$" "a name such as `status-names`, with at most 64 lowercase ASCII letters, digits and `-`";
    Id 64 "^[A-Za-z][A-Za-z0-9]*(-[A-Za-z0-9]+)*$" "an id such as `D-date`, with at most 64 ASCII letters, digits and `-`";
    Ident 64 "^[A-Za-z][A-Za-z0-9_]*$" "a Rust name such as `kind`, with at most 64 ASCII letters, digits and `_`";
    AnyType 100 "^([A-Za-z][A-Za-z0-9]*|(list|map)<[A-Za-z][A-Za-z0-9]*>|(list|map)<(list|map)<[A-Za-z][A-Za-z0-9]*>>|(list|map)<(list|map)<(list|map)<[A-Za-z][A-Za-z0-9]*>>>)$" "the name of a type, or `list<…>` or `map<…>` at most 3 levels deep";
    Wire 400 r"^\S(.*\S)?$" "non-empty text on one line, without whitespace at its start or end";
    Param 100 "^[A-Za-z0-9._~-]+$" "the name of a query parameter, with letters, digits, `-`, `.`, `_` and `~`";
    Bracketed 100 r"^[A-Za-z0-9._~-]+(\[[A-Za-z0-9._~!%<>=@-]+\])*$" "a name of letters, digits, `-`, `.`, `_` and `~`, which may have keys in brackets after it";
    Select 400 "^[A-Za-z0-9._~-]+(/[A-Za-z0-9._~-]+)*$" "a selector such as `photos/list`, with letters, digits, `-`, `.`, `_`, `~` and `/`";
    Path 400 r"^(/([A-Za-z0-9._~-]|\{secret\})+)+/?$" "a path such as `/c/oauth/v1` or `/bot{secret}`";
    Media 400 r"^[a-z0-9]+/([a-z0-9.+-]*[.+-])?json$" "a media type of JSON, such as `application/json`";
    Version 400 r"^(0|[1-9][0-9]{0,8})\.(0|[1-9][0-9]{0,8})\.(0|[1-9][0-9]{0,8})$" "a version of three numbers, such as `1.0.0`";
    File 400 r"^[A-Za-z0-9_-][A-Za-z0-9._-]*(/[A-Za-z0-9_-][A-Za-z0-9._-]*)*$" "a relative path without `..`, such as `fixtures/credits.json`";
    Query 400 "^[!-~]+$" "a query string of printable ASCII, such as `method=credits/get`";
}

impl Form {
    /// Returns the form with a name.
    pub(crate) fn of(name: &str) -> Option<&'static Self> {
        FORMS.get(name).map(|(form, _)| form)
    }

    /// Returns whether a text has the form with a name.
    pub(crate) fn fits(name: &str, text: &str) -> bool {
        FORMS.get(name).is_some_and(|(form, regex)| {
            (1..=form.longest).contains(&text.chars().count())
                && regex.as_ref().is_some_and(|regex| regex.is_match(text))
        })
    }
}

/// Returns whether a text has a form: `fits::<Kebab>(name)`.
pub(crate) fn fits<F: Formed>(text: &str) -> bool {
    Form::fits(F::NAME, text)
}

/// Returns a text in the form that it probably should have.
pub(crate) fn corrected(form: &str, text: &str) -> Option<String> {
    let corrected = match form {
        "Type" => RustName::new(text)?.plain(),
        "Snake" => RustName::new(text)?.words(),
        "Kebab" => RustName::new(text)?.kebab(),
        "Version" => {
            let numbers = text.trim_start_matches(['v', 'V']);
            let missing = 2_usize.checked_sub(numbers.matches('.').count())?;
            numbers.to_owned() + &".0".repeat(missing)
        }
        "Path" => {
            let path = text.split_once("://").map_or(text, |(_, rest)| {
                rest.find('/').and_then(|slash| rest.get(slash..)).unwrap_or_default()
            });
            format!("/{}", path.split(['?', '#']).next()?.trim_matches('/'))
        }
        "Media" if text == "json" => "application/json".to_owned(),
        "Media" => text.split(';').next()?.trim().to_lowercase(),
        "File" => text.trim_start_matches("./").to_owned(),
        "Select" => text.trim_matches('/').to_owned(),
        _ => return None,
    };
    Form::fits(form, &corrected).then_some(corrected)
}

#[cfg(test)]
mod tests {
    use super::{Form, corrected};

    #[test]
    fn each_form_has_its_texts() {
        for (form, good, bad) in [
            ("Type", "A PhotoId V2", "a A_b A-b Ä"),
            ("Snake", "a list_all2", "A _a a_ a__b a-b 2a"),
            ("Kebab", "a on-hold-2", "a_b -a a- a--b"),
            (
                "AnyType",
                "text list<text> map<list<Photo>>",
                "list<> list<text set<text> map<map<map<map<a>>>>",
            ),
            ("Wire", "a é\"\\", ""),
            ("Bracketed", "a.b options[ids][0] filter[>=n]", "[a] a[] a[b a[b]c a[b]] a[[b]]"),
            ("Param", "album_id a.b~c-d", "a&b a=b a/b é"),
            ("Select", "photos/list match", "/a a/ a//b a?b"),
            ("Path", "/c /c/ /bot{secret} /a/{secret}/b", "/ c /c//d /c?d /{x} {secret} /{"),
            ("Media", "application/vnd.shed+json", "json a/ a/b;q=1"),
            ("Version", "1.0.0 10.20.30", "1.0 1.0.0.0 01.0.0 1.0.x"),
            ("File", "fixtures/a.json", "/a ../a a/../b a//b .a"),
        ] {
            assert!(good.split(' ').all(|text| Form::fits(form, text)), "{form}: {good}");
            assert!(!bad.split(' ').any(|text| Form::fits(form, text)), "{form}: {bad}");
            assert!(!Form::fits(form, "") && !Form::fits(form, &"a".repeat(401)), "{form}");
        }
        assert_eq!(corrected("Version", "v1").as_deref(), Some("1.0.0"));
        assert_eq!(corrected("Path", "https://a/b?c").as_deref(), Some("/b"));
    }
}
