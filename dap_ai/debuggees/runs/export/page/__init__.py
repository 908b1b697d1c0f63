"""A run as one HTML file: nothing is fetched, and no recorded text is ever markup, style or script."""
