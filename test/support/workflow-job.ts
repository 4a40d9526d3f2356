import { spawn } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { load } from 'js-yaml';
import { z } from 'zod';

const Values = z.record(z.string(), z.coerce.string());
const Step = z
  .strictObject({
    name: z.string(),
    uses: z.string(),
    with: Values,
    run: z.string(),
    if: z.literal('always()'),
    env: Values,
  })
  .partial();
export type Step = z.output<typeof Step>;

const Job = z.looseObject({ env: Values.optional(), steps: z.array(Step) });
export type Job = z.output<typeof Job>;

/** The part of GitHub Actions' runner that a job's workflow needs. */
export interface Runner {
  /** The folder that steps run in. */
  readonly workspace: string;
  readonly environment: NodeJS.ProcessEnv;
  /** The values of `${{ … }}`. */
  readonly expressions: Readonly<Record<string, string>>;
  /** The actions that `uses` names, by name without version. */
  readonly actions: Readonly<Record<string, (parameters: Record<string, string>) => Promise<unknown>>>;
}

export interface RanJob {
  /** The failed steps, by their name or command. */
  readonly failed: readonly string[];
  readonly output: string;
}

/** @returns the only job of a workflow. */
export async function readJob(file: string): Promise<Job> {
  const { jobs } = z
    .looseObject({ jobs: z.record(z.string(), Job) })
    .parse(load(await readFile(file, 'utf8')));
  const [job, ...others] = Object.values(jobs);
  if (job === undefined || others.length > 0)
    throw new Error(`${path.basename(file)} must have exactly one job.`);
  return job;
}

/** Runs the steps of a job as GitHub does: after a failed step, only those that always run. */
export async function runJob({ env, steps }: Job, runner: Runner): Promise<RanJob> {
  const fill = (text: string) =>
    text.replaceAll(/\$\{\{ *(.+?) *\}\}/g, (_whole, expression: string) => {
      const value = runner.expressions[expression];
      if (value === undefined) throw new Error(`The runner does not know \${{ ${expression} }}.`);
      return value;
    });
  const fillAll = (values: Record<string, string> = {}) =>
    Object.fromEntries(Object.entries(values).map(([name, value]) => [name, fill(value)]));
  const failed: string[] = [];
  let output = '';
  for (const step of steps) {
    if (failed.length > 0 && step.if === undefined) continue;
    if (step.run !== undefined) {
      const environment = { ...runner.environment, ...fillAll(env), ...fillAll(step.env) };
      const ran = await runScript(fill(step.run), runner.workspace, environment);
      output += ran.output;
      if (ran.code !== 0) failed.push(step.name ?? step.run);
    } else {
      const [name = ''] = (step.uses ?? '').split('@');
      const action = runner.actions[name];
      if (action === undefined) throw new Error(`The runner does not know the action '${name}'.`);
      await action(fillAll(step.with));
    }
  }
  return { failed, output };
}

/** Runs a step's script as the runner's default shell does. */
function runScript(
  script: string,
  cwd: string,
  env: NodeJS.ProcessEnv,
): Promise<{ readonly code: number | null; readonly output: string }> {
  return new Promise((resolve, reject) => {
    const child = spawn('bash', ['-e', '-c', script], { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] });
    let output = '';
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (text: string) => (output += text));
    }
    child.once('error', reject).once('close', (code) => resolve({ code, output }));
  });
}
