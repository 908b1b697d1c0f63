/** esbuild takes the style into dist/view.css. */
declare module "*.css";
