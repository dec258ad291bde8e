//! What stands between the cells of CSV: a comma, or what the spreadsheets of a country expect.

/// Reads what the person writes: the character itself, or `tab`.
pub(crate) fn parse(text: &str) -> Result<char, String> {
    match text {
        "," | ";" | "|" | ":" | "\t" => Ok(text.chars().next().unwrap_or(',')),
        "tab" => Ok('\t'),
        _ => Err("write , or ; or | or : or tab".to_owned()),
    }
}

/// Returns what a spreadsheet of this locale expects, such as `de_AT.UTF-8`: `;` where decimals have a comma.
///
/// Only a guess: a spreadsheet asks its own settings, and Windows has no such variables.
pub(crate) fn of_locale(locale: &str) -> char {
    let name = locale.split(['.', '@']).next().unwrap_or_default();
    let (language, region) = name.split_once(['_', '-']).unwrap_or((name, ""));
    let point = match (language, region) {
        ("" | "C" | "POSIX", _) | ("en", "CA") => true,
        (_, "") => POINT_LANGUAGES.contains(&language),
        _ => POINT_REGIONS.contains(&region),
    };
    if point { ',' } else { ';' }
}

/// Languages most of whose speakers write decimals with a point.
const POINT_LANGUAGES: &[&str] = &["en", "he", "hi", "ja", "ko", "th", "zh"];

/// Where decimals have a point, and lists a comma (Unicode CLDR). Switzerland has a point, too, but lists with `;`; in
/// Canada it depends on the language.
const POINT_REGIONS: &[&str] = &[
    "AU", "BD", "BW", "CN", "DO", "GB", "GH", "GT", "HK", "HN", "IE", "IL", "IN", "JP", "KE", "KR",
    "LK", "MO", "MT", "MX", "MY", "NG", "NI", "NP", "NZ", "PA", "PH", "PK", "SG", "SV", "TH", "TW",
    "UG", "US", "ZW",
];

#[cfg(test)]
mod tests {
    use super::{of_locale, parse};

    #[test]
    fn the_region_decides_before_the_language() {
        for (locale, expected) in [
            ("", ','),
            ("C.UTF-8", ','),
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
    fn only_what_separates_is_a_separator() {
        assert_eq!(parse(";"), Ok(';'));
        assert_eq!(parse("tab"), Ok('\t'));
        for no in ["", "a", "\"", "'", ".", "-", "=", ",,", " "] {
            assert!(parse(no).is_err(), "{no}");
        }
    }
}
