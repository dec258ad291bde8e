//! The manifest of a workspace.

/// Returns the manifest with the crates of a further service among the dependencies of the workspace, or the reason why
/// the service cannot be added.
pub(crate) fn with_service(manifest: &str, name: &str) -> Result<String, String> {
    let refused = |what: &str| {
        Err(format!(
            "Cargo.toml has no {what}; `add` needs a workspace that `methodical-codegen init` started"
        ))
    };
    if !manifest.contains("\"crates/*\"") {
        return refused("members `crates/*`");
    }
    if !manifest.contains("\nmethodical-client = ") {
        return refused("dependency on `methodical-client`");
    }
    let Some(version) = version(manifest) else {
        return refused("version in `[workspace.package]`");
    };
    let Some((before, after)) = manifest.split_once(HEADER) else {
        return refused("`[workspace.dependencies]`");
    };
    let crates = ["client", "model", "testkit"].map(|role| {
        format!("{name}-{role} = {{ path = \"crates/{name}-{role}\", version = \"={version}\" }}\n")
    });
    Ok(format!("{before}{HEADER}{}{after}", crates.concat()))
}

/// Returns the version that all crates of a workspace have.
pub(crate) fn version(manifest: &str) -> Option<&str> {
    let (_, package) = manifest.split_once("[workspace.package]")?;
    let line = package.lines().find_map(|line| line.strip_prefix("version = \""))?;
    line.split_once('"').map(|(version, _)| version)
}

const HEADER: &str = "[workspace.dependencies]\n";

#[cfg(test)]
mod tests {
    use super::with_service;

    const MANIFEST: &str = "\
[workspace]
members = [\"crates/*\"]

[workspace.package]
version = \"0.2.0\"

[workspace.dependencies]
photos-client = { path = \"crates/photos-client\", version = \"=0.2.0\" }
methodical-client = \"1\"
";

    #[test]
    fn the_crates_of_a_service_are_added_to_the_dependencies() {
        let (before, after) = MANIFEST.split_once("photos-client").unwrap();
        assert_eq!(
            with_service(MANIFEST, "leads").unwrap(),
            format!(
                "{before}\
leads-client = {{ path = \"crates/leads-client\", version = \"=0.2.0\" }}
leads-model = {{ path = \"crates/leads-model\", version = \"=0.2.0\" }}
leads-testkit = {{ path = \"crates/leads-testkit\", version = \"=0.2.0\" }}
photos-client{after}"
            )
        );
    }

    #[test]
    fn a_manifest_of_another_kind_is_refused() {
        for missing in
            ["crates/*", "methodical-client", "version = \"0.2.0\"", "[workspace.dependencies]"]
        {
            let why = with_service(&MANIFEST.replace(missing, ""), "leads").unwrap_err();
            assert!(why.starts_with("Cargo.toml has no "), "{why}");
        }
    }
}
