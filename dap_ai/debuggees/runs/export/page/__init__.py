"""Export to a self-contained HTML file. Browsers never interpret recorded text as markup, style or script.

`page.js` and `page.css` are built from vscode-extension/src/runview (`node esbuild.mjs --page`) and committed.
"""
