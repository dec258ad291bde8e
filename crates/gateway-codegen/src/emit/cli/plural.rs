//! The plural of an English noun.

/// Returns the plural of a noun, such as `galleries` for `gallery`. A noun that ends like a plural stays as it is.
pub(super) fn plural(noun: &str) -> String {
    let (start, word) = noun.rsplit_once(' ').map_or(("", noun), |(start, word)| (start, word));
    let gap = if start.is_empty() { "" } else { " " };
    format!("{start}{gap}{}", plural_of(word))
}

fn plural_of(word: &str) -> String {
    if let Some((_, plural)) = IRREGULAR.iter().find(|(one, _)| *one == word) {
        return (*plural).to_owned();
    }
    let ends_in = |ends: &[&str]| ends.iter().any(|end| word.ends_with(end));
    if ends_in(&["ss", "us", "is", "x", "z", "ch", "sh"]) {
        return format!("{}es", word.strip_suffix("is").unwrap_or(word));
    }
    if ends_in(&["s", "data", "info"]) {
        return word.to_owned();
    }
    match word.strip_suffix('y') {
        Some(root) if root.ends_with(|letter| !"aeiou".contains(letter)) => format!("{root}ies"),
        _ => format!("{word}s"),
    }
}

/// Nouns whose plural follows no rule.
const IRREGULAR: &[(&str, &str)] = &[("person", "people"), ("child", "children")];

#[cfg(test)]
mod tests {
    use super::plural;

    #[test]
    fn nouns_have_the_plural_of_their_last_word() {
        for (one, several) in [
            ("photo", "photos"),
            ("gallery", "galleries"),
            ("day", "days"),
            ("token transfer", "token transfers"),
            ("search match", "search matches"),
            ("tax", "taxes"),
            ("status", "statuses"),
            ("address", "addresses"),
            ("analysis", "analyses"),
            ("contact person", "contact people"),
            ("news", "news"),
            ("page info", "page info"),
            ("y", "ys"),
        ] {
            assert_eq!(plural(one), several);
        }
    }
}
