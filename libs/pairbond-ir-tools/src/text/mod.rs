//! Reading a text by its tokens, of which a part is in memory.
//!
//! [`window`] is that part, [`source`] the origin of the text, and [`watch`] receives how far
//! reading has come; [`lexer`] finds tokens, and [`parse_error`] shows errors at their places.

mod gaps;
pub mod lexer;
pub mod parse_error;
pub mod source;
pub mod watch;
pub mod window;
