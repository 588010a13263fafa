//! Types of other crates, each behind a feature of the crate's name.

#[cfg(feature = "chrono")]
mod chrono;
#[cfg(feature = "either")]
mod either;
#[cfg(feature = "indexmap")]
mod indexmap;
#[cfg(feature = "jiff")]
mod jiff;
#[cfg(feature = "ndarray")]
mod ndarray;
#[cfg(feature = "num-bigint")]
mod num_bigint;
#[cfg(feature = "rust_decimal")]
mod rust_decimal;
#[cfg(feature = "uuid")]
mod uuid;
