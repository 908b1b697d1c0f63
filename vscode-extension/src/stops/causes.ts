/**
 * Causes that answers have named, kept on this machine over sessions: so that one that comes again is known.
 *
 * A file of VS Code's own storage, readable by the user alone. It holds what dap_ai has said, which is masked, the name of the
 * exception's type, and places; no question, no value, no message of the program's.
 */

import { chmod, mkdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import * as path from "node:path";
import { log, textOf } from "../log";

/** One cause that was named. */
export interface Cause {
  /** In ms since 1970. */
  at: number;
  /** Of the exception: `TypeError`. */
  type: string;
  /** Of the most suspicious line, absolute; from 1. */
  file: string;
  line: number;
  /** Why that line is the cause, in dap_ai's words. */
  reason: string;
  /** The answer in a sentence. */
  found: string;
  /** With a fix of it the program then ran to its end. */
  isFixed?: true;
}

const MOST = 500;
const FILE = "causes.json";

/** The file; every method says nothing of a failure but in the log: it is an addition. */
export class Causes {
  private readonly file: string;
  private writing: Promise<unknown> = Promise.resolve();

  /** `isOn`: as the user has set it. */
  constructor(
    private readonly folder: string,
    private readonly isOn: () => boolean,
  ) {
    this.file = path.join(folder, FILE);
  }

  /** Newest first. */
  async all(): Promise<Cause[]> {
    await this.writing;
    return this.isOn() ? (await this.read()).reverse() : [];
  }

  /** The newest of the same cause that was named before `at`. */
  async before(cause: Cause): Promise<Cause | undefined> {
    return (await this.all()).find((each) => each.at < cause.at && isSame(each, cause));
  }

  /** Keeps one; the same one of a moment ago is told anew. */
  add(cause: Cause): Promise<void> {
    return this.change((known) => [...known.filter((each) => each.at !== cause.at), cause].slice(-MOST));
  }

  /** Forgets all; the file is gone. */
  async empty(): Promise<void> {
    await this.writing;
    await rm(this.file, { force: true });
  }

  /** One at a time: another window may have written meanwhile. */
  private change(by: (known: Cause[]) => Cause[]): Promise<void> {
    const done = this.writing.then(async () => {
      if (!this.isOn()) return;
      await mkdir(this.folder, { recursive: true });
      const next = `${this.file}.${process.pid}`;
      await writeFile(next, JSON.stringify(by(await this.read())), { mode: 0o600 });
      await chmod(next, 0o600); // one that was left behind keeps its own
      await rename(next, this.file);
    }).catch((error: unknown) => {
      log().warn(`the history of causes: ${textOf(error)}`);
    });
    this.writing = done;
    return done;
  }

  private async read(): Promise<Cause[]> {
    try {
      const kept: unknown = JSON.parse(await readFile(this.file, "utf8"));
      return Array.isArray(kept) ? kept.filter(isCause) : [];
    } catch {
      return []; // there is none yet, or it was cut
    }
  }
}

/** Lines move between runs: a cause is its file and its reason. */
export function isSame(one: Cause, other: Cause): boolean {
  return one.type === other.type && one.file === other.file && one.reason === other.reason;
}

/** It may be of another version of the extension. */
function isCause(kept: unknown): kept is Cause {
  const { at, type, file, line, reason, found } = (kept ?? {}) as Partial<Record<keyof Cause, unknown>>;
  return [at, line].every((each) => typeof each === "number") && [type, file, reason, found].every((each) => typeof each === "string");
}
