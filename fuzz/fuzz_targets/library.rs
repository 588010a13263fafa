//! Files that are to be loaded, inspected before: any bytes give a verdict or a reason for refusal.
//! Names that were found lie within the file.
#![no_main]

use libfuzzer_sys::fuzz_target;
use pairbond_plugin::image::{SYMBOL, inspect_image};

/// A small library that offers `pairbond_library_a` and `PyInit_b`, and whose parts are where it
/// says.
fn library() -> Vec<u8> {
    let names = b"\0pairbond_library_a\0PyInit_b\0";
    let mut bytes = vec![0; 512];
    let mut put = |at: usize, part: &[u8]| bytes[at..at + part.len()].copy_from_slice(part);
    put(0, b"\x7fELF\x02\x01\x01");
    put(16, &3_u16.to_le_bytes());
    put(18, &(if cfg!(target_arch = "aarch64") { 183_u16 } else { 62 }).to_le_bytes());
    // One segment, dynamic, at 64; three sections at 128: none, symbols, names.
    for (at, number) in [(32, 64_u64), (40, 128), (64 + 8, 320), (64 + 32, 16), (64 + 40, 16)] {
        put(at, &number.to_le_bytes());
    }
    for (at, number) in [(54, 56_u16), (56, 1), (58, 64), (60, 3)] {
        put(at, &number.to_le_bytes());
    }
    put(64, &2_u32.to_le_bytes());
    for (section, kind, offset, len, link) in [(1, 11_u32, 400_u64, 48_u64, 2_u32), (2, 3, 460, names.len() as u64, 0)] {
        let at = 128 + section * 64;
        put(at + 4, &kind.to_le_bytes());
        put(at + 24, &offset.to_le_bytes());
        put(at + 32, &len.to_le_bytes());
        put(at + 40, &link.to_le_bytes());
    }
    for (symbol, name) in [(0, 1_u32), (1, 20)] {
        put(400 + symbol * 24, &name.to_le_bytes());
        put(400 + symbol * 24 + 6, &[1, 0]);
    }
    put(460, names);
    bytes
}

fn judge(bytes: &[u8]) {
    match inspect_image(bytes) {
        Ok(image) => {
            for name in image.libraries.iter().chain(&image.extension) {
                assert!(name.is_empty() || bytes.windows(name.len()).any(|part| part == name.as_bytes()));
            }
        }
        Err(why) => assert!(why.starts_with("is ") || why.starts_with("has "), "{why}"),
    }
}

fuzz_target!(|data: &[u8]| {
    judge(data);
    // A library with some bytes changed: place and byte in turn. Then cut off.
    let mut bytes = library();
    let whole = inspect_image(&bytes).expect("a good library");
    assert_eq!((whole.libraries, whole.extension.as_deref()), (vec!["a".to_owned()], Some("b")), "{SYMBOL}");
    for change in data.chunks_exact(3) {
        let at = usize::from(u16::from_le_bytes([change[0], change[1]])) % bytes.len();
        bytes[at] = change[2];
        judge(&bytes);
    }
    bytes.truncate(data.len() * 2);
    judge(&bytes);
});
