/** The page of the answer view. No `vscode` here: the tests load the same page in a plain browser. */

/** Where the page finds its script and style, and what its policy lets it load. */
export interface PageParts {
  /** Fresh for each load: without it neither script nor style runs. */
  nonce: string;
  scriptUri: string;
  styleUri: string;
  /** `panel` in the side bar, `tab` in the editor area: the wide layout. */
  place: "panel" | "tab";
}

function attribute(text: string): string {
  return text.replace(/&/g, "&amp;").replace(/"/g, "&quot;").replace(/</g, "&lt;");
}

/** The whole page. Everything that it shows is made by its script from `HostMessage`s. */
export function answerHtml(parts: PageParts): string {
  const nonce = attribute(parts.nonce);
  const policy = `default-src 'none'; script-src 'nonce-${nonce}'; style-src 'nonce-${nonce}'; form-action 'none'; base-uri 'none'`;
  return `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Ask</title>
<link rel="stylesheet" nonce="${nonce}" href="${attribute(parts.styleUri)}">
</head>
<body data-place="${parts.place}">
<div id="app"></div>
<script nonce="${nonce}" src="${attribute(parts.scriptUri)}"></script>
</body>
</html>
`;
}
