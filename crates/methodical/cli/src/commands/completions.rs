//! `completions`: a script with which a shell completes commands, flags and values; and `__complete`, which it calls for the
//! words that may follow.

use std::fmt::Write as _;

use clap::{Arg, Args as Flags, Command};
use clap_complete::Shell;

use crate::commands::Extras;
use crate::failure::Failure;
use crate::output::print;
use crate::output::select::Fields;
use crate::program::{Name, RecordType};
use crate::run::Invocation;
use crate::settings::file::{ConfigFile, profile_names};
use crate::settings::keys;

/// The flags of `completions`.
#[derive(Debug, Flags)]
#[command(after_help = "\
Examples:
  {program} completions bash > ~/.local/share/bash-completion/completions/{program}
  {program} completions zsh > ~/.zfunc/_{program}
  {program} completions fish > ~/.config/fish/completions/{program}.fish

For zsh, above compinit in ~/.zshrc:
  fpath+=(~/.zfunc)")]
pub(crate) struct CompletionsFlags {
    /// The shell.
    shell: Shell,
}

/// Prints the script. Those of bash, zsh and fish call the program, which also knows profiles and fields.
pub(crate) fn run(
    flags: &CompletionsFlags,
    mut definition: Command,
    invocation: &Invocation,
) -> Result<(), Failure> {
    let name = invocation.program.name.as_str();
    let script = match flags.shell {
        Shell::Bash => BASH,
        Shell::Zsh => ZSH,
        Shell::Fish => FISH,
        other => {
            let mut script = Vec::new();
            clap_complete::generate(other, &mut definition, name, &mut script);
            return print(invocation, &script);
        }
    };
    // The name of a function must not contain a hyphen in every shell.
    let function = name.replace(|letter: char| !letter.is_ascii_alphanumeric(), "_");
    let script = script.replace("FUNCTION", &function).replace("PROGRAM", name);
    print(invocation, script.as_bytes())
}

