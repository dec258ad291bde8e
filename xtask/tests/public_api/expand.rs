//! Expands `macro_rules!`, as far as the macros that define items use its features.

use std::collections::BTreeMap;

use proc_macro2::{Delimiter, Group, Ident, Span, TokenStream, TokenTree};
use syn::{Attribute, Item};

use crate::source::{Found, attributes, is_condition};

/// The macros of a crate, each with the module that defines it.
pub(crate) struct Macros(Vec<(String, Macro)>);

struct Macro {
    /// The name without the underscores of a macro that only generated code calls.
    name: String,
    arms: Vec<(Vec<TokenTree>, TokenStream)>,
    /// The meaning of `$crate`: `crate`, or the name of a runtime.
    root: String,
    /// The conditions of the macro and its modules.
    conditions: Vec<Attribute>,
}

/// The tokens that replace a name of a pattern.
#[derive(Clone)]
enum Binding {
    Once(TokenStream),
    Many(Vec<Bindings>),
}

type Bindings = BTreeMap<String, Binding>;

impl Macros {
    pub(crate) fn of(modules: &BTreeMap<String, Vec<Found>>, runtimes: &[String]) -> Self {
        let all = modules.iter().flat_map(|(path, items)| items.iter().map(move |one| (path, one)));
        let macros = all.filter_map(|(path, found)| match &found.item {
            Item::Macro(item) => {
                let name = item.ident.as_ref()?.to_string().trim_start_matches('_').to_owned();
                let first = path.split("::").next().unwrap_or_default();
                let is_runtime = runtimes.iter().any(|runtime| runtime == first);
                let own = item.attrs.iter().filter(|one| is_condition(one));
                let conditions: Vec<_> = found.conditions.iter().chain(own).cloned().collect();
                // The macro of a feature that is off defines nothing.
                if conditions.iter().any(is_negated) {
                    return None;
                }
                let root = if is_runtime { first } else { "crate" }.to_owned();
                let arms = arms(item.mac.tokens.clone());
                Some((path.clone(), Macro { name, arms, root, conditions }))
            }
            _ => None,
        });
        Self(macros.collect())
    }

    /// Returns the item itself, or the items that a macro call expands to.
    pub(crate) fn expanded(&self, found: Found) -> Vec<Found> {
        let Item::Macro(item) = &found.item else { return vec![found] };
        if item.ident.is_some() {
            return Vec::new();
        }
        let called: Vec<String> =
            item.mac.path.segments.iter().map(|segment| segment.ident.to_string()).collect();
        let definition = self.definition(&called);
        let input: Vec<TokenTree> = item.mac.tokens.clone().into_iter().collect();
        let tokens = definition.arms.iter().find_map(|(pattern, body)| {
            let (bindings, rest) = matched(pattern, &input)?;
            rest.is_empty().then(|| transcribed(body.clone(), &bindings, &definition.root))
        });
        let tokens = tokens.unwrap_or_else(|| panic!("no arm of `{}!` matches", called.join("::")));
        let items = syn::parse2::<syn::File>(tokens)
            .unwrap_or_else(|error| panic!("`{}!`: {error}", called.join("::")));
        let own = attributes(&found.item).iter().filter(|one| is_condition(one));
        let all = found.conditions.iter().chain(own).chain(&definition.conditions);
        let mut conditions: Vec<Attribute> = Vec::new();
        for condition in all {
            if !conditions.contains(condition) {
                conditions.push(condition.clone());
            }
        }
        let items = items.items.into_iter();
        items
            .flat_map(|item| self.expanded(Found { conditions: conditions.clone(), item }))
            .collect()
    }

