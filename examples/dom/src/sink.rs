//! From HTML, and to HTML: what `html5ever` builds a document with, and how nodes are written.

use html5ever::serialize::{HtmlSerializer, SerializeOpts, Serializer};
use html5ever::{ParseOpts, interface::*, ns, parse_document, tendril::StrTendril, tendril::TendrilSink};
use pairbond::{prelude::*, tree::TreeNode, tree::Visit};

use crate::node::{Attributes, Node, children};

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
    let name = |name: QualName| match name.prefix {
        Some(prefix) => format!("{prefix}:{}", name.local).into(),
        None => name.local,
    };
    let attribute = |it: Attribute| (name(it.name), Str::from(&*it.value));
    all.into_iter().map(attribute).collect()
}

/// Puts a node or text before another, or to the end. Text is added to text that stands before it.
fn put(parent: &Ref<Node>, next: Option<&Ref<Node>>, what: NodeOrText<Ref<Node>>) {
    let node = match what {
        NodeOrText::AppendNode(node) => node,
        NodeOrText::AppendText(text) => {
            let previous = next.map_or_else(|| children(parent).last(), TreeNode::previous_sibling);
            if let Some(before) = previous.filter(|it| it.has_name("#text")) {
                return before.data.update(|data| data.push_str(&text));
            }
            Node::special("#text", &text)
        }
    };
    children(parent).adopt(next, node).expect(OURS);
}

impl TreeSink for Sink {
    type Handle = Ref<Node>;
    type Output = Ref<Node>;
    type ElemName<'a> = &'a QualName;

    fn finish(self) -> Ref<Node> {
        self.0
    }

    fn parse_error(&self, _: std::borrow::Cow<'static, str>) {}

    fn set_quirks_mode(&self, _: QuirksMode) {}

    fn get_document(&self) -> Ref<Node> {
        self.0.clone()
    }

    /// What a template contains stands in it, as with BeautifulSoup.
    fn get_template_contents(&self, template: &Ref<Node>) -> Ref<Node> {
        template.clone()
    }

    fn elem_name<'a>(&'a self, node: &'a Ref<Node>) -> &'a QualName {
        &node.name
    }

    fn same_node(&self, one: &Ref<Node>, other: &Ref<Node>) -> bool {
        one.is(other)
    }

    fn create_element(&self, name: QualName, attrs: Vec<Attribute>, _: ElementFlags) -> Ref<Node> {
        Ref::new(Node::element(name, attributes(attrs), ""))
    }

    fn create_comment(&self, text: StrTendril) -> Ref<Node> {
        Node::special("#comment", &text)
    }

    fn create_pi(&self, target: StrTendril, data: StrTendril) -> Ref<Node> {
        Node::special("#comment", &format!("?{target} {data}"))
    }

    fn append(&self, parent: &Ref<Node>, child: NodeOrText<Ref<Node>>) {
        put(parent, None, child);
    }

    fn append_before_sibling(&self, next: &Ref<Node>, child: NodeOrText<Ref<Node>>) {
        put(&next.parent_as().expect(OURS), Some(next), child);
    }

    fn append_based_on_parent_node(&self, at: &Ref<Node>, before: &Ref<Node>, child: NodeOrText<Ref<Node>>) {
        match at.parent_as() {
            Some(parent) => put(&parent, Some(at), child),
            None => put(before, None, child),
        }
    }

    fn append_doctype_to_document(&self, name: StrTendril, _: StrTendril, _: StrTendril) {
        self.append(&self.0, NodeOrText::AppendNode(Node::special("#doctype", &name)));
    }

    fn add_attrs_if_missing(&self, target: &Ref<Node>, attrs: Vec<Attribute>) {
        let mut all = attributes(attrs);
        all.retain(|(name, _)| target.get(name, None).is_none());
        target.attrs.update(|attrs| attrs.append(&mut all));
    }

    fn remove_from_parent(&self, target: &Ref<Node>) {
        target.detach().expect(OURS);
    }

    fn reparent_children(&self, node: &Ref<Node>, parent: &Ref<Node>) {
        children(parent).append(children(node)).expect(OURS);
    }
}

/// The HTML of a node, with all that stands in it.
#[pairbond::function]
pub(crate) fn tostring(node: Ref<Node>) -> Result<String> {
    let options = SerializeOpts {
        scripting_enabled: false,
        ..Default::default()
    };
    let mut to = HtmlSerializer::new(Vec::new(), options);
    for visit in node.traverse::<Node>() {
        match visit {
            Visit::Enter(text) if text.has_name("#text") => to.write_text(&text.data.get())?,
            Visit::Enter(comment) if comment.has_name("#comment") => to.write_comment(&comment.data.get())?,
            Visit::Enter(doctype) if doctype.has_name("#doctype") => to.write_doctype(&doctype.data.get())?,
            Visit::Enter(node) if node.is_element() => {
                let attrs = node.attrs.get().into_iter();
                let attrs = attrs.map(|(name, value)| (QualName::new(None, ns!(), name), value));
                let attrs: Vec<_> = attrs.collect();
                let borrowed = attrs.iter().map(|(name, value)| (name, &**value));
                to.start_elem(node.name.clone(), borrowed)?;
            }
            Visit::Leave(node) if node.is_element() => to.end_elem(node.name.clone())?,
            _ => {}
        }
    }
    Ok(String::from_utf8_lossy(&to.writer).into_owned())
}
