//! A crate that has nothing to do with the types that are shared.
pub struct Thing {
    #[cfg(feature = "more")]
    pub more: [u64; 2],
    pub version: u32,
}

pub fn thing() -> Thing {
    Thing {
        #[cfg(feature = "more")]
        more: [0; 2],
        version: 2,
    }
}
