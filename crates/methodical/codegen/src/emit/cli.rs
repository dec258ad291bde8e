//! Code of the program: one command for each operation, with its parameters as flags. The help has descriptions in the
//! imperative, examples, and the names of records.

use std::fmt::Write as _;

use askama::Template;

use crate::config::{Role, Workspace};
use crate::emit::model::marker;
use crate::emit::model::queries::smallest_query;
use crate::emit::model::tables::gauge;
use crate::emit::{GeneratedFile, filters};
use crate::ir::{Command, Example, Gauge, Model, Operation, Param, Primitive, Service};
use crate::text::strings;

#[derive(Template)]
#[template(path = "cli.rs.jinja")]
struct Commands<'a> {
    service: &'a Service,
    client: String,
    marker: String,
    groups: Vec<Group<'a>>,
    /// The call that checks whether the service accepts a token: its operation, and an expression for its query.
    probe: Option<(&'a Operation, String)>,
}

/// A top-level command: `photos` with its subcommands, or an operation whose selector has no `/`.
struct Group<'a> {
    command: Command,
    /// The subcommands, each with its operation.
    verbs: Vec<(String, &'a Operation)>,
    /// The operation of a command without subcommands.
    alone: Option<&'a Operation>,
}

pub(super) fn emit(workspace: &Workspace) -> Vec<GeneratedFile> {
    let Workspace { service, config, .. } = workspace;
    let cheapest = cheapest(service);
    let probe = cheapest.and_then(|one| Some((one, smallest_query(service, one)?)));
    let (client, marker) = (config.rust_name(Role::Client), marker(service));
    let template = Commands { service, client, marker, groups: groups(service), probe };
    let path = format!("{}/commands.rs", config.modules(Role::Cli));
    let root = GeneratedFile::root(workspace, Role::Cli, "pub(crate) mod commands;");
    vec![root, GeneratedFile::new(path, &template)]
}

fn groups(service: &Service) -> Vec<Group<'_>> {
    let mut groups: Vec<Group<'_>> = Vec::new();
    for operation in &service.operations {
        let mut command = operation.command();
        let verb = command.verb.take().map(|verb| (verb, operation));
        let alone = verb.is_none().then_some(operation);
        match groups.iter_mut().find(|group| group.command == command) {
            Some(group) => group.verbs.extend(verb),
            None => groups.push(Group { command, verbs: verb.into_iter().collect(), alone }),
        }
    }
    groups
}

/// Returns the operation that needs the fewest parameters to return data. Prefers an object, because lists may be long.
fn cheapest(service: &Service) -> Option<&Operation> {
    service.operations.iter().min_by_key(|one| {
        let required = one.required().len();
        (one.response.of.is_none(), required, one.response.is_list, one.params.len())
    })
}

impl Group<'_> {
    /// Returns the help text: the description of the only subcommand, or the list of subcommands.
    fn about(&self) -> String {
        if let [(_, operation)] = self.verbs.as_slice() {
            return imperative(operation);
        }
        let verbs: Vec<_> = self.verbs.iter().map(|(verb, _)| verb.as_str()).collect();
        format!("Call an operation of {}: {}.", self.command.noun, verbs.join(", "))
    }

    /// Returns the name of the subcommands' type.
    fn subcommands(&self) -> String {
        let name = self.command.rust.followed_by("command").pascal();
        if name == "OperationCommand" { name + "_" } else { name }
    }

    /// Returns the operation of the group that has a gauge.
    fn gauge(&self) -> Option<(&Operation, &Gauge)> {
        self.verbs.iter().find_map(|(_, one)| Some((*one, one.gauge.as_ref()?)))
    }

    /// Returns a name, not used by an operation, for the variant with the commands of a gauge.
    fn gauge_variant(&self) -> &'static str {
        let is_taken = self.verbs.iter().any(|(_, one)| one.rust.variant() == "Gauge");
        if is_taken { "Gauge_" } else { "Gauge" }
    }
}