    /// Returns the macro with this path. A path without a module must identify one macro.
    fn definition(&self, called: &[String]) -> &Macro {
        let (name, module) = called.split_last().expect("a path");
        // An exported macro is called at the root of its crate.
        let module = if name.starts_with('_') { &[] } else { module };
        let name = name.trim_start_matches('_');
        // The macros of a feature have another name in the module `codegen`.
        let (name, module) = match name {
            "with_random" => ("random", &[][..]),
            "with_strategy" => ("strategy", &[][..]),
            "with_chrono" | "with_jiff" => ("date_time", &[][..]),
            "with_rust_decimal" => ("rust_decimal", &[][..]),
            _ => (name, module),
        };
        let module =
            module.iter().filter(|part| *part != "crate").cloned().collect::<Vec<_>>().join("::");
        let mut fitting = self
            .0
            .iter()
            .filter(|(path, one)| one.name == name && (module.is_empty() || *path == module));
        match (fitting.next(), fitting.next()) {
            (Some((_, one)), None) => one,
            _ => panic!("`{}!` does not identify one macro", called.join("::")),
        }
    }
}

/// Returns the arms of a `macro_rules!`, such as `(pattern) => { body };`.
fn arms(tokens: TokenStream) -> Vec<(Vec<TokenTree>, TokenStream)> {
    let groups = tokens.into_iter().filter_map(|token| match token {
        TokenTree::Group(group) => Some(group.stream()),
        _ => None,
    });
    let groups: Vec<TokenStream> = groups.collect();
    let pairs = groups.chunks_exact(2);
    let arms = pairs.filter_map(|pair| match pair {
        [pattern, body] => Some((pattern.clone().into_iter().collect(), body.clone())),
        _ => None,
    });
    arms.collect()
}

/// Matches the beginning of the input and returns the rest.
fn matched<'i>(
    pattern: &[TokenTree],
    mut input: &'i [TokenTree],
) -> Option<(Bindings, &'i [TokenTree])> {
    let mut bindings = Bindings::new();
    let mut rest = pattern;
    while let Some((token, after)) = rest.split_first() {
        match (token, after) {
            (TokenTree::Punct(dollar), [TokenTree::Group(group), after @ ..])
                if dollar.as_char() == '$' =>
            {
                let (separator, after) = repetition(after);
                let inner: Vec<TokenTree> = group.stream().into_iter().collect();
                let mut times = Vec::new();
                while let Some((one, remaining)) = matched(&inner, input) {
                    times.push(one);
                    input = remaining;
                    match (&separator, input.split_first()) {
                        (None, Some(_)) => {}
                        (Some(separator), Some((next, remaining)))
                            if is_same(next, separator) && matched(&inner, remaining).is_some() =>
                        {
                            input = remaining;
                        }
                        _ => break,
                    }
                }
                for name in names(group.stream()) {
                    bindings.insert(name, Binding::Many(times.clone()));
                }
                rest = after;
            }
            (
                TokenTree::Punct(dollar),
                [TokenTree::Ident(name), TokenTree::Punct(_), TokenTree::Ident(kind), after @ ..],
            ) if dollar.as_char() == '$' => {
                let length = fragment(&kind.to_string(), input, after.first())?;
                let (value, remaining) = input.split_at_checked(length).filter(|_| length > 0)?;
                bindings.insert(name.to_string(), Binding::Once(value.iter().cloned().collect()));
                (input, rest) = (remaining, after);
            }
            (TokenTree::Group(expected), _) => {
                let (TokenTree::Group(given), remaining) = input.split_first()? else {
                    return None;
                };
                let inner: Vec<TokenTree> = expected.stream().into_iter().collect();
                let given_inner: Vec<TokenTree> = given.stream().into_iter().collect();
                let (found, left) = matched(&inner, &given_inner)?;
                if given.delimiter() != expected.delimiter() || !left.is_empty() {
                    return None;
                }
                bindings.extend(found);
                (input, rest) = (remaining, after);
            }
            _ => {
                let (next, remaining) = input.split_first()?;
                if !is_same(next, token) {
                    return None;
                }
                (input, rest) = (remaining, after);
            }
        }
    }
    Some((bindings, input))
}

/// Returns the separator of a repetition, and the tokens after its operator.
fn repetition(after: &[TokenTree]) -> (Option<TokenTree>, &[TokenTree]) {
    let is_sign = |token: &TokenTree| matches!(token, TokenTree::Punct(sign) if "*+?".contains(sign.as_char()));
    match after {
        [sign, after @ ..] if is_sign(sign) => (None, after),
        [separator, sign, after @ ..] if is_sign(sign) => (Some(separator.clone()), after),
        _ => panic!("a repetition without an operator"),
    }
}

