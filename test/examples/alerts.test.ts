import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { load } from 'js-yaml';
import { z } from 'zod';
import { projectRoot } from '../support/cache.ts';
import { requirePrometheus } from '../support/prometheus.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const folder = path.join(projectRoot, 'examples', 'team');
const run = promisify(execFile);

const Rules = z.object({
  groups: z.array(
    z.object({
      rules: z.array(
        z.strictObject({
          alert: z.string(),
          expr: z.string(),
          for: z.string().optional(),
          labels: z.strictObject({ severity: z.enum(['page', 'warn']) }),
          annotations: z.strictObject({ summary: z.string(), action: z.string() }),
        }),
      ),
    }),
  ),
});
const Trials = z.object({
  tests: z.array(
    z.object({
      alert_rule_test: z.array(
        z.object({ alertname: z.string(), eval_time: z.string(), exp_alerts: z.array(z.unknown()) }),
      ),
    }),
  ),
});

/** Runs the program that comes with Prometheus. */
async function promtool(program: string, ...args: string[]): Promise<{ ok: boolean; text: string }> {
  try {
    const { stdout } = await run(program, args, { cwd: folder });
    return { ok: true, text: stdout };
  } catch (error) {
    const { stdout, stderr } = z.object({ stdout: z.string(), stderr: z.string() }).parse(error);
    return { ok: false, text: stdout + stderr };
  }
}

describe('the alert rules for servers of a team', () => {
  const rulesOf = async () => {
    const { groups } = Rules.parse(load(await readFile(path.join(folder, 'alerts.yaml'), 'utf8')));
    return groups.flatMap(({ rules }) => rules);
  };

  it('each have a fault that fires them, and a time at which they do not fire', async () => {
    const { tests } = Trials.parse(load(await readFile(path.join(folder, 'alerts.test.yaml'), 'utf8')));
    const trials = tests.flatMap((trial) => trial.alert_rule_test);
    const rules = await rulesOf();
    assert.ok(rules.length > 0);
    for (const { alert } of rules) {
      const fired = trials
        .filter(({ alertname }) => alertname === alert)
        .map(({ exp_alerts }) => exp_alerts.length);
      assert.deepEqual(fired.toSorted(), [0, 1], alert);
    }
  });

  it('are fired by these faults, according to promtool', async function () {
    const { promtool: program } = await requirePrometheus(this);
    const said = await promtool(program, 'test', 'rules', 'alerts.test.yaml');
    assert.ok(said.ok, said.text);
    await using scratch = await temporaryFolder();
    const rules = await readFile(path.join(folder, 'alerts.yaml'), 'utf8');
    await writeFile(path.join(scratch.path, 'alerts.yaml'), rules.replace(/> 0\.2$/m, '> 2'));
    const trials = path.join(scratch.path, 'alerts.test.yaml');
    await writeFile(trials, await readFile(path.join(folder, 'alerts.test.yaml'), 'utf8'));
    const without = await promtool(program, 'test', 'rules', trials);
    assert.match(without.text, /HarborRunsFail/);
    assert.equal(without.ok, false);
  });
});
