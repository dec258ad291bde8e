//! Removes passwords from URLs before they are shown.

/// Returns a text with `***` in place of the password if it is a URL, and of values of parameters such as `password`.
pub(crate) fn redacted(text: &str) -> String {
    let Some((scheme, rest)) = text.split_once("://") else { return text.to_owned() };
    // A password may contain any character, also `/` or `?`: the host begins after the last `@`.
    let rest = match rest.rsplit_once('@') {
        Some((user, host)) => match user.split_once(':') {
            Some((user, _)) => format!("{user}:***@{host}"),
            None => rest.to_owned(),
        },
        None => rest.to_owned(),
    };
    let Some((before, query)) = rest.split_once('?') else { return format!("{scheme}://{rest}") };
    let parameters: Vec<String> = query
        .split('&')
        .map(|one| match one.split_once('=') {
            Some((name, _)) if name.to_ascii_lowercase().contains("password") => {
                format!("{name}=***")
            }
            _ => one.to_owned(),
        })
        .collect();
    format!("{scheme}://{before}?{}", parameters.join("&"))
}

#[cfg(test)]
mod tests {
    use super::redacted;

    #[test]
    fn no_password_is_shown() {
        for (text, expected) in [
            ("mirror.db", "mirror.db"),
            ("postgres://db/team#photos", "postgres://db/team#photos"),
            ("postgres://anna@db/team", "postgres://anna@db/team"),
            ("postgres://anna:geheim@db:5432/team#x", "postgres://anna:***@db:5432/team#x"),
            ("postgres://anna:ge/h?e@im@db/team", "postgres://anna:***@db/team"),
            ("postgres://db/t?user=a&password=geheim", "postgres://db/t?user=a&password=***"),
            ("postgres://db/t?sslpassword=geheim&a=b", "postgres://db/t?sslpassword=***&a=b"),
            ("mysql://anna:geheim@db/team", "mysql://anna:***@db/team"),
        ] {
            assert_eq!(redacted(text), expected);
        }
    }
}
