//! The software bill of materials of a program, in the JSON of [CycloneDX 1.6](https://cyclonedx.org/docs/1.6/json/).

use serde_json::{Value, json};

use crate::components::Component;

/// Writes the bill of materials of a package. It contains neither a time nor a random serial number, so the same
/// sources always give the same text.
///
/// # Errors
///
/// Fails if the package is not among the components.
pub fn bill_of_materials(package: &str, components: &[Component]) -> Result<String, String> {
    let (programs, others): (Vec<_>, Vec<_>) =
        components.iter().partition(|component| component.name == package);
    let [program] = programs.as_slice() else {
        return Err(format!("the workspace has no package {package}"));
    };
    let dependencies: Vec<Value> = components.iter().map(dependencies).collect();
    let others: Vec<Value> = others.into_iter().map(|other| component(other, "library")).collect();
    let bill = json!({
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "version": 1,
        "metadata": { "component": component(program, "application") },
        "components": others,
        "dependencies": dependencies,
    });
    let text = serde_json::to_string_pretty(&bill)
        .map_err(|error| format!("cannot write the bill of materials: {error}"))?;
    Ok(text + "\n")
}

fn component(component: &Component, kind: &str) -> Value {
    let reference = reference(&component.name, &component.version);
    let mut value = json!({
        "type": kind,
        "bom-ref": reference,
        "name": component.name,
        "version": component.version,
        "scope": if component.is_linked { "required" } else { "excluded" },
    });
    let mut add = |key: &str, part: Value| {
        if let Some(object) = value.as_object_mut() {
            object.insert(key.to_owned(), part);
        }
    };
    if let Some(license) = &component.license {
        add("licenses", json!([{ "expression": license }]));
    }
    if let Some(checksum) = &component.checksum {
        add("purl", json!(reference));
        add("hashes", json!([{ "alg": "SHA-256", "content": checksum }]));
        if let Some(repository) = &component.repository {
            add("externalReferences", json!([{ "type": "vcs", "url": repository }]));
        }
    }
    value
}

fn dependencies(component: &Component) -> Value {
    let others = component.dependencies.iter();
    let others: Vec<String> = others.map(|(name, version)| reference(name, version)).collect();
    json!({ "ref": reference(&component.name, &component.version), "dependsOn": others })
}

/// Returns the package URL of a crate.
fn reference(name: &str, version: &str) -> String {
    format!("pkg:cargo/{name}@{}", version.replace('+', "%2B"))
}

#[cfg(test)]
mod tests {
    use super::bill_of_materials;

    #[test]
    fn a_package_that_is_not_among_the_components_is_an_error() {
        let error = bill_of_materials("program", &[]).unwrap_err();
        assert_eq!(error, "the workspace has no package program");
    }
}
