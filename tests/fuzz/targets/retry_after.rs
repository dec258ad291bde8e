//! Any value of `Retry-After`: the wait is that of an independent reading of RFC 9110, section 10.2.3.

#![no_main]

use std::time::{Duration, SystemTime};

use http::HeaderMap;
use http::header::{HeaderValue, RETRY_AFTER};
use jiff::Timestamp;
use jiff::tz::TimeZone;
use libfuzzer_sys::fuzz_target;
use methodical_client::retry_after;

/// The value, the date of the client, and a date that the service writes; both in seconds since 1970.
type Input<'a> = (&'a [u8], u32, u32);

fuzz_target!(|input: Input<'_>| {
    let (value, now, date) = input;
    let now = u64::from(now);
    if let Some(wait) = read(value, now) {
        let text = str::from_utf8(value).unwrap().trim();
        let is_number = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
        let is_date = || is_a_form_of(text, now, wait);
        assert!(is_number && wait == number(text) || is_date(), "{text:?} is {wait:?}");
    }
    let wait = Duration::from_secs(u64::from(date).saturating_sub(now));
    for (form, pattern) in FORMS.into_iter().enumerate() {
        let text = written(u64::from(date), pattern);
        // The year of the second form has two digits.
        if form != 1 || (1970 + 1..2070).contains(&year(u64::from(date))) {
            assert_eq!(read(text.as_bytes(), now), Some(wait), "{text}");
        }
    }
});

fn read(value: &[u8], now: u64) -> Option<Duration> {
    let value = HeaderValue::from_bytes(value).ok()?;
    let now = SystemTime::UNIX_EPOCH + Duration::from_secs(now);
    retry_after(&HeaderMap::from_iter([(RETRY_AFTER, value)]), now)
}

/// A number that does not fit is the longest wait.
fn number(digits: &str) -> Duration {
    let add = |sum: u64, digit: u8| sum.saturating_mul(10).saturating_add(u64::from(digit - b'0'));
    Duration::from_secs(digits.bytes().fold(0, add))
}

/// Returns whether the text is a date in one of the three forms that is this long after `now`; or before it, if there is
/// no wait. `httpdate` also accepts other separators, and a day with a zero instead of a space.
fn is_a_form_of(text: &str, now: u64, wait: Duration) -> bool {
    let Some(at) = now.checked_add(wait.as_secs()) else { return false };
    let is_written = |at| {
        FORMS
            .into_iter()
            .map(|form| written(at, form))
            .any(|own| parts(&own).eq(parts(text)) || has_other_separators(&own, text))
    };
    // The dates before `now` are too many to try: a date has 20 characters and its year.
    is_written(at) || wait.is_zero() && text.len() > 20 && text.contains(':')
}

/// Whether two texts differ only where the first one has a separator. The other may have a digit there.
fn has_other_separators(own: &str, text: &str) -> bool {
    let mut pairs = own.bytes().zip(text.bytes());
    own.len() == text.len() && pairs.all(|(a, b)| a == b || !a.is_ascii_alphanumeric())
}

/// The words and numbers of a text, without leading zeros.
fn parts(text: &str) -> impl Iterator<Item = &str> {
    let parts = text.split(|letter: char| !letter.is_ascii_alphanumeric());
    parts.filter(|part| !part.is_empty()).map(|part| part.trim_start_matches('0'))
}

fn written(at: u64, form: &str) -> String {
    Timestamp::from_second(at.cast_signed()).unwrap().strftime(form).to_string()
}

fn year(at: u64) -> i16 {
    Timestamp::from_second(at.cast_signed()).unwrap().to_zoned(TimeZone::UTC).year()
}

const FORMS: [&str; 3] =
    ["%a, %d %b %Y %H:%M:%S GMT", "%A, %d-%b-%y %H:%M:%S GMT", "%a %b %e %H:%M:%S %Y"];
