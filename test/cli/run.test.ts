import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import { delimiter, join, relative, resolve } from 'node:path';
import { promisify } from 'node:util';
import type { Dispatcher } from 'undici';
import { z } from 'zod';
import { Client } from '../../src/client/client.ts';
import { createDispatcher } from '../../src/client/dispatcher.ts';
import { StreamMode } from '../../src/contract/agent-server/runs.ts';
import { cli, type RunningCli, startCli } from '../support/cli.ts';
import { type DataFolder, dataFolder } from '../support/data-folder.ts';
import { bundle } from '../support/dist.ts';
import { skip } from '../support/skip.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { eventually, patience } from '../support/wait.ts';

const config = resolve(import.meta.dirname, '../fixtures/agents/langgraph.json');
const Event = z.object({ id: z.string().optional(), event: z.string(), data: z.unknown() });

describe('agent-harbor run', function () {
  this.timeout(90_000);
  let folder: DataFolder;
  let dispatcher: Dispatcher;
  let dev: RunningCli;
  let deploymentUrl: string;
  let client: Client;

  before(async () => {
    folder = await dataFolder();
    dispatcher = createDispatcher({});
    dev = startCli(['dev', '--config', config, '--port', '0', '--data-dir', folder.path, '--json']);
    const line = z
      .object({ deployment_url: z.string(), base_url: z.string(), api_key: z.string() })
      .parse(JSON.parse(await dev.said('\n')));
    deploymentUrl = line.deployment_url;
    client = new Client({
      dispatcher,
      connection: {
        baseUrl: line.base_url,
        controlPlaneUrl: line.base_url,
        deploymentUrl,
        credentials: { apiKey: line.api_key },
      },
    });
  });
  after(async () => {
    await dev.interrupt();
    await dispatcher.destroy();
    await folder[Symbol.asyncDispose]();
  });

  const here = () => ['--config', config, '--data-dir', folder.path];
  const run = (args: string[], options = {}) => cli(['run', ...args, ...here()], options);
  const threadOf = ({ stderr }: { stderr: string }) => /thread ([0-9a-f-]{36})/.exec(stderr)?.[1] ?? '';

  for (const maxOpenFiles of process.platform === 'win32' ? [] : [40, 64]) {
    it(`succeeds or says how to raise the limit, with ${maxOpenFiles} open files`, async () => {
      await using own = await dataFolder();
      const args = ['run', 'talk', '--input', '{}', '--config', config, '--data-dir', own.path];
      const { code, stderr } = await cli(args, {
        maxOpenFiles,
        environment: { AGENT_HARBOR_LOAD_SECONDS: String(4 * patience) },
      });
      // How many files are needed depends on what happens to be open at the same time; 40 are never enough.
      if (maxOpenFiles === 64 && code === 0) return;
      assert.notEqual(code, 0);
      const way = `Only ${maxOpenFiles} files can be open at the same time. Raise the limit (ulimit -n 4096)`;
      assert.ok(stderr.includes(way), stderr);
    });
  }

  it('keeps others from deleting the threads of the folder that it serves', async () => {
    const { thread_id } = await client.threads.create({ body: {} });
    const { code, stderr } = await cli(['delete', 'agents', '--yes', '--data-dir', folder.path]);
    assert.equal(code, 1);
    assert.match(stderr, /'agents' was not deployed: it is the agent of a folder that is open now\./);
    assert.equal((await client.threads.get({ params: { thread_id } })).thread_id, thread_id);
  });

  it('shows tokens, custom events, node updates, and the IDs of thread and run', async () => {
    const result = await run(['talk', '--input', '{"messages": "Hello"}']);
    assert.equal(result.code, 0);
    assert.equal(result.stdout, '• {"heard":"Hello"}\nShips are safe in the harbor.\n✓ say messages\n');
    const thread = await client.threads.get({ params: { thread_id: threadOf(result) } });
    assert.equal(thread.status, 'idle');
    const [stored] = await client.runs.list({ params: { thread_id: thread.thread_id } });
    const last = `, run ${stored?.run_id}\nGive feedback: agent-harbor feedback ${stored?.run_id} --score 1 `;
    assert.ok(result.stderr.includes(last), result.stderr);
  });

  it('prints one line of JSON per event, token by token', async () => {
    const { stdout, code } = await run(['talk', '--input', '{"messages": "Hello"}', '--json']);
    assert.equal(code, 0);
    const events = stdout
      .trimEnd()
      .split('\n')
      .map((line) => Event.parse(JSON.parse(line)));
    assert.equal(events[0]?.event, 'metadata');
    const tokens = events.filter(({ event }) => event === 'messages');
    assert.ok(tokens.length > 10, `${tokens.length} pieces`);
  });

  it('streams the requested modes', async () => {
    const { stdout } = await run([
      'talk',
      '--input',
      '{"messages": "Hello"}',
      '--stream-mode',
      'values',
      '--json',
    ]);
    const kinds = new Set(
      stdout
        .trimEnd()
        .split('\n')
        .map((line) => Event.parse(JSON.parse(line)).event),
    );
    assert.deepEqual([...kinds], ['metadata', 'values']);
  });

  it('reads its input from standard input', async () => {
    const { stdout, code } = await run(['talk', '--input', '-'], { input: '{"messages": "from a pipe"}' });
    assert.equal(code, 0);
    assert.match(stdout, /"heard":"from a pipe"/);
  });

  it('continues a thread', async () => {
    const first = await run(['talk', '--input', '{"messages": "one"}']);
    await run(['talk', '--input', '{"messages": "two"}', '--thread', threadOf(first)]);
    const { values } = await client.threads.get({ params: { thread_id: threadOf(first) } });
    assert.equal(z.object({ messages: z.array(z.unknown()) }).parse(values).messages.length, 4);
  });

  it('shows an interrupt and resumes with the answer', async () => {
    const asked = await run(['approve', '--input', '{"wish": "a ship"}']);
    assert.equal(asked.code, 3);
    assert.match(asked.stdout, /The run is waiting for an answer:\n\{\n {2}"question": "Grant a ship\?"\n\}/);
    const thread = threadOf(asked);
    assert.match(asked.stderr, new RegExp(`agent-harbor run approve --thread ${thread} --resume '<answer>'`));
    const answered = await run(['approve', '--thread', thread, '--resume', '{"yes": true}']);
    assert.equal(answered.code, 0);
    const { values } = await client.threads.get({ params: { thread_id: thread } });
    assert.deepEqual(values, { wish: 'a ship', granted: { yes: true } });
    assert.ok(
      answered.stdout.endsWith(`Final state:\n${JSON.stringify(values, undefined, 2)}\n`),
      answered.stdout,
    );
  });

  it('ends with exit code 3 and the question, in every stream mode', async () => {
    const ended = async (mode: string) => {
      const args = ['approve', '--input', '{"wish": "a ship"}', '--stream-mode', mode];
      const { code, stdout, stderr } = await run(args);
      return {
        mode,
        code,
        asks: stdout.includes('The run is waiting for an answer:') && stdout.includes('"Grant a ship?"'),
        hint: stderr.includes(`--resume '<answer>' --config`),
      };
    };
    const expected = StreamMode.options.map((mode) => ({ mode, code: 3, asks: true, hint: true }));
    assert.deepEqual(await Promise.all(StreamMode.options.map(ended)), expected);
  });

  it('takes the next line of a chat as the answer, in every stream mode', async () => {
    const args = ['approve', '--input', '{"wish": "a ship"}', '--chat', '--stream-mode', 'messages-tuple'];
    const { code, stdout, stderr } = await run(args, { input: 'of course\n' });
    assert.equal(code, 0, stderr);
    assert.match(stdout, /Final state:\n[\s\S]*"granted": "of course"/);
  });

  it('continues after a breakpoint in a chat with an empty line', async () => {
    const { code, stdout } = await run(['reply', '--chat', '--interrupt-before', 'reply'], {
      input: 'Ahoy\n\n',
    });
    assert.equal(code, 0);
    assert.equal(stdout, 'The run has stopped before reply.\n✓ reply messages\nYou said Ahoy.\n');
  });

  it('prints the commands that answer, which work when pasted into a shell', async function () {
    if (process.platform === 'win32') skip(this, 'Windows has no sh');
    const input = JSON.stringify({ wish: 'a ship', options: ['yes', "don't", 'true', 7] });
    const asked = await run(['approve', '--input', input, '--context', '{"who": "me"}']);
    assert.equal(asked.code, 3);
    const commands = [...asked.stderr.matchAll(/(?:To answer| or): (.*)/g)].map(([, command]) => command);
    assert.equal(commands.length, 4, asked.stderr);
    const thread = threadOf(asked);
    await using bin = await temporaryFolder();
    const program = `#!/bin/sh\nexec '${process.execPath}' '${bundle('cli.js')}' "$@"\n`;
    await writeFile(join(bin.path, 'agent-harbor'), program, { mode: 0o755 });
    const env = { ...process.env, PATH: [bin.path, process.env.PATH].join(delimiter) };
    const granted = async (command = '') => {
      const { thread_id } = await client.threads.copy({ params: { thread_id: thread } });
      await promisify(execFile)('sh', ['-c', command.replace(thread, thread_id)], { env });
      const { values } = await client.threads.get({ params: { thread_id } });
      return z.object({ granted: z.unknown() }).parse(values).granted;
    };
    assert.deepEqual(await Promise.all(commands.map(granted)), ['yes', "don't", 'true', 7]);
  });

  it('takes text as an answer, and refuses to answer a thread that asks nothing', async () => {
    const thread = threadOf(await run(['approve', '--input', '{"wish": "a ship"}']));
    const broken = await run(['approve', '--thread', thread, '--resume', '{"yes": ']);
    assert.deepEqual([broken.code, /--resume is not valid JSON/.test(broken.stderr)], [2, true]);
    const skipped = await run(['approve', '--thread', thread, '--continue']);
    assert.match(skipped.stderr, /is waiting for an answer\. Pass it with --resume\./);
    const { code, stdout } = await run(['approve', '--thread', thread, '--resume', '-'], { input: 'yes\n' });
    assert.deepEqual([code, stdout.includes('"granted": "yes"')], [0, true]);
    const again = await run(['approve', '--thread', thread, '--resume', 'yes']);
    assert.equal(again.code, 1);
    assert.equal(again.stderr, `error: Thread ${thread} is not waiting for an answer (idle).\n`);
    assert.equal(again.stdout, '');
    const runs = await client.runs.list({ params: { thread_id: thread } });
    assert.equal(runs.length, 2);
  });

  it('stops before and after nodes, and continues from there or from an earlier state', async () => {
    const mistyped = await run(['reply', 'Ahoy', '--interrupt-before', 'repyl']);
    assert.equal(mistyped.code, 1);
    assert.match(mistyped.stderr, /The graph has no node 'repyl'\. Did you mean 'reply'\?/);
    const before = await run(['reply', 'Ahoy', '--interrupt-before', 'reply']);
    assert.deepEqual([before.code, before.stdout], [3, 'The run has stopped before reply.\n']);
    const thread = threadOf(before);
    assert.match(before.stderr, new RegExp(`agent-harbor run reply --thread ${thread} --continue --config`));
    const answered = await run(['reply', '--thread', thread, '--resume', 'yes']);
    assert.match(answered.stderr, /is not waiting for an answer: it stopped before reply\. Use --continue/);
    const continued = await run(['reply', '--thread', thread, '--continue']);
    assert.deepEqual([continued.code, continued.stdout], [0, '✓ reply messages\nYou said Ahoy.\n']);
    const nothing = await run(['reply', '--thread', thread, '--continue']);
    assert.match(nothing.stderr, /has nothing left to run \(idle\)\./);
    const states = await client.threads.history({ params: { thread_id: thread }, body: {} });
    const earlier = states.find(({ next }) => next.includes('reply'))?.checkpoint.checkpoint_id ?? '';
    const forked = await run(['reply', '--thread', thread, '--checkpoint', earlier]);
    assert.deepEqual([forked.code, forked.stdout], [0, '✓ reply messages\nYou said Ahoy.\n']);
    const after = await run(['slow', '--input', '{"steps": 2}', '--interrupt-after', '*']);
    assert.deepEqual([after.code, after.stdout.split('\n').at(-2)], [3, 'The run has stopped before step.']);
  });

  it('accepts --message, and shows an answer that did not stream', async () => {
    const result = await run(['reply', '--message', 'Ahoy']);
    assert.equal(result.code, 0, result.stderr);
    assert.equal(result.stdout, '✓ reply messages\nYou said Ahoy.\n');
    const piped = await run(['reply', '--message', '-'], { input: 'from a pipe' });
    assert.match(piped.stdout, /You said from a pipe\./);
    const both = await run(['reply', '--message', 'a', '--input', '{}']);
    assert.equal(both.code, 2);
  });

  it('chats on one thread, one line per message', async () => {
    const { code, stdout, stderr } = await run(['reply', '--chat'], { input: 'one\n\ntwo\n' });
    assert.equal(code, 0, stderr);
    assert.equal(stdout, '✓ reply messages\nYou said one.\n✓ reply messages\nYou said two.\n');
    const { values } = await client.threads.get({ params: { thread_id: threadOf({ stderr }) } });
    assert.equal(z.object({ messages: z.array(z.unknown()) }).parse(values).messages.length, 4);
  });

  it('reads the answer to an interrupt from the next line, as JSON or text', async () => {
    const asked = await run(['approve', '--input', '{"wish": "a ship"}', '--chat'], { input: 'of course\n' });
    assert.equal(asked.code, 0, asked.stderr);
    assert.match(
      asked.stdout,
      /The run is waiting for an answer:[\s\S]*Final state:\n[\s\S]*"granted": "of course"/,
    );
    const waiting = threadOf(await run(['approve', '--input', '{"wish": "a crew"}']));
    const { stdout } = await run(['approve', '--chat', '--thread', waiting], { input: '{"yes": 1}\n' });
    assert.match(stdout, /"question": "Grant a crew\?"[\s\S]*Final state:\n[\s\S]*"granted": \{\n +"yes": 1/);
  });

  it('creates no thread when there is nothing to run', async () => {
    const before = await client.threads.count({ body: {} });
    const { code, stderr } = await run(['tlak', '--message', 'Hello']);
    assert.equal(code, 1);
    assert.match(stderr, /No graph or assistant is called 'tlak'\. Available: .*talk/);
    const unknown = await run(['018f3a5e-0000-7000-8000-000000000001', '--message', 'Hello']);
    assert.equal(unknown.code, 1);
    assert.equal(await client.threads.count({ body: {} }), before);
  });

  it('sends the given headers', async () => {
    const heard: IncomingHttpHeaders[] = [];
    const server = createServer((request, response) => {
      heard.push(request.headers);
      response.writeHead(401, { 'content-type': 'application/json' }).end('{"detail": "Who are you?"}');
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const address = server.address();
    assert.ok(address !== null && typeof address === 'object');
    await using files = await temporaryFolder();
    await writeFile(join(files.path, 'headers'), 'X-From-File: one\nX-Other: two\n');
    const { stderr } = await cli([
      ...['threads', 'list', '--deployment', `http://127.0.0.1:${address.port}`],
      ...['--header', 'Authorization: Bearer mine', '--header', `@${join(files.path, 'headers')}`],
    ]);
    assert.match(stderr, /Who are you\?/);
    server.close();
    const [{ authorization, 'x-from-file': fromFile, 'x-other': other } = {}] = heard;
    assert.deepEqual([authorization, fromFile, other], ['Bearer mine', 'one', 'two']);
    const wrong = await run(['talk', '--message', 'Hello', '--header', 'nonsense']);
    assert.equal(wrong.code, 2);
  });

  it('fails with the error of the run, its location, and the command that shows its trace', async () => {
    const { code, stdout, stderr } = await run(['fail', '--input', '{"depth": 3}']);
    assert.equal(code, 1);
    const place = `at ${relative(process.cwd(), resolve(config, '../fail.mjs'))}:4:9 in sink`;
    assert.equal(stdout, `RangeError: The ship has sunk.\n  ${place}\n`);
    // A folder with spaces is in quotes.
    const [, trace = '', quoted = ''] =
      /To see the trace: agent-harbor trace ([0-9a-f-]{36}) --data-dir (.+)\n/.exec(stderr) ?? [];
    const command = ['trace', trace, '--data-dir', quoted.replaceAll(/^["']|["']$/g, '')];
    const shown = await cli(command);
    assert.ok(shown.stdout.includes(`  RangeError: The ship has sunk.  ${place}\n`), shown.stdout);
    assert.doesNotMatch(shown.stdout, /node_modules/);
    const whole = await cli([...command, '--io']);
    assert.match(
      whole.stdout,
      /\n {6} {4}at RunnableCallable\.sink .*fail\.mjs:4:9\)\n {8}… \d+ library frames\n/,
    );
  });

  it('says which keys of the input the graph does not know', async () => {
    const wrong = await run(['slow', '--input', '{"steps": 1, "doen": 0}']);
    assert.equal(wrong.code, 0);
    const sentence = "The input of this graph has no 'doen', so it was ignored. Did you mean 'done'?\n";
    assert.ok(wrong.stderr.endsWith(sentence), wrong.stderr);
    const failed = await run(['reply', '--input', '{"mesages": "Ahoy"}']);
    assert.match(failed.stderr, /has no 'mesages', so it was ignored\. Did you mean 'messages'\?/);
    const right = await run(['slow', '--input', '{"steps": 1}']);
    assert.doesNotMatch(right.stderr, /ignored/);
  });

  it('cancels the run on Ctrl-C', async () => {
    await using running = startCli(['run', 'wait', '--input', '{"weather": "calm"}', ...here()]);
    await running.said('waiting');
    const result = await running.interrupt();
    assert.equal(result.code, 130);
    assert.match(result.stderr, /The run was canceled/);
    await eventually(
      'its thread is at rest',
      async () => (await client.threads.search({ body: { metadata: { graph_id: 'wait' } } })).at(0),
      ({ status }) => status !== 'busy',
    );
  });

  it('runs an assistant by its ID, with a context', async () => {
    const assistant = await client.assistants.create({ body: { graph_id: 'talk' } });
    const result = await run([
      assistant.assistant_id,
      ...['--input', '{"messages": "Hello"}', '--context', '{"tone": "calm"}'],
    ]);
    assert.equal(result.code, 0, result.stderr);
  });

  it('runs an assistant by name, unless the name is ambiguous', async () => {
    const named = () => client.assistants.create({ body: { graph_id: 'reply', name: 'Parrot' } });
    const { assistant_id } = await named();
    const result = await run(['Parrot', '--message', 'Hello']);
    assert.match(result.stdout, /You said Hello/);
    const [thread] = await client.threads.search({ body: { ids: [threadOf(result)] } });
    assert.equal(thread?.metadata?.assistant_id, assistant_id);
    const other = await named();
    const unclear = await run(['Parrot', '--message', 'Hello']);
    assert.equal(unclear.code, 1);
    assert.match(unclear.stderr, new RegExp(`Several assistants .*${other.assistant_id}`));
  });

  it('runs at the URL of a deployment', async () => {
    const result = await cli([
      'run',
      'talk',
      '--input',
      '{"messages": "Hello"}',
      '--deployment',
      deploymentUrl,
    ]);
    assert.equal(result.code, 0, result.stderr);
    assert.match(result.stdout, /Ships are safe/);
    const nowhere = await cli(['run', 'talk', '--input', '{}', '--deployment', 'http://127.0.0.1:9']);
    assert.match(nowhere.stderr, /Cannot reach http:\/\/127\.0\.0\.1:9: nothing is listening there\./);
    assert.equal(nowhere.code, 1);
  });

  it('uses colors only when requested', async () => {
    const plain = await run(['talk', '--input', '{"messages": "Hello"}']);
    assert.ok(!plain.stdout.includes('\u001b['));
    const environment = { NO_COLOR: '', FORCE_COLOR: '1' };
    const colored = await run(['talk', '--input', '{"messages": "Hello"}'], { environment });
    assert.ok(colored.stdout.includes('\u001b['));
  });

  it('follows its run across a crash of the server', async () => {
    await using running = startCli(['run', 'slow', '--input', '{"steps": 8}', ...here()]);
    await running.said('step 2');
    const pid = await folder.serverPid();
    assert.ok(pid !== undefined);
    process.kill(pid, 'SIGKILL');
    const { stdout, stderr, code } = await running.ended();
    assert.equal(code, 0, stderr);
    const steps = [...stdout.matchAll(/step (\d+)/g)].map(([, step]) => Number(step));
    assert.deepEqual([...new Set(steps)], [1, 2, 3, 4, 5, 6, 7, 8]);
    await eventually('dev serves again', () => client.system.ok());
  });
});
