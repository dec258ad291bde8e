//! Compares two specs as flat lists of declarations, each with its keys and their values as text. A verdict on each
//! changed key decides which version the changes require.

use std::cmp::Reverse;
use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use semver::Version;
use toml::{Table, Value};

use crate::cli::Outcome;
use crate::config::Config;
use crate::diag::Report;
use crate::ir::{RustName, Service, Wire};
use crate::spec;
use crate::spec::read::words;

words! {
    /// The effect of a change on users.
    #[derive(PartialOrd, Ord)]
    pub enum Class {
        /// Only descriptions, sources and examples changed.
        Documentation = "documentation",
        /// Something was added, and existing code and calls still work.
        Additive = "additive",
        /// Existing code may fail to compile, or an existing call may fail.
        Breaking = "breaking",
    }
}

/// One difference between two versions of a spec.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    /// The change's effect on users.
    pub class: Class,
    /// The changed declaration, such as `model.Photo.field.title`.
    pub place: String,
    /// A description of the change.
    pub what: String,
}

/// Returns the lowest version that may contain a change of this class after a version. Before 1.0.0, a breaking change
/// raises the minor version, as in cargo.
fn after(version: &Version, class: Class) -> Version {
    let &Version { major, minor, patch, .. } = version;
    match (class, major) {
        (Class::Breaking, 1..) => Version::new(major + 1, 0, 0),
        (Class::Breaking, 0) | (Class::Additive, 1..) => Version::new(major, minor + 1, 0),
        (Class::Additive, 0) | (Class::Documentation, _) => Version::new(major, minor, patch + 1),
    }
}

/// Compares two specs of a service, for the command `spec diff`.
pub(crate) fn command(root: &Path, config: &Config, paths: &[&str]) -> Result<Outcome, Outcome> {
    let Some(old) = paths.first().map(PathBuf::from).or_else(|| released(root, config)) else {
        let folder = config.beside_spec("released");
        return Ok(Outcome::fine(format!("no spec was released: {folder}/ contains none\n")));
    };
    let shown = |path: &Path| path.strip_prefix(root).unwrap_or(path).display().to_string();
    let new = paths.get(1).map_or_else(|| root.join(&config.spec), PathBuf::from);
    let read = |path: &Path| -> Result<_, Report> {
        // The fixtures of a released spec are not kept.
        let bytes = spec::file(path, &shown(path))?;
        let service = spec::read_bytes(&bytes, None, &shown(path))?;
        let text = String::from_utf8_lossy(&bytes).replace("\r\n", "\n");
        Ok((text.trim_start_matches('\u{feff}').to_owned(), service))
    };
    let ((old_text, before), (new_text, new_service)) = (read(&old)?, read(&new)?);
    let changes = changes((&old_text, &before), (&new_text, &new_service));
    let Some(largest) = changes.iter().map(|change| change.class).max() else {
        return Ok(Outcome::fine(format!("no changes from {} to {}\n", shown(&old), shown(&new))));
    };
    let (mut stdout, mut stderr) = (String::new(), String::new());
    for Change { class, place, what } in &changes {
        _ = writeln!(stdout, "{:13}  {place}: {what}", class.word());
        // Such a change compiles everywhere, so only this warning points it out.
        if what == PUBLISHED {
            _ = writeln!(stderr, "\nwarning: {place}: {what}");
        }
    }
    // The form of both versions was already checked.
    let [was, is] = [&before, &new_service]
        .map(|one| Version::parse(&one.version).unwrap_or(Version::new(0, 0, 0)));
    let asked = after(&was, largest);
    _ = writeln!(
        stdout,
        "\nThe largest change is {}. After {was}, the version of the spec must be at least {asked}. It is {is}.",
        largest.word()
    );
    // All crates of a workspace are released together.
    if let Some(was) = workspace_version(root) {
        let asked = after(&was, largest);
        _ = writeln!(stdout, "After {was}, the version of the crates must be at least {asked}.");
    }
    if is < asked {
        _ = writeln!(stderr, "\nerror: raise `version` in {} to {asked}", shown(&new));
    }
    Ok(Outcome { stdout, stderr, code: u8::from(is < asked) })
}

