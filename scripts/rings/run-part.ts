import { spawn } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import type { Part } from './parts.ts';
import { markOf } from './processor-time.ts';
import { add, type Incident, NOTHING, type Result, Results, refuseRetries, rerun, sum } from './results.ts';
import { type ChecksRing, type MochaRing, type RunnerRing, root } from './rings.ts';

export interface PartOptions {
  /** Prints a line of the output of the part's processes. */
  readonly print: (line: string) => void;
  /** Added to the environment of the tests. */
  readonly env: Readonly<Record<string, string>>;
}

export function runPart(part: Part, options: PartOptions): Promise<Result> {
  if ('files' in part) return runMocha(part, options);
  return part.ring.kind === 'checks' ? runChecks(part.ring, options) : runRunner(part.ring, options);
}

async function runChecks({ name, commands }: ChecksRing, { print }: PartOptions): Promise<Result> {
  const failures: Incident[] = [];
  for (const [title, command] of Object.entries(commands)) {
    const { code, output } = await execute(name, command, { print: () => {}, env: {} });
    print(`  ${code === 0 ? 'ok  ' : 'FAIL'} ${title}`);
    if (code === 0) continue;
    output.split('\n').forEach(print);
    failures.push({ title, error: endOf(output) });
  }
  const failed = failures.length;
  return { ...NOTHING, passed: Object.keys(commands).length - failed, failed, failures };
}

async function runMocha(part: Extract<Part, { files: unknown }>, options: PartOptions): Promise<Result> {
  const { ring, label, files } = part;
  const { ended, results } = await runFiles(ring, files, options);
  if (results === undefined) return broken(label, ended, files);
  const result = sum(ring.name, results);
  return ended.code !== 0 && result.failed === 0 ? add(result, broken(label, ended, files)) : result;
}

/** Runs the failed files of a ring again. @param first the result so far, which includes these files. */
export async function runAgain(
  ring: MochaRing,
  files: readonly string[],
  first: Result,
  options: PartOptions,
): Promise<Result> {
  const { ended, results } = await runFiles(ring, files, options);
  const label = `${ring.name}, once more`;
  return results === undefined ? add(first, broken(label, ended, files)) : rerun(first, ring.name, results);
}

/** @returns no results when mocha ended before it could write them */
async function runFiles(
  { name, args = [], retries = 0 }: MochaRing,
  files: readonly string[],
  { print, env }: PartOptions,
): Promise<{ readonly ended: Ended; readonly results: Results | undefined }> {
  const folder = await mkdtemp(path.join(tmpdir(), 'agent-harbor-result-'));
  const file = path.join(folder, 'result.json');
  const mocha = path.join(root, 'node_modules', 'mocha', 'bin', 'mocha.js');
  const command = [process.execPath, mocha, ...args, '--retries', String(retries), ...files];
  const ended = await execute(name, command, { print, env: { ...env, AGENT_HARBOR_TEST_RESULT: file } });
  const text = await readFile(file, 'utf8').catch(() => undefined);
  await rm(folder, { recursive: true });
  if (text === undefined) return { ended, results: undefined };
  const results = Results.parse(JSON.parse(text));
  return { ended, results: retries > 0 ? results : refuseRetries(results) };
}

async function runRunner({ name, command }: RunnerRing, options: PartOptions): Promise<Result> {
  const ended = await execute(name, command, options);
  const line = [...ended.output.matchAll(/^(\d+) passed, (\d+) failed(?:, (\d+) skipped)?$/gm)].at(-1);
  if (line === undefined) return broken(name, ended);
  const [, passed, failed, skipped = 0] = line.map((number) => Number(number ?? 0));
  const result = { ...NOTHING, passed: passed ?? 0, failed: failed ?? 0, skipped };
  if (ended.code === 0) return result;
  return result.failed === 0
    ? add(result, broken(name, ended))
    : { ...result, failures: broken(name, ended).failures };
}

/** A part that ends without counts, or with an error although no test failed, counts as failed as a whole. */
function broken(label: string, { code, output }: Ended, files: readonly string[] = []): Result {
  const title = [`${label}, which ended with exit code ${code}`, ...files].join('\n    ');
  return { ...NOTHING, failed: 1, failures: [{ title, error: endOf(output) }] };
}

function endOf(output: string): string {
  return output.trimEnd().split('\n').slice(-40).join('\n');
}

interface Ended {
  readonly code: number;
  readonly output: string;
}

function execute(
  ring: string,
  [file = '', ...args]: readonly string[],
  { print, env }: PartOptions,
): Promise<Ended> {
  return new Promise((resolve) => {
    const child = spawn(file, args, {
      cwd: root,
      env: { ...process.env, ...env, ...markOf(ring) },
      stdio: ['ignore', 'pipe', 'pipe'],
      shell: process.platform === 'win32' && file.endsWith('.cmd'),
    });
    let output = '';
    for (const stream of [child.stdout, child.stderr]) {
      createInterface({ input: stream }).on('line', (line) => {
        output += `${line}\n`;
        print(line);
      });
    }
    child.on('error', (error) => resolve({ code: 1, output: error.message }));
    child.on('close', (code) => resolve({ code: code ?? 1, output }));
  });
}
