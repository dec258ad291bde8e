//! The printed diagnostics about a file.

use std::fmt;

/// The printed diagnostics about a file: why it is rejected, or the warnings about it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Report {
    /// The path of the file, as messages show it.
    pub path: String,
    /// The errors and warnings, in the order of the file; empty if there are none.
    pub text: String,
    /// Number of errors.
    pub errors: usize,
    /// Number of warnings.
    pub warnings: usize,
}

impl Report {
    /// Creates the report of one error about a whole file.
    pub(crate) fn of_file(path: &str, why: &str) -> Self {
        let text = format!("{path}: error: {why}\n");
        Self { path: path.to_owned(), text, errors: 1, warnings: 0 }
    }

    /// Returns the path with the number of errors and warnings; `None` if there are none.
    ///
    /// ```
    /// let report = gateway_codegen::Config::parse(b"").expect_err("it is empty");
    /// assert_eq!(report.summary().as_deref(), Some("spec/codegen.toml: 1 error"));
    /// ```
    pub fn summary(&self) -> Option<String> {
        let count = |number: usize, what: &str| match number {
            0 => None,
            1 => Some(format!("1 {what}")),
            _ => Some(format!("{number} {what}s")),
        };
        let counts = [count(self.errors, "error"), count(self.warnings, "warning")];
        let counts: Vec<_> = counts.into_iter().flatten().collect();
        (!counts.is_empty()).then(|| format!("{}: {}", self.path, counts.join(" and ")))
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.text.trim_end())
    }
}

impl std::error::Error for Report {}
