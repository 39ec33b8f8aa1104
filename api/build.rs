//! Builds the api anew when the console's build has changed: new files in a folder are not noticed otherwise.

fn main() {
    println!("cargo:rerun-if-changed=../console/dist");
    println!("cargo:rerun-if-changed=migrations");
}
