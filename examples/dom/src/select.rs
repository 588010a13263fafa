//! Searching with CSS selectors.

use std::fmt::{self, Write};

use cssparser::{ToCss, serialize_identifier, serialize_string};
use html5ever::{LocalName, local_name, ns};
use pairbond::prelude::*;
use pairbond::refs::ErasedRef;
use pairbond::tree::{Found, TreeGuard, TreeNode, with_lock};
use selectors::{Element, OpaqueElement, attr::*, bloom::BloomFilter, context::*, matching::*, parser::*};

use crate::node::Node;

/// Any name or value in a selector.
#[derive(Clone, Default, PartialEq, Eq)]
pub(crate) struct Name(LocalName);

impl From<&str> for Name {
    short! { from(text: &str) -> Name = Name(text.into()); }
}

impl AsRef<str> for Name {
    short! { as_ref(&self) -> &str = &self.0; }
}

impl ToCss for Name {
    fn to_css<W: Write>(&self, to: &mut W) -> fmt::Result {
        serialize_identifier(&self.0, to)
    }
}

impl precomputed_hash::PrecomputedHash for Name {
    short! { precomputed_hash(&self) -> u32 = self.0.get_hash() as u32; }
}

impl NonTSPseudoClass for Name {
    short! { is_active_or_hover(&self) -> bool = false; is_user_action_state(&self) -> bool = false; }
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
    short! {
        parse_is_and_where(&self) -> bool = true; parse_has(&self) -> bool = true;
        parse_nth_child_of(&self) -> bool = true;
    }
}

/// An element where it stands, while all trees are held still.
#[derive(Clone, Copy, Debug)]
struct At<'a> {
    still: &'a TreeGuard,
    node: Found<'a, Node>,
}

impl<'a> At<'a> {
    /// The first element from a node on.
    fn element(self, mut all: impl Iterator<Item = Found<'a, Node>>) -> Option<Self> {
        all.find(|node| node.get().is_element()).map(|node| At { node, ..self })
    }

    fn attr(self, name: &LocalName, fits: impl Fn(&str) -> bool) -> bool {
        let attrs = &self.node.get().attrs;
        attrs.with_in(self.still, |all| all.iter().any(|(it, value)| *it == *name && fits(value)))
    }
}

