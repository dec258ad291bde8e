//! The files of a new service and of its workspace. `«…»` is replaced by a value.

/// The configuration of the generator.
pub(super) const CONFIGURATION: &str = include_str!("spec/codegen.toml");

/// The spec of a service that is started without one.
pub(super) const SPEC: &str = include_str!("spec/spec.toml");

/// The path and the text of the fixture of that spec.
pub(super) const FIXTURE: (&str, &str) =
    ("«folder»/fixtures/items-of-a-shelf.json", include_str!("spec/items-of-a-shelf.json"));

/// The other files of a workspace: their paths and their texts.
pub(super) const WORKSPACE: &[(&str, &str)] = &[
    (".gitignore", include_str!("workspace/gitignore")),
    ("Cargo.toml", include_str!("workspace/manifest.toml")),
    ("README.md", include_str!("workspace/README.md")),
];

/// The files of a service that name its operations. The generator keeps them up to date until people own them.
pub(super) const SAMPLES: &[(&str, &str)] = &[
    ("crates/«cli»/src/demo.rs", include_str!("cli/demo.rs")),
    ("crates/«cli»/tests/program.rs", include_str!("cli/program.rs")),
    ("crates/«client»/examples/«demo».rs", include_str!("client/demo.rs")),
    ("crates/«client»/tests/round_trip.rs", include_str!("client/round_trip.rs")),
];

/// The other files of a service.
pub(super) const SERVICE: &[(&str, &str)] = &[
    ("crates/«cli»/Cargo.toml", include_str!("cli/manifest.toml")),
    ("crates/«cli»/src/main.rs", include_str!("cli/main.rs")),
    ("crates/«client»/Cargo.toml", include_str!("client/manifest.toml")),
    ("crates/«client»/src/lib.rs", include_str!("client/lib.rs")),
    ("crates/«model»/Cargo.toml", include_str!("model/manifest.toml")),
    ("crates/«model»/src/lib.rs", include_str!("model/lib.rs")),
    ("crates/«model»/tests/generated.rs", include_str!("model/generated.rs")),
    ("crates/«testkit»/Cargo.toml", include_str!("testkit/manifest.toml")),
    ("crates/«testkit»/src/lib.rs", include_str!("testkit/lib.rs")),
];
