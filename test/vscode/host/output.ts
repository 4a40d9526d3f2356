import { readFileSync } from 'node:fs';
import { SourceMap, type SourceMapPayload } from 'node:module';
import path from 'node:path';
import { z } from 'zod';
import { outputMark, type Totals } from './run-mocha.ts';

const totalsSchema = z.strictObject({ passed: z.number(), failed: z.number(), skipped: z.number() });

/** Reads the output of an extension host, passes on mocha's lines, and keeps mocha's totals. */
export class HostOutput {
  #totals: Totals | undefined;
  readonly #print: (line: string) => void;
  readonly #bundle: string;
  readonly #sources: SourceMap;

  /** @param bundle the bundled suite, whose lines are shown as those of the test files */
  constructor(bundle: string, print: (line: string) => void) {
    this.#print = print;
    this.#bundle = bundle;
    const payload: SourceMapPayload = JSON.parse(readFileSync(`${bundle}.map`, 'utf8'));
    this.#sources = new SourceMap(payload);
  }

  /** Mocha's counts; `undefined` until it has ended. */
  get totals(): Totals | undefined {
    return this.#totals;
  }

  /** @returns whether the line was mocha's */
  take(line: string): boolean {
    const start = line.indexOf(outputMark);
    if (start < 0) return false;
    const text = line.slice(start + outputMark.length);
    const totals = text.startsWith('{"passed"') ? totalsSchema.parse(JSON.parse(text)) : undefined;
    if (totals) this.#totals = totals;
    else this.#print(this.#toSource(text));
    return true;
  }

  #toSource(line: string): string {
    return line.replace(/[^\s()]*suite\.cjs:(\d+):(\d+)/g, (position, row: string, column: string) => {
      const entry = this.#sources.findEntry(Number(row) - 1, Number(column) - 1);
      if (!('originalSource' in entry)) return position;
      const file = path.resolve(path.dirname(this.#bundle), entry.originalSource);
      return `${path.relative(process.cwd(), file)}:${entry.originalLine + 1}:${entry.originalColumn + 1}`;
    });
  }
}
