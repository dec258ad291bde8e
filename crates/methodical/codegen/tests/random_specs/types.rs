//! Random types: scalars, enums and models, with the smallest record of each model.

use methodical_codegen::ir::{Leniency, Meaning, Wire};
use serde_json::{Map, Value, json};

use crate::drawn::paper::{Paper, quoted};

/// The types of a random spec.
pub(crate) struct Types {
    scalars: Vec<Scalar>,
    enums: Vec<Enum>,
    models: Vec<Model>,
}

struct Scalar {
    name: String,
    meaning: Meaning,
    wire: Wire,
    query_wire: Option<Wire>,
    codes: Option<&'static Codes>,
}

struct Enum {
    name: String,
    wire: Wire,
    /// The values in the spec, in quotes.
    values: Vec<String>,
}

struct Model {
    name: &'static str,
    fields: Vec<Field>,
}

struct Field {
    wire: String,
    rust: &'static str,
    ty: Ty,
    required: bool,
    lenient: Vec<Leniency>,
}

/// The type of a field or of a parameter.
#[derive(Clone, Debug)]
pub(crate) enum Ty {
    BuiltIn(&'static str),
    Scalar(usize),
    Enum(usize),
    Model(usize),
    List(Box<Self>),
    Map(Box<Self>),
}

/// The JSON values of a boolean.
struct Codes {
    yes: &'static str,
    no: &'static str,
    /// A code with its text.
    example: (&'static str, &'static str),
    has_blank: bool,
}

impl Types {
    pub(crate) fn draw(paper: &mut Paper) -> Self {
        let all = scalars();
        let mut drawn: Vec<usize> = (0..6).map(|_| paper.dice.below(all.len())).collect();
        drawn.sort_unstable();
        drawn.dedup();
        let all = all.into_iter().enumerate();
        let scalars = all.filter(|(index, _)| drawn.contains(index)).map(|(_, scalar)| scalar);
        let mut types = Self { scalars: scalars.collect(), enums: Vec::new(), models: Vec::new() };
        for scalar in types.scalars.iter_mut().filter(|one| one.wire == Wire::Codes) {
            scalar.codes = Some(&CODES[paper.dice.below(CODES.len())]);
        }
        for index in 0..=paper.dice.below(3) {
            let wire = paper.dice.of(&ENUM_WIRES);
            let count = 1 + paper.dice.below(VARIANTS.len());
            let values = (0..count).map(|value| match wire {
                Wire::String => quoted(&paper.wire()),
                _ => format!("\"{}\"", 50 - 49 * i64::try_from(value).unwrap()),
            });
            let values = values.collect();
            types.enums.push(Enum { name: format!("Kind{index}"), wire, values });
        }
        let (first, count) = (paper.dice.below(TAKEN.len()), 1 + paper.dice.below(3));
        let names = TAKEN.iter().cycle().skip(first).take(count).copied();
        let fields = names.map(|name| (name, 1 + paper.dice.below(7), paper.dice.chance(60)));
        let fields: Vec<_> = fields.collect();
        let models = fields.len();
        for (index, (name, count, may_require)) in fields.into_iter().enumerate() {
            let fields = KEYWORDS.iter().take(count).map(|rust| {
                let ty = types.ty(paper, 3, models);
                // A record must not contain itself.
                let may_require = may_require && !matches!(ty, Ty::Model(of) if of <= index);
                let required = may_require && paper.dice.chance(60);
                Field { wire: paper.wire(), rust, ty, required, lenient: Vec::new() }
            });
            let fields = fields.collect();
            types.models.push(Model { name, fields });
        }
        types.be_lenient(paper);
        types
    }

    /// Draws the type of a field, with this many levels of lists and maps.
    fn ty(&self, paper: &mut Paper, depth: usize, models: usize) -> Ty {
        match paper.dice.below(10) {
            0..=2 if depth > 0 => Ty::List(Box::new(self.ty(paper, depth - 1, models))),
            3..=5 if depth > 0 => Ty::Map(Box::new(self.ty(paper, depth - 1, models))),
            6 | 7 => Ty::Model(paper.dice.below(models)),
            _ => self.value(paper),
        }
    }

    /// Draws the type of a single value.
    pub(crate) fn value(&self, paper: &mut Paper) -> Ty {
        match paper.dice.below(8) {
            0 => Ty::Enum(paper.dice.below(self.enums.len())),
            1..=4 => {
                let all: &[_] = &["text", "integer", "boolean", "float"];
                Ty::BuiltIn(paper.dice.of(all))
            }
            _ => Ty::Scalar(paper.dice.below(self.scalars.len())),
        }
    }

