import type { Settings } from '../../support/vscode-settings.ts';
import { bundleTests } from './bundle.ts';
import { HostOutput } from './output.ts';
import type { Totals } from './run-mocha.ts';

export interface HostRunOptions {
  /** The folder of the extension under test, built. */
  readonly extension: string;
  /** Test files for mocha, in TypeScript; they may import `vscode` and the project's own modules. */
  readonly tests: readonly string[];
  /** The folder or `.code-workspace` file to open; an empty window without it. */
  readonly folder?: string | undefined;
  /** Added to the quiet settings of `vscode-server.ts`. */
  readonly settings?: Settings;
  /** Added to the environment of the extension host. */
  readonly env?: Readonly<Record<string, string>>;
  /** Only tests whose full title matches this regular expression. */
  readonly grep?: string | undefined;
  /** The time limit of one test; 30 s by default. */
  readonly testTimeoutMs?: number;
  /** The time limit of everything; 5 minutes by default. */
  readonly timeoutMs?: number;
  /** Gets the lines that mocha prints; standard output by default. */
  readonly print?: (line: string) => void;
}

/** How a run ended: with mocha's totals, or before mocha could count. */
export type HostRunResult =
  | ({ readonly kind: 'ran' } & Totals)
  | { readonly kind: 'broken'; readonly reason: string }
  | { readonly kind: 'skipped'; readonly reason: string };

/** One way to start a VS Code that runs a suite in its extension host. */
export type HostStarter = (options: HostRunOptions, suite: Suite) => Promise<HostEnd>;

export interface Suite {
  /** The module to give as `extensionTestsPath`. */
  readonly file: string;
  /** Takes a line that came out of the extension host. @returns whether it was mocha's */
  readonly take: (line: string) => boolean;
}

export type HostEnd =
  /** `log` explains why there are no totals, when there are none. */
  { readonly kind: 'ended'; readonly log: string } | { readonly kind: 'skipped'; readonly reason: string };

/** Bundles a suite, runs it in the extension host of a VS Code that `start` starts, and prints what mocha prints. */
export async function runInExtensionHost(
  start: HostStarter,
  options: HostRunOptions,
): Promise<HostRunResult> {
  const { print = console.log, grep, testTimeoutMs = 30_000 } = options;
  const color = process.stdout.isTTY === true;
  const bundle = await bundleTests(options.tests, { grep, color, timeoutMs: testTimeoutMs });
  try {
    const output = new HostOutput(bundle.file, print);
    const end = await start(options, { file: bundle.file, take: (line) => output.take(line) });
    if (end.kind === 'skipped') return end;
    if (output.totals) return { kind: 'ran', ...output.totals };
    return { kind: 'broken', reason: `the extension host ended without a result:\n${end.log}` };
  } finally {
    await bundle.remove();
  }
}