/// Returns the common version of a workspace's crates, from its manifest.
fn workspace_version(root: &Path) -> Option<Version> {
    let manifest: Table = fs::read_to_string(root.join("Cargo.toml")).ok()?.parse().ok()?;
    version(manifest.get("workspace")?.get("package")?.get("version")?.as_str()?)
}

/// Returns the path of the latest released spec of a service.
fn released(root: &Path, config: &Config) -> Option<PathBuf> {
    let entries = fs::read_dir(root.join(config.beside_spec("released"))).ok()?;
    let specs = entries.filter_map(|entry| {
        let path = entry.ok()?.path();
        Some((version(path.file_name()?.to_str()?.strip_suffix(".toml")?)?, path))
    });
    specs.max().map(|(_, path)| path)
}

/// Parses the version of a release: three numbers, without a pre-release or a build.
fn version(text: &str) -> Option<Version> {
    Version::parse(text).ok().filter(|one| one.pre.is_empty() && one.build.is_empty())
}

/// A declaration, such as `model.Photo.field.title`.
struct Declaration {
    place: String,
    /// The list that contains the declaration, such as `model.Photo.field`.
    list: String,
    name: String,
    /// The other keys in the order of the file, with their values.
    facts: Vec<(String, String)>,
}

impl Declaration {
    fn fact(&self, key: &str) -> Option<&str> {
        self.facts.iter().find(|(other, _)| other == key).map(|(_, text)| text.as_str())
    }

    /// Returns a change to the whole declaration. Examples and open points affect only documentation.
    fn change(&self, class: Class, what: &str) -> Change {
        let is_documentation = matches!(&*self.list, "example" | "open-point");
        let class = if is_documentation { Class::Documentation } else { class };
        Change { class, place: self.place.clone(), what: what.to_owned() }
    }

    /// Returns whether the declaration is an argument of a generated constructor.
    fn is_required(&self) -> bool {
        self.fact("presence") == Some("`required`") || self.fact("required") == Some("true")
    }
}

/// The fact with a model's default columns, which are derived from its fields if it declares no columns.
const BY_DEFAULT: &str = "columns by default";

/// The lists that are nested in other declarations.
const INNER: [&str; 3] = ["field", "param", "value"];

/// Returns a spec's declarations in the order of the file.
fn declarations(text: &str, service: &Service) -> Vec<Declaration> {
    // The spec is valid.
    let root: Table = toml::from_str(text).unwrap_or_default();
    let mut found = Vec::new();
    for (key, value) in &root {
        match value {
            Value::Table(table) if ["service", "dispatch", "auth"].contains(&&**key) => {
                add(&mut found, "", key, table);
            }
            Value::Table(tables) => named(&mut found, key, tables),
            Value::Array(items) => {
                for item in items.iter().filter_map(Value::as_table) {
                    let name = item.get("name").and_then(Value::as_str);
                    add(&mut found, key, name.unwrap_or_default(), item);
                }
            }
            _ => {}
        }
    }
    for one in found.iter_mut().filter(|one| one.list == "model") {
        let name = RustName::new(&one.name);
        let model = service.models.iter().find(|model| Some(&model.rust) == name.as_ref());
        let columns = model.map(|model| service.columns(model)).unwrap_or_default();
        let columns: Vec<_> = columns.iter().map(|one| format!("`{one}`")).collect();
        one.facts.push((BY_DEFAULT.to_owned(), columns.join(", ")));
    }
    found
}

fn named(found: &mut Vec<Declaration>, list: &str, tables: &Table) {
    for (name, table) in tables.iter().filter_map(|(name, one)| Some((name, one.as_table()?))) {
        add(found, list, name, table);
        for (inner, tables) in table.iter().filter(|(inner, _)| INNER.contains(&&***inner)) {
            let tables = tables.as_table().into_iter();
            tables.for_each(|one| named(found, &format!("{list}.{name}.{inner}"), one));
        }
    }
}

fn add(found: &mut Vec<Declaration>, list: &str, name: &str, table: &Table) {
    let mut facts = Vec::new();
    for (key, value) in table {
        if !(INNER.contains(&&**key) && value.is_table()) {
            let text = text(value, &mut facts);
            facts.push((key.clone(), text));
        }
    }
    let (list, name) = (list.to_owned(), name.to_owned());
    let place = if list.is_empty() { name.clone() } else { format!("{list}.{name}") };
    found.push(Declaration { place, list, name, facts });
}

