//! Checks of a file by its bytes, before any of its code runs: whether it is an ELF shared object
//! for this machine, complete, with the symbols of a library.
//!
//! The loader of the system trusts a file: it maps the segments that the file lists, and a process
//! that touches a missing one dies. Here nothing is trusted; any bytes give an [`Image`] or a
//! sentence.

use object::LittleEndian;
use object::elf::{self, ET_DYN, ET_EXEC, ET_REL, FileHeader64, PT_DYNAMIC, PT_LOAD, PT_TLS, SHT_DYNSYM};
use object::read::StringTable;
use object::read::elf::{FileHeader, ProgramHeader, SectionHeader, SectionTable, Sym};

/// The contents of a shared object.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Image {
    /// The modules that it is a library of: what follows `pairbond_library_` in the names of its
    /// symbols.
    pub libraries: Vec<String>,
    /// The module that it is a Python extension of: what follows `PyInit_`.
    pub extension: Option<String>,
}

/// How the symbol of a library begins.
pub const SYMBOL: &str = "pairbond_library_";

const TRUNCATED: &str = "is not whole: it ends before what it says it has (was it copied completely?)";
const DAMAGED: &str = "is damaged: parts that it describes are not where it says";

/// The number of this machine, where it is known.
const MACHINE: Option<u16> = if cfg!(target_arch = "x86_64") {
    Some(elf::EM_X86_64)
} else if cfg!(target_arch = "aarch64") {
    Some(elf::EM_AARCH64)
} else {
    None
};

/// Whether files can be judged here: ELF of 64 bits, least significant byte first.
pub const KNOWN: bool = cfg!(all(
    unix,
    not(target_vendor = "apple"),
    target_pointer_width = "64",
    target_endian = "little"
));

type File = FileHeader64<LittleEndian>;

/// Inspects the bytes of a file.
///
/// # Errors
/// The problem, as the end of a sentence that the file's name begins.
pub fn inspect_image(bytes: &[u8]) -> Result<Image, String> {
    if bytes.is_empty() {
        return Err("is empty".into());
    }
    if !bytes.starts_with(b"\x7fELF") {
        return Err(looks_like(bytes).into());
    }
    if bytes.len() < size_of::<File>() {
        return Err(TRUNCATED.into());
    }
    let Some(file) = File::parse(bytes).ok().filter(|file| file.endian().is_ok()) else {
        return Err(
            "is for another kind of machine: it is not of 64 bits, least significant byte first".into(),
        );
    };
    let machine = file.e_machine(LittleEndian);
    if MACHINE.is_some_and(|ours| ours != machine) {
        return Err(format!(
            "is for another kind of machine (number {machine} of ELF's, this one is {})",
            MACHINE.unwrap_or_default()
        ));
    }
    match file.e_type(LittleEndian) {
        ET_DYN => {}
        ET_REL => {
            return Err("is an object file: link it to a shared library (crate-type = [\"cdylib\"])".into());
        }
        ET_EXEC => return Err("is a program, not a shared library".into()),
        _ => return Err("is no shared library".into()),
    }
    check_segments(file, bytes)?;
    exported_symbols(file, bytes)
}

/// Describes a file that is no ELF file.
fn looks_like(bytes: &[u8]) -> &'static str {
    match bytes {
        [b'!', b'<', b'a', b'r', b'c', b'h', b'>', ..] => {
            "is an archive, not a shared library: build the crate with crate-type = [\"cdylib\"]"
        }
        [b'M', b'Z', ..] => "is a library or program for Windows",
        [0xcf, 0xfa, 0xed, 0xfe, ..] | [0xca, 0xfe, 0xba, 0xbe, ..] => "is a library or program for macOS",
        bytes
            if bytes
                .iter()
                .take(512)
                .all(|byte| byte.is_ascii_graphic() || byte.is_ascii_whitespace()) =>
        {
            "is a text file, not a shared library"
        }
        _ => "is not a shared library",
    }
}

/// Checks that the file contains its segments.
fn check_segments(file: &File, bytes: &[u8]) -> Result<(), String> {
    let segments = file.program_headers(LittleEndian, bytes).map_err(|_| TRUNCATED)?;
    let mut dynamic = false;
    for segment in segments {
        let kind = segment.p_type(LittleEndian);
        if matches!(kind, PT_LOAD | PT_DYNAMIC | PT_TLS) {
            segment.data(LittleEndian, bytes).map_err(|()| TRUNCATED)?;
            if segment.p_filesz(LittleEndian) > segment.p_memsz(LittleEndian) {
                return Err(DAMAGED.into());
            }
        }
        dynamic |= kind == PT_DYNAMIC;
    }
    if dynamic {
        Ok(())
    } else {
        Err("is no shared library: it has nothing for the dynamic linker".into())
    }
}

/// The names of its exported symbols.
fn exported_symbols(file: &File, bytes: &[u8]) -> Result<Image, String> {
    let sections = file.section_headers(LittleEndian, bytes).map_err(|_| TRUNCATED)?;
    if sections.is_empty() {
        return Err(
            "has no table of sections: it cannot be told what it offers (was it stripped with sstrip?)"
                .into(),
        );
    }
    let sections: SectionTable<'_, File> = SectionTable::new(sections, StringTable::default());
    let symbols = sections
        .symbols(LittleEndian, bytes, SHT_DYNSYM)
        .map_err(|_| TRUNCATED)?;
    if let Ok(names) = sections.section(symbols.string_section()) {
        names.data(LittleEndian, bytes).map_err(|_| TRUNCATED)?;
    }
    let mut image = Image::default();
    for symbol in symbols.iter() {
        let name = symbol
            .name(LittleEndian, symbols.strings())
            .map_err(|_| DAMAGED)?;
        let Ok(name) = std::str::from_utf8(name) else {
            continue;
        };
        if symbol.is_undefined(LittleEndian) {
            continue;
        }
        if let Some(module) = name.strip_prefix(SYMBOL) {
            image.libraries.push(module.to_owned());
        } else if let Some(module) = name.strip_prefix("PyInit_") {
            image.extension = Some(module.to_owned());
        }
    }
    Ok(image)
}
