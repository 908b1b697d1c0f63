"""A run as its view shows it: one shape for the page of `export --to html` and for editors."""
