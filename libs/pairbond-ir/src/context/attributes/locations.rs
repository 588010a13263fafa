//! Locations: where something comes from.

use std::collections::HashSet;

use pairbond::prelude::*;

use super::aggregates::common_context;
use super::{Attribute, AttributeHead};
use crate::class::cast_to_class;
use crate::context::{
    Context, Frame, context_or_current, current_location, pop_frame, push_frame, same_context,
};
use crate::error::Place;
use crate::fast::object_address;

/// The origin of an operation or value. In a `with` statement it is the location of everything that
/// is made inside.
#[pairbond::object("pairbond_ir.Location", extends = Attribute, opaque)]
pub struct Location {
    pub(super) base: Attribute,
}

class! {
    /// An unknown location.
    UnknownLoc: Location = "pairbond_ir.UnknownLoc"
}
class! {
    /// A place or a range of a file.
    FileLineColLoc: Location = "pairbond_ir.FileLineColLoc"
}
class! {
    /// Something that has a name.
    NameLoc: Location = "pairbond_ir.NameLoc"
}
class! {
    /// Something that was called from somewhere.
    CallSiteLoc: Location = "pairbond_ir.CallSiteLoc"
}
class! {
    /// Several places together.
    FusedLoc: Location = "pairbond_ir.FusedLoc"
}

/// Returns the unknown location.
pub(crate) fn unknown_location(context: &Ref<Context>) -> Ref<Attribute> {
    Attribute::without_parts(context, AttributeHead::UnknownLoc)
}

/// Several locations as MLIR fuses them: parts of fused ones without metadata, each once, unknown
/// ones left out.
pub(crate) fn fuse_locations(
    context: &Ref<Context>,
    locations: &[Ref<Attribute>],
    metadata: Option<Ref<Attribute>>,
) -> Ref<Attribute> {
    let mut all: Vec<Ref<Attribute>> = Vec::new();
    for location in locations {
        let parts = match location.head() {
            AttributeHead::FusedLoc(false) => location.attributes(),
            _ => std::slice::from_ref(location),
        };
        for part in parts {
            if *part.head() != AttributeHead::UnknownLoc && !all.iter().any(|known| known.is(part)) {
                all.push(part.clone());
            }
        }
    }
    match (&all[..], &metadata) {
        ([], None) => return unknown_location(context),
        ([only], None) => return only.clone(),
        ([], Some(_)) => all.push(unknown_location(context)),
        _ => {}
    }
    let head = AttributeHead::FusedLoc(metadata.is_some());
    Attribute::new(
        context,
        head,
        Vec::new(),
        all.into_iter().chain(metadata).collect(),
    )
}

/// A place in a file, or from there to another.
pub(crate) fn in_file(
    filename: &str,
    start: (u32, u32),
    end: (u32, u32),
    context: Option<Ref<Context>>,
) -> Result<Ref<Attribute>> {
    let file = filename.into();
    let head = AttributeHead::FileLoc { file, start, end };
    Ok(Attribute::without_parts(&context_or_current(context)?, head))
}

/// The innermost place in a file that a location names.
pub(crate) fn place_of(location: &Ref<Attribute>) -> Option<Place> {
    let (mut waiting, mut seen) = (vec![location.clone()], HashSet::new());
    while let Some(it) = waiting.pop() {
        // Parts may be shared.
        if !seen.insert(object_address(&it)) {
            continue;
        }
        if let AttributeHead::FileLoc { file, start, .. } = it.head() {
            return Some(Place {
                file: file.to_string(),
                line: start.0.into(),
                column: start.1.into(),
            });
        }
        waiting.extend(it.attributes().iter().rev().cloned());
    }
    None
}

/// Refuses an attribute that is no location.
pub(crate) fn is_location(attribute: &Attribute) -> Result<()> {
    match attribute.head().is_location() {
        true => Ok(()),
        false => Err(Error::type_error("expected pairbond_ir.Location")),
    }
}

#[pairbond::methods]
impl Location {
    #[classmethod]
    fn unknown(context: Option<Ref<Context>>) -> Result<Ref<UnknownLoc>> {
        Ok(cast_to_class(unknown_location(&context_or_current(context)?)))
    }

    /// A place in a file, or from there to another: `file(name, line, col)`, `file(name,
    /// start_line, start_col, end_line, end_col)`. A context may stand behind.
    #[classmethod]
    #[allow(clippy::too_many_arguments, reason = "they are MLIR's")]
    fn file(
        filename: &str,
        line: Option<u32>,
        col: Option<u32>,
        #[rest] more: Vec<Any>,
        start_line: Option<u32>,
        start_col: Option<u32>,
        end_line: Option<u32>,
        end_col: Option<u32>,
        context: Option<Ref<Context>>,
    ) -> Result<Ref<FileLineColLoc>> {
        FileLineColLoc::get(
            filename, line, col, more, start_line, start_col, end_line, end_col, context,
        )
    }

