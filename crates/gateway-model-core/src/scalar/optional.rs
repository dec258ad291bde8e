//! The macros of the features that are off, so that the macro of the meanings may call them.

#[cfg(not(feature = "jiff"))]
#[doc(hidden)]
#[macro_export]
macro_rules! __jiff {
    ($name:ident) => {};
}

#[cfg(not(feature = "rust_decimal"))]
#[doc(hidden)]
#[macro_export]
macro_rules! __rust_decimal {
    ($name:ident) => {};
}
