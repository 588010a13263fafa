//! Searching with CSS selectors.

use cssparser::{ParseError, ToCss, Token, serialize_identifier};
use html5ever::{LocalName, local_name, ns};
use pairbond::{prelude::*, tree::Found, tree::TreeNode};
use selectors::{Element, OpaqueElement, attr::*, bloom::BloomFilter, context::*, matching::*, parser::*};

use crate::node::Node;

/// Methods that give the same answer whatever they are asked.
macro_rules! always {
    ($answer:expr, $type:ty: $($name:ident($($argument:ty),*)),+ $(,)?) => {
        $(fn $name(&self, $(_: $argument),*) -> $type {
            $answer
        })+
    };
}

/// Any name or value in a selector.
#[derive(Clone, Default, PartialEq, Eq, derive_more::AsRef, derive_more::From)]
#[as_ref(str)]
#[from(&str)]
pub(crate) struct Name(LocalName);

impl ToCss for Name {
    fn to_css<W: std::fmt::Write>(&self, to: &mut W) -> std::fmt::Result {
        serialize_identifier(&self.0, to)
    }
}

impl precomputed_hash::PrecomputedHash for Name {
    fn precomputed_hash(&self) -> u32 {
        self.0.get_hash() as u32
    }
}

impl NonTSPseudoClass for Name {
    always! { false, bool: is_active_or_hover(), is_user_action_state() }
}

impl PseudoElement for Name {}

/// The selectors of this crate, and how they are parsed.
#[derive(Clone, Debug)]
pub(crate) struct Css;

impl SelectorImpl for Css {
    type ExtraMatchingData<'a> = ();
    type AttrValue = Name;
    type Identifier = Name;
    type LocalName = Name;
    type NamespaceUrl = Name;
    type NamespacePrefix = Name;
    type BorrowedNamespaceUrl = Name;
    type BorrowedLocalName = Name;
    type NonTSPseudoClass = Name;
    type PseudoElement = Name;
}

impl selectors::Parser<'_> for Css {
    type Impl = Css;
    type Error = SelectorParseErrorKind;
    always! { true, bool: parse_is_and_where(), parse_has(), parse_nth_child_of() }
}

/// An element where it stands, while all trees are held still.
#[derive(Clone, Copy, Debug)]
struct At<'a>(Found<'a, Node>);

impl<'a> At<'a> {
    fn first(mut all: impl Iterator<Item = Found<'a, Node>>) -> Option<Self> {
        all.find(|node| node.is_element()).map(At)
    }

    fn attr(&self, name: &LocalName, fits: impl Fn(&str) -> bool) -> bool {
        let fits = |(it, value): &(LocalName, Str)| it == name && fits(value);
        self.0.attrs.with_at(self.0, |all| all.iter().any(fits))
    }
}