/// Returns a value as text. Keys that are compared separately are added to `facts` instead.
fn text(value: &Value, facts: &mut Vec<(String, String)>) -> String {
    match value {
        Value::String(text) => format!("`{text}`"),
        Value::Integer(number) => number.to_string(),
        Value::Float(number) => number.to_string(),
        Value::Boolean(flag) => flag.to_string(),
        Value::Datetime(date) => date.to_string(),
        Value::Array(items) if items.is_empty() => "none".to_owned(),
        Value::Array(items) => {
            items.iter().map(|item| text(item, facts)).collect::<Vec<_>>().join(", ")
        }
        Value::Table(table) => {
            let mut members = Vec::new();
            for (key, value) in table {
                let text = text(value, facts);
                if matches!(&**key, "doc" | "lenient") {
                    facts.push((key.clone(), text));
                } else {
                    members.push(format!("{key} = {text}"));
                }
            }
            let text = members.join(", ");
            if text.is_empty() { "{}".to_owned() } else { format!("{{ {text} }}") }
        }
    }
}

/// Returns the changes from one spec to another, breaking changes first, then in the order of the spec. Each spec is
/// given by its text and its service.
pub fn changes(old: (&str, &Service), new: (&str, &Service)) -> Vec<Change> {
    let (old, new) = (declarations(old.0, old.1), declarations(new.0, new.1));
    let is_same = |one: &Declaration, other: &Declaration| one.place == other.place;
    // The contents of a declaration are added and removed with it.
    let has_parent = |all: &[Declaration], one: &Declaration| match one.list.rsplit_once('.') {
        Some((parent, _)) => all.iter().any(|other| other.place == parent),
        None => true,
    };
    let mut changes = Vec::new();
    for one in &old {
        match new.iter().find(|other| is_same(one, other)) {
            Some(other) => facts(one, other, &mut changes),
            None if has_parent(&new, one) => changes.push(one.change(Class::Breaking, "removed")),
            None => {}
        }
    }
    for one in new.iter().filter(|one| !old.iter().any(|other| is_same(one, other))) {
        if has_parent(&old, one) {
            let class = if one.is_required() { Class::Breaking } else { Class::Additive };
            changes.push(one.change(class, "added"));
        }
    }
    let lists: BTreeSet<_> = old.iter().map(|one| one.list.as_str()).collect();
    changes.extend(lists.into_iter().filter_map(|list| moved(list, &old, &new)));
    changes.sort_by_key(|change| Reverse(change.class));
    changes
}

/// Returns the change in the order of a list's declarations, if any. Compares only declarations that both specs have.
fn moved(list: &str, old: &[Declaration], new: &[Declaration]) -> Option<Change> {
    let names = |one: &[Declaration], other: &[Declaration], is_fixed: fn(&Declaration) -> bool| {
        let all = one.iter().filter(|one| one.list == list && is_fixed(one)).map(|one| &one.name);
        let stays = |name: &&String| other.iter().any(|one| one.list == list && one.name == **name);
        all.filter(stays).map(|name| format!("`{name}`")).collect::<Vec<_>>()
    };
    let all = names(old, new, |_| true).into_iter().zip(names(new, old, |_| true));
    let (was, is): (Vec<_>, Vec<_>) = all.filter(|(was, is)| was != is).unzip();
    let required = Declaration::is_required;
    let class = match list.rsplit('.').next() {
        // Rust orders enum values by position. Reordered arguments break calls, even those that still compile because
        // the arguments have the same type.
        Some("value") => Class::Breaking,
        Some("field" | "param") if names(old, new, required) != names(new, old, required) => {
            Class::Breaking
        }
        Some("field" | "param") => Class::Additive,
        _ => Class::Documentation,
    };
    let what = format!("order changed from {} to {}", was.join(", "), is.join(", "));
    (!was.is_empty()).then(|| Change { class, place: list.to_owned(), what })
}

