//! Metadata of declarations: the description, the sections of the contract, and open points.

/// A description as written in the spec: sentences, with `code` between backticks.
///
/// It may hold anything (quotes, comment ends, Markdown, HTML). The functions of
/// [`text`](crate::text) escape it for the place it is written to.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Doc(pub String);

/// The sections of the contract that a declaration follows, such as `4.1, rule 2`.
/// Empty if the spec names none.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Source(pub String);

impl Source {
    /// Returns a phrase that names the sections, such as `section 4.1, rule 2, of the contract`.
    pub fn phrase(&self) -> Option<String> {
        let parts: Vec<_> = self.0.split(", ").collect();
        let is_section = |part: &&str| part.starts_with(|c: char| c.is_ascii_digit());
        match parts.as_slice() {
            [""] => None,
            [one] => Some(format!("section {one} of the contract")),
            [first @ .., last] if parts.iter().all(is_section) => {
                Some(format!("sections {} and {last} of the contract", first.join(", ")))
            }
            _ => Some(format!("section {}, of the contract", self.0)),
        }
    }
}

/// A reference to an open point by its id, such as `D-date`. See
/// [`Service::open_point`](crate::ir::Service::open_point).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OpenRef(pub String);

#[cfg(test)]
mod tests {
    use super::Source;

    #[test]
    fn a_phrase_names_each_section() {
        let phrase = |text: &str| Source(text.to_owned()).phrase().unwrap_or_default();
        assert_eq!(phrase(""), "");
        assert_eq!(phrase("4.1"), "section 4.1 of the contract");
        assert_eq!(phrase("4.1, rule 2"), "section 4.1, rule 2, of the contract");
        assert_eq!(phrase("2, 4.1"), "sections 2 and 4.1 of the contract");
        assert_eq!(phrase("2, 3, 4.1"), "sections 2, 3 and 4.1 of the contract");
    }
}