impl Element for At<'_> {
    type Impl = Css;

    fn opaque(&self) -> OpaqueElement {
        OpaqueElement::new(self.0.get())
    }

    fn parent_element(&self) -> Option<Self> {
        At::first(self.0.parent().into_iter())
    }

    fn first_element_child(&self) -> Option<Self> {
        At::first(self.0.children(&self.0.get().children))
    }

    fn prev_sibling_element(&self) -> Option<Self> {
        At::first(self.0.preceding())
    }

    fn next_sibling_element(&self) -> Option<Self> {
        At::first(self.0.following())
    }

    fn is_root(&self) -> bool {
        self.parent_element().is_none()
    }

    fn is_empty(&self) -> bool {
        let blank = |it: Found<'_, Node>| !it.has_name("#text") || it.data.with_at(it, String::is_empty);
        let mut children = self.0.children(&self.0.get().children);
        children.all(|it| !it.is_element() && blank(it))
    }

    fn is_html_element_in_html_document(&self) -> bool {
        self.0.name.ns == ns!(html)
    }

    fn is_same_type(&self, other: &Self) -> bool {
        self.0.name == other.0.name
    }

    fn has_local_name(&self, name: &Name) -> bool {
        self.0.name.local == name.0
    }

    fn has_namespace(&self, namespace: &Name) -> bool {
        *self.0.name.ns == *namespace.0
    }

    fn has_id(&self, id: &Name, case: CaseSensitivity) -> bool {
        self.attr(&local_name!("id"), |it| case.eq(it.as_bytes(), id.0.as_bytes()))
    }

    fn has_class(&self, class: &Name, case: CaseSensitivity) -> bool {
        let is = |it: &str| case.eq(it.as_bytes(), class.0.as_bytes());
        self.attr(&local_name!("class"), |all| all.split_ascii_whitespace().any(is))
    }

    fn attr_matches(
        &self,
        _: &NamespaceConstraint<&Name>,
        name: &Name,
        operation: &AttrSelectorOperation<&Name>,
    ) -> bool {
        self.attr(&name.0, |value| operation.eval_str(value))
    }

    // There are no shadow trees, states, links or parts.
    always! { None, Option<Self>: containing_shadow_host() }
    always! { None, Option<Name>: imported_part(&Name) }
    always! {
        false, bool: parent_node_is_shadow_root(), is_pseudo_element(), is_html_slot_element(), is_link(),
        is_part(&Name), has_custom_state(&Name), add_element_unique_hashes(&mut BloomFilter),
        match_non_ts_pseudo_class(&Name, &mut MatchingContext<'_, Css>),
        match_pseudo_element(&Name, &mut MatchingContext<'_, Css>),
    }

    fn apply_selector_flags(&self, _: ElementSelectorFlags) {}
}

/// The selector of all elements with a name and attributes; `class_="x"` fits each of several
/// classes.
fn selector(tag: Option<&str>, attrs: &Map<Str, Str>) -> String {
    let mut css = tag.map_or("*".into(), |tag| Name::from(tag).to_css_string());
    for (name, value) in attrs {
        let name = Name::from(name.trim_end_matches('_')).to_css_string();
        let operator = if name == "class" { "~=" } else { "=" };
        let value = Token::QuotedString((&*value).into()).to_css_string();
        css += &format!("[{name}{operator}{value}]");
    }
    css
}

#[pairbond::methods(block = 1)]
impl Node {
    /// All elements below this one that a CSS selector selects.
    fn select(this: Ref<Self>, css: &str, #[keyword] limit: Option<usize>) -> Result<Vec<Ref<Node>>> {
        let query = SelectorList::parse(&Css, &mut cssparser::Parser::new(css), ParseRelative::No);
        let wrong = |error: ParseError<_>| format!("selector {css:?}: {:?}", error.kind);
        let query = query.map_err(|error| Error::value_error(wrong(error)))?;
        let (mode, quirks) = (MatchingMode::Normal, QuirksMode::NoQuirks);
        let (no, always) = (NeedsSelectorFlags::No, MatchingForInvalidation::No);
        Ok(
            this.search(limit, SelectorCaches::default, |caches, node: Found<'_, Node>| {
                let mut context = MatchingContext::new(mode, None, caches, quirks, no, always);
                context.scope_element = Some(OpaqueElement::new(&*this));
                node.is_element() && matches_selector_list(&query, At(node), &mut context)
            }),
        )
    }

    /// The first of them.
    fn select_one(this: Ref<Self>, css: &str) -> Result<Option<Ref<Node>>> {
        Ok(Node::select(this, css, Some(1))?.pop())
    }

    /// All elements below this one with a name and attributes; `class_="x"` fits each of several
    /// classes.
    fn find_all(this: Ref<Self>, tag: Option<&str>, #[rest] by: Map<Str, Str>) -> Result<Vec<Ref<Node>>> {
        Node::select(this, &selector(tag, &by), None)
    }

    /// The first of them.
    fn find(this: Ref<Self>, tag: Option<&str>, #[rest] by: Map<Str, Str>) -> Result<Option<Ref<Node>>> {
        Node::select_one(this, &selector(tag, &by))
    }
}
