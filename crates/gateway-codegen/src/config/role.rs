//! The crates that can be generated: their roles, names and folders.

/// The purpose of a generated crate.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Role {
    /// Records, queries and scalars.
    Model,
    /// One method for each operation, on an async and a blocking client.
    Client,
    /// Typed mocks, and the examples of the spec as data.
    Testkit,
    /// The operations and the records of a service.
    Server,
    /// The commands of a program.
    Cli,
}

impl Role {
    /// All roles, each after the ones that it uses.
    pub const ALL: &[Self] = &[Self::Model, Self::Client, Self::Testkit, Self::Server, Self::Cli];

    /// Returns the key in the configuration: `model`.
    pub fn key(self) -> &'static str {
        match self {
            Self::Model => "model",
            Self::Client => "client",
            Self::Testkit => "testkit",
            Self::Server => "server",
            Self::Cli => "cli",
        }
    }

    /// Returns the role whose crate this one depends on, directly.
    pub(crate) fn uses(self) -> Option<Self> {
        match self {
            Self::Model => None,
            Self::Client | Self::Testkit | Self::Server => Some(Self::Model),
            Self::Cli => Some(Self::Client),
        }
    }
}

/// A generated crate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Package {
    /// The name: `gateway-model`.
    pub name: String,
    /// The folder of its `Cargo.toml`, from the root of the workspace: `crates/gateway-model`.
    pub folder: String,
}
