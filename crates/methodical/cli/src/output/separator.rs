//! The separator of CSV cells: a comma, or the list separator of a locale.

/// Parses a flag: the character itself, or `tab`.
pub(crate) fn parse(text: &str) -> Result<char, String> {
    match text {
        "," | ";" | "|" | ":" | "\t" => Ok(text.chars().next().unwrap_or(',')),
        "tab" => Ok('\t'),
        _ => Err("expected , or ; or | or : or tab".to_owned()),
    }
}

/// Returns the list separator of a locale such as `de_AT.UTF-8`: `;` where decimals are written with a comma.
///
/// This is a guess: a spreadsheet uses its own settings, and Windows does not set the variables that hold the locale.
pub(crate) fn of_locale(locale: &str) -> char {
    let name = locale.split(['.', '@']).next().unwrap_or_default();
    let (language, region) = name.split_once(['_', '-']).unwrap_or((name, ""));
    let is_language =
        (2..=3).contains(&language.len()) && language.bytes().all(|byte| byte.is_ascii_lowercase());
    let point = match (language, region) {
        _ if !is_language => true,
        ("en", "CA") => true,
        (_, "") => POINT_LANGUAGES.contains(&language),
        _ => POINT_REGIONS.contains(&region),
    };
    if point { ',' } else { ';' }
}

/// Languages most of whose speakers write decimals with a point.
const POINT_LANGUAGES: &[&str] = &["en", "he", "hi", "ja", "ko", "th", "zh"];

/// Regions that write decimals with a point and lists with a comma (Unicode CLDR). Switzerland is not among them: it
/// writes decimals with a point but lists with `;`. In Canada it depends on the language.
const POINT_REGIONS: &[&str] = &[
    "AU", "BD", "BW", "CN", "DO", "GB", "GH", "GT", "HK", "HN", "IE", "IL", "IN", "JP", "KE", "KR",
    "LK", "MO", "MT", "MX", "MY", "NG", "NI", "NP", "NZ", "PA", "PH", "PK", "SG", "SV", "TH", "TW",
    "UG", "US", "ZW",
];

#[cfg(test)]
mod tests {
    use super::{of_locale, parse};

    #[test]
    fn the_region_takes_precedence_over_the_language() {
        for (locale, expected) in [
            ("", ','),
            ("C.UTF-8", ','),
            ("POSIX", ','),
            ("garbage", ','),
            ("en_US.UTF-8", ','),
            ("en_GB", ','),
            ("en_ZA.UTF-8", ';'),
            ("en_CA", ','),
            ("fr_CA", ';'),
            ("es_MX.UTF-8", ','),
            ("es_ES.UTF-8@euro", ';'),
            ("hi_IN", ','),
            ("de_CH.UTF-8", ';'),
            ("de_DE", ';'),
            ("ro_RO.UTF-8", ';'),
            ("zh_CN.GB18030", ','),
            ("de", ';'),
            ("ja", ','),
        ] {
            assert_eq!(of_locale(locale), expected, "{locale}");
        }
    }

    #[test]
    fn other_characters_are_refused() {
        assert_eq!(parse(";"), Ok(';'));
        assert_eq!(parse("tab"), Ok('\t'));
        for no in ["", "a", "\"", "'", ".", "-", "=", ",,", " "] {
            assert!(parse(no).is_err(), "{no}");
        }
    }
}
