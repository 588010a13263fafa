//! The result of a module's `_pairbond_members()`: its classes and functions with their Rust types,
//! for generators of stubs.

use std::marker::PhantomData;

use super::{Args, Binding, Callable, Class, Enumeration, Module, ModuleVisitor, ParameterKind, Signature};
use crate::convert::{IntoValue, RecordInfo, Sink};
use crate::error::Error;
use crate::error::exception::ExceptionInfo;
use crate::types::TypeInfo;

type Text = &'static str;
/// Name, kind (`standard`, `keyword`, `rest`), default as Python text, Rust type.
type Parameter = (Text, Text, Option<Text>, Text);
/// Name, documentation, binding (`function`, `instance`, `class`, `class getter`, `static`,
/// `constructor`), parameters without the receiver, Rust type of the result.
type Function = (Text, Text, Text, Vec<Parameter>, Text);
/// Name, documentation, Rust type, whether it can be set.
type Attribute = (Text, Text, Text, bool);
/// Name, name of the Rust type, key of the base, documentation, attributes, methods, whether it is
/// a variant of an enum, which is its base then, and attributes that users may set; bases' members
/// are not included.
type ClassMembers = (
    Text,
    Text,
    Text,
    Text,
    Vec<Attribute>,
    Vec<Function>,
    bool,
    Vec<(Text, Text)>,
);
/// Name, name of the Rust type, documentation, and name, value and documentation of each member.
type EnumMembers = (Text, Text, Text, Vec<(Text, i64, Text)>);

/// Name, documentation, key of the class that is given, if any; name, documentation, Rust type of
/// each field, and whether it is required.
type RecordMembers = (Text, Text, Option<Text>, Vec<(Text, Text, Text, bool)>);

/// Name, key of the base, documentation.
type ExceptionMembers = (Text, Text, Text);

/// The function `_pairbond_members` of the module `M`.
#[derive(Debug)]
pub struct Members<M>(PhantomData<M>);

impl<M: Module> Callable for Members<M> {
    const SIGNATURE: Signature = MEMBERS;

    fn call<'a, A: Args<'a>, S: Sink>(_: &A, out: S) -> Result<S::Out, Error> {
        let mut all = All::default();
        M::visit_members(&mut all);
        (all.classes, all.functions, all.enums, all.exceptions, all.records).into_value(out)
    }
}

#[derive(Default)]
struct All {
    classes: Vec<ClassMembers>,
    functions: Vec<Function>,
    enums: Vec<EnumMembers>,
    exceptions: Vec<ExceptionMembers>,
    records: Vec<RecordMembers>,
}

impl All {
    fn add<T: Class>(&mut self, variant: bool) {
        self.classes
            .extend(class_members(T::info(), rust_name::<T>(), variant, T::DECLARED));
    }
}

/// The members of a class; `None` before it is registered, as a module's classes are when it is
/// imported.
fn class_members(
    info: &'static TypeInfo,
    rust_name: Text,
    variant: bool,
    declared: &[(Text, Text)],
) -> Option<ClassMembers> {
    let members = info.members()?;
    let attribute = |it: &crate::types::Attribute| (it.name, it.doc, it.rust_type, it.settable);
    Some((
        info.name(),
        rust_name,
        info.base().map_or("", TypeInfo::key),
        members.doc(),
        members.attributes().iter().map(attribute).collect(),
        members.methods().iter().map(|it| describe_function(it)).collect(),
        variant,
        declared.to_vec(),
    ))
}

/// The result of `_pairbond_members` of a module that is not of Rust: its classes and functions.
///
/// # Errors
/// That of the sink.
pub fn give_members<S: Sink>(
    classes: &[&'static TypeInfo],
    functions: &[&'static Signature],
    out: S,
) -> Result<S::Out, Error> {
    let classes: Vec<_> = classes
        .iter()
        .filter_map(|info| class_members(info, info.name(), false, &[]))
        .collect();
    let functions: Vec<_> = functions.iter().map(|it| describe_function(it)).collect();
    let (enums, exceptions): (Vec<EnumMembers>, Vec<ExceptionMembers>) = Default::default();
    let records: Vec<RecordMembers> = Vec::new();
    (classes, functions, enums, exceptions, records).into_value(out)
}

/// The signature of such a function.
pub const MEMBERS: Signature = Signature {
    name: "_pairbond_members",
    qualified: "_pairbond_members",
    doc: "The classes and functions of the module, with their types in Rust: what `python -m pairbond stubs` reads.",
    binding: Binding::Function,
    parameters: &[],
    returns: "(Vec<Class>, Vec<Function>, Vec<Enumeration>, Vec<Exception>, Vec<Record>)",
    detach: false,
};

impl ModuleVisitor for All {
    fn visit_class<T: Class>(&mut self) {
        self.add::<T>(false);
    }

    fn visit_variant<T: Class>(&mut self) {
        self.add::<T>(true);
    }

    fn visit_enumeration<E: Enumeration>(&mut self) {
        let name = E::KEY.rsplit_once('.').map_or(E::KEY, |(_, name)| name);
        let members = E::MEMBERS.iter().map(|it| (it.name, it.value, it.doc));
        self.enums
            .push((name, rust_name::<E>(), E::DOC, members.collect()));
    }

    fn visit_function<F: Callable>(&mut self) {
        self.functions.push(describe_function(&F::SIGNATURE));
    }

    fn visit_exception(&mut self, info: &'static ExceptionInfo) {
        self.exceptions.push((info.name(), info.base_key(), info.doc));
    }

    fn visit_record(&mut self, info: &'static RecordInfo) {
        let fields = info
            .fields
            .iter()
            .map(|it| (it.name, it.doc, it.rust_type, it.required));
        self.records
            .push((info.name, info.doc, info.class, fields.collect()));
    }

    /// It lists its own.
    fn visit_module<M: Module>(&mut self, _: &'static str) {}
}

/// The last part of a type's path, and its arguments: `Grid<alloc::string::String>`.
fn rust_name<T>() -> Text {
    let path = std::any::type_name::<T>();
    let end = path.find('<').unwrap_or(path.len());
    let start = path[..end].rfind("::").map_or(0, |at| at + 2);
    &path[start..]
}

fn describe_function(of: &Signature) -> Function {
    let binding = match of.binding {
        Binding::Function => "function",
        Binding::Instance => "instance",
        Binding::Class => "class",
        Binding::ClassGetter => "class getter",
        Binding::Static => "static",
        Binding::Constructor => "constructor",
    };
    let parameters = of.parameters.iter().map(|it| {
        let kind = match it.kind {
            ParameterKind::Standard => "standard",
            ParameterKind::KeywordOnly => "keyword",
            ParameterKind::Rest => "rest",
            ParameterKind::RestKeywords => "rest keywords",
        };
        (it.name, kind, it.default, it.rust_type)
    });
    (of.name, of.doc, binding, parameters.collect(), of.returns)
}
