//! The parser of `-o`: the names of the formats, and a suggestion for other words.

use std::ffi::OsStr;

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::error::{ContextKind, ContextValue};
use clap::{Arg, Command, Error};

use crate::output::format::{Format, Formats, PARQUET};

/// Parses the name of a format.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FormatParser(pub(crate) Formats);

impl FormatParser {
    fn values(self) -> impl Iterator<Item = PossibleValue> {
        let value = |format: Format| PossibleValue::new(format.name()).help(format.get().about());
        self.0.all().map(value)
    }
}

impl TypedValueParser for FormatParser {
    type Value = Format;

    fn parse_ref(
        &self,
        command: &Command,
        arg: Option<&Arg>,
        value: &OsStr,
    ) -> Result<Format, Error> {
        let parser = PossibleValuesParser::new(self.values());
        let mut error = match parser.parse_ref(command, arg, value) {
            Ok(name) => match self.0.named(&name) {
                Some(format) => return Ok(format),
                None => return Err(Error::new(clap::error::ErrorKind::InvalidValue)),
            },
            Err(error) => error,
        };
        if let Some(format) = value.to_str().and_then(|word| self.0.called(word)) {
            let name = ContextValue::String(format.name().to_owned());
            error.insert(ContextKind::SuggestedValue, name);
        }
        if value == "parquet" {
            error.insert(ContextKind::Suggested, ContextValue::StyledStrs(vec![PARQUET.into()]));
        }
        Err(error)
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        Some(Box::new(self.values()))
    }
}

#[cfg(test)]
mod tests {
    use clap::{Arg, Command};

    use super::FormatParser;
    use crate::output::format::{Format, Formats};

    #[test]
    fn another_word_suggests_the_name() {
        let command = || {
            let output =
                Arg::new("output").short('o').value_parser(FormatParser(Formats::default()));
            Command::new("photos").arg(output)
        };
        let error = command().try_get_matches_from(["photos", "-o", "JSONL"]).unwrap_err();
        assert!(error.to_string().contains("a similar value exists: 'ndjson'"), "{error}");
        let error = command().try_get_matches_from(["photos", "-o", "parquet"]).unwrap_err();
        assert!(error.to_string().contains("docs/warehouse.md"), "{error}");
        let matches = command().try_get_matches_from(["photos", "-o", "csv"]).unwrap();
        assert_eq!(matches.get_one::<Format>("output"), Some(&Format::CSV));
    }
}
