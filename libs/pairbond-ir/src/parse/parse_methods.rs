//! The class methods `parse` of types, attributes, operations and modules, for Python. The classes
//! are lower modules' ([`crate::context`], [`crate::ir`]).

use pairbond::prelude::*;

use super::{TEXT, Text, one_attribute, one_operation, one_type, parse_module, read_files};
use crate::class::cast_to_class;
use crate::context::Context;
use crate::context::attributes::{Attribute, Location, is_location};
use crate::context::types::Type;
use crate::diagnostics::with_parse_errors;
use crate::error;
use crate::ir::{Module, Operation};

#[pairbond::methods(block = 2)]
impl Type {
    /// Reads a type from its text.
    #[classmethod]
    #[name("parse")]
    fn parse_text(asm: &str, context: Option<Ref<Context>>) -> Result<Ref<Type>> {
        with_parse_errors(context, "type", |context| one_type(context, asm))
    }
}

#[pairbond::methods(block = 2)]
impl Attribute {
    /// Reads an attribute from its text.
    #[classmethod]
    #[name("parse")]
    fn parse_text(asm: &str, context: Option<Ref<Context>>) -> Result<Ref<Attribute>> {
        with_parse_errors(context, "attribute", |context| one_attribute(context, asm))
    }
}

#[pairbond::methods(block = 2)]
impl Location {
    /// Reads a location from its text, `loc(…)`.
    #[classmethod]
    #[name("parse")]
    fn parse_text(asm: &str, context: Option<Ref<Context>>) -> Result<Ref<Location>> {
        let found = with_parse_errors(context, "attribute", |context| one_attribute(context, asm))?;
        is_location(&found).map_err(|_| error::ir_error("expected a location: loc(…)"))?;
        Ok(cast_to_class(found))
    }
}

#[pairbond::methods(block = 2)]
impl Operation {
    /// Reads one operation from its text.
    #[classmethod]
    #[name("parse")]
    #[detach]
    fn parse_text(
        source: Text<'_>,
        #[keyword]
        #[default("-")]
        source_name: &str,
        context: Option<Ref<Context>>,
    ) -> Result<Ref<Operation>> {
        with_parse_errors(context, "operation assembly", |context| {
            one_operation(context, &source, source_name)
        })
    }
}

#[pairbond::methods(block = 2)]
impl Module {
    /// Reads a module from its text, as `str` or as bytes in UTF-8, while other threads go on;
    /// operations that stand in none are put into one.
    #[classmethod]
    #[name("parse")]
    #[detach]
    fn parse_text(asm: Text<'_>, context: Option<Ref<Context>>) -> Result<Ref<Module>> {
        Module::as_module(with_parse_errors(context, "module assembly", |context| {
            parse_module(context, &asm, TEXT)
        })?)
    }

    /// Reads a module from a path, or from an object with a method `read`, as files, pipes and what
    /// decompresses have. It may be of any size: of the text a piece at a time is in memory. Other
    /// threads go on meanwhile, and Ctrl-C ends it. `progress` is True for a bar, if `tqdm` is
    /// installed, or a function that is called now and then with how many bytes were read, and how
    /// many there are, or None.
    #[classmethod]
    #[detach]
    fn parse_file(file: Any, progress: Option<Any>, context: Option<Ref<Context>>) -> Result<Ref<Module>> {
        Module::as_module(with_parse_errors(context, "module assembly", |context| {
            read_files::read_module_file(context, &file, progress)
        })?)
    }

    /// Reads a module from a path: [`parse_file`](Module::parse_file) by MLIR's name.
    #[classmethod]
    #[name("parseFile")]
    #[detach]
    fn parse_path(path: Str, context: Option<Ref<Context>>) -> Result<Ref<Module>> {
        Module::parse_file(path.into(), None, context)
    }
}