impl Element for At<'_> {
    type Impl = Css;

    short! {
        opaque(&self) -> OpaqueElement = OpaqueElement::new(self.node.get());
        parent_element(&self) -> Option<Self> = self.element(self.still.parent(self.node).into_iter());
        is_root(&self) -> bool = self.parent_element().is_none();
        is_html_element_in_html_document(&self) -> bool = self.node.get().name.ns == ns!(html);
        has_local_name(&self, name: &Name) -> bool = self.node.get().name.local == name.0;
        has_namespace(&self, namespace: &Name) -> bool = *self.node.get().name.ns == *namespace.0;
        is_same_type(&self, other: &Self) -> bool = self.node.get().name == other.node.get().name;
        // There are no shadow trees, states or parts, and nothing is hovered over.
        match_non_ts_pseudo_class(&self, _: &Name, _: &mut MatchingContext<'_, Css>) -> bool = false;
        match_pseudo_element(&self, _: &Name, _: &mut MatchingContext<'_, Css>) -> bool = false;
        parent_node_is_shadow_root(&self) -> bool = false; containing_shadow_host(&self) -> Option<Self> = None;
        apply_selector_flags(&self, _: ElementSelectorFlags) = (); is_pseudo_element(&self) -> bool = false;
        is_html_slot_element(&self) -> bool = false; is_link(&self) -> bool = false;
        has_custom_state(&self, _: &Name) -> bool = false;
        imported_part(&self, _: &Name) -> Option<Name> = None; is_part(&self, _: &Name) -> bool = false;
        add_element_unique_hashes(&self, _: &mut BloomFilter) -> bool = false;
        first_element_child(&self) -> Option<Self> = self.element(self.still.children(&self.node.get().children));
        prev_sibling_element(&self) -> Option<Self> =
            self.element(std::iter::successors(self.still.previous(self.node), |at| self.still.previous(*at)));
        next_sibling_element(&self) -> Option<Self> =
            self.element(std::iter::successors(self.still.next(self.node), |at| self.still.next(*at)));
        attr_matches(&self, _: &NamespaceConstraint<&Name>, name: &Name, to: &AttrSelectorOperation<&Name>)
            -> bool = self.attr(&name.0, |value| to.eval_str(value));
        has_id(&self, id: &Name, case: CaseSensitivity) -> bool =
            self.attr(&local_name!("id"), |it| case.eq(it.as_bytes(), id.0.as_bytes()));
        has_class(&self, class: &Name, case: CaseSensitivity) -> bool = self.attr(&local_name!("class"), |all|
            all.split_ascii_whitespace().any(|it| case.eq(it.as_bytes(), class.0.as_bytes())));
    }

    fn is_empty(&self) -> bool {
        let blank =
            |it: &Node| *it.name.local == *"#comment" || it.data.with_in(self.still, String::is_empty);
        self.still.children(&self.node.get().children).all(|it| !it.get().is_element() && blank(it.get()))
    }
}

/// The selector of all elements with a name and attributes; `class_="x"` fits each of several
/// classes.
fn selector(name: Option<&str>, attrs: Map<Str, Str>) -> Result<String> {
    let mut css = name.map_or("*".into(), |name| Name::from(name).to_css_string());
    for (key, value) in &attrs {
        let key = key.trim_end_matches('_');
        let operator = if key == "class" { "~=" } else { "=" };
        css += &format!("[{}{operator}", Name::from(key).to_css_string());
        serialize_string(&value, &mut css).map_err(|_| Error::value_error(&*value))?;
        css.push(']');
    }
    Ok(css)
}

#[pairbond::methods(block = 1)]
impl Node {
    /// All elements below this one that a CSS selector selects.
    fn select(this: Borrow<'_, Self>, css: &str, #[keyword] limit: Option<usize>) -> Result<Vec<Ref<Node>>> {
        let query = SelectorList::parse(&Css, &mut cssparser::Parser::new(css), ParseRelative::No);
        let query =
            query.map_err(|error| Error::value_error(format!("selector {css:?}: {:?}", error.kind)))?;
        let (this, mode, limit) = (this.to_ref(), MatchingMode::Normal, limit.unwrap_or(usize::MAX));
        let (quirks, no) = (QuirksMode::NoQuirks, NeedsSelectorFlags::No);
        let (mut walk, mut found, mut left, mut more) = (this.descendants(), Vec::new(), Vec::new(), true);
        while more {
            // The tree is not edited while some nodes are looked at.
            with_lock(|still| {
                let (mut caches, always) = (SelectorCaches::default(), MatchingForInvalidation::No);
                let mut context = MatchingContext::new(mode, None, &mut caches, quirks, no, always);
                context.scope_element = Some(OpaqueElement::new(&*this));
                for _ in 0..256 {
                    let step = (found.len() < limit).then(|| walk.step(&mut left)).flatten();
                    let Some(Ok(it)) = step.map(ErasedRef::downcast::<Node>) else { return more = false };
                    let at = At { still, node: still.found(&it) };
                    let fits = it.is_element() && matches_selector_list(&query, at, &mut context);
                    found.extend(fits.then(|| it.clone()));
                    left.push(it.into());
                }
            });
            // References are dropped when trees are not held still.
            left.clear();
        }
        Ok(found)
    }

    /// The first of them.
    fn select_one(this: Borrow<'_, Self>, css: &str) -> Result<Option<Ref<Node>>> {
        Ok(Node::select(this, css, Some(1))?.pop())
    }

    /// All elements below this one with a name and attributes; `class_="x"` fits each of several
    /// classes.
    fn find_all(
        this: Borrow<'_, Self>,
        tag: Option<&str>,
        #[rest] by: Map<Str, Str>,
    ) -> Result<Vec<Ref<Node>>> {
        Node::select(this, &selector(tag, by)?, None)
    }

    /// The first of them.
    fn find(
        this: Borrow<'_, Self>,
        tag: Option<&str>,
        #[rest] by: Map<Str, Str>,
    ) -> Result<Option<Ref<Node>>> {
        Node::select_one(this, &selector(tag, by)?)
    }
}
