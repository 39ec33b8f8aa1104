#![no_main]
libfuzzer_sys::fuzz_target!(|data: &[u8]| harit_fuzz_targets::command_template(data));
