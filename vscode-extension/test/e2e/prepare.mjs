// Installs VS Code for the tests, if it is not.
import { installVsCode } from "./install.mjs";

await installVsCode();
