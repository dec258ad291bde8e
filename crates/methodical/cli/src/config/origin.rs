//! The origin of settings and of the access token.

use std::fmt;
use std::path::PathBuf;

use crate::name::Name;

/// The origin of a setting.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Origin {
    Flag(&'static str),
    Variable(String),
    Profile(String),
    /// The default profile in the settings file, which `profile use` sets.
    DefaultProfile,
    Default,
    Demo,
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Flag(name) => write!(f, "flag {name}"),
            Self::Variable(name) => write!(f, "environment variable {name}"),
            Self::Profile(name) => write!(f, "profile {name}"),
            Self::DefaultProfile => f.write_str("profile use"),
            Self::Default => f.write_str("default"),
            Self::Demo => f.write_str("flag --demo"),
        }
    }
}

/// A setting in force.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Setting<T> {
    pub(crate) value: T,
    pub(crate) origin: Origin,
}

/// The source of the access token.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum TokenFrom {
    Stdin,
    /// The environment variable of this name.
    Variable(String),
    File(Setting<PathBuf>),
    Command(Setting<Vec<String>>),
    Keyring {
        profile: String,
    },
    Login {
        program: Name,
        profile: String,
    },
    Demo,
    /// The configuration of a connector.
    Configured,
}

impl fmt::Display for TokenFrom {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Stdin => f.write_str("standard input (--token-stdin)"),
            Self::Variable(name) => write!(f, "the environment variable {name}"),
            Self::File(file) => write!(f, "the file {} ({})", file.value.display(), file.origin),
            Self::Command(command) => {
                let program = command.value.first().map_or("", String::as_str);
                write!(f, "the command {program} ({})", command.origin)
            }
            Self::Keyring { profile } => {
                write!(f, "the keyring of the operating system (profile {profile})")
            }
            Self::Login { program, profile } => {
                write!(f, "{} (profile {profile})", program.command("auth login"))
            }
            Self::Demo => f.write_str("the sample service (--demo)"),
            Self::Configured => f.write_str("the key `token` of the configuration"),
        }
    }
}