    /// From a place in a file to another.
    #[classmethod]
    #[name("file_range")]
    fn file_range(
        filename: &str,
        start_line: u32,
        start_col: u32,
        end_line: u32,
        end_col: u32,
        context: Option<Ref<Context>>,
    ) -> Result<Ref<FileLineColLoc>> {
        in_file(filename, (start_line, start_col), (end_line, end_col), context).map(cast_to_class)
    }

    /// Something that has a name, at a place or none.
    #[classmethod]
    #[name("name")]
    fn name_location(
        name: &str,
        #[allow(non_snake_case, reason = "MLIR's name")] childLoc: Option<Ref<Location>>,
        context: Option<Ref<Context>>,
    ) -> Result<Ref<NameLoc>> {
        let child: Option<Ref<Attribute>> = childLoc.map(Ref::upcast);
        let context = context.or_else(|| child.as_ref().map(|it| it.context().clone()));
        let context = context_or_current(context)?;
        let child = child.unwrap_or_else(|| unknown_location(&context));
        same_context(&context, child.context(), "a location")?;
        let head = AttributeHead::NameLoc(name.into());
        Ok(cast_to_class(Attribute::new(
            &context,
            head,
            Vec::new(),
            vec![child],
        )))
    }

    /// A callee, called from frames, the innermost first.
    #[classmethod]
    fn callsite(
        callee: Ref<Location>,
        frames: Vec<Ref<Location>>,
        context: Option<Ref<Context>>,
    ) -> Result<Ref<CallSiteLoc>> {
        let mut frames: Vec<Ref<Attribute>> = frames.into_iter().map(Ref::upcast).collect();
        let Some(last) = frames.pop() else {
            return Err(Error::value_error("no caller frames provided"));
        };
        let callee: Ref<Attribute> = callee.upcast();
        let all: Vec<_> = frames.iter().chain([&last, &callee]).cloned().collect();
        let context = common_context(context, &all)?;
        let site = |callee: Ref<Attribute>, caller| {
            Attribute::new(
                &context,
                AttributeHead::CallSiteLoc,
                Vec::new(),
                vec![callee, caller],
            )
        };
        let caller = frames
            .into_iter()
            .rev()
            .fold(last, |caller, frame| site(frame, caller));
        Ok(cast_to_class(site(callee, caller)))
    }

    /// Several together.
    #[classmethod]
    #[name("fused")]
    fn of_several(
        locations: Vec<Ref<Location>>,
        metadata: Option<Ref<Attribute>>,
        context: Option<Ref<Context>>,
    ) -> Result<Ref<Location>> {
        let locations: Vec<Ref<Attribute>> = locations.into_iter().map(Ref::upcast).collect();
        let all: Vec<_> = locations.iter().chain(&metadata).cloned().collect();
        let context = common_context(context, &all)?;
        Ok(cast_to_class(fuse_locations(&context, &locations, metadata)))
    }

    /// Returns the location that an attribute is.
    #[classmethod]
    fn from_attr(attribute: Ref<Attribute>, context: Option<Ref<Context>>) -> Result<Ref<Location>> {
        is_location(&attribute)?;
        common_context(context, std::slice::from_ref(&attribute))?;
        Ok(cast_to_class(attribute))
    }

    /// The location of the innermost `with` of this thread; None outside of all.
    #[classmethod]
    #[getter(current)]
    fn current_here() -> Option<Ref<Location>> {
        current_location().map(cast_to_class)
    }

