//! `str()`, `repr()`, `print` and `dump` of types, attributes and parts of a program, for Python.
//! The classes are lower modules' ([`crate::context`], [`crate::ir`]).

use std::fmt;

use pairbond::prelude::*;
use pairbond::tree::TreeNode;

use super::{AsmState, Flags, write_files};
use crate::context::attributes::Attribute;
use crate::context::types::{Type, class_name};
use crate::error;
use crate::ir::{Block, Operation, Value};

/// Of Python: writes bytecode by MLIR's bindings (`python/pairbond_ir/_capsules.py`).
const BYTECODE: &str = "pairbond_ir.write_bytecode";

impl fmt::Display for Type {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&super::type_text(self))
    }
}

impl fmt::Display for Attribute {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&super::attribute_text(self))
    }
}

#[pairbond::methods(block = 1)]
impl Type {
    fn __str__(&self) -> String {
        super::type_text(self)
    }

    /// Writes its text to the standard error stream.
    fn dump(&self) {
        super::dump_text(&super::type_text(self));
    }

    /// Its class and its text.
    fn __repr__(this: Borrow<'_, Self>) -> String {
        format!("{}({})", class_name(this), super::type_text(this.get()))
    }
}

#[pairbond::methods(block = 1)]
impl Attribute {
    fn __str__(&self) -> String {
        super::attribute_text(self)
    }

    /// Writes its text to the standard error stream.
    fn dump(&self) {
        super::dump_text(&super::attribute_text(self));
    }

    /// Its class and its text.
    fn __repr__(this: Borrow<'_, Self>) -> String {
        format!("{}({})", class_name(this), super::attribute_text(this.get()))
    }
}

#[pairbond::methods(block = 1)]
impl Block {
    fn __str__(this: Borrow<'_, Self>) -> Result<String> {
        let this = this.to_ref();
        this.read(|| super::block_text(&this))
    }
}

#[pairbond::methods(block = 1)]
impl Value {
    /// `%0`, as it is called in the text of the outermost operation around it; with
    /// `use_local_scope` in that of the innermost one that uses nothing from outside; as its
    /// location is called with `use_name_loc_as_prefix`. Or as an `AsmState` knows it, which may
    /// stand in place of all.
    fn get_name(
        this: Borrow<'_, Self>,
        #[default(Any::Bool(false))] use_local_scope: Any,
        #[default(false)] use_name_loc_as_prefix: bool,
        #[keyword] state: Option<Ref<AsmState>>,
    ) -> Result<String> {
        let this = this.to_ref();
        if let Some(state) = state.or_else(|| use_local_scope.downcast::<AsmState>()) {
            return this.read(|| state.name_of(&this));
        }
        let how = Flags {
            local_scope: use_local_scope.to::<bool>()?,
            named_by_location: use_name_loc_as_prefix,
            ..Flags::default()
        };
        this.read(|| super::value_name(&this, how))
    }

    fn __str__(this: Borrow<'_, Self>) -> Result<String> {
        let this = this.to_ref();
        this.read(|| super::value_text(&this))
    }

    /// Writes its text to the standard error stream.
    fn dump(this: Borrow<'_, Self>) -> Result<()> {
        Value::__str__(this).map(|text| super::dump_text(&text))
    }
}

/// Refuses the pretty form.
fn only_generic(print_generic_op_form: bool) -> Result<()> {
    print_generic_op_form
        .then_some(())
        .ok_or_else(|| error::ir_error("there is only the generic form"))
}

