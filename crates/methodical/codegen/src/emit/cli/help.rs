//! Texts in the help of commands: descriptions in the imperative, examples, and names of records.

use std::fmt::Write as _;

use crate::emit::model::queries::required;
use crate::ir::{Example, Operation, Param, Service};

/// Returns the description of an operation in the imperative.
///
/// Only verbs are changed, because a description may begin with a noun: verbs that are common in
/// descriptions, and words from the name of the operation.
pub(super) fn imperative(operation: &Operation) -> String {
    let name = operation.rust.words();
    let is_verb = |verb: &String| {
        let verb = verb.to_lowercase();
        VERBS.split(' ').any(|one| one == verb) || name.split('_').any(|word| word == verb)
    };
    let verb = |word: &str| bare(word).into_iter().find(is_verb);
    let mut words: Vec<_> = operation.doc.0.split(' ').map(str::to_owned).collect();
    let Some(first) = words.first_mut() else { return String::new() };
    let Some(changed) = verb(first) else { return operation.doc.0.clone() };
    *first = changed;
    // "Finds and returns" has a second verb.
    if words.get(1).is_some_and(|word| word == "and")
        && let Some(second) = words.get_mut(2)
        && let Some(changed) = verb(second)
    {
        *second = changed;
    }
    words.join(" ")
}

/// Returns the words of which a word could be the third person.
fn bare(word: &str) -> Vec<String> {
    let mut found = Vec::new();
    found.extend(word.strip_suffix("ies").map(|stem| format!("{stem}y")));
    found.extend(word.strip_suffix("es").map(str::to_owned));
    found.extend(word.strip_suffix('s').map(str::to_owned));
    found
}

/// Verbs with which a description may begin.
const VERBS: &str = "\
    ask browse calculate check compare compute count describe download estimate export fetch \
    filter find get give identify inspect list load locate look match obtain preview print \
    provide query quote read receive report request resolve retrieve return search select send \
    show stream suggest sum summarise summarize tell test translate validate verify view";

/// Returns the help of the flag of a parameter.
pub(super) fn flag_help(operation: &Operation, param: &Param) -> String {
    let mut help = param.doc.0.clone();
    // The parser adds the values of a closed enum.
    if let Some(one) = param.ty.as_enum().filter(|one| one.open_ended) {
        let values: Vec<_> = one.values.iter().map(|value| format!("`{}`", value.wire)).collect();
        _ = write!(help, " Known values: {}.", values.join(", "));
    }
    let flag = |name: &str| {
        let param = operation.params.iter().find(|param| param.wire == name);
        format!("`--{}`", param.map(Param::flag).unwrap_or_default())
    };
    if let Some(needed) = operation.needed_names(param, flag) {
        _ = write!(help, " Requires {needed}.");
    }
    if let Some(default) = param.default_note() {
        _ = write!(help, " {default}");
    }
    if param.list.is_some() {
        help.push_str(" Several values: repeat the flag, or separate them with commas.");
    }
    help
}

/// Returns up to two examples: command lines without the name of the program.
pub(super) fn examples(service: &Service, operation: &Operation) -> Vec<String> {
    let Some(required) = required_flags(operation) else { return Vec::new() };
    let model = service.response_model(operation).filter(|_| operation.response.is_list);
    let command = command(operation);
    let base = format!("{command}{required}");
    let flags = declared(service, operation);
    if let Some(model) = model {
        let first = flags.unwrap_or_else(|| {
            let columns = service.columns(model);
            let fields: Vec<_> = columns.iter().take(2).map(String::as_str).collect();
            format!("{base} --fields {}", fields.join(","))
        });
        let file = plural(&model.rust.spaced()).replace(' ', "-");
        vec![first, format!("{base} --output-file {file}.xlsx")]
    } else if operation.response.of.is_none() {
        vec![flags.unwrap_or(base)]
    } else {
        vec![flags.unwrap_or_else(|| base.clone()), format!("{base} -o json")]
    }
}

/// Returns the words of the command of an operation.
pub(super) fn command(operation: &Operation) -> String {
    let command = operation.command();
    let words: Vec<_> = [Some(command.noun), command.verb].into_iter().flatten().collect();
    words.join(" ")
}

/// Returns the required flags with the examples of their types; `None` if a type has no plain example.
fn required_flags(operation: &Operation) -> Option<String> {
    required(operation).into_iter().map(|param| flag(param, param.ty.example()?)).collect()
}

/// Returns the command with the parameters of the example in the spec that has the most plain ones.
fn declared(service: &Service, operation: &Operation) -> Option<String> {
    let flags = |example: &Example| {
        let flags = example.params.iter().map(|(index, value)| {
            let param = operation.params.get(*index)?;
            flag(param, value)
        });
        Some((example.params.len(), flags.collect::<Option<String>>()?))
    };
    let examples = service.examples_of(operation).filter(|example| !example.params.is_empty());
    let (_, flags) = examples.filter_map(flags).max_by_key(|(count, _)| *count)?;
    Some(format!("{}{flags}", command(operation)))
}

/// Returns a flag with its value; `None` if the value would need quotes, or is a list.
fn flag(param: &Param, value: &str) -> Option<String> {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"_-.,:/@".contains(&byte);
    let plain = !value.is_empty() && !value.starts_with('-') && value.bytes().all(is_plain);
    (plain && param.list.is_none())
        .then(|| format!(" --{} {}", param.flag(), param.argument(value)))
}

/// Returns the plural of a noun, such as `galleries` for `gallery`. A noun that ends like a plural stays as it is.
pub(super) fn plural(noun: &str) -> String {
    let (start, word) = noun.rsplit_once(' ').map_or(("", noun), |(start, word)| (start, word));
    let gap = if start.is_empty() { "" } else { " " };
    format!("{start}{gap}{}", plural_of(word))
}

fn plural_of(word: &str) -> String {
    if let Some((_, plural)) = IRREGULAR.iter().find(|(one, _)| *one == word) {
        return (*plural).to_owned();
    }
    let ends_in = |ends: &[&str]| ends.iter().any(|end| word.ends_with(end));
    if ends_in(&["ss", "us", "is", "x", "z", "ch", "sh"]) {
        return format!("{}es", word.strip_suffix("is").unwrap_or(word));
    }
    if ends_in(&["s", "data", "info"]) {
        return word.to_owned();
    }
    match word.strip_suffix('y') {
        Some(root) if root.ends_with(|letter| !"aeiou".contains(letter)) => format!("{root}ies"),
        _ => format!("{word}s"),
    }
}

/// Nouns whose plural follows no rule.
const IRREGULAR: &[(&str, &str)] = &[("person", "people"), ("child", "children")];

#[cfg(test)]
mod tests {
    use super::{imperative, plural};
    use crate::ir::{Doc, Operation, Response, RustName, Source};

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
            doc: Doc(doc.to_owned()),
            source: Source::default(),
            open: Vec::new(),
            deprecated: None,
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
        check("lend_tools", "Lends tools to neighbours.", "Lend tools to neighbours.");
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
