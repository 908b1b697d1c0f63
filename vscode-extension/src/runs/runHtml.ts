/** The page in which the view of a run is shown. No `vscode` here: the tests load the same page in a plain browser. */

export interface RunPageParts {
  /** Fresh for each load: without it neither script nor style runs. */
  nonce: string;
  scriptUri: string;
  styleUri: string;
}

function attribute(text: string): string {
  return text.replace(/&/g, "&amp;").replace(/"/g, "&quot;").replace(/</g, "&lt;");
}

/** The whole page. What it shows comes as messages, and is never parsed as markup. */
export function runHtml(parts: RunPageParts): string {
  const nonce = attribute(parts.nonce);
  const policy = `default-src 'none'; script-src 'nonce-${nonce}'; style-src 'nonce-${nonce}'; form-action 'none'; base-uri 'none'`;
  return `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Agent run</title>
<link rel="stylesheet" nonce="${nonce}" href="${attribute(parts.styleUri)}">
</head>
<body>
<div id="app"></div>
<script nonce="${nonce}" src="${attribute(parts.scriptUri)}"></script>
</body>
</html>
`;
}
