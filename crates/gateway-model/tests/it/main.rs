//! Integration tests of the guarantees of the crate.

#[cfg(test)]
mod bodies;
#[cfg(test)]
mod conversions;
#[cfg(test)]
mod corpus;
#[cfg(test)]
mod debug;
#[cfg(test)]
mod differential;
#[cfg(test)]
mod json_test_suite;
#[cfg(test)]
mod mirrored;
#[cfg(test)]
mod nesting;
#[cfg(test)]
mod queries;
#[cfg(test)]
mod random;
#[cfg(test)]
mod round_trip;
#[cfg(test)]
mod support;
