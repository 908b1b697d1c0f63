import js from "@eslint/js";
import tseslint from "typescript-eslint";

export default tseslint.config(
  { ignores: ["dist/", "node_modules/", "test-results/", "src/shared/protocol.ts"] },
  js.configs.recommended,
  {
    files: ["**/*.ts"],
    extends: [...tseslint.configs.strictTypeChecked, ...tseslint.configs.stylisticTypeChecked],
    languageOptions: {
      parserOptions: { project: ["./tsconfig.json", "./tsconfig.view.json", "./tsconfig.viewtest.json"], tsconfigRootDir: import.meta.dirname },
    },
    rules: {
      "@typescript-eslint/consistent-type-imports": "error",
      "@typescript-eslint/explicit-module-boundary-types": "error",
      // A configuration's attributes stand in brackets: no type knows them.
      "@typescript-eslint/dot-notation": "off",
      // `Disposable` is a class that VS Code takes as an interface.
      "@typescript-eslint/no-unsafe-class-instance-assignment": "off",
      // `setting<boolean>("codeLens")`: the caller knows what package.json says.
      "@typescript-eslint/no-unnecessary-type-parameters": "off",
      // A number in a text needs no String() around it.
      "@typescript-eslint/restrict-template-expressions": ["error", { allowNumber: true }],
      eqeqeq: ["error", "always", { null: "ignore" }],
      "max-lines": ["error", { max: 300, skipBlankLines: true, skipComments: true }],
      "max-lines-per-function": ["error", { max: 60, skipBlankLines: true, skipComments: true }],
      "no-console": "error",
    },
  },
  {
    files: ["src/runview/**/*.ts"],
    rules: {
      "@typescript-eslint/no-non-null-assertion": "off", // arrays are walked by number, many times a frame
      "@typescript-eslint/prefer-nullish-coalescing": ["error", { ignorePrimitives: { string: true, number: true } }], // an empty text is none
    },
  },
  {
    files: ["test/**/*.ts"],
    rules: {
      "@typescript-eslint/no-floating-promises": "off", // what node:test's `test` returns need not be awaited
      "@typescript-eslint/no-non-null-assertion": "off",
      "max-lines-per-function": "off",
    },
  },
  {
    files: ["test/e2e/extensions/**/*.js"],
    languageOptions: {
      sourceType: "commonjs",
      globals: { process: "readonly", setTimeout: "readonly", setInterval: "readonly", clearInterval: "readonly" },
    },
  },
  {
    files: ["**/*.mjs"],
    languageOptions: {
      globals: {
        console: "readonly",
        process: "readonly",
        URL: "readonly",
        Buffer: "readonly",
        setTimeout: "readonly",
        clearTimeout: "readonly",
        fetch: "readonly",
        document: "readonly",
        window: "readonly",
      },
    },
  },
);
