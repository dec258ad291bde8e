//! Random requests: how calls name their operation, what every call has, and how an operation is called.

use crate::drawn::paper::{Paper, quoted};

/// How calls are made.
pub(crate) struct Requests {
    place: Place,
    auth: Auth,
    constants: bool,
}

/// The part of a call that names the operation.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    One,
    Two,
    Form,
    Path,
}

/// How calls are authenticated.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Auth {
    None,
    Bearer,
    /// A secret in this place.
    Secret(&'static str),
    /// A secret in a header, and another one in this place.
    Secrets(&'static str),
}

/// How an operation is called.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Verb {
    Get,
    Form,
    Json,
}

impl Requests {
    pub(crate) fn draw(paper: &mut Paper) -> Self {
        let place = paper.dice.of(&[Place::One, Place::Two, Place::Form, Place::Path]);
        let sent = if place == Place::Form { "form" } else { "query" };
        let auth = match paper.dice.below(6) {
            0 => Auth::None,
            1 => Auth::Bearer,
            2 => Auth::Secrets(paper.dice.of(&["path", sent])),
            3 => Auth::Secret("header"),
            4 => Auth::Secret("path"),
            _ => Auth::Secret(sent),
        };
        Self { place, auth, constants: paper.dice.chance(50) }
    }

    /// Returns the path of the service.
    pub(crate) fn path(&self) -> &'static str {
        let is_in_path = matches!(self.auth, Auth::Secrets("path") | Auth::Secret("path"));
        if is_in_path { "/r{secret}" } else { "/r" }
    }

    /// Returns the tables `[dispatch]` and `[auth]`.
    pub(crate) fn tables(&self, paper: &mut Paper) -> String {
        let place = match self.place {
            Place::One if paper.dice.chance(50) => "selector = \"op\"\nin = \"query\"",
            Place::One => "selector = \"op\"",
            Place::Two => "selector = [\"op\", \"to\"]",
            Place::Form => "selector = \"op\"\nin = \"form\"",
            Place::Path => "in = \"path\"",
        };
        let constants = "constants = { a = \"& é\", b = 7, c = true }";
        let constants = if self.constants { constants } else { "" };
        let doc = paper.doc();
        let auth = match self.auth {
            Auth::None => "none = {}".to_owned(),
            Auth::Bearer => "bearer = {}".to_owned(),
            Auth::Secret("path") => format!("secret = {{ in = \"path\", doc = {doc} }}"),
            Auth::Secret(place) => {
                format!("secret = {{ in = \"{place}\", name = \"X-Key\", doc = {doc} }}")
            }
            Auth::Secrets(place) => {
                let header = format!("{{ in = \"header\", name = \"X-Key\", doc = {doc} }}");
                format!("secrets = [{header}, {{ in = \"{place}\", name = \"bot\", doc = {doc} }}]")
            }
        };
        format!("[dispatch]\n{place}\n{constants}\n[auth]\n{auth}")
    }

    /// Draws how an operation is called: the method, with its keys.
    pub(crate) fn verb(&self, paper: &mut Paper) -> (Verb, String) {
        let mut keys = Vec::new();
        let all = if self.place == Place::Form {
            &[Verb::Form][..]
        } else {
            &[Verb::Get, Verb::Form, Verb::Json][..]
        };
        let verb = paper.dice.of(all);
        match verb {
            Verb::Get if paper.dice.chance(30) => keys.push("verb = \"get\""),
            Verb::Get => {}
            Verb::Form if self.place == Place::Form && paper.dice.chance(50) => {}
            Verb::Form | Verb::Json => keys.push("verb = \"post\""),
        }
        match verb {
            Verb::Json => keys.push("body = \"json\""),
            Verb::Form if paper.dice.chance(50) => keys.push("body = \"form\""),
            Verb::Get | Verb::Form => {}
        }
        if verb != Verb::Get && paper.dice.chance(50) {
            keys.push("idempotent = true");
        }
        (verb, keys.join("\n"))
    }

    /// Returns the `select` of an operation.
    pub(crate) fn select(&self, at: usize) -> String {
        match self.place {
            Place::Two => format!("[\"ask\", \"{at}\"]"),
            Place::One | Place::Form | Place::Path => format!("\"ask/{at}\""),
        }
    }

    /// Returns the parameters of every call of an operation.
    fn fixed(&self, at: usize) -> String {
        let select = match self.place {
            Place::One | Place::Form => format!("op=ask/{at}"),
            Place::Two => format!("op=ask&to={at}"),
            Place::Path => String::new(),
        };
        let constants = if self.constants { "&a=%26%20%C3%A9&b=7&c=true" } else { "" };
        format!("{select}{constants}").trim_start_matches('&').to_owned()
    }

    /// Returns the exact request of an example, whose parameters all have the value `x`.
    pub(crate) fn example(&self, at: usize, verb: Verb, params: &[&str]) -> String {
        let joined = |pairs: Vec<String>| {
            pairs.into_iter().filter(|pair| !pair.is_empty()).collect::<Vec<_>>().join("&")
        };
        let fixed = self.fixed(at);
        let pairs = || params.iter().map(|name| format!("{name}=x"));
        let all = || joined([fixed.clone()].into_iter().chain(pairs()).collect());
        let members: Vec<_> = params.iter().map(|name| format!("\"{name}\":\"x\"")).collect();
        let (query, body) = match verb {
            _ if self.place == Place::Form => (String::new(), all()),
            Verb::Get => (all(), String::new()),
            Verb::Form => (fixed, joined(pairs().collect())),
            Verb::Json => (fixed, format!("{{{}}}", members.join(","))),
        };
        let given = [("query", query), ("body", body)].into_iter();
        let given = given.filter(|(_, text)| !text.is_empty());
        given.map(|(key, text)| format!("{key} = {}", quoted(&text))).collect::<Vec<_>>().join("\n")
    }
}