/// Returns the number of tokens that a fragment matches.
fn fragment(kind: &str, input: &[TokenTree], next: Option<&TokenTree>) -> Option<usize> {
    match kind {
        "ident" => matches!(input.first(), Some(TokenTree::Ident(_))).then_some(1),
        "tt" => (!input.is_empty()).then_some(1),
        "lifetime" => {
            matches!(input.first(), Some(TokenTree::Punct(quote)) if quote.as_char() == '\'')
                .then_some(2)
        }
        "literal" => matches!(input.first(), Some(TokenTree::Literal(_))).then_some(1),
        // These end at the next token of the pattern, outside the arguments of a type.
        "expr" | "meta" | "ty" => {
            let mut open = 0_usize;
            let end = input.iter().position(|token| {
                let ends = open == 0 && next.is_some_and(|next| is_same(token, next));
                match token {
                    TokenTree::Punct(sign) if sign.as_char() == '<' => open += 1,
                    TokenTree::Punct(sign) if sign.as_char() == '>' => {
                        open = open.saturating_sub(1);
                    }
                    _ => {}
                }
                ends
            });
            Some(end.unwrap_or(input.len()))
        }
        _ => panic!("a fragment that this test does not support: {kind}"),
    }
}

fn is_negated(condition: &Attribute) -> bool {
    matches!(&condition.meta, syn::Meta::List(list) if list.tokens.to_string().starts_with("not"))
}

fn is_same(one: &TokenTree, other: &TokenTree) -> bool {
    !matches!(one, TokenTree::Group(_)) && one.to_string() == other.to_string()
}

/// Returns the names that a part of a pattern or body contains.
fn names(tokens: TokenStream) -> Vec<String> {
    let mut names = Vec::new();
    let mut after_dollar = false;
    for token in tokens {
        match &token {
            TokenTree::Ident(name) if after_dollar => names.push(name.to_string()),
            TokenTree::Group(group) => names.extend(self::names(group.stream())),
            _ => {}
        }
        after_dollar = matches!(&token, TokenTree::Punct(sign) if sign.as_char() == '$');
    }
    names
}

/// Returns the body of a macro with its names replaced. `root` is the meaning of `$crate`.
fn transcribed(body: TokenStream, bindings: &Bindings, root: &str) -> TokenStream {
    let body: Vec<TokenTree> = body.into_iter().collect();
    let mut out = TokenStream::new();
    let mut rest = body.as_slice();
    while let Some((token, after)) = rest.split_first() {
        rest = after;
        match (token, after) {
            (TokenTree::Punct(dollar), [TokenTree::Group(group), after @ ..])
                if dollar.as_char() == '$' =>
            {
                let (separator, after) = repetition(after);
                let times =
                    names(group.stream()).into_iter().find_map(|name| match bindings.get(&name) {
                        Some(Binding::Many(times)) => Some(times.clone()),
                        _ => None,
                    });
                for (index, one) in times.unwrap_or_default().into_iter().enumerate() {
                    if index > 0 {
                        out.extend(separator.clone());
                    }
                    let mut inner = bindings.clone();
                    inner.extend(one);
                    out.extend(transcribed(group.stream(), &inner, root));
                }
                rest = after;
            }
            (TokenTree::Punct(dollar), [TokenTree::Ident(name), after @ ..])
                if dollar.as_char() == '$' =>
            {
                match bindings.get(&name.to_string()) {
                    Some(Binding::Once(value)) => out.extend(value.clone()),
                    Some(Binding::Many(_)) => panic!("`${name}` repeats"),
                    None => out.extend([TokenTree::Ident(Ident::new(root, Span::call_site()))]),
                }
                rest = after;
            }
            (TokenTree::Group(group), _) => {
                let delimiter: Delimiter = group.delimiter();
                out.extend([TokenTree::Group(Group::new(
                    delimiter,
                    transcribed(group.stream(), bindings, root),
                ))]);
            }
            (token, _) => out.extend([token.clone()]),
        }
    }
    out
}
