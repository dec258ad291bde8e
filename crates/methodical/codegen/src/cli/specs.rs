//! The commands `spec check`, `spec diff` and `spec show`.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use crate::cli::{Context, Outcome, usage};
use crate::config::Config;
use crate::diag::suggestion;
use crate::diff::{self, Change, Class, Version};
use crate::ir::{Operation, Service};
use crate::workspace::Workspace;
use crate::{manifest, show, spec};

/// Runs `spec check`.
pub(super) fn check(cx: &Context<'_>) -> Result<Outcome, Outcome> {
    let (services, stderr) = cx.services()?;
    let mut stdout = String::new();
    for Workspace { config, service, .. } in &services {
        let Service { operations, models, scalars, enums, examples, open_points, .. } = service;
        let counts = [
            counted(operations.len(), "operation"),
            counted(models.len(), "model"),
            counted(scalars.len(), "scalar"),
            counted(enums.len(), "enum"),
            counted(examples.len(), "example"),
            counted(open_points.len(), "open point"),
        ];
        _ = writeln!(stdout, "{} is valid: {}", config.spec, counts.join(", "));
    }
    Ok(Outcome { stdout, stderr, code: 0 })
}

/// Returns a number with its noun: `1 enum`, `2 enums`.
fn counted(number: usize, noun: &str) -> String {
    let plural = if number == 1 { "" } else { "s" };
    format!("{number} {noun}{plural}")
}

/// Runs `spec show`.
pub(super) fn show(cx: &Context<'_>, name: Option<&str>) -> Result<Outcome, Outcome> {
    let services = cx.services()?.0;
    let Some(name) = name else {
        return Ok(Outcome::fine(lists(&services)));
    };
    let mut found = services.iter().flat_map(|Workspace { config, service, .. }| {
        let named = |one: &&Operation| one.rust.words() == name || one.select == name;
        service.operations.iter().filter(named).map(move |one| (config, service, one))
    });
    if let Some((config, service, operation)) = found.next() {
        return match found.next() {
            None => Ok(Outcome::fine(show::operation(service, operation))),
            Some((other, ..)) => Err(usage(&format!(
                "`{name}` is an operation of {} and {}; add `--service {}`",
                config.service(),
                other.service(),
                config.service()
            ))),
        };
    }
    let operations = services.iter().flat_map(|one| &one.service.operations);
    let names: Vec<_> = operations.map(|one| one.rust.words()).collect();
    let known: Vec<_> = names.iter().map(String::as_str).collect();
    let list = || format!("`{} spec show` lists all operations", cx.program);
    let hint = suggestion(name, &known).unwrap_or_else(list);
    Err(usage(&format!("unknown operation `{name}`; {hint}")))
}

/// Returns the operations of some services, one on each line.
fn lists(services: &[Workspace]) -> String {
    let mut text = String::new();
    for Workspace { config, service, .. } in services {
        if services.len() > 1 {
            let gap = if text.is_empty() { "" } else { "\n" };
            _ = writeln!(text, "{gap}# {}", config.service());
        }
        for one in &service.operations {
            _ = writeln!(text, "{}: {}", one.rust.words(), crate::text::one_line(&one.doc.0));
        }
    }
    text
}

/// Runs `spec diff`.
pub(super) fn diff(cx: &Context<'_>, paths: &[&str]) -> Result<Outcome, Outcome> {
    let configs = cx.configs()?;
    if let [config] = configs.as_slice() {
        return diff_of(cx, config, paths);
    }
    if !paths.is_empty() {
        return Err(usage("the workspace has several services; add `--service NAME`"));
    }
    let mut all = Outcome::default();
    for config in &configs {
        let one = match released(cx.root, config) {
            None => Outcome::fine("no spec was released\n"),
            Some(_) => diff_of(cx, config, &[]).unwrap_or_else(|failure| failure),
        };
        let gap = if all.stdout.is_empty() { "" } else { "\n" };
        _ = write!(all.stdout, "{gap}# {}\n{}", config.service(), one.stdout);
        all.stderr.push_str(&one.stderr);
        all.code = all.code.max(one.code);
    }
    if all.code == 0 { Ok(all) } else { Err(all) }
}

