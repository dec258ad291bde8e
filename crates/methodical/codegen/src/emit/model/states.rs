//! The type states of a query: one type parameter for each optional parameter that another one needs, in their order:
//! `ListPhotos<HasAlbumId>`.

use crate::ir::{Operation, Param};

/// The parameters that have a state, with their positions and the names of their type parameters.
pub(in crate::emit) struct States(Vec<(usize, String)>);

impl States {
    /// Returns the states of an operation's query.
    pub(in crate::emit) fn of(operation: &Operation) -> Self {
        let name = |param: &Param| param.rust.preceded_by("has").plain();
        Self(operation.states().map(|(index, param)| (index, name(param))).collect())
    }

    pub(in crate::emit) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns `<HasAlbumId = Unset>`, for the definition.
    pub(in crate::emit) fn declared(&self) -> String {
        self.each(" = Unset")
    }

    /// Returns `<HasAlbumId>`, for code that is the same for all states.
    pub(in crate::emit) fn names(&self) -> String {
        self.each("")
    }

    /// Returns the type parameters with what follows each, such as a bound.
    pub(in crate::emit) fn each(&self, after: &str) -> String {
        angled(self.0.iter().map(|(_, name)| format!("{name}{after}")))
    }

    /// Returns the type of the field that carries the states.
    pub(in crate::emit) fn marker(&self) -> String {
        if let [(_, one)] = self.0.as_slice() {
            return format!("Given<{one}>");
        }
        self.names().replace('<', "Given<(").replace('>', ")>")
    }

    /// Returns whether the parameter at this position has a state.
    pub(in crate::emit) fn has(&self, position: usize) -> bool {
        self.0.iter().any(|(index, _)| *index == position)
    }

    /// Returns the type parameters and the type arguments of an `impl` for queries in which these parameters are set.
    pub(in crate::emit) fn with_set(&self, set: &[usize]) -> (String, String) {
        let others = self.0.iter().filter(|(index, _)| !set.contains(index));
        let all = self
            .0
            .iter()
            .map(|(index, name)| if set.contains(index) { "Set".to_owned() } else { name.clone() });
        (angled(others.map(|(_, name)| name.clone())), angled(all))
    }
}

fn angled(parts: impl Iterator<Item = String>) -> String {
    let parts: Vec<_> = parts.collect();
    if parts.is_empty() { String::new() } else { format!("<{}>", parts.join(", ")) }
}
