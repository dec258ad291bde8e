//! `completions`: a script with which a shell completes commands, flags and values.

use clap::{Args as Flags, Command};
use clap_complete::Shell;

use crate::command::print::print;
use crate::failure::Failure;
use crate::invocation::Invocation;

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
