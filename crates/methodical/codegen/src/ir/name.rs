//! Names in Rust: one name in every case, never a keyword.

use heck::ToSnakeCase as _;
use regex_lite::Regex;

use crate::text::capitalized;

/// Keywords of every edition, strict and reserved.
const KEYWORDS: &str = "\
    abstract as async await become box break const continue crate do dyn else enum extern \
    false final fn for gen if impl in let loop macro match mod move mut override priv pub \
    ref return self static struct super trait true try type typeof unsafe unsized use \
    virtual where while yield";

/// Reserved for fields and parameters: the generated code has variables, fields and methods with these names in the
/// same places. A test compares these lists with the sources.
const METHODS: &str = "\
    as_ref builder clone decode default drop eq expected extra fmt \
    from into map new nulls paging_flags params query record request send strict with";

/// Reserved for types: names in the prelude, of support types that generated code uses, and at the crate root.
const TYPES: &str = "\
    AsMut AsRef BTreeMap BodyFormat Box Call Client ClientBuilder Clone Copy Cow Debug \
    DecodeError DecodeErrorKind Default Display Drop Envelope Eq Err Error ErrorClass \
    ErrorKind Extra Fault Fn FnMut FnOnce From Hash Into Iterator Layout ListOperation \
    ListStyle Listing Metadata Mirrored Mock MockedCall Next None Nulls Ok Operation Option \
    Ord PagedOperation Pairs PhantomData Problem Query QueryBuilder RawJson RawQuery Record \
    Rejected Result Self Send Service ServiceError Sized Some StreamDecoder String Sync \
    ToOwned ToString Vec";

/// Returns whether a list contains a name.
pub(crate) fn is_in(list: &str, name: &str) -> bool {
    list.split(' ').any(|one| one == name)
}

/// A name made of words, which can be written in any case.
///
/// Two names are equal if their words are: `phoneMobile` and `phone_mobile` are the same name.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RustName(
    /// The words in lowercase, with `_` between them.
    String,
);

impl RustName {
    /// Splits text into words at case changes and at everything that is neither a letter nor a digit. Returns `None` if
    /// the text is not ASCII, or the result is empty or begins with a digit.
    pub fn new(text: &str) -> Option<Self> {
        // As after a lowercase letter, a capital after a digit begins a word.
        let after_digit = Regex::new("([0-9])([A-Z])").ok()?;
        let words = after_digit.replace_all(text, "${1}_$2").to_snake_case();
        let is_name = text.is_ascii() && words.starts_with(char::is_lowercase);
        is_name.then_some(Self(words))
    }

    /// Returns `phone_mobile`, for fields, methods, functions and modules. A keyword gets a trailing
    /// underscore (`type_`), because not every keyword can be a raw identifier; so does a name that
    /// the support code uses (`new_`).
    pub fn snake(&self) -> String {
        let name = self.words();
        let taken = is_in(KEYWORDS, &name) || is_in(METHODS, &name);
        if taken { name + "_" } else { name }
    }

    /// Returns `PhoneMobile`, for types. A name that the prelude or the support code uses gets a
    /// trailing underscore (`Option_`).
    pub fn pascal(&self) -> String {
        let name = self.plain();
        if is_in(TYPES, &name) { name + "_" } else { name }
    }

    /// Returns `PhoneMobile` without an added underscore, for names that are not in Rust code.
    pub fn plain(&self) -> String {
        self.0.split('_').map(capitalized).collect()
    }

    /// Returns `Shortlist`, for variants, which may share a name with an item of the prelude.
    pub fn variant(&self) -> String {
        let name = self.plain();
        if name == "Self" { name + "_" } else { name }
    }

    /// Returns the name with a word after it: `PhotoRef` is `Photo` with `ref`.
    #[must_use]
    pub fn followed_by(&self, word: &str) -> Self {
        Self(format!("{}_{word}", self.0))
    }

    /// Returns the name with a word before it: `UnknownStatusName` is `StatusName` with `unknown`.
    #[must_use]
    pub fn preceded_by(&self, word: &str) -> Self {
        Self(format!("{word}_{}", self.0))
    }

    /// Returns the name without this word at its end, such as `album` for `album_id` and `id`. A name that consists of
    /// only this word is unchanged.
    #[must_use]
    pub fn without_last(&self, word: &str) -> Self {
        let first = self.0.strip_suffix(word).and_then(|first| first.strip_suffix('_'));
        Self(first.unwrap_or(&self.0).to_owned())
    }

    /// Returns this name followed by another, which may already begin with this one: `album_title` for `album` and
    /// `title`, and for `album` and `album_title`.
    #[must_use]
    pub fn joined_with(&self, other: &Self) -> Self {
        let has_prefix = other == self || other.0.starts_with(&format!("{}_", self.0));
        if has_prefix { other.clone() } else { self.followed_by(&other.0) }
    }

    /// Returns `PHONE_MOBILE`, for constants.
    pub fn screaming_snake(&self) -> String {
        self.0.to_ascii_uppercase()
    }

    /// Returns `phone-mobile`, for commands, flags and file names.
    pub fn kebab(&self) -> String {
        self.0.replace('_', "-")
    }

    /// Returns `phone_mobile` without an added underscore, for names that are not in Rust code.
    pub fn words(&self) -> String {
        self.0.clone()
    }

    /// Returns `phone mobile`, for sentences.
    pub fn spaced(&self) -> String {
        self.0.replace('_', " ")
    }
}

#[cfg(test)]
mod tests {
    use super::RustName;

    #[track_caller]
    fn check(text: &str, expected: Option<[&str; 4]>) {
        let name = RustName::new(text);
        let cases =
            name.map(|name| [name.snake(), name.pascal(), name.screaming_snake(), name.kebab()]);
        assert_eq!(cases, expected.map(|names| names.map(str::to_owned)), "{text}");
    }

    #[test]
    fn one_name_in_every_case() {
        check(
            "phone_mobile",
            Some(["phone_mobile", "PhoneMobile", "PHONE_MOBILE", "phone-mobile"]),
        );
        check("phoneMobile", Some(["phone_mobile", "PhoneMobile", "PHONE_MOBILE", "phone-mobile"]));
        check("HTTPServer2", Some(["http_server2", "HttpServer2", "HTTP_SERVER2", "http-server2"]));
        check("photos/list", Some(["photos_list", "PhotosList", "PHOTOS_LIST", "photos-list"]));
        check("P2PTrade", Some(["p2_p_trade", "P2PTrade", "P2_P_TRADE", "p2-p-trade"]));
        check("price_24H", Some(["price_24_h", "Price24H", "PRICE_24_H", "price-24-h"]));
        check("V2API", Some(["v2_api", "V2Api", "V2_API", "v2-api"]));
    }

    #[test]
    fn reserved_names_get_an_underscore() {
        check("type", Some(["type_", "Type", "TYPE", "type"]));
        check("self", Some(["self_", "Self_", "SELF", "self"]));
        check("option", Some(["option", "Option_", "OPTION", "option"]));
        check("new", Some(["new_", "New", "NEW", "new"]));
        check("nulls", Some(["nulls_", "Nulls_", "NULLS", "nulls"]));
        check("span", Some(["span", "Span", "SPAN", "span"]));
    }

    #[test]
    fn some_texts_are_not_names() {
        for text in ["", "…", "2fast", "--", "v\u{430}cancy"] {
            check(text, None);
        }
    }
}