impl Commands<'_> {
    /// Returns the arguments of the examples in the program's help: a command, a selector and columns. Examples should
    /// work unchanged, so they use an operation without required parameters, if one exists.
    fn example(&self) -> Option<String> {
        let operations = || self.service.operations.iter();
        let listed = operations().min_by_key(|one| !one.required().is_empty())?;
        let plain = operations().min_by_key(|one| !one.params.is_empty())?;
        let model = self.service.response_model(listed);
        // A value has one column.
        let columns =
            model.map_or_else(|| vec!["value".to_owned()], |model| self.service.columns(model));
        // The first two, and one from a nested object if possible.
        let third = columns.iter().skip(2).find(|one| one.contains('.')).or_else(|| columns.get(2));
        let columns: Vec<_> = columns.iter().take(2).chain(third).map(String::as_str).collect();
        Some(strings([&command(listed), &plain.select, &columns.join(",")]))
    }
}

/// Returns the name of the constant that describes a model's records, such as `PHOTO_RECORD`.
pub(super) fn constant(model: &Model) -> String {
    format!("{}_RECORD", model.rust.screaming_snake())
}

/// Returns the identifier of a parameter's flag. The colon distinguishes it from the identifiers of hand-written flags.
fn id(param: &Param) -> String {
    format!("param:{}", param.wire)
}

/// Returns whether other parameters need a parameter.
fn is_needed(operation: &Operation, param: &Param) -> bool {
    operation.params.iter().any(|other| operation.needed_by(other).any(|needed| needed == param))
}

/// Returns the description of an operation in the imperative.
///
/// A description may begin with a noun, so only known verbs are changed: common ones, and words from the operation's
/// name. "Finds and returns" has two.
fn imperative(operation: &Operation) -> String {
    let name = operation.rust.spaced();
    let is_verb = |word: &str| VERBS.split(' ').chain(name.split(' ')).any(|one| one == word);
    let bare = |word: &String| {
        let ends = [("ies", "y"), ("es", ""), ("s", "")].into_iter();
        let mut words =
            ends.filter_map(|(end, bare)| Some(word.strip_suffix(end)?.to_owned() + bare));
        words.find(|word| is_verb(&word.to_lowercase()))
    };
    let mut words: Vec<_> = operation.about.doc.split(' ').map(str::to_owned).collect();
    let has_second = words.get(1).is_some_and(|word| word == "and");
    for index in [Some(0), has_second.then_some(2)].into_iter().flatten() {
        let Some(word) = words.get_mut(index) else { break };
        let Some(verb) = bare(word) else { break };
        *word = verb;
    }
    words.join(" ")
}

/// Verbs with which a description may begin.
const VERBS: &str = "\
    ask browse calculate check compare compute count describe download estimate export fetch \
    filter find get give identify inspect list load locate look match obtain preview print \
    provide query quote read receive report request resolve retrieve return search select send \
    show stream suggest sum summarise summarize tell test translate validate verify view";

/// Returns the help text for a parameter's flag.
fn flag_help(operation: &Operation, param: &Param) -> String {
    let mut help = param.about.doc.clone();
    if param.ty.is_enum() {
        let values = &param.ty.values;
        let values: Vec<_> = values.iter().map(|value| format!("`{}`", value.wire)).collect();
        _ = write!(help, " Known values: {}.", values.join(", "));
    }
    let flag = |name: &str| {
        let param = operation.params.iter().find(|param| param.wire == name);
        format!("`--{}`", param.map(Param::flag).unwrap_or_default())
    };
    if let Some(needed) = operation.needed_names(param, flag) {
        _ = write!(help, " Requires {needed}.");
    }
    if param.list.is_some() {
        help.push_str(" Several values: repeat the flag, or separate them with commas.");
    }
    help
}

/// Returns up to two examples: command lines without the name of the program.
fn examples(service: &Service, operation: &Operation) -> Vec<String> {
    let required = operation.required().into_iter();
    let required =
        required.map(|param| flag(param, param.ty.example()?)).collect::<Option<String>>();
    // A type may lack a plain example.
    let Some(required) = required else { return Vec::new() };
    let base = command(operation) + &required;
    let declared = declared(service, operation);
    match service.response_model(operation) {
        Some(model) if operation.response.is_list => {
            let columns = service.columns(model).into_iter().take(2);
            let fields = || format!("{base} --fields {}", columns.collect::<Vec<_>>().join(","));
            let file = plural(&model.rust.spaced()).replace(' ', "-");
            vec![declared.unwrap_or_else(fields), format!("{base} --output-file {file}.xlsx")]
        }
        _ if operation.response.of.is_none() => vec![declared.unwrap_or(base)],
        _ => vec![declared.unwrap_or_else(|| base.clone()), format!("{base} -o json")],
    }
}

