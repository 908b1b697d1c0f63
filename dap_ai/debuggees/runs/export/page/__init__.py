"""A run as one HTML file: nothing is fetched, and no recorded text is ever markup, style or script.

`page.js` and `page.css` are built from vscode-extension/src/runview (`node esbuild.mjs --page`), and committed.
"""
