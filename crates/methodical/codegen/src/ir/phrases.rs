//! Phrases about a service that the reference pages, the documents and the terminal share.

use crate::ir::{
    BodyFormat, ErrorClass, Field, ListStyle, Operation, PagedBy, Param, Post, Response, RustName,
    Says, Service, Type, Verdict,
};
use crate::text::{json_string, list};

impl Service {
    /// Returns an outline of a successful response, such as `[Album, …]`.
    pub fn outline(&self, response: &Response) -> String {
        let Some(of) = &response.of else { return "no data".to_owned() };
        let of = of.label(self);
        let data = if response.is_list { format!("[{of}, …]") } else { of };
        if let Some(keys) = response.envelope() {
            let [marker, success, items] = keys.map(json_string);
            return format!("{{ {marker}: {success}, {items}: {data} }}");
        }
        let beside = response.beside.map(|id| self.model(id).rust.pascal());
        let keys = response.at.iter().enumerate().rev();
        keys.fold(data, |inner, (depth, key)| match &beside {
            Some(beside) if depth == response.beside_at().len() => {
                format!("{{ {}: {inner}, …{beside} }}", json_string(key))
            }
            _ => format!("{{ {}: {inner} }}", json_string(key)),
        })
    }
}

impl Response {
    /// Returns a sentence for each thing that the outline of a response does not show.
    pub fn notes(&self) -> Vec<String> {
        let mut notes = Vec::new();
        let mut note = |applies: bool, text: String| notes.extend(applies.then_some(text));
        let quoted = |texts: &[String]| {
            texts.iter().map(|text| format!("`{text}`")).collect::<Vec<_>>().join(" or ")
        };
        let path = |path: &[String]| format!("`{}`", path.join("."));
        note(self.absent_as_empty, "The list may be absent or null if it is empty.".to_owned());
        note(self.one_as_list, "A single record may replace the list.".to_owned());
        let Some(verdict) = self.reported() else { return notes };
        let Verdict { at, is, code, message, empty_codes, empty_messages, .. } = verdict;
        let decides = if is.is_empty() {
            format!("The call failed if {} is present.", path(at))
        } else {
            format!("The call succeeded if {} is {}.", path(at), quoted(is))
        };
        note(true, decides);
        note(!code.is_empty(), format!("The error code is {}.", path(code)));
        note(!message.is_empty(), format!("The error message is {}.", path(message)));
        for class in ErrorClass::ALL {
            let codes = verdict.classes.iter().filter(|(_, of)| of == class);
            let codes: Vec<_> = codes.map(|(code, _)| code.clone()).collect();
            let text = format!("Errors of class `{}`: {}.", class.word(), quoted(&codes));
            note(!codes.is_empty(), text);
        }
        for (what, texts) in [("code", empty_codes), ("message", empty_messages)] {
            let texts_are =
                format!("A failure with the {what} {} means an empty list.", quoted(texts));
            note(!texts.is_empty(), texts_are);
        }
        notes
    }
}

impl Type {
    /// Returns the owned type in Rust, by bare names.
    pub fn rust(&self, service: &Service) -> String {
        match self {
            Self::Value(value) => value.rust(),
            Self::Model(id) => service.model(*id).rust.pascal(),
            Self::List(of) => format!("Vec<{}>", of.rust(service)),
            Self::Map(of) => format!("BTreeMap<String, {}>", of.rust(service)),
        }
    }

    /// Returns the name of a declared type, also in a list or a map; `None` for a built-in one.
    pub fn name<'s>(&'s self, service: &'s Service) -> Option<&'s RustName> {
        match self {
            Self::Value(value) => value.name(),
            Self::Model(id) => Some(&service.model(*id).rust),
            Self::List(of) | Self::Map(of) => of.name(service),
        }
    }

    /// Returns the name of the type in the spec, such as `PhotoId` or `list<text>`.
    pub fn label(&self, service: &Service) -> String {
        match self {
            Self::Value(value) => value.label(),
            Self::Model(id) => service.model(*id).rust.plain(),
            Self::List(of) => format!("list<{}>", of.label(service)),
            Self::Map(of) => format!("map<{}>", of.label(service)),
        }
    }
}

