use pairbond_core::error::Error;
pub fn take() -> Error { todo!() }
pub fn raise(_: Error) {}
pub fn catch<R>(f: impl FnOnce() -> Result<R, Error>) -> Result<R, Error> { f() }
