//! The type states of a query: one for each optional parameter that another one needs.
//!
//! One state is one type parameter, `ListPhotos<HasAlbumId>`. Several are a tuple in
//! one type parameter, `ListTools<(HasShelf, HasRow)>`, so that code for any states stays short.

use crate::ir::{Operation, Param};

/// The parameters that have a state, with their positions.
pub(in crate::emit) struct States {
    states: Vec<(usize, String)>,
}

impl States {
    /// Returns the states of an operation's query.
    pub(in crate::emit) fn of(operation: &Operation) -> Self {
        let states = operation.states();
        Self {
            states: states.map(|(index, param)| (index, format!("Has{}", pascal(param)))).collect(),
        }
    }

    /// Returns the number of states.
    pub(in crate::emit) fn len(&self) -> usize {
        self.states.len()
    }

    /// Returns `<HasAlbumId = Unset>`, for the definition.
    pub(in crate::emit) fn declared(&self) -> String {
        let Some(any) = self.any() else { return String::new() };
        format!("<{any} = {}>", self.arguments(|_, _| "Unset".to_owned()))
    }

    /// Returns `<HasAlbumId>`, for code that is the same for all states.
    pub(in crate::emit) fn names(&self) -> String {
        self.any().map_or_else(String::new, |any| format!("<{any}>"))
    }

    /// Returns the generics of an `impl` that reads the states, and its type arguments.
    pub(in crate::emit) fn bounded_by(&self, bound: &str) -> (String, String) {
        (
            list(self.states.iter().map(|(_, name)| format!("{name}: {bound}"))),
            list(self.any().map(|_| self.arguments(|_, name| name.to_owned()))),
        )
    }

    /// Returns the state of the parameter at this position, if it has one.
    pub(in crate::emit) fn name_of(&self, position: usize) -> Option<&str> {
        let state = self.states.iter().find(|(index, _)| *index == position)?;
        Some(&state.1)
    }

    /// Returns the type of the field that carries the states.
    pub(in crate::emit) fn marker(&self) -> Option<String> {
        self.any().map(|any| format!("Given<{any}>"))
    }

    /// Returns the generics of the `impl` with the setter of a parameter, and its type arguments, in
    /// which the needed parameters are `Set`.
    pub(in crate::emit) fn needed_by(&self, param: &Param, position: usize) -> (String, String) {
        let needed = |index: &usize| param.needs.contains(index);
        if self.name_of(position).is_none() && !self.states.iter().any(|(index, _)| needed(index)) {
            return (self.names(), self.names());
        }
        let free = self.states.iter().filter(|(index, _)| !needed(index));
        (
            list(free.map(|(_, name)| name.clone())),
            list(self.any().map(|_| self.arguments(|index, name| set_if(needed(&index), name)))),
        )
    }

    /// Returns the type arguments after a parameter was set, if it has a state.
    pub(in crate::emit) fn after(&self, param: &Param, position: usize) -> Option<String> {
        self.name_of(position)?;
        let set = |index: usize| index == position || param.needs.contains(&index);
        Some(format!("<{}>", self.arguments(|index, name| set_if(set(index), name))))
    }

    /// Returns the name of the type parameter.
    fn any(&self) -> Option<&str> {
        match self.states.as_slice() {
            [] => None,
            [(_, one)] => Some(one),
            _ => Some("States"),
        }
    }

    /// Returns the type argument for these states: one state, or a tuple of them.
    fn arguments(&self, state: impl Fn(usize, &str) -> String) -> String {
        let states: Vec<_> = self.states.iter().map(|(index, name)| state(*index, name)).collect();
        match states.as_slice() {
            [one] => one.clone(),
            states => tuple(states),
        }
    }
}

fn set_if(set: bool, name: &str) -> String {
    if set { "Set" } else { name }.to_owned()
}

/// Returns a tuple. The standard library describes and compares tuples of up to twelve parts, so a
/// longer one is nested.
fn tuple(parts: &[String]) -> String {
    match parts.split_at_checked(11) {
        Some((first, rest)) if rest.len() > 1 => format!("({}, {})", first.join(", "), tuple(rest)),
        _ => format!("({})", parts.join(", ")),
    }
}

fn pascal(param: &Param) -> String {
    param.rust.pascal().trim_end_matches('_').to_owned()
}

fn list(names: impl IntoIterator<Item = String>) -> String {
    let names: Vec<_> = names.into_iter().collect();
    if names.is_empty() { String::new() } else { format!("<{}>", names.join(", ")) }
}
