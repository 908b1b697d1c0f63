"""A program or a joined session at work in a terminal: started, asked about, ended."""
