//! What a file is, judged from its bytes: no bytes do harm. (The fuzz target `library` goes on
//! where this ends.)

use pairbond_core::abi::{Head, Text, VERSION};
use pairbond_plugin::Table;
use pairbond_plugin::image::{Image, inspect_image};

const MACHINE: u16 = if cfg!(target_arch = "aarch64") { 183 } else { 62 };

/// A small library that offers `pairbond_library_a` and `PyInit_b`.
fn small_library() -> Vec<u8> {
    let names = b"\0pairbond_library_a\0PyInit_b\0";
    let mut bytes = vec![0; 512];
    let mut put = |at: usize, part: &[u8]| bytes[at..at + part.len()].copy_from_slice(part);
    put(0, b"\x7fELF\x02\x01\x01");
    put(16, &3_u16.to_le_bytes());
    put(18, &MACHINE.to_le_bytes());
    // One segment, dynamic, at 64; three sections at 128: none, symbols, names.
    for (at, number) in [
        (32, 64_u64),
        (40, 128),
        (64 + 8, 320),
        (64 + 32, 16),
        (64 + 40, 16),
    ] {
        put(at, &number.to_le_bytes());
    }
    for (at, number) in [(54, 56_u16), (56, 1), (58, 64), (60, 3)] {
        put(at, &number.to_le_bytes());
    }
    put(64, &2_u32.to_le_bytes());
    let sections = [
        (1, 11_u32, 400_u64, 48_u64, 2_u32),
        (2, 3, 460, names.len() as u64, 0),
    ];
    for (section, kind, offset, len, link) in sections {
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

#[test]
fn a_library_says_what_it_offers() {
    let expected = Image {
        libraries: vec!["a".into()],
        extension: Some("b".into()),
    };
    assert_eq!(inspect_image(&small_library()), Ok(expected));
    // An imported symbol is not exported.
    let mut importing = small_library();
    importing[400 + 6] = 0;
    assert_eq!(inspect_image(&importing).unwrap().libraries, [""; 0]);
}

#[test]
fn what_is_cut_off_is_not_whole() {
    let whole = small_library();
    for len in (4..489).step_by(if cfg!(miri) { 23 } else { 1 }) {
        let why = inspect_image(&whole[..len]).unwrap_err();
        assert!(why.contains("is not whole"), "{len}: {why}");
    }
}

/// The tables of what a file offers may be there while what the loader maps is not.
#[test]
fn what_is_to_be_mapped_is_there() {
    // The segment's offset, size in the file, and size in memory.
    for (at, number, word) in [
        (64 + 8, 500_u64, "is not whole"),
        (64 + 8, u64::MAX, "is not whole"),
        (64 + 32, 4096, "is not whole"),
        (64 + 32, 17, "is damaged"),
        (64 + 40, 15, "is damaged"),
    ] {
        let mut bytes = small_library();
        bytes.splice(at..at + 8, number.to_le_bytes());
        let why = inspect_image(&bytes).unwrap_err();
        assert!(why.contains(word), "{at} {number}: {why}");
    }
    // No segment at all, and none that is dynamic.
    for (at, number) in [(56, 0), (64, 6)] {
        let mut bytes = small_library();
        bytes[at] = number;
        let why = inspect_image(&bytes).unwrap_err();
        assert!(why.contains("nothing for the dynamic linker"), "{at}: {why}");
    }
}

#[test]
fn numbers_that_lead_nowhere_are_refused() {
    let numbers = [
        0,
        1,
        0xffff_u64,
        u64::from(u32::MAX),
        u64::MAX,
        u64::MAX - 63,
        1 << 63,
    ];
    // Miri takes seconds for each.
    for at in (0..500).step_by(if cfg!(miri) { 61 } else { 1 }) {
        for number in numbers {
            let mut bytes = small_library();
            bytes.splice(at..at + 8, number.to_le_bytes());
            // Whatever comes of it: no panic, and a sentence.
            if let Err(why) = inspect_image(&bytes) {
                assert!(why.starts_with("is ") || why.starts_with("has "), "{why}");
            }
        }
    }
}

#[test]
fn tables_are_known_by_their_head() {
    #[repr(C)]
    struct Begins {
        magic: [u8; 8],
        head: Head,
        rest: [usize; 20],
    }
    let check = |magic: &[u8; 8], change: &dyn Fn(&mut Head)| {
        let mut table = Begins {
            magic: *magic,
            head: Head::of::<Table>(),
            rest: [0; 20],
        };
        change(&mut table.head);
        // SAFETY: a magic and a head.
        unsafe { Table::check_table((&raw const table).cast()) }
    };
    assert_eq!(check(b"pairbond", &|_| ()), Ok(()));
    assert_eq!(
        check(b"pairbond", &|head| head.size += 64),
        Ok(()),
        "a newer library's"
    );
    let refused = |change: &dyn Fn(&mut Head)| check(b"pairbond", change).unwrap_err();
    let newer = refused(&|head| {
        head.abi += 1;
        head.version = Text::new("7.0.0");
    });
    for part in [
        "pairbond 7.0.0",
        VERSION,
        "pip install --upgrade 'pairbond>=7.0.0'",
    ] {
        assert!(newer.contains(part), "{part} in {newer}");
    }
    let older = refused(&|head| {
        head.abi -= 1;
        head.version = Text::new("0.0.1");
    });
    assert!(older.contains("pip install 'pairbond==0.0.1'"), "{older}");
    assert!(refused(&|head| head.size -= 8).contains("pairbond"));
    assert!(refused(&|head| head.compiler = Text::new("rustc 9")).contains("rustc 9"));
    assert!(refused(&|head| head.shapes += 1).contains("laid out otherwise"));
    assert!(
        check(b"somethin", &|_| ())
            .unwrap_err()
            .contains("something else")
    );
}
