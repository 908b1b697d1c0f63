"""C, C++ and Rust as text: parsing, what a line writes and reads, panics and sanitizers' reports. Pure."""
