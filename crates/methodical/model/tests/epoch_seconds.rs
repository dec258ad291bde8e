//! Scalars that count seconds or milliseconds: every value is kept, and converts if a date and time can represent it.

use methodical_model::codegen::scalar;
use methodical_model::{Error, ErrorKind};

scalar! {
    /// Seconds as an integer.
    Seen, epoch_seconds
}

scalar! {
    /// Seconds as text.
    Taken, epoch_seconds_text
}

scalar! {
    /// Milliseconds as an integer.
    Shot, epoch_milliseconds
}

#[test]
fn seconds_convert_to_utc() {
    #[track_caller]
    fn check(seconds: i64, expected: &str) {
        assert_eq!(Seen::new(seconds).utc().unwrap().to_string(), expected);
        let text = seconds.to_string();
        assert_eq!(Taken::new(&text).utc().unwrap().to_string(), expected);
        assert_eq!(Taken::from(seconds).as_str(), text);
    }
    check(0, "1970-01-01 00:00:00");
    check(-1, "1969-12-31 23:59:59");
    check(951_782_399, "2000-02-28 23:59:59");
    check(951_782_400, "2000-02-29 00:00:00");
    check(951_868_800, "2000-03-01 00:00:00");
    check(4_107_542_399, "2100-02-28 23:59:59");
    check(4_107_542_400, "2100-03-01 00:00:00");
    check(-62_167_219_200, "0000-01-01 00:00:00");
    check(253_402_300_799, "9999-12-31 23:59:59");
}

#[test]
fn a_time_outside_the_calendar_is_kept_and_does_not_convert() {
    for seconds in [i64::MIN, -62_167_219_201, 253_402_300_800, i64::MAX] {
        let json = seconds.to_string();
        let seen: Seen = serde_json::from_str(&json).unwrap();
        assert_eq!(serde_json::to_string(&seen).unwrap(), json);
        refused(seen.utc(), "Seen");
        refused(Taken::new(&json).utc(), "Taken");
    }
}

#[test]
fn text_that_is_not_a_number_of_seconds_is_kept_and_does_not_convert() {
    for text in ["", "-", "+5", " 5", "1e9", "1711850400.5", "soon", "9223372036854775808"] {
        let json = serde_json::to_string(text).unwrap();
        let taken: Taken = serde_json::from_str(&json).unwrap();
        assert_eq!(serde_json::to_string(&taken).unwrap(), json);
        refused(taken.to_i64(), "Taken");
        refused(taken.utc(), "Taken");
    }
    assert_eq!(Taken::new("-007").to_i64().unwrap(), -7);
}

#[track_caller]
fn refused<T>(result: Result<T, Error>, name: &str) {
    let error = result.err();
    assert_eq!(error.as_ref().map(Error::kind), Some(ErrorKind::Conversion));
    assert!(error.is_some_and(|error| error.to_string().contains(name)));
}

#[cfg(feature = "jiff02")]
mod with_jiff {
    use jiff::Timestamp;

    use super::{Seen, Shot, Taken, refused};

    #[test]
    fn milliseconds_convert_both_ways() {
        for milliseconds in [-1, 0, 1_234, 1_711_850_400_567] {
            let time = Timestamp::from_millisecond(milliseconds).unwrap();
            assert_eq!(Timestamp::try_from(&Shot::new(milliseconds)).unwrap(), time);
            assert_eq!(Shot::try_from(time).unwrap().get(), milliseconds);
        }
        refused(Timestamp::try_from(&Shot::new(i64::MAX)), "Shot");
        refused(Shot::try_from(Timestamp::new(1, 500_000).unwrap()), "Shot");
    }

    #[test]
    fn timestamps_convert_both_ways() {
        // Steps of a day and an odd number of seconds reach every day of the calendar.
        for seconds in (-62_167_219_200..=253_402_300_799).step_by(86_400 * 17 + 12_345) {
            let time = Timestamp::from_second(seconds).unwrap();
            assert_eq!(Timestamp::try_from(&Seen::new(seconds)).unwrap(), time);
            assert_eq!(Seen::try_from(time).unwrap().get(), seconds);
            assert_eq!(Timestamp::try_from(&Taken::try_from(time).unwrap()).unwrap(), time);
            let utc = Seen::new(seconds).utc().unwrap().to_string();
            assert_eq!(utc, time.strftime("%Y-%m-%d %H:%M:%S").to_string());
        }
    }

    #[test]
    fn other_times_do_not_convert() {
        refused(Timestamp::try_from(&Seen::new(i64::MAX)), "Seen");
        refused(Timestamp::try_from(&Taken::new("soon")), "Taken");
        refused(Seen::try_from(Timestamp::new(1, 500_000_000).unwrap()), "Seen");
        refused(Taken::try_from(Timestamp::new(-1, -1).unwrap()), "Taken");
    }
}

#[cfg(feature = "chrono04")]
mod with_chrono {
    use chrono::{DateTime, Utc};

    use super::{Seen, Shot, Taken, refused};

    #[test]
    fn milliseconds_convert_both_ways() {
        for milliseconds in [-1, 0, 1_234, 1_711_850_400_567] {
            let time = DateTime::from_timestamp_millis(milliseconds).unwrap();
            assert_eq!(DateTime::<Utc>::try_from(&Shot::new(milliseconds)).unwrap(), time);
            assert_eq!(Shot::try_from(time).unwrap().get(), milliseconds);
        }
        refused(DateTime::<Utc>::try_from(&Shot::new(i64::MAX)), "Shot");
        refused(Shot::try_from(DateTime::from_timestamp(1, 500_000).unwrap()), "Shot");
    }

    #[test]
    fn times_convert_both_ways() {
        for seconds in (-62_167_219_200..=253_402_300_799).step_by(86_400 * 17 + 12_345) {
            let time = DateTime::from_timestamp(seconds, 0).unwrap();
            assert_eq!(DateTime::<Utc>::try_from(&Seen::new(seconds)).unwrap(), time);
            assert_eq!(Seen::try_from(time).unwrap().get(), seconds);
            assert_eq!(DateTime::<Utc>::try_from(&Taken::try_from(time).unwrap()).unwrap(), time);
            let utc = Seen::new(seconds).utc().unwrap();
            assert_eq!(utc.to_string(), time.naive_utc().to_string());
        }
    }

    #[test]
    fn other_times_do_not_convert() {
        refused(DateTime::<Utc>::try_from(&Seen::new(i64::MAX)), "Seen");
        refused(DateTime::<Utc>::try_from(&Taken::new("soon")), "Taken");
        refused(Seen::try_from(DateTime::from_timestamp(1, 500_000_000).unwrap()), "Seen");
        refused(Taken::try_from(DateTime::from_timestamp(-1, 1).unwrap()), "Taken");
    }
}
