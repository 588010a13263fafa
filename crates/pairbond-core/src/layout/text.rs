//! [`Text`]: a text of one binary, read by others.

/// A text that another binary reads.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct Text {
    start: *const u8,
    len: usize,
}

// SAFETY: made from a `&'static str`, which any thread may read.
unsafe impl Send for Text {}
// SAFETY: made from a `&'static str`, which any thread may read.
unsafe impl Sync for Text {}

impl Text {
    /// The parts of a text.
    #[must_use]
    pub const fn new(text: &'static str) -> Self {
        Text {
            start: text.as_ptr(),
            len: text.len(),
        }
    }

    /// The text.
    #[must_use]
    pub const fn get(self) -> &'static str {
        // SAFETY: `new` is the only way to make one; the binary that has the text is never
        // unloaded.
        unsafe { std::str::from_utf8_unchecked(std::slice::from_raw_parts(self.start, self.len)) }
    }
}
