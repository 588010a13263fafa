//! `pairbond.Array`: numbers that share their memory with numpy and others.
//!
//! * `array_class` – the class, its attributes and methods, and their `arguments`; `index` –
//!   subscripts; `scalar` – single elements.
//! * `lend` – borrowing memory from others; `dlpack` – borrowing and lending by DLPack. Lending by
//!   the buffer protocol is in `buffers/`.
//!
//! The borrower keeps the lender alive: an exported buffer or capsule owns the native block
//! (released by any thread), and a block of borrowed memory owns a [`lend`] object, which returns
//! the memory when the interpreter releases it: on an attached thread, wherever the block died.

mod arguments;
mod array_class;
mod dlpack;
mod index;
mod lend;
mod scalar;

pub(crate) use array_class::publish_array;
