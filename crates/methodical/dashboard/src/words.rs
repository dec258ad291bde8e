//! Human-readable names and numbers.

/// Returns the label for a name in the contract, such as `Phone mobile` for `phone_mobile`.
pub(crate) fn label(name: &str) -> String {
    let spaced = name.replace('_', " ");
    let mut letters = spaced.chars();
    match letters.next() {
        Some(first) => first.to_uppercase().chain(letters).collect(),
        None => spaced,
    }
}

pub(crate) fn plural(name: &str) -> String {
    let is_vowel = |letter: char| matches!(letter, 'a' | 'e' | 'i' | 'o' | 'u');
    match name.strip_suffix('y') {
        Some(stem) if !stem.ends_with(is_vowel) => format!("{stem}ies"),
        _ if ["s", "x", "z", "ch", "sh"].iter().any(|end| name.ends_with(end)) => {
            format!("{name}es")
        }
        _ => format!("{name}s"),
    }
}

/// Returns a number with commas between groups of three digits.
pub(crate) fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let parts = digits.as_bytes().rchunks(3).rev().map(String::from_utf8_lossy);
    parts.collect::<Vec<_>>().join(",")
}

pub(crate) fn counted(number: u64, noun: &str) -> String {
    let noun = if number == 1 { noun.to_owned() } else { plural(noun) };
    format!("{} {noun}", grouped(number))
}

#[cfg(test)]
mod tests {
    use super::{counted, grouped, label, plural};

    #[test]
    fn names_become_labels() {
        assert_eq!(label("phone_mobile"), "Phone mobile");
        assert_eq!(label("état"), "État");
        assert_eq!(label(""), "");
    }

    #[test]
    fn names_have_plurals() {
        for (one, many) in
            [("photo", "photos"), ("gallery", "galleries"), ("day", "days"), ("box", "boxes")]
        {
            assert_eq!(plural(one), many);
        }
        assert_eq!(counted(1, "album"), "1 album");
        assert_eq!(counted(1200, "album"), "1,200 albums");
    }

    #[test]
    fn numbers_are_readable() {
        assert_eq!(grouped(1_234_567), "1,234,567");
    }
}
