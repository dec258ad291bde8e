//! The configuration of a connector: a JSON object.

use std::path::{Path, PathBuf};

use methodical_client::model::Service;
use methodical_client::{AccessToken, Error};
use serde_json::{Map, Value};

use crate::config::folder;
use crate::connect::parsed_token;
use crate::failure::Failure;
use crate::suggest::closest;

/// The configuration of a connector. It has no `Debug`, because the URL of a mirror may have a password.
pub(crate) struct Config {
    pub(crate) mirror: Option<String>,
    pub(crate) sync: bool,
    pub(crate) profile: Option<String>,
    pub(crate) base_url: Option<String>,
    pub(crate) token: Option<AccessToken>,
    pub(crate) token_file: Option<PathBuf>,
    pub(crate) account: Option<String>,
    pub(crate) values: Vec<String>,
    pub(crate) calls_per_second: Option<u64>,
    pub(crate) timeout: Option<u64>,
    pub(crate) allow_insecure_http: bool,
    pub(crate) emit_activate_version: bool,
}

/// The kind of the value of a key.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Text,
    Number,
    Switch,
    Texts,
}

impl Kind {
    fn expected(self) -> &'static str {
        match self {
            Self::Text => "text",
            Self::Number => "a whole number above 0",
            Self::Switch => "true or false",
            Self::Texts => "a list of texts",
        }
    }

    fn accepts(self, value: &Value) -> bool {
        match self {
            Self::Text => value.is_string(),
            Self::Number => value.as_u64().is_some_and(|number| number > 0),
            Self::Switch => value.is_boolean(),
            Self::Texts => value.as_array().is_some_and(|texts| texts.iter().all(Value::is_string)),
        }
    }
}

impl Config {
    /// Reads the configuration from a file. Without a file, the profile and the environment configure everything.
    pub(crate) fn read<S: Service>(path: Option<&Path>) -> Result<Self, Failure> {
        let value = match path {
            Some(path) => read_json(path, "configuration")?,
            None => Value::Object(Map::new()),
        };
        Self::parse(&value, parsed_token::<S>)
    }

    /// Reads the configuration. Never repeats a value, which may be a secret.
    fn parse(
        value: &Value,
        token: impl FnOnce(&str) -> Result<AccessToken, Error>,
    ) -> Result<Self, Failure> {
        let Some(members) = value.as_object() else {
            return Err(Failure::usage("cannot read the configuration: expected a JSON object"));
        };
        for (name, value) in members {
            let Some((_, kind)) = KEYS.iter().find(|(key, _)| key == name) else {
                return Err(unknown(name));
            };
            if !value.is_null() && !kind.accepts(value) {
                let expected = kind.expected();
                let text = format!("cannot read the configuration: `{name}` must be {expected}");
                return Err(Failure::usage(text));
            }
        }
        let text = |name: &str| {
            let text = members.get(name).and_then(Value::as_str).filter(|text| !text.is_empty());
            text.map(str::to_owned)
        };
        let number = |name: &str| members.get(name).and_then(Value::as_u64);
        let switch = |name: &str| members.get(name).and_then(Value::as_bool);
        let values = members.get("values").and_then(Value::as_array).into_iter().flatten();
        let config = Self {
            mirror: text("mirror"),
            sync: switch("sync").unwrap_or(true),
            profile: text("profile"),
            base_url: text("base_url"),
            token: text("token").map(|text| token(text.trim())).transpose()?,
            token_file: text("token_file").map(PathBuf::from),
            account: text("account"),
            values: values.filter_map(Value::as_str).map(str::to_owned).collect(),
            calls_per_second: number("calls_per_second"),
            timeout: number("timeout"),
            allow_insecure_http: switch("allow_insecure_http").unwrap_or_default(),
            emit_activate_version: switch("emit_activate_version").unwrap_or_default(),
        };
        if config.token.is_some() && config.token_file.is_some() {
            let text = "cannot use the configuration: it has both `token` and `token_file`";
            return Err(Failure::usage(text));
        }
        Ok(config)
    }
}

/// Reads a JSON file. `what` names its contents in errors, which never repeat them.
pub(crate) fn read_json(path: &Path, what: &str) -> Result<Value, Failure> {
    let shown = path.display();
    let text = folder::read(path)?
        .ok_or_else(|| Failure::usage(format!("cannot read the {what}: {shown} does not exist")))?;
    serde_json::from_str(&text).map_err(|error| {
        Failure::usage(format!("cannot read the {what}: {shown} is not JSON")).because(format!(
            "line {}, column {}",
            error.line(),
            error.column()
        ))
    })
}

fn unknown(name: &str) -> Failure {
    let all = KEYS.map(|(name, _)| name);
    let failure = Failure::usage(format!("cannot read the configuration: unknown key `{name}`"));
    match closest(name, all.iter().copied()) {
        Some(near) => failure.hint(format!("did you mean `{near}`?")),
        None => failure.hint(format!("the keys are {}", all.join(", "))),
    }
}

/// The keys and the kinds of their values.
const KEYS: [(&str, Kind); 12] = [
    ("base_url", Kind::Text),
    ("token", Kind::Text),
    ("token_file", Kind::Text),
    ("profile", Kind::Text),
    ("mirror", Kind::Text),
    ("sync", Kind::Switch),
    ("account", Kind::Text),
    ("values", Kind::Texts),
    ("calls_per_second", Kind::Number),
    ("timeout", Kind::Number),
    ("allow_insecure_http", Kind::Switch),
    ("emit_activate_version", Kind::Switch),
];

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::Config;
    use crate::connect::parsed_token;
    use crate::photos::Photos;

    fn refusal(config: &serde_json::Value) -> String {
        let failure = Config::parse(config, parsed_token::<Photos>).err().unwrap();
        failure.text()
    }

    #[test]
    fn an_empty_configuration_syncs_the_mirror_of_the_profile() {
        let config = Config::parse(&json!({"token": null}), parsed_token::<Photos>)
            .unwrap_or_else(|_| panic!());
        assert!(config.sync && config.mirror.is_none() && config.token.is_none());
    }

    #[test]
    fn an_invalid_configuration_is_refused_without_its_values() {
        for (config, said) in [
            (json!([]), "expected a JSON object"),
            (json!({"base-url": "x"}), "unknown key `base-url`; did you mean `base_url`?"),
            (json!({"colour": 1}), "unknown key `colour`; the keys are base_url, token,"),
            (json!({"token": 4711}), "`token` must be text"),
            (json!({"sync": "4711"}), "`sync` must be true or false"),
            (json!({"timeout": 0}), "`timeout` must be a whole number above 0"),
            (json!({"values": "4711"}), "`values` must be a list of texts"),
            (json!({"token": "4711", "token_file": "t"}), "it has both `token` and `token_file`"),
            (json!({"token": "47 11"}), "token"),
        ] {
            let text = refusal(&config);
            assert!(text.contains(said) && !text.contains("47"), "{text}");
        }
    }
}
