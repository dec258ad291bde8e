//! The type states of a query: one for each optional parameter that another one needs.
//!
//! One state is one type parameter, `ListPhotos<HasAlbumId>`. Several are a tuple in one type parameter,
//! `ListTools<(Set, Unset)>`. Generated code refers to a state of a tuple by its position: `With<States, 1>`.

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
        match self.states.len() {
            1 => format!("<{any} = Unset>"),
            several => format!("<{any} = {}>", unset(several)),
        }
    }

    /// Returns `<HasAlbumId>`, for code that is the same for all states.
    pub(in crate::emit) fn names(&self) -> String {
        self.any().map_or_else(String::new, |any| format!("<{any}>"))
    }

    /// Returns the generics of an `impl` that reads the states.
    pub(in crate::emit) fn bounded(&self) -> String {
        match self.states.as_slice() {
            [(_, one)] => format!("<{one}: State>"),
            states => format!("<States: {}>", joined((0..states.len()).map(at))),
        }
    }

    /// Returns whether the parameter at this position has a state.
    pub(in crate::emit) fn has(&self, position: usize) -> bool {
        self.place(position).is_some()
    }

    /// Returns the expression for whether the parameter at this position is set, if it has a state.
    pub(in crate::emit) fn is_set(&self, position: usize) -> Option<String> {
        let place = self.place(position)?;
        Some(match self.states.as_slice() {
            [(_, one)] => format!("{one}::GIVEN"),
            _ => format!("is_set::<States, {place}>()"),
        })
    }

    /// Returns the type of the field that carries the states.
    pub(in crate::emit) fn marker(&self) -> Option<String> {
        self.any().map(|any| format!("Given<{any}>"))
    }

    /// Returns the generics of the `impl` with the setter of a parameter, and its type arguments. The
    /// needed parameters are `Set`.
    pub(in crate::emit) fn needed_by(&self, param: &Param, position: usize) -> (String, String) {
        let needed: Vec<_> = param.needs.iter().filter_map(|index| self.place(*index)).collect();
        match (self.states.as_slice(), needed.as_slice()) {
            ([(own, _)], _) if *own == position => (self.names(), self.names()),
            (_, []) => (self.names(), self.names()),
            ([_], _) => (String::new(), "<Set>".to_owned()),
            (_, needed) => {
                let bounds = needed.iter().map(|place| format!("At<{place}, Is = Set>"));
                (format!("<States: {}>", joined(bounds)), self.names())
            }
        }
    }

    /// Returns the type arguments after a parameter was set, and the bound that they need, if the
    /// parameter has a state.
    pub(in crate::emit) fn after(&self, position: usize) -> Option<(String, Option<String>)> {
        let place = self.place(position)?;
        Some(match self.states.as_slice() {
            [_] => ("<Set>".to_owned(), None),
            _ => (format!("<With<States, {place}>>"), Some(format!("States: {}", at(place)))),
        })
    }

    /// Returns the position of a parameter's state among the states.
    fn place(&self, position: usize) -> Option<usize> {
        self.states.iter().position(|(index, _)| *index == position)
    }

    /// Returns the name of the type parameter.
    fn any(&self) -> Option<&str> {
        match self.states.as_slice() {
            [] => None,
            [(_, one)] => Some(one),
            _ => Some("States"),
        }
    }
}

/// Returns a tuple of `count` times `Unset`. The core describes tuples of up to eleven states, so a longer
/// one is nested.
fn unset(count: usize) -> String {
    match count.checked_sub(NESTED) {
        Some(more) if more > 0 => format!("({}{})", "Unset, ".repeat(NESTED), unset(more)),
        _ => format!("({})", "Unset, ".repeat(count)),
    }
}

/// The number of states in front of a nested tuple.
const NESTED: usize = 11;

fn at(place: usize) -> String {
    format!("At<{place}>")
}

fn joined(bounds: impl Iterator<Item = String>) -> String {
    bounds.collect::<Vec<_>>().join(" + ")
}

fn pascal(param: &Param) -> String {
    param.rust.pascal().trim_end_matches('_').to_owned()
}
