//! Synthetic bodies to decode, shaped like real ones, and the same on every run.

use std::fmt::Write as _;

/// The variants of a body.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Variant {
    /// Compact, UTF-8, few escapes.
    Plain,
    /// Indented by four spaces.
    Pretty,
    /// Names of only non-ASCII characters, all escaped as `\uXXXX`.
    Escapes,
    /// Eight fields that the contract does not list, in three places.
    Extra,
}

impl Variant {
    pub(crate) const ALL: [Self; 4] = [Self::Plain, Self::Pretty, Self::Escapes, Self::Extra];

    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Plain => "plain",
            Self::Pretty => "pretty",
            Self::Escapes => "escapes",
            Self::Extra => "extra",
        }
    }
}

/// Returns a response of `candidates/list` with about `bytes` bytes.
pub(crate) fn body(variant: Variant, bytes: usize) -> Vec<u8> {
    let mut random = Random(42);
    let mut out = String::with_capacity(bytes + 4096);
    let mut line = |out: &mut String, indent: usize| {
        if variant == Variant::Pretty {
            out.push('\n');
            out.extend(std::iter::repeat_n(' ', indent * 4));
        }
    };
    let colon = if variant == Variant::Pretty { ": " } else { ":" };
    out.push('{');
    line(&mut out, 1);
    write!(out, "\"status\"{colon}\"success\",").expect("a string takes all");
    line(&mut out, 1);
    write!(out, "\"result\"{colon}[").expect("a string takes all");
    for index in 0.. {
        if index > 0 {
            out.push(',');
        }
        line(&mut out, 2);
        candidate(&mut out, variant, index, &mut random, colon, &mut line);
        if out.len() + 2 >= bytes {
            break;
        }
    }
    line(&mut out, 1);
    out.push(']');
    line(&mut out, 0);
    out.push('}');
    out.into_bytes()
}

fn candidate(
    out: &mut String,
    variant: Variant,
    index: u64,
    random: &mut Random,
    colon: &str,
    line: &mut impl FnMut(&mut String, usize),
) {
    let mut member = |out: &mut String, name: &str, value: &str, indent: usize| {
        if !out.ends_with('{') {
            out.push(',');
        }
        line(out, indent);
        write!(out, "\"{name}\"{colon}").expect("a string takes all");
        out.push_str(value);
    };
    let number = random.next();
    let extra = |out: &mut String, text: String| {
        if variant == Variant::Extra {
            out.push_str(&text);
        }
    };
    out.push('{');
    member(out, "id", &format!("\"{}\"", 100_000 + index), 3);
    let name = match (variant, number % 64) {
        (Variant::Escapes, _) => format!("{} {}", random.pick(FAR), random.pick(FAR)),
        (_, 0) => format!("{} {} \"Dudu\"", random.pick(FIRST), random.pick(LAST)),
        _ => format!("{} {}", random.pick(FIRST), random.pick(LAST)),
    };
    member(out, "name", &text(&name, variant), 3);
    let tags = format!("[\"senior\",\"{}\"]", number % 97);
    extra(out, format!(",\"cv_id\":{},\"tags\":{tags}", number % 1_000_000));
    let mail = format!("\"{}.{}@{}\"", random.pick(MAIL), number % 100_000, random.pick(DOMAIN));
    member(out, "email", &mail, 3);
    member(out, "phone", &random.phone(), 3);
    member(out, "phone_mobile", &random.phone(), 3);
    let (score, blocked) = (number % 8_900, number.is_multiple_of(2));
    extra(out, format!(",\"score\":{}.{:02},\"blocked\":{blocked}", score / 89, score % 89));
    let (month, day, hour, minute) = (number % 12, number % 28, number % 24, number % 60);
    let year = 2010 + number % 16;
    let date = format!("\"{year}-{:02}-{:02} {hour:02}:{minute:02}:07\"", month + 1, day + 1);
    member(out, "date", &date, 3);
    member(out, "portal", "{", 3);
    member(out, "id", &format!("\"{}\"", number % 10), 4);
    let portal = match variant {
        Variant::Escapes => format!("{} {}", random.pick(FAR), random.pick(FAR)),
        _ => random.pick(PORTAL).to_owned(),
    };
    member(out, "name", &text(&portal, variant), 4);
    line(out, 3);
    out.push('}');
    let kind = if number.is_multiple_of(50) { "company" } else { "person" };
    out.push(',');
    line(out, 3);
    write!(out, "\"type\"{colon}\"{kind}\"").expect("a string takes all");
    let owner = format!("{{\"id\":\"{0}\",\"name\":\"HR {0}\"}}", number % 50);
    extra(out, format!(",\"owner\":{owner},\"deleted_at\":null,\"rank\":{}", number % 9));
    line(out, 2);
    out.push('}');
}

/// Writes a JSON string in the variant's notation.
fn text(text: &str, variant: Variant) -> String {
    let mut out = String::from("\"");
    for character in text.chars() {
        match character {
            '"' => out.push_str("\\\""),
            character if variant == Variant::Escapes && !character.is_ascii() => {
                for unit in character.encode_utf16(&mut [0; 2]) {
                    write!(out, "\\u{unit:04x}").expect("a string takes all");
                }
            }
            character => out.push(character),
        }
    }
    out.push('"');
    out
}

/// `SplitMix64`: small, and deterministic on every platform.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }

    fn pick(&mut self, from: &[&'static str]) -> &'static str {
        let index = usize::try_from(self.next() % from.len() as u64).unwrap_or_default();
        from.get(index).copied().unwrap_or_default()
    }

    fn phone(&mut self) -> String {
        let number = self.next();
        match number % 8 {
            0 => "\"\"".to_owned(),
            _ => format!("\"+40 7{:02} {:03} {:03}\"", number % 100, number % 991, number % 997),
        }
    }
}

const FIRST: &[&str] =
    &["Andrei", "Maria", "Ioana", "Ștefan", "Mihai", "Elena", "Ana-Maria", "Răzvan", "Zsófia"];
const LAST: &[&str] = &[
    "Popescu",
    "Ionescu",
    "Radu",
    "Țurcanu",
    "Bălan",
    "Müller",
    "O'Brien",
    "Văcărescu-Brâncoveanu",
];
const MAIL: &[&str] = &["popescu", "ionescu", "radu", "turcanu", "vacarescu", "muller", "obrien"];
const DOMAIN: &[&str] = &["example.com", "example.org", "mail.example.net", "firma.example.ro"];
const PORTAL: &[&str] =
    &["Jobs", "Best Jobs", "Website / Careers", "Recomandare internă", "Import"];
const FAR: &[&str] =
    &["Александр", "Екатерина", "Шевченко", "Ἀλέξανδρος", "王小明", "Владимирович"];