    /// Draws the leniency of each field.
    fn be_lenient(&mut self, paper: &mut Paper) {
        let is_open = |model: &Model| !model.fields.iter().any(|field| field.required);
        let open: Vec<_> = self.models.iter().map(is_open).collect();
        let mut drawn = Vec::new();
        for field in self.models.iter().flat_map(|model| &model.fields) {
            let mut lenient: Vec<_> = Leniency::ALL.to_vec();
            lenient.retain(|one| paper.dice.chance(40) && self.fits(*one, field, &open));
            if lenient.contains(&Leniency::BlankAsNone) {
                lenient.retain(|one| *one != Leniency::AbsentAsEmpty);
            }
            drawn.push(lenient);
        }
        let fields = self.models.iter_mut().flat_map(|model| &mut model.fields);
        for (field, lenient) in fields.zip(drawn) {
            field.lenient = lenient;
        }
    }

    /// Returns whether a field may have a leniency. `open` says which models have no required field.
    fn fits(&self, leniency: Leniency, field: &Field, open: &[bool]) -> bool {
        match (leniency, &field.ty) {
            (Leniency::OneAsList, Ty::List(of)) => match &**of {
                Ty::List(_) => false,
                Ty::Scalar(index) => self.scalar(*index).wire != Wire::TextOrNumber,
                _ => true,
            },
            (Leniency::BlankAsNone, Ty::Scalar(index)) => {
                !field.required && !self.scalar(*index).codes.is_some_and(|codes| codes.has_blank)
            }
            (Leniency::AbsentAsEmpty, Ty::List(_) | Ty::Map(_)) | (Leniency::BlankAsNone, _) => {
                !field.required
            }
            (Leniency::EmptyArrayAsMap, Ty::Map(_)) => true,
            (Leniency::EmptyArrayAsMap, Ty::Model(index)) => open[*index],
            (Leniency::OneAsList | Leniency::AbsentAsEmpty | Leniency::EmptyArrayAsMap, _) => false,
        }
    }

    fn scalar(&self, index: usize) -> &Scalar {
        &self.scalars[index]
    }

    /// Draws a model: the name, and the smallest record.
    pub(crate) fn a_model(&self, paper: &mut Paper) -> (&'static str, Value) {
        let index = paper.dice.below(self.models.len());
        (self.models[index].name, self.record(index))
    }

    /// Returns a number of a model, and a text if it has one: their names in the record.
    pub(crate) fn amount(&self, model: &str) -> Option<(&str, Option<&str>)> {
        let model = self.models.iter().find(|one| one.name == model)?;
        let find = |fits: &dyn Fn(&Ty) -> bool| {
            // In a path, a dot separates names.
            let fields = model.fields.iter().filter(|field| !field.wire.contains('.'));
            fields.map(|field| (&*field.wire, &field.ty)).find(|(_, ty)| fits(ty))
        };
        let is_number = |ty: &Ty| match ty {
            Ty::BuiltIn(word) => ["integer", "float"].contains(word),
            Ty::Scalar(index) => self.scalar(*index).meaning == Meaning::Decimal,
            _ => false,
        };
        let (value, _) = find(&is_number)?;
        let unit = find(&|ty| matches!(ty, Ty::BuiltIn("text")));
        Some((value, unit.map(|(unit, _)| unit)))
    }

    /// Draws the type of a response that is neither a record nor a list of records: the name, and a value.
    pub(crate) fn a_value(&self, paper: &mut Paper) -> (String, Value) {
        let mut ty = self.ty(paper, 3, self.models.len());
        if let Ty::Model(_) = ty {
            ty = self.value(paper);
        }
        if let Ty::List(of) = &ty
            && let Ty::Model(_) = **of
        {
            ty = Ty::Map(of.clone());
        }
        (self.name(&ty), self.sample(&ty))
    }

    /// Returns the name of a type in the spec.
    pub(crate) fn name(&self, ty: &Ty) -> String {
        match ty {
            Ty::BuiltIn(word) => (*word).to_owned(),
            Ty::Scalar(index) => self.scalar(*index).name.clone(),
            Ty::Enum(index) => self.enums[*index].name.clone(),
            Ty::Model(index) => self.models[*index].name.to_owned(),
            Ty::List(of) => format!("list<{}>", self.name(of)),
            Ty::Map(of) => format!("map<{}>", self.name(of)),
        }
    }

