//! The name of a program, and the names that are made from it.

use std::fmt;

/// The name of a program, such as `photos`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Name(&'static str);

impl Name {
    /// Creates the name: the first word of every command line.
    pub(crate) const fn new(name: &'static str) -> Self {
        Self(name)
    }

    /// Returns the name itself.
    pub(crate) const fn as_str(self) -> &'static str {
        self.0
    }

    /// Returns the prefix of the environment variables, without the underscore: `PHOTO_ARCHIVE` for `photo-archive`.
    pub(crate) fn prefix(self) -> String {
        self.0.to_ascii_uppercase().replace(|letter: char| !letter.is_ascii_alphanumeric(), "_")
    }

    /// Returns a command of the program for a message: `` `photos auth login` ``.
    pub(crate) fn command(self, arguments: &str) -> String {
        format!("`{self} {arguments}`")
    }
}

impl fmt::Display for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0)
    }
}

/// Returns the name of the variable with a secret of the service, except the first one: `PHOTOS_SECRET_USER_ID`.
pub(crate) fn secret_variable(program: Name, secret: &str) -> String {
    let name = secret.to_ascii_uppercase();
    let name = name.replace(|letter: char| !letter.is_ascii_alphanumeric(), "_");
    format!("{}_SECRET_{name}", program.prefix())
}

/// An environment variable of the program. Its name begins with that of the program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Variable {
    BaseUrl,
    Profile,
    Token,
    TokenFile,
    /// Where the mirror is.
    Mirror,
    Pager,
    /// The columns of a terminal, for screenshots and tests.
    ForceTty,
}

impl Variable {
    /// All variables, in the order of the help.
    pub(crate) const ALL: [Self; 7] = [
        Self::BaseUrl,
        Self::Profile,
        Self::Token,
        Self::TokenFile,
        Self::Mirror,
        Self::Pager,
        Self::ForceTty,
    ];

    /// Returns the name of the variable, such as `PHOTOS_TOKEN`.
    pub(crate) fn of(self, program: Name) -> String {
        let name = match self {
            Self::BaseUrl => "BASE_URL",
            Self::Profile => "PROFILE",
            Self::Token => "TOKEN",
            Self::TokenFile => "TOKEN_FILE",
            Self::Mirror => "MIRROR",
            Self::Pager => "PAGER",
            Self::ForceTty => "FORCE_TTY",
        };
        format!("{}_{name}", program.prefix())
    }
}

#[cfg(test)]
mod tests {
    use super::{Name, Variable};

    #[test]
    fn other_names_are_made_from_the_name_of_the_program() {
        let name = Name::new("photo-archive");
        assert_eq!(Variable::TokenFile.of(name), "PHOTO_ARCHIVE_TOKEN_FILE");
        assert_eq!(name.command("auth login"), "`photo-archive auth login`");
    }
}