impl Operation {
    /// Returns a sentence about the body of a POST.
    pub fn post_note(&self) -> Option<String> {
        let Post { format, is_idempotent } = self.post?;
        let what = match format {
            BodyFormat::Form => "a form",
            BodyFormat::Json => "a JSON object",
        };
        let repeated = if is_idempotent {
            "A client may repeat a call: several have the effect of one."
        } else {
            "A client does not repeat a call that may have reached the service."
        };
        Some(format!("The parameters are in the body, {what}. {repeated}"))
    }

    /// Returns the names of the parameters that a parameter needs: "`a`, `b` and `c`". `name` formats a name.
    pub fn needed_names(&self, param: &Param, name: impl Fn(&str) -> String) -> Option<String> {
        let names: Vec<_> = self.needed_by(param).map(|needed| name(&needed.wire)).collect();
        (!names.is_empty()).then(|| list(&names, " and "))
    }

    /// Returns a sentence about how the pages of the list follow each other.
    pub fn pages(&self) -> Option<String> {
        let paging = self.paging.as_ref()?;
        let param = self.position_param().map(|param| format!("`{}`", param.wire));
        let param = param.unwrap_or_default();
        let by = match paging.by {
            PagedBy::Number { first } => format!("the number of the page, from {first}"),
            PagedBy::Offset => "the number of records before the page".to_owned(),
            PagedBy::Cursor => "the cursor of the page".to_owned(),
        };
        let size = self.size_param().map(|param| format!(", and `{}` its size", param.wire));
        let ends = paging.marks.iter().map(|mark| {
            let says = match mark.says {
                Says::Last => "is the number of pages",
                Says::Total => "is the number of all records",
                Says::Next => "is that of the next page; the last page has none",
                Says::More => "is false on the last page",
            };
            format!("`{}` {says}.", mark.path.join("."))
        });
        let ends: Vec<_> = ends.collect();
        let end = if ends.is_empty() {
            "An empty page follows the last one.".to_owned()
        } else {
            ends.join(" ")
        };
        Some(format!("The list has pages: {param} is {by}{}. {end}", size.unwrap_or_default()))
    }

    /// Returns when a parameter is sent: `required`, `optional`, or which others it needs, and
    /// which attribute it recovers. `name` formats a name.
    pub fn presence(&self, param: &Param, name: impl Fn(&str) -> String) -> String {
        let presence = match self.needed_names(param, &name) {
            _ if param.required => "required".to_owned(),
            None => "optional".to_owned(),
            Some(needed) => format!("needs {needed}, else no effect"),
        };
        match &param.recovers {
            Some(attribute) => format!("{presence}, recovers {}", name(attribute)),
            None => presence,
        }
    }
}

impl Field {
    /// Returns whether the field is always present, and whether it is personal data.
    pub fn presence(&self) -> String {
        let presence = if self.required { "required" } else { "optional" };
        let mut parts = vec![presence];
        parts.extend(self.lenient.iter().map(|one| one.phrase()));
        parts.extend(self.personal.then_some("personal"));
        parts.join(", ")
    }
}

impl Param {
    /// Returns a type with what the parameter restricts it to, such as `text, at most 9 characters`.
    pub fn restricted(&self, ty: String) -> String {
        let mut parts = vec![match self.list {
            None => ty,
            Some(ListStyle::Array) => format!("list of {ty}"),
            Some(style) => {
                let (first, second) = (style.name(&self.wire, 0), style.name(&self.wire, 1));
                let repeated = format!("as `{first}=…&{second}=…`");
                let separated = style.separator().map(|one| format!("separated by `{one}`"));
                format!("list of {ty}, {}", separated.unwrap_or(repeated))
            }
        }];
        if self.ty.name().is_some() && self.ty.in_query.is_integer() {
            parts.push("sent as an integer".to_owned());
        }
        parts.extend(self.min.map(|min| format!("at least {min}")));
        parts.extend(self.max.map(|max| format!("at most {max}")));
        parts.extend(self.max_chars.map(|most| format!("at most {most} characters")));
        parts.join(", ")
    }
}
