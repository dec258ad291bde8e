//! Macros that keep the items of a feature, and drop them if it is off, so that the macros of the meanings can use them.

#[cfg(feature = "chrono04")]
#[doc(hidden)]
#[macro_export]
macro_rules! __with_chrono {
    ($($items:tt)*) => { $($items)* };
}

#[cfg(not(feature = "chrono04"))]
#[doc(hidden)]
#[macro_export]
macro_rules! __with_chrono {
    ($($items:tt)*) => {};
}

#[cfg(feature = "jiff02")]
#[doc(hidden)]
#[macro_export]
macro_rules! __with_jiff {
    ($($items:tt)*) => { $($items)* };
}

#[cfg(not(feature = "jiff02"))]
#[doc(hidden)]
#[macro_export]
macro_rules! __with_jiff {
    ($($items:tt)*) => {};
}

#[cfg(not(feature = "rust_decimal"))]
#[doc(hidden)]
#[macro_export]
macro_rules! __rust_decimal {
    ($name:ident) => {};
}