    /// Itself: locations are attributes.
    #[getter]
    fn attr(this: Borrow<'_, Self>) -> Borrow<'_, Self> {
        this
    }

    fn __enter__(this: Borrow<'_, Self>) -> Borrow<'_, Self> {
        push_frame(Frame::Location(this.to_ref().upcast()));
        this
    }

    fn __exit__(this: Borrow<'_, Self>, kind: Any, error: Any, traceback: Any) -> Result<bool> {
        let _ = (kind, error, traceback);
        let this: Ref<Attribute> = this.to_ref().upcast();
        pop_frame(|frame| matches!(frame, Frame::Location(location) if location.is(&this)))
    }
}

#[pairbond::methods]
impl UnknownLoc {
    /// The same as `Location.unknown`.
    #[classmethod]
    fn get(context: Option<Ref<Context>>) -> Result<Ref<UnknownLoc>> {
        Location::unknown(context)
    }
}

#[pairbond::methods]
impl FileLineColLoc {
    /// A place in a file, by line and column; or from there to another line and column. A context
    /// may stand behind.
    #[classmethod]
    #[allow(clippy::too_many_arguments, reason = "they are MLIR's")]
    fn get(
        filename: &str,
        line: Option<u32>,
        col: Option<u32>,
        #[rest] more: Vec<Any>,
        start_line: Option<u32>,
        start_col: Option<u32>,
        end_line: Option<u32>,
        end_col: Option<u32>,
        context: Option<Ref<Context>>,
    ) -> Result<Ref<FileLineColLoc>> {
        let number = |it: &Any| match it {
            Any::Int(number) => u32::try_from(*number).ok(),
            _ => None,
        };
        let start = line.or(start_line).zip(col.or(start_col));
        let (end, behind) = match &more[..] {
            [first, second, behind @ ..] => (number(first).zip(number(second)), behind),
            behind if end_line.is_none() && end_col.is_none() => (start, behind),
            behind => (end_line.zip(end_col), behind),
        };
        let behind = match behind {
            [] => Some(None),
            [Any::None] => Some(None),
            [Any::Object(it)] => it.as_borrow().downcast::<Context>().map(|it| Some(it.to_ref())),
            _ => None,
        };
        match (start, end, behind) {
            (Some(start), Some(end), Some(behind)) => {
                in_file(filename, start, end, context.or(behind)).map(cast_to_class)
            }
            _ => Err(Error::type_error(
                "a place is a file name, line and column, the line and column of the end if there is one, and a context",
            )),
        }
    }

    #[getter]
    fn filename(&self) -> &str {
        self.file_and_range().0
    }

    #[getter]
    fn start_line(&self) -> u32 {
        self.file_and_range().1.0
    }

    #[getter]
    fn start_col(&self) -> u32 {
        self.file_and_range().1.1
    }

    #[getter]
    fn end_line(&self) -> u32 {
        self.file_and_range().2.0
    }

    #[getter]
    fn end_col(&self) -> u32 {
        self.file_and_range().2.1
    }

    #[hidden]
    fn file_and_range(&self) -> (&str, (u32, u32), (u32, u32)) {
        match self.base.base.head() {
            AttributeHead::FileLoc { file, start, end } => (file, *start, *end),
            _ => unreachable!("a place in a file is one"),
        }
    }
}

#[pairbond::methods]
impl NameLoc {
    /// The same as `Location.name`.
    #[classmethod]
    fn get(
        name: &str,
        child_loc: Option<Ref<Location>>,
        context: Option<Ref<Context>>,
    ) -> Result<Ref<NameLoc>> {
        Location::name_location(name, child_loc, context)
    }

    #[getter]
    fn name_str(&self) -> &str {
        match self.base.base.head() {
            AttributeHead::NameLoc(name) => name,
            _ => unreachable!("a location by name is one"),
        }
    }

    #[getter]
    fn child_loc(&self) -> Ref<Location> {
        cast_to_class(self.base.base.attributes()[0].clone())
    }
}

#[pairbond::methods]
impl CallSiteLoc {
    /// The same as `Location.callsite`.
    #[classmethod]
    fn get(
        callee: Ref<Location>,
        frames: Vec<Ref<Location>>,
        context: Option<Ref<Context>>,
    ) -> Result<Ref<CallSiteLoc>> {
        Location::callsite(callee, frames, context)
    }

    #[getter]
    fn callee(&self) -> Ref<Location> {
        cast_to_class(self.base.base.attributes()[0].clone())
    }

    #[getter]
    fn caller(&self) -> Ref<Location> {
        cast_to_class(self.base.base.attributes()[1].clone())
    }
}

#[pairbond::methods]
impl FusedLoc {
    /// As `Location.fused`, but what would be no fused location is a `ValueError`.
    #[classmethod]
    fn get(
        locations: Vec<Ref<Location>>,
        metadata: Option<Ref<Attribute>>,
        context: Option<Ref<Context>>,
    ) -> Result<Ref<FusedLoc>> {
        let found = Location::of_several(locations, metadata, context)?;
        match found.head() {
            AttributeHead::FusedLoc(_) => Ok(cast_to_class(found)),
            _ => Err(Error::value_error(
                "these locations are one, or none: Location.fused() makes what they are",
            )),
        }
    }

    #[getter]
    fn locations(&self) -> Vec<Ref<Location>> {
        let all = self.base.base.attributes();
        let all = &all[..all.len() - usize::from(self.has_metadata())];
        all.iter().cloned().map(cast_to_class).collect()
    }

    #[getter]
    fn metadata(&self) -> Option<Ref<Attribute>> {
        let last = self.base.base.attributes().last().cloned();
        last.filter(|_| self.has_metadata())
    }

    #[hidden]
    fn has_metadata(&self) -> bool {
        *self.base.base.head() == AttributeHead::FusedLoc(true)
    }
}