const BASH: &str = r#"_FUNCTION() {
    local word about
    COMPREPLY=()
    while IFS=$'\t' read -r word about; do
        # A value may be a text of other people.
        if [[ $word == *[!a-zA-Z0-9_,.:/@%+=-]* ]]; then
            printf -v word %q "$word"
        fi
        COMPREPLY+=("$word")
    done < <("$1" __complete -- "${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
    if [[ ${#COMPREPLY[@]} -eq 1 && ${COMPREPLY[0]} == *= ]]; then
        compopt -o nospace
    fi
}
# Files are completed if the program knows no word.
complete -o default -o bashdefault -F _FUNCTION PROGRAM
"#;

const ZSH: &str = r#"#compdef PROGRAM
_FUNCTION() {
    local -a words_found open_found
    local line word
    for line in "${(@f)$("${words[1]}" __complete -- "${(@)words[2,CURRENT]}" 2>/dev/null)}"; do
        word="${line%%$'\t'*}"
        [[ -n "$word" ]] || continue
        if [[ "$word" == *= ]]; then
            open_found+=("${word//:/\\:}:${line#*$'\t'}")
        else
            words_found+=("${word//:/\\:}:${line#*$'\t'}")
        fi
    done
    if (( ! $#words_found && ! $#open_found )); then
        _files
        return
    fi
    (( $#words_found )) && _describe -V 'PROGRAM' words_found
    (( $#open_found )) && _describe -V 'PROGRAM' open_found -S ''
}
if [[ "${funcstack[1]}" == "_FUNCTION" ]]; then
    _FUNCTION "$@"
else
    compdef _FUNCTION PROGRAM
fi
"#;

const FISH: &str = r"function __FUNCTION_complete
    set -l words (commandline -opc) (commandline -ct)
    set -l found ($words[1] __complete -- $words[2..-1] 2>/dev/null)
    if set -q found[1]
        printf '%s\n' $found
    else
        __fish_complete_path (commandline -ct)
    end
end
complete -c PROGRAM -f -a '(__FUNCTION_complete)'
";

/// The arguments of `__complete`.
#[derive(Debug, Flags)]
pub(crate) struct CompleteFlags {
    /// The words after the name of the program; the last one is incomplete.
    #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
    words: Vec<String>,
}

/// The records of each command that prints some.
pub(crate) type Records = &'static [(&'static str, RecordType<'static>)];

/// Prints the words, one on each line, each with a tab and a description.
#[cfg_attr(not(feature = "mirror"), expect(unused_variables, reason = "only a mirror keeps words"))]
pub(crate) fn offer(
    flags: &CompleteFlags,
    mut definition: Command,
    records: Records,
    extras: Extras,
    invocation: &Invocation,
) -> Result<(), Failure> {
    definition.build();
    #[cfg(feature = "mirror")]
    let kept = |option: &str, path: &[&str]| {
        let from = value_of("--from", &flags.words);
        extras.mirror.map_or_else(Vec::new, |of| {
            crate::mirror::list::words(of, option, path, from, invocation)
        })
    };
    #[cfg(not(feature = "mirror"))]
    let kept = |_: &str, _: &[&str]| Vec::new();
    let offer = Offer { program: invocation.program.name, root: &definition, records, kept: &kept };
    let mut text = String::new();
    for (word, about) in offer.words(&flags.words) {
        let about = about.lines().next().unwrap_or_default();
        // Writing to a string cannot fail.
        _ = writeln!(text, "{word}\t{about}");
    }
    print(invocation, text.as_bytes())
}

/// Words, each with a description.
type Words = Vec<(String, String)>;

/// The known words of a program.
struct Offer<'a> {
    program: Name,
    root: &'a Command,
    records: Records,
    /// Returns the values of an option of a command that this machine keeps.
    kept: &'a dyn Fn(&str, &[&str]) -> Words,
}

/// A place in a command line.
struct Place<'a> {
    command: &'a Command,
    /// The words of the command.
    path: Vec<&'a str>,
    /// The number of its arguments so far.
    arguments: usize,
    /// The option that needs a value next.
    option: Option<&'a Arg>,
    /// Whether no options follow.
    ended: bool,
}

impl<'a> Offer<'a> {
    /// Returns the words that may be in the place of the last one, each with its description.
    fn words(&self, words: &[String]) -> Vec<(String, String)> {
        let (last, before) = words.split_last().map_or(("", words), |(last, rest)| (last, rest));
        let mut place = Place {
            command: self.root,
            path: Vec::new(),
            arguments: 0,
            option: None,
            ended: false,
        };
        for word in before {
            place.pass(word);
        }
        let (prefix, last) = match last.split_once('=') {
            // bash splits `--fields=id` into three words.
            Some(("", rest)) if place.option.is_some() => ("", rest),
            Some((name, value)) if place.option.is_none() && name.starts_with("--") => {
                place.option = option(place.command, |one| one.get_long() == name.get(2..));
                (last.get(..=name.len()).unwrap_or_default(), value)
            }
            _ => ("", last),
        };
        let all = match place.option {
            Some(option) => self.values(&place, option, last),
            None if last.starts_with('-') && !place.ended => place.flags(),
            None => self.commands(&place),
        };
        let matching = all.into_iter().filter(|(word, _)| word.starts_with(last));
        matching.map(|(word, about)| (format!("{prefix}{word}"), about)).collect()
    }

    /// Returns the subcommands and the values of the next argument.
    fn commands(&self, place: &Place<'a>) -> Vec<(String, String)> {
        let shown = place.command.get_subcommands().filter(|one| !one.is_hide_set());
        let mut words: Vec<_> = shown.map(command_word).collect();
        if let Some(argument) = place.command.get_positionals().nth(place.arguments) {
            words.extend(self.values(place, argument, ""));
        }
        words
    }

    /// Returns the values of an option or an argument. `last` is the incomplete one.
    fn values(&self, place: &Place<'a>, arg: &Arg, last: &str) -> Vec<(String, String)> {
        let plain = |words: &[&str], end: &str| {
            words.iter().map(|word| (format!("{word}{end}"), String::new())).collect()
        };
        let fields = self.fields(place);
        match (arg.get_id().as_str(), place.path.first().copied()) {
            ("fields" | "sort", _) => list(fields, last, arg.get_id() == "sort"),
            ("filter", _) => plain(fields, "="),
            ("count_by", _) => plain(fields, ""),
            ("profile", _) | ("name", Some("profile")) => self.profiles(),
            ("key", Some("config")) => plain(&keys(), ""),
            ("command", Some("help" | "man")) if place.arguments == 0 => {
                let shown = self.root.get_subcommands().filter(|one| !one.is_hide_set());
                shown.map(command_word).collect()
            }
            _ => {
                let possible = arg.get_possible_values();
                let shown = possible.iter().filter(|value| !value.is_hide_set());
                let about = |text: Option<&clap::builder::StyledStr>| {
                    text.map(ToString::to_string).unwrap_or_default()
                };
                let known = shown.map(|one| (one.get_name().to_owned(), about(one.get_help())));
                known.chain((self.kept)(arg.get_id().as_str(), &place.path)).collect()
            }
        }
    }

    fn fields(&self, place: &Place<'a>) -> Fields<'static> {
        let command = place.path.join(" ");
        let record = self.records.iter().find(|(name, _)| *name == command);
        record.map_or(&[], |(_, record)| record.fields)
    }

    /// Returns the names of the profiles; none if the settings cannot be read.
    fn profiles(&self) -> Vec<(String, String)> {
        let names =
            ConfigFile::read(self.program).and_then(|file| profile_names(self.program, &file));
        names.unwrap_or_default().into_iter().map(|name| (name, String::new())).collect()
    }
}

impl Place<'_> {
    /// Passes a complete word.
    fn pass(&mut self, word: &str) {
        if self.option.is_some() {
            if word != "=" {
                self.option = None;
            }
        } else if self.ended || word == "-" {
            self.arguments += 1;
        } else if word == "--" {
            self.ended = true;
        } else if let Some(name) = word.strip_prefix("--") {
            self.option = option(self.command, |one| one.get_long() == Some(name));
        } else if let Some(letters) = word.strip_prefix('-') {
            // Only the last letter of several can need the next word.
            self.option = option(self.command, |one| one.get_short() == letters.chars().last());
        } else if let Some(command) = self.command.find_subcommand(word) {
            self.command = command;
            self.path.push(command.get_name());
        } else {
            self.arguments += 1;
        }
    }

    /// Returns the options of the command.
    fn flags(&self) -> Vec<(String, String)> {
        let shown = self.command.get_arguments().filter(|one| !one.is_hide_set());
        let about = |one: &Arg| one.get_help().map(ToString::to_string).unwrap_or_default();
        shown.filter_map(|one| Some((format!("--{}", one.get_long()?), about(one)))).collect()
    }
}

/// Returns the value of an option among complete words.
#[cfg(any(test, feature = "mirror"))]
fn value_of<'a>(option: &str, words: &'a [String]) -> Option<&'a str> {
    let (_incomplete, words) = words.split_last()?;
    words.iter().enumerate().rev().find_map(|(index, word)| {
        match word.strip_prefix(option)? {
            // bash splits `--from=FILE` into three words.
            "" => words.get(index + 1..)?.iter().map(String::as_str).find(|next| *next != "="),
            value => value.strip_prefix('='),
        }
    })
}

fn command_word(command: &Command) -> (String, String) {
    let about = command.get_about().map(ToString::to_string).unwrap_or_default();
    (command.get_name().to_owned(), about)
}

/// Returns the option of a command that fits and takes a value.
fn option(command: &Command, fits: impl Fn(&Arg) -> bool) -> Option<&Arg> {
    let found = command.get_arguments().find(|one| !one.is_positional() && fits(one))?;
    found.get_action().takes_values().then_some(found)
}

/// Returns the values of a list of fields: those before the last comma, and each field that is not among them.
fn list(fields: Fields<'_>, last: &str, is_sort: bool) -> Vec<(String, String)> {
    let (before, sign) = match last.rsplit_once(',') {
        Some((before, rest)) => (format!("{before},"), rest.starts_with('-')),
        None => (String::new(), last.starts_with('-')),
    };
    let sign = if sign && is_sort { "-" } else { "" };
    let given = |field: &&&str| before.split(',').any(|one| one.trim_start_matches('-') == **field);
    let others = fields.iter().filter(|field| !given(field));
    others.map(|field| (format!("{before}{sign}{field}"), String::new())).collect()
}

#[cfg(test)]
mod tests {
    use super::{Offer, Records, value_of};
    use crate::args::definition;
    use crate::commands::Extras;
    use crate::program::RecordType;
    use crate::tests::{Commands, LARGE};

    const FIELDS: &[&str] = &["photos", "albums", "albums.size"];

    const RECORDS: Records = &[("totals", RecordType::new(FIELDS, FIELDS))];

    /// Returns what a shell offers for a command line, without descriptions.
    fn offered(line: &str) -> String {
        let mut definition = definition::<Commands>(&LARGE, Extras::default());
        definition.build();
        let kept = |_: &str, _: &[&str]| Vec::new();
        let offer = Offer { program: LARGE.name, root: &definition, records: RECORDS, kept: &kept };
        let words: Vec<String> = line.split(' ').map(str::to_owned).collect();
        offer.words(&words).into_iter().map(|(word, _)| word).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn commands_options_and_values_are_offered() {
        for (line, expected) in [
            ("t", "totals"),
            ("co", "completions config"),
            ("config s", "set"),
            ("config set time", "timeout"),
            ("config set timeout ", ""),
            ("completions f", "fish"),
            ("help ve", "version"),
            ("totals --wi", "--wide"),
            ("check --str", "--strict"),
            ("totals -o j", "json"),
            ("-o nd", "ndjson"),
            ("totals --output=c", "--output=csv"),
            ("totals --output = c", "csv"),
            ("totals --color a", "always auto"),
            ("totals --fields al", "albums albums.size"),
            ("totals --fields photos,al", "photos,albums photos,albums.size"),
            ("totals --fields=albums,a", "--fields=albums,albums.size"),
            ("totals --sort -ph", "-photos"),
            ("totals --fields -ph", ""),
            ("totals xxfields=al", ""),
            ("totals --filter ph", "photos="),
            ("totals -- --wi", ""),
            ("__c", ""),
            ("nothing --fields ", ""),
        ] {
            let mut words: Vec<_> = expected.split(' ').collect();
            let offered = offered(line);
            let mut found: Vec<_> = offered.split(' ').collect();
            words.sort_unstable();
            found.sort_unstable();
            assert_eq!(found, words, "{line}");
        }
    }

    #[test]
    fn the_value_of_an_option_is_found() {
        for (line, expected) in [
            ("list --from a.db --id ", Some("a.db")),
            ("list --from=a.db --id ", Some("a.db")),
            ("list --from = a.db --id ", Some("a.db")),
            ("list --from a.db", None),
            ("list --id ", None),
        ] {
            let words: Vec<String> = line.split(' ').map(str::to_owned).collect();
            assert_eq!(value_of("--from", &words), expected, "{line}");
        }
    }
}
