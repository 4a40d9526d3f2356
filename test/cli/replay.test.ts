import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { RunRead } from '../../src/contract/tracing/runs.ts';
import { FileRequests } from '../../src/extension/panels/run-file/file-requests.ts';
import type { Span } from '../../src/extension/panels/trace/messages.ts';
import { toSpan } from '../../src/extension/panels/trace/read-spans.ts';
import { objectAt } from '../../src/process/objects.ts';
import { openRunFile } from '../../src/run-files/run-file-on-disk.ts';
import { type OpenLines, readOutline } from '../../src/run-files/run-file-outline.ts';
import { readStates } from '../../src/run-files/run-file-states.ts';
import { scanRunFile } from '../../src/run-files/scan-run-file.ts';
import { readPayload } from '../../src/terms/payload.ts';
import { cli } from '../support/cli.ts';
import { bundle } from '../support/dist.ts';
import { type ModelOrigin, modelOrigin } from '../support/model-origin.ts';
import type { GraphProject } from '../support/projects.ts';
import { replayProject } from '../support/replay-project.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

/** Secrets as an env file may have them. */
const SECRETS = Array.from({ length: 40 }, (_, at) => `pl4nted-${at}-sécret/${at}=`);

describe('agent-harbor replay', function () {
  this.timeout(180_000);
  let origin: ModelOrigin;
  let project: GraphProject;
  let outside: Awaited<ReturnType<typeof temporaryFolder>>;
  let file: string;
  let later: string;

  const run = (args: readonly string[]) =>
    cli([...args, '--data-dir', join(outside.path, 'data')], { cwd: project.folder });
  const git = (...args: string[]) =>
    promisify(execFile)('git', ['-c', 'user.name=t', '-c', 'user.email=t@example.test', ...args], {
      cwd: project.folder,
    });

  before(async () => {
    origin = await modelOrigin();
    project = await replayProject({
      MODEL_ORIGIN: origin.url,
      OPENAI_API_KEY: 'the-openai-key',
      ANTHROPIC_API_KEY: 'the-anthropic-key',
      ...Object.fromEntries(SECRETS.map((value, at) => [`PLANTED_${at}`, `'${value}'`])),
    });
    outside = await temporaryFolder();
    file = join(outside.path, 'two.agentrun');
    await git('init', '--quiet');
    await writeFile(join(project.folder, '.gitignore'), 'node_modules\n.env\n');
    await git('add', '.');
    await git('commit', '--quiet', '--message', 'first');
    const first = await run([
      'run',
      'agent',
      `hello ${SECRETS.join(' and ')}`,
      '--record',
      join(outside.path, 'one.agentrun'),
    ]);
    assert.equal(first.code, 3, first.stderr);
    const thread = /thread ([0-9a-f-]{36})/.exec(first.stderr)?.[1] ?? '';
    const second = await run(['run', 'agent', '--thread', thread, '--resume', 'yes', '--record', file]);
    assert.equal(second.code, 0, second.stderr);
    later = join(outside.path, 'later.agentrun');
    const third = await run(['run', 'agent', 'again', '--thread', thread, '--record', later]);
    assert.equal(third.code, 3, third.stderr);
    await origin.close();
    // A fresh clone has no env file.
    await rm(join(project.folder, '.env'));
  });
  after(async () => {
    await project[Symbol.asyncDispose]();
    await outside[Symbol.asyncDispose]();
  });

  it('runs a saved run again without its models, tools and variables, with the same result', async () => {
    const { code, stdout, stderr } = await run(['replay', file]);
    assert.deepEqual(
      [code, stdout],
      [
        0,
        'The run is the same: same final values and order of nodes (11 requests answered from the file).\n',
      ],
      stderr,
    );
  });

  it('saves files whose requests are shown below the nodes that sent them, in their order', async () => {
    const requests = new FileRequests(file);
    const names = new Map<string, string>();
    const rows: Span[] = [];
    for await (const { line, place } of scanRunFile(file)) {
      if (line?.kind === 'exchange') requests.add(line, place);
      const read = line?.kind === 'span' ? RunRead.partial().parse(line.span) : undefined;
      const span = read && toSpan(read);
      if (span === undefined) continue;
      names.set(span.id, span.name);
      rows.push(...requests.takeFor(span, objectAt(objectAt({ ...read }, 'extra'), 'metadata')));
    }
    const nodes = new Set(rows.map(({ parent = '' }) => names.get(parent)));
    assert.ok(nodes.has('plan') && nodes.has('look') && nodes.has('ask'), [...nodes].join());
    rows.push(...requests.takeRest({ id: 'thread', start: 0 }));
    assert.deepEqual([rows.length, requests.count], [11, 11]);
    for (const { name, start, end = 0 } of rows) {
      assert.match(name, /^(GET|POST) 127\.0\.0\.1:\d+( · \d+)?$/);
      assert.ok(end >= start && start > 0);
    }
    const details = await Promise.all(rows.map(({ id }) => requests.readContents(id)));
    const chat = details.find(({ metadata }) => String(metadata.url).endsWith('/chat/completions'));
    assert.ok(readPayload(chat?.inputs).messages.some(({ role }) => role === 'human'));
    assert.match(JSON.stringify(readPayload(chat?.outputs).messages), /"role":"ai".*answer \d+/);
    const redacted = details.flatMap(({ metadata }) => metadata.redacted ?? []);
    assert.ok(redacted.includes('request headers.authorization'), redacted.join());
    assert.ok(!JSON.stringify(details).includes('the-openai-key'));
  });

  it('starts no run that it could not save', async () => {
    const { code, stdout, stderr } = await run([
      'run',
      'agent',
      'hello',
      '--record',
      join(file, 'x.agentrun'),
    ]);
    assert.equal(code, 1, stderr);
    assert.equal(stdout, '');
    assert.match(stderr, /two\.agentrun/);
    assert.doesNotMatch(stderr, /thread [0-9a-f-]{36}/);
  });

  it('starts where the saved run started, with the states in its file', async () => {
    const { code, stdout, stderr } = await cli(
      ['replay', later, '--json', '--data-dir', join(outside.path, 'elsewhere')],
      { cwd: project.folder },
    );
    assert.equal(code, 0, stderr);
    const { kind, ...rest } = JSON.parse(stdout);
    assert.equal(kind, 'same');
    assert.deepEqual(Object.keys(rest).sort(), ['answered', 'ends', 'is_new', 'live', 'run_id', 'thread_id']);
  });

  it('names its states by the nodes that made them', async () => {
    const open: OpenLines = (kinds) => openRunFile(file, kinds);
    const states = await readStates(open, await readOutline(open));
    const names = states.map(({ step, nodes, next }) => `${step} ${nodes.join(', ')} › ${next.join(', ')}`);
    assert.deepEqual(names, [
      '-1  › ',
      '0  › plan',
      '1 plan › Send 1, Send 2, Send 3, research',
      '2 Send 1, Send 2, Send 3, research › approve',
      '3 approve › finish',
      '4 finish › ',
    ]);
  });

  it('starts from a state in the middle, and sends only the requests that came after it', async () => {
    const wrong = await run(['replay', file, '--from', 'nowhere']);
    assert.equal(wrong.code, 128, 'a bisection stops');
    const states = [...wrong.stderr.matchAll(/^ {2}(\S+) \(step (-?\d+)\)$/gm)].map(([, id = '']) => id);
    assert.match(wrong.stderr, /its runs made no state nowhere\. They made:/);
    const answered: number[] = [];
    for (const state of states) {
      const { code, stdout, stderr } = await run(['replay', file, '--from', state, '--json']);
      const outcome = JSON.parse(stdout);
      assert.deepEqual([code, outcome.kind, outcome.live], [0, 'same', 0], `${state}: ${stdout}${stderr}`);
      answered.push(outcome.answered);
    }
    const [all = 0] = answered;
    assert.equal(all, 11);
    assert.ok(answered.includes(1), `${answered}: one state is before the last model is asked`);
    assert.ok(
      answered.every((count) => count <= all),
      `${answered}`,
    );
  });

  it('accepts a run whose tasks were recorded as paths as the same', async () => {
    const old = join(outside.path, 'old.agentrun');
    const lines = (await readFile(file, 'utf8')).split('\n').map((line) => {
      if (!line.includes('"kind":"run_end"')) return line;
      const { steps, ...end } = JSON.parse(line);
      const paths = JSON.stringify(steps)
        .replaceAll(
          /"Send (\d+)"/g,
          (_, place) => `"~__pregel_push, ${String(place - 1).padStart(10, '0')}, False"`,
        )
        .replaceAll(/"([^"~]+)"(?=[,\]])/g, '"~__pregel_pull, $1"');
      return JSON.stringify({ ...end, steps: JSON.parse(paths) });
    });
    const text = lines.join('\n');
    assert.match(text, /"~__pregel_pull, finish"/);
    await writeFile(old, text);
    const { code, stdout, stderr } = await run(['replay', old]);
    assert.equal(code, 0, stdout + stderr);
    assert.match(stdout, /^The run is the same: /);
  });

  it('says in which superstep other nodes ran, by their names', async () => {
    const agent = join(project.folder, 'agent.mjs');
    const code = await readFile(agent, 'utf8');
    await writeFile(agent, code.replaceAll("'finish'", "'conclude'"));
    try {
      const { code: exit, stdout, stderr } = await run(['replay', file]);
      assert.equal(exit, 1, stderr);
      assert.match(stdout, /^The steps differ from the recording \(11 requests answered from the file\)\.\n/);
      assert.match(stdout, /\n {2}superstep 5\n {2}- finish\n {2}\+ conclude\n$/);
    } finally {
      await writeFile(agent, code);
    }
  });

  it('has none of the project’s secrets in the file', async () => {
    const text = await readFile(file, 'utf8');
    for (const secret of [
      ...SECRETS,
      'the-openai-key',
      'the-anthropic-key',
      'tool-secret',
      'cookie-secret',
    ]) {
      for (const form of [secret, Buffer.from(secret).toString('base64'), encodeURIComponent(secret)]) {
        assert.ok(!text.includes(form), secret);
      }
    }
    assert.match(text, /hello \*{10}/);
  });

  it('finds with git bisect the commit that changed a prompt, and skips one that does not load', async () => {
    const prompt = join(project.folder, 'prompt.mjs');
    for (const text of [
      "'You are brief.'; // Reworded",
      "'You are'.brief(",
      "'You are brief.'",
      "'You are verbose.'",
      "'You are verbose.'; // Late",
    ]) {
      await writeFile(prompt, `export const PROMPT = ${text}\n`);
      await git('commit', '--quiet', '--all', '--message', text);
    }
    const { stdout: planted } = await git('rev-parse', 'HEAD~1');
    const command = [process.execPath, bundle('cli.js'), 'replay', file];
    await git('bisect', 'start', 'HEAD', 'HEAD~5');
    const { stdout } = await git('bisect', 'run', ...command, '--data-dir', join(outside.path, 'data'));
    assert.match(stdout, /- "You are brief\."\n {2}\+ "You are verbose\."/);
    assert.ok(stdout.includes(`${planted.trim()} is the first bad commit`), stdout);
    await git('bisect', 'reset');
  });

  it('explains what is wrong with an incomplete file, so that a bisection stops', async () => {
    const cut = join(outside.path, 'cut.agentrun');
    await writeFile(cut, (await readFile(file, 'utf8')).slice(0, -20));
    const { code, stderr } = await run(['replay', cut]);
    assert.equal(code, 128);
    assert.match(stderr, /The run file could not be read: line \d+ is not valid JSON|its end is missing/);
  });
});
