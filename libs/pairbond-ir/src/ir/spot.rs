//! [`Spot`]: where in a text an operation was read, in the room that its fields leave, so that no
//! attribute is made for it until its location is wanted.

use pairbond::prelude::*;

use crate::context::attributes::{Attribute, AttributeHead};

/// A line and a column of the file that an operation's location names; or nothing, where that is
/// the location.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Spot([u8; 7]);

impl Spot {
    /// `None`: there is no such line, or the column is too large to be kept so.
    pub(crate) fn new(line: u32, column: u32) -> Option<Spot> {
        let [a, b, c, d] = line.to_le_bytes();
        let [e, f, g, 0] = column.to_le_bytes() else {
            return None;
        };
        (line > 0).then_some(Spot([a, b, c, d, e, f, g]))
    }

    /// The location of the text at this spot, from that of the whole text.
    pub(crate) fn location_in(self, text: Ref<Attribute>) -> Ref<Attribute> {
        let [a, b, c, d, e, f, g] = self.0;
        let start = (u32::from_le_bytes([a, b, c, d]), u32::from_le_bytes([e, f, g, 0]));
        match text.head() {
            AttributeHead::FileLoc { file, .. } if start.0 > 0 => {
                let (file, end) = (file.clone(), start);
                Attribute::without_parts(text.context(), AttributeHead::FileLoc { file, start, end })
            }
            _ => text,
        }
    }
}
