//! What a file is, from its bytes, before any of its code runs: an ELF shared object for this machine, whole, with the symbols of a library.
//!
//! The loader of the system trusts a file: it maps what the file says it has, and a process that touches what is not there dies. Here nothing is
//! trusted; whatever the bytes are, the answer is an [`Image`] or a sentence.

/// What a shared object offers.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Image {
    /// The modules that it is a library of: what follows `pairbond_library_` in the names of its symbols.
    pub libraries: Vec<String>,
    /// The module that it is a Python extension of: what follows `PyInit_`.
    pub extension: Option<String>,
}

/// How the symbol of a library begins.
pub const SYMBOL: &str = "pairbond_library_";

/// Numbers as the file has them.
struct Bytes<'a>(&'a [u8]);

impl<'a> Bytes<'a> {
    fn slice(&self, start: u64, len: u64) -> Option<&'a [u8]> {
        let start = usize::try_from(start).ok()?;
        let end = start.checked_add(usize::try_from(len).ok()?)?;
        self.0.get(start..end)
    }
    fn u16(&self, at: u64) -> Option<u16> {
        Some(u16::from_le_bytes(self.slice(at, 2)?.try_into().ok()?))
    }
    fn u32(&self, at: u64) -> Option<u32> {
        Some(u32::from_le_bytes(self.slice(at, 4)?.try_into().ok()?))
    }
    fn u64(&self, at: u64) -> Option<u64> {
        Some(u64::from_le_bytes(self.slice(at, 8)?.try_into().ok()?))
    }
}

const TRUNCATED: &str = "is not whole: it ends before what it says it has (was it copied completely?)";
const DAMAGED: &str = "is damaged: parts that it describes are not where it says";

/// The number of this machine, where it is known.
const MACHINE: Option<u16> = if cfg!(target_arch = "x86_64") {
    Some(62)
} else if cfg!(target_arch = "aarch64") {
    Some(183)
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

/// What the bytes of a file are.
///
/// # Errors
/// What is wrong, as the end of a sentence that the file's name begins.
pub fn inspect(bytes: &[u8]) -> Result<Image, String> {
    if bytes.is_empty() {
        return Err("is empty".into());
    }
    if !bytes.starts_with(b"\x7fELF") {
        return Err(stranger(bytes).into());
    }
    let file = Bytes(bytes);
    if bytes.len() < 64 {
        return Err(TRUNCATED.into());
    }
    if bytes[4..6] != [2, 1] {
        return Err(
            "is for another kind of machine: it is not of 64 bits, least significant byte first".into(),
        );
    }
    let (kind, machine) = (file.u16(16).ok_or(TRUNCATED)?, file.u16(18).ok_or(TRUNCATED)?);
    if MACHINE.is_some_and(|ours| ours != machine) {
        return Err(format!(
            "is for another kind of machine (number {machine} of ELF's, this one is {})",
            MACHINE.unwrap_or_default()
        ));
    }
    match kind {
        3 => {}
        1 => return Err("is an object file: link it to a shared library (crate-type = [\"cdylib\"])".into()),
        2 => return Err("is a program, not a shared library".into()),
        _ => return Err("is no shared library".into()),
    }
    segments(&file)?;
    symbols(&file)
}

/// What a file that is no ELF file looks like.
fn stranger(bytes: &[u8]) -> &'static str {
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

/// What is to be mapped must be there.
fn segments(file: &Bytes<'_>) -> Result<(), String> {
    let (start, size, count) = (
        file.u64(32).ok_or(TRUNCATED)?,
        u64::from(file.u16(54).ok_or(TRUNCATED)?),
        u64::from(file.u16(56).ok_or(TRUNCATED)?),
    );
    if size < 56 || count == 0 {
        return Err(DAMAGED.into());
    }
    let mut dynamic = false;
    for index in 0..count {
        let at = start.checked_add(index * size).ok_or(DAMAGED)?;
        file.slice(at, 56).ok_or(TRUNCATED)?;
        let field = |offset| file.u64(at + offset).ok_or(TRUNCATED);
        let (kind, offset, in_file, in_memory) =
            (file.u32(at).ok_or(TRUNCATED)?, field(8)?, field(32)?, field(40)?);
        // To be mapped, dynamic, thread-local.
        if matches!(kind, 1 | 2 | 7) {
            file.slice(offset, in_file).ok_or(TRUNCATED)?;
            if in_file > in_memory {
                return Err(DAMAGED.into());
            }
        }
        dynamic |= kind == 2;
    }
    if dynamic {
        Ok(())
    } else {
        Err("is no shared library: it has nothing for the dynamic linker".into())
    }
}

/// The names of what it defines for others.
fn symbols(file: &Bytes<'_>) -> Result<Image, String> {
    let (start, size, count) = (
        file.u64(40).ok_or(TRUNCATED)?,
        u64::from(file.u16(58).ok_or(TRUNCATED)?),
        u64::from(file.u16(60).ok_or(TRUNCATED)?),
    );
    if size < 64 || count == 0 {
        return Err(
            "has no table of sections: it cannot be told what it offers (was it stripped with sstrip?)"
                .into(),
        );
    }
    let section = |index: u64| -> Result<u64, String> {
        if index >= count {
            return Err(DAMAGED.into());
        }
        let at = start.checked_add(index * size).ok_or(DAMAGED)?;
        file.slice(at, 64).ok_or(TRUNCATED)?;
        Ok(at)
    };
    let content = |at: u64| -> Result<&[u8], String> {
        let (offset, len) = (
            file.u64(at + 24).ok_or(TRUNCATED)?,
            file.u64(at + 32).ok_or(TRUNCATED)?,
        );
        Ok(file.slice(offset, len).ok_or(TRUNCATED)?)
    };
    let mut image = Image::default();
    for index in 0..count {
        let at = section(index)?;
        if file.u32(at + 4) != Some(11) {
            continue;
        }
        let names = content(section(u64::from(file.u32(at + 40).ok_or(TRUNCATED)?))?)?;
        for symbol in content(at)?.chunks_exact(24) {
            let name = u32::from_le_bytes([symbol[0], symbol[1], symbol[2], symbol[3]]) as usize;
            let defined = symbol[6..8] != [0, 0];
            let name = names.get(name..).ok_or(DAMAGED)?;
            let end = name.iter().position(|byte| *byte == 0).ok_or(DAMAGED)?;
            if !defined {
                continue;
            }
            let Ok(name) = std::str::from_utf8(&name[..end]) else {
                continue;
            };
            if let Some(module) = name.strip_prefix(SYMBOL) {
                image.libraries.push(module.to_owned());
            } else if let Some(module) = name.strip_prefix("PyInit_") {
                image.extension = Some(module.to_owned());
            }
        }
    }
    Ok(image)
}
