//! The text in the help of commands: descriptions in the imperative, examples, and names of records.

use std::fmt::Write as _;

use crate::ir::{Example, Operation, Param, Service};

/// Returns the description of an operation in the imperative.
///
/// A description may begin with a noun, so only known verbs are changed: those common in descriptions, and words from
/// the name of the operation. "Finds and returns" has two.
pub(super) fn imperative(operation: &Operation) -> String {
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

/// Returns the help of the flag of a parameter.
pub(super) fn flag_help(operation: &Operation, param: &Param) -> String {
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
pub(super) fn examples(service: &Service, operation: &Operation) -> Vec<String> {
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

/// Returns the words of the command of an operation.
pub(super) fn command(operation: &Operation) -> String {
    let command = operation.command();
    let words: Vec<_> = [Some(command.noun), command.verb].into_iter().flatten().collect();
    words.join(" ")
}

/// Returns the command with the parameters of the spec's example that has the most plain ones.
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
pub(super) fn plural(noun: &str) -> String {
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
