//! Integration tests of the macros and decoders, with types of a small service.

#[cfg(test)]
mod blame;
#[cfg(test)]
mod bodies;
#[cfg(test)]
mod collections;
#[cfg(test)]
mod extra;
#[cfg(test)]
mod fast_path;
#[cfg(test)]
mod fields;
#[cfg(test)]
mod lenient;
#[cfg(test)]
mod numbers;
#[cfg(test)]
mod paging;
#[cfg(test)]
mod photos;
#[cfg(test)]
mod queries;
#[cfg(all(feature = "arbitrary", feature = "proptest"))]
#[cfg(test)]
mod random;
#[cfg(test)]
mod scalars;
#[cfg(test)]
mod stream;
#[cfg(test)]
mod support;
#[cfg(test)]
mod values;
#[cfg(test)]
mod written;