/// Compares the facts of two declarations.
fn facts(old: &Declaration, new: &Declaration, changes: &mut Vec<Change>) {
    let keys = old.facts.iter().chain(&new.facts).map(|(key, _)| key.as_str());
    let is_release = |key: &str| old.list.is_empty() && key == "version";
    let start = changes.len();
    for key in keys.filter(|key| !is_release(key) && *key != BY_DEFAULT) {
        let text = |one: &Declaration, other: &Declaration| {
            let by_default = one.fact(BY_DEFAULT).filter(|_| key == "columns");
            let absent = match key {
                "body" => "`form`",
                "in" => "`query`",
                "verb" => "`get`",
                _ if matches!(other.fact(key), Some("true" | "false")) => "false",
                _ => "none",
            };
            one.fact(key).or(by_default).unwrap_or(absent).to_owned()
        };
        let (was, is) = (text(old, new), text(new, old));
        if was == is {
            continue;
        }
        let (class, what) = verdict(&old.list, key, &was, &is);
        let what = what.unwrap_or_else(|| format!("{key} changed from {was} to {is}"));
        let change = Change { class, place: old.place.clone(), what };
        if !changes.iter().skip(start).any(|other| *other == change) {
            changes.push(change);
        }
    }
}

const PUBLISHED: &str = "no longer personal; its values will appear in `Debug` output and logs";

/// Returns the effect of changing a key from one text to another, and a description if the usual one does not fit.
fn verdict(list: &str, key: &str, old: &str, new: &str) -> (Class, Option<String>) {
    let limit = |text: &str| text.parse().unwrap_or(u32::MAX);
    let parts = |text: &str| text.split(", ").map(str::to_owned).collect::<Vec<_>>();
    let has_all = || parts(old).iter().all(|one| one == "none" || parts(new).contains(one));
    let wire = |text: &str| Wire::of(text.trim_matches('`'));
    let breaks = match (list, key) {
        ("example", _) => return (Class::Documentation, Some("example changed".to_owned())),
        (_, "doc" | "example" | "open" | "question" | "source" | "title") => {
            return (Class::Documentation, Some("description changed".to_owned()));
        }
        ("open-point", _) => {
            let check = "check whether users rely on the old one";
            return (Class::Additive, Some(format!("behavior of the {key} changed; {check}")));
        }
        (_, "personal") => {
            let hidden = "personal; `Debug` output and logs no longer show its values";
            let what = if old == "true" { PUBLISHED } else { hidden };
            return (Class::Additive, Some(what.to_owned()));
        }
        // Callers never write a constant, but the service must accept it.
        (_, "constants" | "digits" | "empty" | "error" | "error-class" | "idempotent") => false,
        // A stricter limit breaks existing calls.
        (_, "max-chars") => limit(new) < limit(old),
        // A program no longer has the commands of the gauge, and a mirror starts a new series of samples.
        (_, "gauge" | "recovers") => old != "none",
        // Code that reads all pages does not compile without them.
        (_, "paging") => new == "none",
        // Programs that read a table rely on the positions of its columns.
        (_, "columns") => !new.starts_with(old),
        // Accepting another form is an addition. The type in Rust changes only with `absent-as-empty`.
        (_, "lenient") => {
            let is_option =
                |text: &str| list.starts_with("model") && !text.contains("absent-as-empty");
            !has_all() || is_option(old) != is_option(new)
        }
        // The first code is written; the others are only read.
        ("scalar", "true" | "false") => parts(old).first() != parts(new).first() || !has_all(),
        ("scalar", "wire") => {
            wire(new) != Some(Wire::TextOrNumber) || wire(old) != Some(Wire::String)
        }
        _ => true,
    };
    (if breaks { Class::Breaking } else { Class::Additive }, None)
}

#[cfg(test)]
mod tests {
    use semver::Version;

    use super::{Class, after};

    #[track_caller]
    fn check(from: &str, class: Class, to: &str) {
        let from = Version::parse(from).expect("a version");
        assert_eq!(after(&from, class).to_string(), to);
    }

    #[test]
    fn each_class_raises_its_part_of_the_version() {
        check("1.4.2", Class::Breaking, "2.0.0");
        check("1.4.2", Class::Additive, "1.5.0");
        check("1.4.2", Class::Documentation, "1.4.3");
        check("0.4.2", Class::Breaking, "0.5.0");
        check("0.4.2", Class::Additive, "0.4.3");
        check("0.4.2", Class::Documentation, "0.4.3");
    }
}