    /// Returns a valid value of a type.
    fn sample(&self, ty: &Ty) -> Value {
        match ty {
            Ty::BuiltIn(word) => sample(word),
            Ty::Scalar(index) => self.scalar(*index).sample(),
            Ty::Enum(index) => {
                let one = &self.enums[*index];
                let text: String = serde_json::from_str(&one.values[0]).unwrap();
                if one.wire == Wire::String { json!(text) } else { parsed(&text) }
            }
            Ty::Model(index) => self.record(*index),
            Ty::List(_) => json!([]),
            Ty::Map(_) => json!({}),
        }
    }

    /// Returns the smallest record of a model.
    fn record(&self, index: usize) -> Value {
        let fields = self.models[index].fields.iter().filter(|field| field.required);
        fields
            .map(|field| (field.wire.clone(), self.sample(&field.ty)))
            .collect::<Map<_, _>>()
            .into()
    }

    pub(crate) fn write(&self, paper: &mut Paper) {
        for scalar in &self.scalars {
            scalar.write(paper);
        }
        for one in &self.enums {
            let (doc, about) = (paper.doc(), paper.about().join("\n"));
            let open = paper.dice.chance(50);
            paper.line(format_args!(
                "[enum.{}]\nopen-ended = {open}\ndoc = {doc}\n{about}",
                one.name
            ));
            if one.wire != Wire::String || paper.dice.chance(50) {
                paper.line(format_args!("wire = \"{}\"", one.wire.word()));
            }
            for (variant, value) in VARIANTS.iter().zip(&one.values) {
                let mut keys = vec![format!("wire = {value}"), format!("doc = {}", paper.doc())];
                if paper.dice.chance(15) {
                    keys.push(format!("deprecated = {}", quoted(&paper.wire())));
                }
                paper.line(format_args!("value.{variant} = {{ {} }}", keys.join(", ")));
            }
        }
        for model in &self.models {
            self.write_model(paper, model);
        }
    }

    fn write_model(&self, paper: &mut Paper, model: &Model) {
        let (doc, about) = (paper.doc(), paper.about().join("\n"));
        paper.line(format_args!("[model.{}]\ndoc = {doc}\n{about}", model.name));
        let identifies = |field: &&Field| field.required && self.can_identify(&field.ty);
        if let Some(field) = model.fields.iter().find(identifies)
            && paper.dice.chance(70)
        {
            paper.line(format_args!("identity = {}", quoted(&field.wire)));
        }
        if paper.dice.chance(30) {
            let fields = model.fields.iter().filter(|field| !matches!(field.ty, Ty::Model(_)));
            let columns: Vec<_> = fields.take(2).map(|field| quoted(&field.wire)).collect();
            if !columns.is_empty() {
                paper.line(format_args!("columns = [{}]", columns.join(", ")));
            }
        }
        paper.line(format_args!("[model.{}.field]", model.name));
        for field in &model.fields {
            let presence = if field.required { "required" } else { "optional" };
            let mut keys = vec![
                format!("type = \"{}\"", self.name(&field.ty)),
                format!("presence = \"{presence}\""),
                format!("rust-name = \"{}\"", field.rust),
                format!("doc = {}", paper.doc()),
            ];
            if !field.lenient.is_empty() {
                let words = field.lenient.iter().map(|one| format!("\"{}\"", one.word()));
                keys.push(format!("lenient = [{}]", words.collect::<Vec<_>>().join(", ")));
            }
            if paper.dice.chance(20) {
                keys.push("personal = true".to_owned());
            }
            if let Ty::BuiltIn(word) = field.ty
                && paper.dice.chance(40)
            {
                let sample = sample(word);
                let text = sample.as_str().map_or_else(|| sample.to_string(), str::to_owned);
                keys.push(format!("example = {}", quoted(&text)));
            }
            keys.extend(paper.about_deprecated());
            paper.line(format_args!("{} = {{ {} }}", quoted(&field.wire), keys.join(", ")));
        }
    }

