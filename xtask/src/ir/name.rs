//! Names in Rust: one name, every case, never a keyword.

use self::taken::{CRATES, KEYWORDS, METHODS, METHODS_OF_CLIENTS, TYPES};

mod taken;

/// A name made of words, written in the case that a place needs.
///
/// Two names are equal when their words are; `phoneMobile` and `phone_mobile` are the same name.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RustName {
    words: Vec<String>,
}

impl RustName {
    /// Splits a text into words at case changes and at everything that is neither a letter nor a
    /// digit. `None` if no name can be made of it: nothing left, a leading digit, not ASCII.
    pub fn new(text: &str) -> Option<Self> {
        let mut words: Vec<String> = Vec::new();
        let mut word = String::new();
        let mut previous = ' ';
        let mut rest = text.chars().peekable();
        while let Some(c) = rest.next() {
            if !c.is_ascii() {
                return None;
            }
            let starts = c.is_ascii_uppercase()
                && (previous.is_ascii_lowercase()
                    || previous.is_ascii_digit()
                    || (previous.is_ascii_uppercase()
                        && rest.peek().is_some_and(char::is_ascii_lowercase)));
            if (starts || !c.is_ascii_alphanumeric()) && !word.is_empty() {
                words.push(std::mem::take(&mut word));
            }
            if c.is_ascii_alphanumeric() {
                word.push(c.to_ascii_lowercase());
            }
            previous = c;
        }
        if !word.is_empty() {
            words.push(word);
        }
        let first = words.first()?.chars().next()?;
        (!first.is_ascii_digit()).then_some(Self { words })
    }

    /// `phone_mobile`, for fields, methods, functions and modules. A keyword gets a trailing
    /// underscore (`type_`), because not every keyword can be a raw identifier; so does what the
    /// support code calls its own (`new_`).
    pub fn snake(&self) -> String {
        let name = self.words.join("_");
        let taken = KEYWORDS.contains(&name.as_str()) || METHODS.contains(&name.as_str());
        if taken { name + "_" } else { name }
    }

    /// `list_candidates`, for methods of the clients, which have some by hand.
    pub fn method(&self) -> String {
        let name = self.snake();
        if METHODS_OF_CLIENTS.contains(&name.as_str()) { name + "_" } else { name }
    }

    /// `candidate`, for modules, which must not hide a crate from those beside them.
    pub fn module(&self) -> String {
        let name = self.snake();
        if CRATES.contains(&name.as_str()) { name + "_" } else { name }
    }

    /// `PhoneMobile`, for types. What the prelude or the support code means by
    /// another name gets a trailing underscore (`Option_`).
    pub fn pascal(&self) -> String {
        let name: String = self.words.iter().map(|word| capitalized(word)).collect();
        if TYPES.contains(&name.as_str()) { name + "_" } else { name }
    }

    /// `Shortlist`, for variants, which may be named like what the prelude has.
    pub fn variant(&self) -> String {
        let name: String = self.words.iter().map(|word| capitalized(word)).collect();
        if name == "Self" { name + "_" } else { name }
    }

    /// The name with a word after it: `CandidateRef` is `Candidate` with `ref`.
    #[must_use]
    pub fn followed_by(&self, word: &str) -> Self {
        let mut words = self.words.clone();
        words.push(word.to_owned());
        Self { words }
    }

    /// The name with a word before it: `UnknownStatusName` is `StatusName` with `unknown`.
    #[must_use]
    pub fn preceded_by(&self, word: &str) -> Self {
        let mut words = self.words.clone();
        words.insert(0, word.to_owned());
        Self { words }
    }

    /// `PHONE_MOBILE`, for constants.
    pub fn shouting(&self) -> String {
        self.words.join("_").to_ascii_uppercase()
    }

    /// `phone-mobile`, for commands, flags and file names.
    pub fn kebab(&self) -> String {
        self.words.join("-")
    }

    /// `phone_mobile`, the words as they are, for names that the spec itself uses.
    pub fn words(&self) -> String {
        self.words.join("_")
    }

    /// `phone mobile`, for sentences.
    pub fn spaced(&self) -> String {
        self.words.join(" ")
    }
}

fn capitalized(word: &str) -> String {
    let mut chars = word.chars();
    chars
        .next()
        .map_or_else(String::new, |first| first.to_ascii_uppercase().to_string() + chars.as_str())
}

#[cfg(test)]
mod tests {
    use super::RustName;

    #[track_caller]
    fn check(text: &str, expected: Option<[&str; 4]>) {
        let name = RustName::new(text);
        let cases = name.map(|name| [name.snake(), name.pascal(), name.shouting(), name.kebab()]);
        assert_eq!(cases, expected.map(|names| names.map(str::to_owned)), "{text}");
    }

    #[test]
    fn every_case() {
        check(
            "phone_mobile",
            Some(["phone_mobile", "PhoneMobile", "PHONE_MOBILE", "phone-mobile"]),
        );
        check("phoneMobile", Some(["phone_mobile", "PhoneMobile", "PHONE_MOBILE", "phone-mobile"]));
        check("HTTPServer2", Some(["http_server2", "HttpServer2", "HTTP_SERVER2", "http-server2"]));
        check(
            "candidates/list",
            Some(["candidates_list", "CandidatesList", "CANDIDATES_LIST", "candidates-list"]),
        );
    }

    #[test]
    fn taken_names_get_an_underscore() {
        check("type", Some(["type_", "Type", "TYPE", "type"]));
        check("self", Some(["self_", "Self_", "SELF", "self"]));
        check("option", Some(["option", "Option_", "OPTION", "option"]));
        check("new", Some(["new_", "New", "NEW", "new"]));
        check("span", Some(["span", "Span_", "SPAN", "span"]));
        check("given", Some(["given_", "Given_", "GIVEN", "given"]));
        let name = |text| RustName::new(text).expect("a name");
        assert_eq!(
            (name("stream").snake(), name("stream").method()),
            ("stream".to_owned(), "stream_".to_owned())
        );
        assert_eq!(
            (name("core").snake(), name("core").module()),
            ("core".to_owned(), "core_".to_owned())
        );
    }

    #[test]
    fn what_is_no_name() {
        for text in ["", "…", "2fast", "--", "v\u{430}cancy"] {
            check(text, None);
        }
    }
}
