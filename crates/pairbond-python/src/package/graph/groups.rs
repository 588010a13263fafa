//! A picture of at most so many nodes: objects one by one if they are few enough, else grouped.

use std::collections::HashMap;

use pairbond_core::memory::{Gather, Room, filled_vec, or_unwind};

use super::survey::Survey;

/// A node of the picture: one object, or several.
pub(super) struct Shown<'a> {
    pub(super) native: bool,
    pub(super) name: &'a str,
    pub(super) count: usize,
    /// Of one object; 0 for several.
    pub(super) address: usize,
    pub(super) wrapped: usize,
    pub(super) dormant: usize,
    pub(super) erased: usize,
    pub(super) native_references: usize,
    pub(super) python_references: usize,
}

/// References from one node to another that have the same label.
pub(super) struct Edge<'a> {
    pub(super) from: usize,
    pub(super) to: usize,
    pub(super) native: bool,
    pub(super) label: &'a str,
    pub(super) count: usize,
}

pub(super) struct Picture<'a> {
    pub(super) nodes: Vec<Shown<'a>>,
    pub(super) edges: Vec<Edge<'a>>,
    pub(super) objects: usize,
    /// By what: "", "path" or "type".
    pub(super) grouped: &'static str,
    pub(super) complete: bool,
}

const NONE: u32 = u32::MAX;

impl<'a> Picture<'a> {
    pub(super) fn of(survey: &'a Survey<'_>, max_nodes: usize) -> Self {
        let objects = survey.points.iter().filter(|point| point.kept).count();
        let (groups, grouped) = if objects <= max_nodes {
            (one_by_one(survey), "")
        } else if let Some(groups) = by_path(survey, max_nodes) {
            (groups, "path")
        } else {
            (by_type(survey, max_nodes), "type")
        };
        let nodes = nodes_shown(survey, &groups);
        let mut edges = edges_shown(survey, &groups, !grouped.is_empty(), true);
        if edges.len() > 4 * max_nodes.max(16) {
            edges = self::edges_shown(survey, &groups, true, false);
        }
        Picture {
            nodes,
            edges,
            objects,
            grouped,
            complete: survey.complete,
        }
    }
}

fn one_by_one(survey: &Survey<'_>) -> Vec<u32> {
    let mut next = 0;
    let number = |point: &super::survey::Point| {
        if !point.kept {
            return NONE;
        }
        next += 1;
        next - 1
    };
    survey.points.iter().map(number).gather()
}

/// Objects of one type that are met by one path; steps that repeat are one. `None`: there are more
/// than `max` of these.
fn by_path(survey: &Survey<'_>, max: usize) -> Option<Vec<u32>> {
    let mut groups = filled_vec(NONE, survey.points.len());
    // By which group, label and type each group is met.
    let mut ways: Vec<(u32, &str, u32)> = vec![(NONE, "", survey.points[0].name)];
    let mut known = HashMap::new();
    groups[0] = 0;
    // Objects are numbered as they were met, and so are lines by where they begin: the first line
    // to an object is a shortest path's last step.
    for line in &survey.lines {
        let (from, to) = (groups[line.from as usize], line.to as usize);
        if from == NONE || groups[to] != NONE || !survey.points[to].kept {
            continue;
        }
        let (label, name) = (collective_label(survey.text(line.label)), survey.points[to].name);
        let (_, by, of) = ways[from as usize];
        groups[to] = if by == label && of == name && from != 0 {
            from
        } else {
            let way = (from, label, name);
            *known.room().entry(way).or_insert_with(|| {
                ways.room().push(way);
                ways.len() as u32 - 1
            })
        };
        if ways.len() > max {
            return None;
        }
    }
    Some(groups)
}

/// Objects of one type; beyond `max` the rarest types together.
fn by_type(survey: &Survey<'_>, max: usize) -> Vec<u32> {
    let mut counts: HashMap<(bool, u32), usize> = HashMap::new();
    for point in survey.points.iter().skip(1).filter(|point| point.kept) {
        *counts.entry((point.native, point.name)).or_default() += 1;
    }
    let mut kinds: Vec<_> = counts.into_iter().collect();
    kinds.sort_by_key(|((native, name), count)| (std::cmp::Reverse(*count), !native, *name));
    let last = (max - 1) as u32;
    let numbers: HashMap<(bool, u32), u32> = kinds
        .into_iter()
        .zip(1..)
        .map(|((kind, _), number)| (kind, number.min(last)))
        .collect();
    let number = |(at, point): (usize, &super::survey::Point)| match at {
        0 => 0,
        _ if !point.kept => NONE,
        _ => numbers[&(point.native, point.name)],
    };
    survey.points.iter().enumerate().map(number).gather()
}

/// A label for several: elements and entries have none of their own.
fn collective_label(label: &str) -> &str {
    if label.starts_with('[') { "[…]" } else { label }
}

fn nodes_shown<'a>(survey: &'a Survey<'_>, groups: &[u32]) -> Vec<Shown<'a>> {
    let count = groups
        .iter()
        .filter(|group| **group != NONE)
        .max()
        .map_or(0, |last| *last as usize + 1);
    let mut nodes: Vec<Option<Shown<'a>>> = Vec::new();
    or_unwind(nodes.try_reserve_exact(count));
    nodes.resize_with(count, || None);
    for (point, group) in survey
        .points
        .iter()
        .zip(groups)
        .filter(|(_, group)| **group != NONE)
    {
        let name = survey.text(point.name);
        let node = nodes[*group as usize].get_or_insert(Shown {
            native: point.native,
            name,
            count: 0,
            address: 0,
            wrapped: 0,
            dormant: 0,
            erased: 0,
            native_references: 0,
            python_references: 0,
        });
        node.address = if node.count == 0 { point.address } else { 0 };
        node.count += 1;
        if node.name != name {
            node.name = "other types";
        }
        node.wrapped += usize::from(point.wrapped);
        node.dormant += usize::from(point.is_dormant());
        node.erased += usize::from(point.erased);
        node.native_references += point.native_references();
        node.python_references += point.python_references();
    }
    nodes.into_iter().flatten().gather()
}

fn edges_shown<'a>(survey: &'a Survey<'_>, groups: &[u32], grouped: bool, labelled: bool) -> Vec<Edge<'a>> {
    let mut edges: Vec<Edge<'a>> = Vec::new();
    let mut known = HashMap::new();
    for line in &survey.lines {
        let (from, to) = (groups[line.from as usize], groups[line.to as usize]);
        if from == NONE || to == NONE {
            continue;
        }
        let label = match survey.text(line.label) {
            _ if !labelled => "",
            label if grouped => collective_label(label),
            label => label,
        };
        let at = *known
            .room()
            .entry((from, to, line.native, label))
            .or_insert_with(|| {
                edges.room().push(Edge {
                    from: from as usize,
                    to: to as usize,
                    native: line.native,
                    label,
                    count: 0,
                });
                edges.len() - 1
            });
        edges[at].count += 1;
    }
    edges
}