    fn can_identify(&self, ty: &Ty) -> bool {
        match ty {
            Ty::BuiltIn(word) => matches!(*word, "text" | "integer"),
            Ty::Scalar(index) => self.scalar(*index).codes.is_none(),
            Ty::Enum(_) | Ty::Model(_) | Ty::List(_) | Ty::Map(_) => false,
        }
    }
}

impl Scalar {
    /// Returns the JSON value of the example.
    fn sample(&self) -> Value {
        let example = self.example();
        match self.wire.written() {
            Wire::Integer => parsed(example),
            Wire::Codes => parsed(self.codes.unwrap().example.0),
            _ => json!(example),
        }
    }

    fn example(&self) -> &'static str {
        if let Some(codes) = self.codes {
            return codes.example.1;
        }
        let query = self.query_wire.unwrap_or(self.wire);
        let forms = [self.meaning.kind(self.wire), self.meaning.query_kind(self.wire, query)];
        let fits = |text: &&&str| forms.iter().flatten().all(|form| form.fits(text));
        EXAMPLES
            .iter()
            .find(fits)
            .unwrap_or_else(|| panic!("no example is `{}`", self.meaning.word()))
    }

    fn write(&self, paper: &mut Paper) {
        let (doc, about) = (paper.doc(), paper.about().join("\n"));
        paper.line(format_args!(
            "[scalar.{}]\nmeaning = \"{}\"\nwire = \"{}\"\nexample = {}\ndoc = {doc}\n{about}",
            self.name,
            self.meaning.word(),
            self.wire.word(),
            quoted(self.example()),
        ));
        if let Some(wire) = self.query_wire {
            paper.line(format_args!("query-wire = \"{}\"", wire.word()));
        }
        if let Some(codes) = self.codes {
            paper.line(format_args!("true = {}\nfalse = {}", codes.yes, codes.no));
        }
        if self.meaning == Meaning::Id
            && self.wire.written() == Wire::String
            && paper.dice.chance(50)
        {
            paper.line("digits = true");
        }
    }
}

/// Returns every kind of scalar .
fn scalars() -> Vec<Scalar> {
    let mut all = Vec::new();
    for meaning in Meaning::ALL.iter().copied() {
        for wire in Wire::ALL.iter().copied() {
            let others = [None, Some(Wire::String), Some(Wire::Integer)].into_iter();
            for query_wire in others.filter(|other| *other != Some(wire)) {
                let fits = meaning.kind(wire).is_some()
                    && meaning.query_kind(wire, query_wire.unwrap_or(wire)).is_some();
                let name = [Some(meaning.word()), Some(wire.word()), query_wire.map(Wire::word)];
                let name = name.into_iter().flatten().map(pascal).collect();
                if fits {
                    all.push(Scalar { name, meaning, wire, query_wire, codes: None });
                }
            }
        }
    }
    all
}

fn pascal(word: &str) -> String {
    let upper = |part: &str| part[..1].to_uppercase() + &part[1..];
    word.split('-').map(upper).collect()
}

/// Returns a valid value of a built-in type.
fn sample(word: &str) -> Value {
    match word {
        "text" => json!("x \"#{}"),
        "integer" => json!(-5),
        "float" => json!(1.5),
        _ => json!(true),
    }
}

fn parsed(text: &str) -> Value {
    serde_json::from_str(text).unwrap()
}

/// The examples of scalars: each meaning has one.
const EXAMPLES: &[&str] = &["7", "12.50", "2024-03-31 04:00:00", "EUR"];

const CODES: &[Codes] = &[
    Codes { yes: "[1, \"1\", true]", no: "[0, \"\"]", example: ("0", "0"), has_blank: true },
    Codes {
        yes: "[\"\\\"#{}\"]",
        no: "[false, \"r#\"]",
        example: ("false", "false"),
        has_blank: false,
    },
    Codes { yes: "[\"Y\"]", no: "[\"N\", -3]", example: ("\"Y\"", "Y"), has_blank: false },
];

const ENUM_WIRES: [Wire; 3] = [Wire::String, Wire::Integer, Wire::IntegerOrText];

const VARIANTS: [&str; 4] = ["Default", "Some", "Ok", "None"];

/// Names of models with a meaning in Rust.
const TAKEN: &[&str] = &[
    "Option",
    "Vec",
    "String",
    "Result",
    "Box",
    "Some",
    "Self",
    "Error",
    "Listing",
    "Iterator",
    "Tool",
    "HttpServer",
];

/// Names of fields and parameters with a meaning in Rust.
pub(crate) const KEYWORDS: &[&str] = &[
    "type", "self", "crate", "super", "gen", "async", "fn", "new", "extra", "clone", "query", "id",
    "map", "record",
];
