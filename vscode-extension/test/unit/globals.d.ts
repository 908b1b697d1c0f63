/** The folder of the extension; run.mjs sets it. */
declare const __ROOT__: string;
