import assert from "node:assert/strict";
import { test } from "node:test";
import { parseCim, parsePs } from "../../src/launch/pickProcess";

test("ps is read line by line, the newest process first", () => {
  const text = "    1 systemd          /sbin/init splash\n 4711 /usr/bin/python3 python3 shop.py --all\n\n";
  assert.deepEqual(parsePs(text), [
    { pid: "4711", name: "python3", commandLine: "python3 shop.py --all" },
    { pid: "1", name: "systemd", commandLine: "/sbin/init splash" },
  ]);
});

test("Windows' processes are read, those without a command line by their name", () => {
  const text = '[{"ProcessId":4,"Name":"System","CommandLine":null},{"ProcessId":9,"Name":"a.exe","CommandLine":"a.exe b"}]';
  assert.deepEqual(parseCim(text), [
    { pid: "9", name: "a.exe", commandLine: "a.exe b" },
    { pid: "4", name: "System", commandLine: "System" },
  ]);
});
