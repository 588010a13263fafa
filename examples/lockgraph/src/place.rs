//! Positions in the text of a lock file. The parser reports them for syntax errors; for an entry
//! that is missing from the graph, the dependency is searched for again.

/// A line and a column (in characters), from 1.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Place {
    pub(crate) line: usize,
    pub(crate) column: usize,
}

impl Place {
    /// The end of a text.
    pub(crate) fn end_of(text: &str) -> Place {
        let last = text.rsplit('\n').next().unwrap_or(text);
        Place {
            line: text.matches('\n').count() + 1,
            column: last.chars().count() + 1,
        }
    }

    /// Splits a message of the TOML parser: `… at line 3, column 5`, a picture of the line, the
    /// problem.
    pub(crate) fn of_message(message: &str) -> Option<(Place, &str)> {
        let (_, rest) = message.split_once("TOML parse error at line ")?;
        let (numbers, rest) = rest.split_once('\n')?;
        let (line, column) = numbers.split_once(", column ")?;
        let what = rest.trim_end().rsplit('\n').next()?;
        Some((
            Place {
                line: line.parse().ok()?,
                column: column.parse().ok()?,
            },
            what,
        ))
    }
}

/// A dependency as it is written.
#[derive(PartialEq, Eq, Debug)]
pub(crate) struct Written<'a> {
    /// The package that depends.
    pub(crate) name: &'a str,
    /// Its version.
    pub(crate) version: &'a str,
    /// `name`, `name version` or `name version (source)`.
    pub(crate) dependency: &'a str,
    /// Where `dependency` begins.
    pub(crate) place: Place,
}

/// The first dependency in the text of a lock file for which `wanted` holds.
pub(crate) fn find_dependency<'a>(
    text: &'a str,
    wanted: impl Fn(&Written<'a>) -> bool,
) -> Option<Written<'a>> {
    let (mut name, mut version, mut inside) = ("", "", false);
    for (number, line) in text.lines().enumerate() {
        let key = line.split('=').next().unwrap_or("").trim();
        match key {
            _ if inside => {}
            "[[package]]" => (name, version) = ("", ""),
            "name" => name = strings(line).next().map_or("", |(_, string)| string),
            "version" => version = strings(line).next().map_or("", |(_, string)| string),
            "dependencies" => inside = true,
            _ => {}
        }
        if inside {
            for (column, dependency) in strings(line) {
                let written = Written {
                    name,
                    version,
                    dependency,
                    place: Place {
                        line: number + 1,
                        column,
                    },
                };
                if wanted(&written) {
                    return Some(written);
                }
            }
            inside = !line.trim_end().ends_with(']');
        }
    }
    None
}

/// The quoted strings of a line, each with its column. Names, versions and URLs need no escapes.
fn strings(line: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut column = 1;
    line.split('"').enumerate().filter_map(move |(i, part)| {
        let start = column;
        column += part.chars().count() + 1;
        (i % 2 == 1).then_some((start, part))
    })
}
