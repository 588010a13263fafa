//! From HTML, and to HTML: what `html5ever` builds a document with, and how nodes are written.

use std::borrow::Cow;

use html5ever::interface::{ElementFlags, NodeOrText, QuirksMode, TreeSink};
use html5ever::serialize::{HtmlSerializer, SerializeOpts, Serializer};
use html5ever::tendril::{StrTendril, TendrilSink};
use html5ever::{Attribute, ExpandedName, ParseOpts, QualName, ns, parse_document};
use pairbond::prelude::*;
use pairbond::tree::TreeNode;

use crate::node::{Attributes, Node, children, parent};

/// Parses an HTML document, as browsers do: every text is one.
#[pairbond::function]
#[detach]
pub(crate) fn parse(text: &str) -> Ref<Node> {
    let mut options = ParseOpts::default();
    options.tree_builder.scripting_enabled = false;
    parse_document(Sink(Node::special("#document", "")), options).one(text)
}

struct Sink(Ref<Node>);

const OURS: &str = "the document is the parser's alone";

/// Attributes of foreign elements have their prefix in their name, `xlink:href`.
fn attributes(all: Vec<Attribute>) -> Attributes {
    let name = |it: QualName| it.prefix.map_or(it.local.clone(), |at| format!("{at}:{}", it.local).into());
    all.into_iter().map(|it| (name(it.name), Str::from(&*it.value))).collect()
}

/// Puts a node or text before another, or to the end. Text is added to text that stands before it.
fn put(parent: &Ref<Node>, next: Option<&Ref<Node>>, what: NodeOrText<Ref<Node>>) {
    let list = children(parent);
    let node = match what {
        NodeOrText::AppendNode(node) => node,
        NodeOrText::AppendText(text) => {
            let previous = next.map_or_else(|| list.last(), |next| next.previous_sibling());
            match previous.filter(|it| *it.name.local == *"#text") {
                Some(before) => return before.data.update(|data| data.push_str(&text)),
                None => Node::special("#text", &text),
            }
        }
    };
    match next {
        Some(next) => node.detach().and_then(|()| list.insert_before(next, &node)).expect(OURS),
        None => list.push_owned(node).expect(OURS),
    }
}

impl TreeSink for Sink {
    type Handle = Ref<Node>;
    type Output = Ref<Node>;
    type ElemName<'a> = ExpandedName<'a>;

    short! {
        parse_error(&self, _: Cow<'static, str>) = (); set_quirks_mode(&self, _: QuirksMode) = ();
        finish(self) -> Ref<Node> = self.0; get_document(&self) -> Ref<Node> = self.0.clone();
        same_node(&self, one: &Ref<Node>, other: &Ref<Node>) -> bool = one.is(other);
        create_comment(&self, text: StrTendril) -> Ref<Node> = Node::special("#comment", &text);
        append(&self, parent: &Ref<Node>, child: NodeOrText<Ref<Node>>) = put(parent, None, child);
        remove_from_parent(&self, target: &Ref<Node>) = target.detach().expect(OURS);
        // What a template contains stands in it, as with BeautifulSoup.
        get_template_contents(&self, template: &Ref<Node>) -> Ref<Node> = template.clone();
        create_element(&self, name: QualName, attrs: Vec<Attribute>, _: ElementFlags) -> Ref<Node> =
            Ref::new(Node::element(name, attributes(attrs)));
        create_pi(&self, target: StrTendril, data: StrTendril) -> Ref<Node> =
            Node::special("#comment", &format!("?{target} {data}"));
        append_before_sibling(&self, next: &Ref<Node>, child: NodeOrText<Ref<Node>>) =
            put(&parent(next).expect(OURS), Some(next), child);
        append_doctype_to_document(&self, name: StrTendril, _: StrTendril, _: StrTendril) =
            put(&self.0, None, NodeOrText::AppendNode(Node::special("#doctype", &name)));
    }

    fn elem_name<'a>(&'a self, node: &'a Ref<Node>) -> ExpandedName<'a> {
        node.name.expanded()
    }

    fn append_based_on_parent_node(&self, at: &Ref<Node>, before: &Ref<Node>, child: NodeOrText<Ref<Node>>) {
        match at.parent() {
            Some(_) => self.append_before_sibling(at, child),
            None => self.append(before, child),
        }
    }

    fn add_attrs_if_missing(&self, target: &Ref<Node>, attrs: Vec<Attribute>) {
        let mut all = target.attrs.get();
        all.extend(attributes(attrs).into_iter().filter(|(name, _)| target.get(name, None).is_none()));
        target.attrs.set(all);
    }

    fn reparent_children(&self, node: &Ref<Node>, parent: &Ref<Node>) {
        if let (Some(first), Some(last)) = (children(node).first(), children(node).last()) {
            children(parent).splice(None, &first, &last).expect(OURS);
        }
    }
}

/// The HTML of a node, with all that stands in it.
#[pairbond::function]
pub(crate) fn tostring(node: Borrow<'_, Node>) -> Result<String> {
    let options = SerializeOpts { scripting_enabled: false, ..Default::default() };
    let mut to = HtmlSerializer::new(Vec::new(), options);
    // Not by recursion: elements are nested as deep as a document says. An opened element comes
    // again, to be closed.
    let mut steps = vec![(node.to_ref(), false)];
    while let Some((node, opened)) = steps.pop() {
        match &*node.name.local {
            _ if opened => to.end_elem(node.name.clone())?,
            "#text" => to.write_text(&node.data.get())?,
            "#comment" => to.write_comment(&node.data.get())?,
            "#doctype" => to.write_doctype(&node.data.get())?,
            _ => {
                if node.is_element() {
                    let attrs = node.attrs.get().into_iter();
                    let attrs: Vec<_> =
                        attrs.map(|(it, value)| (QualName::new(None, ns!(), it), value)).collect();
                    to.start_elem(node.name.clone(), attrs.iter().map(|(name, value)| (name, &**value)))?;
                    steps.push((node.clone(), true));
                }
                steps.extend(children(&node).to_vec().into_iter().rev().map(|node| (node, false)));
            }
        }
    }
    Ok(String::from_utf8_lossy(&to.writer).into_owned())
}
