"""C, C++ and Rust: parsed, never evaluated; what their crashes mean."""
