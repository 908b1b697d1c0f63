import assert from "node:assert/strict";
import { test } from "node:test";
import { parseEnvFile } from "../../src/launch/envFile";

test("names and values are read, comments and other lines are not", () => {
  const text = "\uFEFF# a comment\nA=1\r\n  export B = two words  \n\nno assignment\nC=x # why\nURL=http://a/#b\n";
  assert.deepEqual(parseEnvFile(text), { A: "1", B: "two words", C: "x", URL: "http://a/#b" });
});

test("double quotes keep spaces and know escapes; single quotes keep all", () => {
  assert.deepEqual(parseEnvFile(`A=" a # b "\nB="1\\n2"\nC='\${A}\\n'\nD=""\nE=\n`), {
    ...{ A: " a # b ", B: "1\n2", C: "${A}\\n", D: "", E: "" },
  });
});

test("${NAME} stands for an earlier variable, else for one of the environment, else for nothing", () => {
  assert.deepEqual(parseEnvFile("A=1\nB=${A}/${HOME}/${NONE}\n", { HOME: "/home/me", A: "other" }), {
    ...{ A: "1", B: "1//home/me/" },
  });
});