#[pairbond::methods(block = 1)]
impl Operation {
    /// Its text in the generic form, as bytes if `binary`: with locations if `enable_debug_info`,
    /// as people read them if `pretty_debug_info`; without aliases if `use_local_scope`; values
    /// named by their locations if `use_name_loc_as_prefix`; without the contents of its regions if
    /// `skip_regions`. Attributes with more elements than `large_elements_limit` are written as
    /// `dense_resource<__elided__>`, and data of resources whose text is longer than
    /// `large_resource_limit` is left out. It is never verified.
    #[detach]
    #[allow(clippy::too_many_arguments, reason = "they are MLIR's")]
    fn get_asm(
        this: Borrow<'_, Self>,
        #[default(false)] binary: bool,
        large_elements_limit: Option<usize>,
        large_resource_limit: Option<usize>,
        #[default(false)] enable_debug_info: bool,
        #[default(false)] pretty_debug_info: bool,
        #[default(true)] print_generic_op_form: bool,
        #[default(false)] use_local_scope: bool,
        #[default(false)] use_name_loc_as_prefix: bool,
        #[default(false)] assume_verified: bool,
        #[default(false)] skip_regions: bool,
    ) -> Result<Any> {
        let _ = assume_verified;
        let how = Flags {
            locations: enable_debug_info,
            pretty_locations: pretty_debug_info,
            named_by_location: use_name_loc_as_prefix,
            skip_regions,
            local_scope: use_local_scope,
            most_elements: large_elements_limit,
            most_resource_text: large_resource_limit,
        };
        only_generic(print_generic_op_form)?;
        let this = this.to_ref();
        let text = this.read(|| super::operation_text(&this, how))?;
        Ok(match binary {
            true => Bytes::from(text.as_bytes()).into(),
            false => Str::from(text).into(),
        })
    }

    /// Writes that text to a file object or a path, or where Python's `print` writes; as bytes if
    /// `binary`. With `state` values are called as that knows them: `print(state)`, `print(state,
    /// file)`.
    #[detach]
    #[allow(clippy::too_many_arguments, reason = "they are MLIR's")]
    fn print(
        this: Borrow<'_, Self>,
        state: Option<Ref<AsmState>>,
        file: Option<Any>,
        #[default(false)] binary: bool,
        #[keyword] large_elements_limit: Option<usize>,
        #[keyword] large_resource_limit: Option<usize>,
        #[keyword]
        #[default(false)]
        enable_debug_info: bool,
        #[keyword]
        #[default(false)]
        pretty_debug_info: bool,
        #[keyword]
        #[default(true)]
        print_generic_op_form: bool,
        #[keyword]
        #[default(false)]
        use_local_scope: bool,
        #[keyword]
        #[default(false)]
        use_name_loc_as_prefix: bool,
        #[keyword]
        #[default(false)]
        assume_verified: bool,
        #[keyword]
        #[default(false)]
        skip_regions: bool,
    ) -> Result<()> {
        let _ = assume_verified;
        let how = Flags {
            locations: enable_debug_info,
            pretty_locations: pretty_debug_info,
            named_by_location: use_name_loc_as_prefix,
            skip_regions,
            local_scope: use_local_scope,
            most_elements: large_elements_limit,
            most_resource_text: large_resource_limit,
        };
        only_generic(print_generic_op_form)?;
        let file = file.unwrap_or(Any::None);
        write_files::write_to_file(&this.to_ref(), file, binary, how, state.as_deref())
    }

    /// Writes its text in the generic form to a path, or to what has a method `write`, some of it
    /// at a time. Other threads go on meanwhile.
    #[detach]
    fn write(
        this: Borrow<'_, Self>,
        file: Any,
        #[keyword]
        #[default(false)]
        enable_debug_info: bool,
    ) -> Result<()> {
        let how = Flags {
            locations: enable_debug_info,
            ..Flags::default()
        };
        write_files::write_to_file(&this.to_ref(), file, false, how, None)
    }

    /// Writes it as MLIR's bytecode to a path or a file object, of an older version if one is
    /// given. MLIR's own bindings do it, which must be installed: `ImportError` if they are not.
    fn write_bytecode(this: Borrow<'_, Self>, file: Any, desired_version: Option<u32>) -> Result<()> {
        let write = pairbond::registry::get_function(BYTECODE)?;
        let version = desired_version.map_or(Any::None, Into::into);
        write.call(&[this.to_ref().into(), file, version]).map(drop)
    }

    /// Writes its text to the standard error stream.
    fn dump(this: Borrow<'_, Self>) -> Result<()> {
        Operation::__str__(this).map(|text| super::dump_text(&text))
    }

    #[detach]
    fn __str__(this: Borrow<'_, Self>) -> Result<String> {
        let this = this.to_ref();
        this.read(|| super::operation_text(&this, Flags::default()))
    }
}