/// Compares two specs of a service.
fn diff_of(cx: &Context<'_>, config: &Config, paths: &[&str]) -> Result<Outcome, Outcome> {
    let root = cx.root;
    let old = if let Some(path) = paths.first() {
        PathBuf::from(path)
    } else {
        released(root, config).ok_or_else(|| {
            let folder = config.beside_spec("released");
            usage(&format!("{folder}/ contains no spec; pass the path of the old spec"))
        })?
    };
    let shown = |path: &Path| path.strip_prefix(root).unwrap_or(path).display().to_string();
    let new = paths.get(1).map_or_else(|| root.join(&config.spec), PathBuf::from);
    let service = |path: &Path| {
        let reading = spec::read_alone(path, &shown(path)).accepted(&shown(path));
        reading.map(|(service, _)| service).map_err(|report| cx.rejected(&report))
    };
    let (before, after) = (service(&old)?, service(&new)?);
    let changes = diff::changes(&before, &after);
    let Some(largest) = diff::largest(&changes) else {
        return Ok(Outcome::fine(format!("no changes from {} to {}\n", shown(&old), shown(&new))));
    };
    let mut out = String::new();
    let mut stderr = String::new();
    for Change { class, place, what, warns, .. } in &changes {
        _ = writeln!(out, "{class:13}  {place}: {what}");
        if *warns {
            _ = writeln!(stderr, "\nwarning: {place}: {what}");
        }
    }
    crates(&mut out, root, config, &changes);
    let (Some(was), Some(is)) = (Version::parse(&before.version), Version::parse(&after.version))
    else {
        return Ok(Outcome { stderr, ..Outcome::fine(out) });
    };
    let asked = was.after(largest);
    _ = writeln!(
        out,
        "\nThe largest change is {largest}. After {was}, the version of the spec must be at least {asked}. It is {is}."
    );
    if is < asked {
        _ = writeln!(stderr, "\nerror: raise `version` in {} to {asked}", shown(&new));
        return Err(Outcome { stdout: out, stderr, code: 1 });
    }
    Ok(Outcome { stderr, ..Outcome::fine(out) })
}

/// Writes the version that the changes require of each crate. All crates have the version of the
/// workspace.
fn crates(out: &mut String, root: &Path, config: &Config, changes: &[Change]) {
    let manifest = fs::read_to_string(root.join("Cargo.toml")).unwrap_or_default();
    let Some(version) = manifest::version(&manifest).and_then(Version::parse) else { return };
    out.push('\n');
    for (role, class) in diff::per_crate(changes) {
        let Some(package) = config.packages.get(&role) else { continue };
        let level = match (class, version.0) {
            (Class::Breaking, [0, ..]) => "minor; before 1.0, a minor version may break",
            (Class::Breaking, _) => "major",
            (Class::Additive, [0, ..]) | (Class::Documentation, _) => "patch",
            (Class::Additive, _) => "minor",
        };
        let next = version.after(class);
        _ = writeln!(out, "{:17}  {version} → {next}  ({level})", package.name);
    }
}

/// Returns the path of the released spec of a service with the highest version.
fn released(root: &Path, config: &Config) -> Option<PathBuf> {
    let entries = fs::read_dir(root.join(config.beside_spec("released"))).ok()?;
    let paths = entries.filter_map(|entry| Some(entry.ok()?.path()));
    let version = |path: &PathBuf| {
        let name = path.file_name()?.to_str()?;
        Version::parse(name.strip_suffix(".toml")?)
    };
    paths.filter(|path| version(path).is_some()).max_by_key(version)
}

#[cfg(test)]
mod tests {
    use super::counted;

    #[test]
    fn only_one_is_singular() {
        assert_eq!(
            [0, 1, 2].map(|number| counted(number, "enum")),
            ["0 enums", "1 enum", "2 enums"]
        );
    }
}
