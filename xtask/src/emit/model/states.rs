//! The type parameters of a query: one for each optional parameter that another one needs.

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

    /// Returns `<HasVacancyId = Unset>`, for the definition.
    pub(in crate::emit) fn declared(&self) -> String {
        list(self.states.iter().map(|(_, name)| format!("{name} = Unset")))
    }

    /// Returns `<HasVacancyId>`, for code that is generic over the states.
    pub(in crate::emit) fn names(&self) -> String {
        list(self.states.iter().map(|(_, name)| name.clone()))
    }

    /// Returns `<HasVacancyId: State>`, for code that reads the states.
    pub(in crate::emit) fn bounded_by(&self, bound: &str) -> String {
        list(self.states.iter().map(|(_, name)| format!("{name}: {bound}")))
    }

    /// Returns the state of the parameter at this position, if it has one.
    pub(in crate::emit) fn name_of(&self, position: usize) -> Option<&str> {
        let state = self.states.iter().find(|(index, _)| *index == position)?;
        Some(&state.1)
    }

    /// Returns the type of the field that carries the states.
    pub(in crate::emit) fn marker(&self) -> Option<String> {
        let names: Vec<_> = self.states.iter().map(|(_, name)| name.as_str()).collect();
        match names.as_slice() {
            [] => None,
            [one] => Some(format!("Given<{one}>")),
            names => Some(format!("Given<({})>", names.join(", "))),
        }
    }

    /// Returns the generics of the `impl` with the setter of a parameter: the type parameters that
    /// remain free, and all type arguments, in which the needed parameters are `Set`.
    pub(in crate::emit) fn needed_by(&self, param: &Param) -> (String, String) {
        let free = self.states.iter().filter(|(index, _)| !param.needs.contains(index));
        let all = self.states.iter().map(|(index, name)| {
            if param.needs.contains(index) { "Set".to_owned() } else { name.clone() }
        });
        (list(free.map(|(_, name)| name.clone())), list(all))
    }

    /// Returns the type arguments after a parameter was set, if it has a state.
    pub(in crate::emit) fn after(&self, param: &Param, position: usize) -> Option<String> {
        self.states.iter().find(|(index, _)| *index == position)?;
        let set = |index: &usize| *index == position || param.needs.contains(index);
        Some(list(self.states.iter().map(
            |(index, name)| {
                if set(index) { "Set".to_owned() } else { name.clone() }
            },
        )))
    }
}

fn pascal(param: &Param) -> String {
    param.rust.pascal().trim_end_matches('_').to_owned()
}

fn list(names: impl Iterator<Item = String>) -> String {
    let names: Vec<_> = names.collect();
    if names.is_empty() { String::new() } else { format!("<{}>", names.join(", ")) }
}
