import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readFile, rm } from 'node:fs/promises';
import path from 'node:path';
import { z } from 'zod';
import { cli, type RunningCli, startCli } from '../support/cli.ts';
import { type DataFolder, dataFolder } from '../support/data-folder.ts';
import { type EvaluatedProject, evaluatedProject } from '../support/evaluated-project.ts';
import { promptfooPackages } from '../support/evaluation-packages.ts';

/** The same evaluator as in docs/evaluation.md. */
const EVALUATOR = `import { assertions } from 'promptfoo';

export async function promptfoo({ inputs, outputs, example }) {
  const test = { vars: inputs, assert: example.metadata?.promptfoo?.assert ?? [] };
  const { pass, reason } = await assertions.runAssertions({ test, providerResponse: { output: outputs.answer } });
  return { key: 'promptfoo', score: pass, comment: reason };
}
`;
/** Tests as promptfoo's users write them: every second one fails. */
const configOf = (url: string) => `prompts: ['{{question}}']
providers:
  - id: ${url}/runs/wait
    config:
      method: POST
      headers: { content-type: application/json }
      body: { assistant_id: agent, input: { question: '{{question}}' } }
      transformResponse: json.answer
defaultTest:
  assert:
    - { type: not-contains, value: SHIP }
tests:
  - { description: equal, vars: { question: hello }, assert: [{ type: equals, value: HELLO }] }
  - { description: not equal, vars: { question: bye }, assert: [{ type: equals, value: BYE! }] }
  - { description: alike, vars: { question: pier }, assert: [{ type: icontains, value: pie }, { type: regex, value: '^P' }] }
  - { description: refused by default, vars: { question: ship }, assert: [{ type: icontains, value: ship }] }
  - { description: templated, vars: { question: dock, wanted: CK }, assert: [{ type: contains, value: '{{wanted}}' }] }
  - { description: computed, vars: { question: tide }, assert: [{ type: javascript, value: 'output.length > 4' }] }
  - { description: near enough, vars: { question: harbor }, assert: [{ type: levenshtein, value: HARBOUR, threshold: 1 }] }
  - { description: not JSON, vars: { question: cargo }, assert: [{ type: is-json }] }
`;

const Results = z.object({
  results: z.object({
    results: z.array(z.object({ success: z.boolean(), testCase: z.object({ description: z.string() }) })),
  }),
});
const Line = z.object({ label: z.string(), verdict: z.enum(['passed', 'failed']) });

describe('a file of promptfoo', function () {
  this.timeout(15 * 60_000);
  let data: DataFolder;
  let project: EvaluatedProject;
  let server: RunningCli;
  let packages: string;

  before(async () => {
    packages = await promptfooPackages();
    data = await dataFolder();
    project = await evaluatedProject({ 'evals/checks.mjs': EVALUATOR }, packages);
    await rm(path.join(project.folder, 'evals/checks.ts'));
    server = startCli(['dev', '--port', '0', '--json', '--data-dir', data.path], { cwd: project.folder });
    const { deployment_url: url } = z
      .object({ deployment_url: z.string() })
      .parse(JSON.parse(await server.said('\n')));
    await project.write({ 'tests.yaml': configOf(url) });
  });
  after(async () => {
    await server?.interrupt();
    await data?.[Symbol.asyncDispose]();
    await project?.[Symbol.asyncDispose]();
  });

  it('gets the verdicts of its own runner', async () => {
    const theirs = await runPromptfoo();
    const { stdout, stderr } = await cli(['eval', 'tests.yaml', '--json', '--data-dir', data.path], {
      cwd: project.folder,
    });
    assert.notEqual(stdout, '', stderr);
    const lines = stdout.trim().split('\n');
    const ours = new Map(
      lines.map((line) => {
        const { label, verdict } = Line.parse(JSON.parse(line));
        return [label, verdict === 'passed'];
      }),
    );
    assert.deepEqual(new Map([...ours].sort()), theirs);
    assert.deepEqual([...theirs.values()].filter(Boolean).length, 4);
  });

  /** Whether each test passed, by its description, in order. */
  async function runPromptfoo(): Promise<Map<string, boolean>> {
    const entry = path.join(packages, 'promptfoo/dist/src/entrypoint.js');
    const options = ['--no-write', '--no-cache', '--no-progress-bar', '--no-table', '--output', 'out.json'];
    const env = {
      ...process.env,
      PROMPTFOO_CONFIG_DIR: path.join(project.folder, 'promptfoo'),
      PROMPTFOO_DISABLE_TELEMETRY: '1',
      PROMPTFOO_DISABLE_UPDATE: '1',
    };
    const output = await new Promise<string>((resolve) => {
      execFile(
        process.execPath,
        [entry, 'eval', '--config', 'tests.yaml', ...options],
        { cwd: project.folder, env },
        (_failed, stdout, stderr) => resolve(stdout + stderr),
      );
    });
    const text = await readFile(path.join(project.folder, 'out.json'), 'utf8').catch(() => {
      throw new Error(output);
    });
    const { results } = Results.parse(JSON.parse(text)).results;
    return new Map(results.map(({ success, testCase }) => [testCase.description, success] as const).sort());
  }
});