/// Returns the words of an operation's command.
fn command(operation: &Operation) -> String {
    let command = operation.command();
    let words: Vec<_> = [Some(command.noun), command.verb].into_iter().flatten().collect();
    words.join(" ")
}

/// Returns the command with an example's parameters: of those with only plain values, the one with the most parameters.
fn declared(service: &Service, operation: &Operation) -> Option<String> {
    let flags = |example: &Example| {
        let flags = operation.given(example).map(|(param, value)| flag(param, value));
        Some((example.params.len(), flags.collect::<Option<String>>()?))
    };
    let examples = service.examples_of(operation).filter(|example| !example.params.is_empty());
    let (_, flags) = examples.filter_map(flags).max_by_key(|(count, _)| *count)?;
    Some(command(operation) + &flags)
}

/// Returns a flag with its value; `None` if the value would need quotes, or is a list.
fn flag(param: &Param, value: &str) -> Option<String> {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"_-.,:/@".contains(&byte);
    let plain = !value.is_empty() && !value.starts_with('-') && value.bytes().all(is_plain);
    (plain && param.list.is_none())
        .then(|| format!(" --{} {}", param.flag(), param.argument(value)))
}

/// Returns the plural of a noun, such as `galleries` for `gallery`. A noun that ends like a plural is unchanged.
fn plural(noun: &str) -> String {
    for (one, several) in [("person", "people"), ("child", "children")] {
        if let Some(start) = noun.strip_suffix(one) {
            return format!("{start}{several}");
        }
    }
    let ends_in = |ends: &[&str]| ends.iter().any(|end| noun.ends_with(end));
    if ends_in(&["ss", "us", "is", "x", "z", "ch", "sh"]) {
        return format!("{}es", noun.strip_suffix("is").unwrap_or(noun));
    }
    match noun.strip_suffix('y') {
        _ if ends_in(&["s", "data", "info"]) => noun.to_owned(),
        Some(root) if root.ends_with(|letter| !"aeiou".contains(letter)) => format!("{root}ies"),
        _ => format!("{noun}s"),
    }
}

#[cfg(test)]
mod tests {
    use super::{imperative, plural};
    use crate::ir::{About, Operation, Response, RustName};

    #[track_caller]
    fn check(name: &str, doc: &str, expected: &str) {
        let operation = Operation {
            rust: RustName::new(name).expect("a name"),
            select: name.to_owned(),
            params: Vec::new(),
            post: None,
            response: Response::default(),
            paging: None,
            gauge: None,
            about: About { doc: doc.to_owned(), ..About::default() },
        };
        assert_eq!(imperative(&operation), expected);
    }

    #[test]
    fn help_is_in_the_imperative() {
        check("a", "Lists all albums: titles.", "List all albums: titles.");
        check("a", "Searches photos.", "Search photos.");
        check("a", "Fetches and verifies them.", "Fetch and verify them.");
        check("a", "Queries the index.", "Query the index.");
        check("a", "Browses the shelves.", "Browse the shelves.");
    }

    #[test]
    fn the_name_of_an_operation_shows_its_verb() {
        check("lend_tools", "Lends tools to neighbors.", "Lend tools to neighbors.");
        check("passing", "Passes.", "Passes.");
    }

    #[test]
    fn a_noun_is_not_changed() {
        check("list_photos", "Photos.", "Photos.");
        check("get_account", "Readers of the account.", "Readers of the account.");
        check("a", "", "");
    }

    #[test]
    fn nouns_have_the_plural_of_their_last_word() {
        for (one, several) in [
            ("photo", "photos"),
            ("gallery", "galleries"),
            ("day", "days"),
            ("token transfer", "token transfers"),
            ("search match", "search matches"),
            ("tax", "taxes"),
            ("status", "statuses"),
            ("address", "addresses"),
            ("analysis", "analyses"),
            ("contact person", "contact people"),
            ("news", "news"),
            ("page info", "page info"),
            ("y", "ys"),
        ] {
            assert_eq!(plural(one), several);
        }
    }
}
