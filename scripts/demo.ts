/**
 * `npm run demo`: a real agent run from end to end, on free ports, with a data folder that is deleted
 * afterwards. Exits with 0 only if every step succeeded and no process is left behind.
 */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import packageJson from '../package.json' with { type: 'json' };
import { disconnect } from '../src/cli/folders/disconnect.ts';
import { openFolder } from '../src/cli/folders/open-folder.ts';
import { runtimeLines } from '../src/cli/render/deployment.ts';
import { RunPrinter } from '../src/cli/render/run-events.ts';
import { traceLines } from '../src/cli/render/trace-tree.ts';
import { abortOnInterruption } from '../src/cli/terminal/interruption.ts';
import { Terminal } from '../src/cli/terminal/terminal.ts';
import type { Client } from '../src/client/client.ts';
import { createDispatcher } from '../src/client/dispatcher.ts';
import { sendPresignedFeedback } from '../src/client/presigned-feedback.ts';
import { RunProgress } from '../src/client/run-progress.ts';
import { clientOf } from '../src/launcher/client-of.ts';
import { Presence } from '../src/launcher/presence.ts';
import { isAlive, processTree } from '../test/support/process-tree.ts';

const root = resolve(import.meta.dirname, '..');
const agentFolder = join(root, 'examples', 'docs-agent');
const graph = 'docs_agent';
const feedbackKey = 'helpful';
const clearQuestion = 'What happens when the server is killed?';
/** The documents describe purging but never mention Mars, so the agent asks before it answers. */
const unclearQuestion = 'Can I purge traces on Mars?';
/** On Linux, this finds every process that was started here, even those that have detached themselves. */
const marker = { name: 'HARBOR_DEMO', value: `demo-${process.pid}-${Date.now()}` };

const terminal = new Terminal({ stdout: process.stdout, stderr: process.stderr, environment: process.env });
const { bold, dim, cyan, green } = terminal.colors;
const signal = abortOnInterruption();
const dispatcher = createDispatcher();
const began = performance.now();

process.exitCode = await main().then(
  () => 0,
  (error: unknown) => {
    terminal.failure(error instanceof Error ? (error.stack ?? error.message) : String(error));
    return 1;
  },
);
await dispatcher.destroy();

async function main(): Promise<void> {
  await installAgent();
  const dataDir = await mkdtemp(join(tmpdir(), 'agent-harbor-demo-'));
  const presence = new Presence({
    client: 'demo',
    launcher: {
      dataDir,
      serverPath: join(root, 'dist', 'server.js'),
      version: packageJson.version,
      dispatcher,
      environment: { [marker.name]: marker.value },
    },
  });
  let started: readonly number[] = [];
  try {
    heading('Start the platform and serve the example agent');
    const server = await presence.start();
    const platform = clientOf(server, dispatcher);
    const deployment = await openFolder(platform, join(agentFolder, 'langgraph.json'), {
      port: 0,
      signal,
    });
    terminal.line(`${dim('Agent   ')} ${deployment.deployment_url}`);
    terminal.line(`${dim('Platform')} ${server.baseUrl}`);
    for (const line of runtimeLines(deployment, terminal.colors)) terminal.line(line);
    await converse(platform.withDeployment(deployment.deployment_url));
    started = processTree([server.pid], marker);
  } finally {
    heading('Shut everything down');
    await disconnect({ presence, dispatcher });
    await rm(dataDir, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
  }
  assert.ok(started.length >= 2, 'The platform and the agent were two processes at least.');
  const left = [...started, ...processTree([process.pid], marker)].filter(
    (pid) => pid !== process.pid && isAlive(pid),
  );
  assert.deepEqual(left, [], 'No process may be left behind.');
  terminal.line(`${green('✓')} ${started.length} processes ended, none is left behind.`);
  terminal.line(`${green('✓')} ${bold('All of it worked')} in ${seconds(began)} s.`);
}

async function converse(client: Client): Promise<void> {
  const { thread_id: threadId } = await client.threads.create({ body: {} });

  heading(`Ask: ${clearQuestion}`);
  const sure = await run(client, threadId, { input: { messages: clearQuestion } });
  assert.equal(sure.interrupts.size, 0, 'The documents answer this, so no person is asked.');

  heading(`Ask: ${unclearQuestion}`);
  const unsure = await run(client, threadId, { input: { messages: unclearQuestion } });
  assert.equal(unsure.interrupts.size, 1, 'The agent asks before it answers this.');

  heading('Answer its question: approve');
  const answered = await run(client, threadId, { command: { resume: { decision: 'approve' } } });
  assert.equal(answered.interrupts.size, 0, 'The answer is enough.');

  heading('Give feedback through the link that the run sent');
  const link = answered.feedback[feedbackKey];
  assert.ok(link !== undefined, 'The run sent a feedback link.');
  const comment = 'It asked first, and said where the answer is from.';
  await sendPresignedFeedback(dispatcher, link, { score: 1, comment });
  terminal.line(`POST ${link.replace(/[^/]+$/, '…')}`);

  heading("The trace that the agent's own langsmith SDK sent");
  await showTrace(client, answered.runId, comment);
}

/** Runs the agent and shows its answer as it streams. */
async function run(
  client: Client,
  threadId: string,
  what: { readonly input?: unknown } | { readonly command: { readonly resume: unknown } },
): Promise<RunProgress & { runId: string }> {
  const printer = new RunPrinter(terminal);
  const outcome = new RunProgress();
  const start = performance.now();
  let firstEvent = Number.POSITIVE_INFINITY;
  const stream = await client.runs.stream(
    {
      params: { thread_id: threadId },
      body: {
        assistant_id: graph,
        stream_mode: ['messages-tuple', 'updates', 'custom'],
        feedback_keys: [feedbackKey],
        stream_resumable: true,
        ...what,
      },
    },
    { signal },
  );
  for await (const event of stream) {
    firstEvent = Math.min(firstEvent, performance.now());
    outcome.observe(event);
    printer.show(event);
  }
  const end = performance.now();
  printer.showInterrupts(outcome.interrupts.values());
  assert.equal(outcome.error, undefined);
  const { runId } = outcome;
  assert.ok(runId !== undefined, 'The stream began with the run ID.');
  assert.equal(runId, stream.runId);
  terminal.line(
    dim(
      `first event after ${Math.round(firstEvent - start)} ms, the last after ${Math.round(end - start)} ms`,
    ),
  );
  return Object.assign(outcome, { runId });
}

/** Shows a trace once its last span has arrived: the SDK sends spans in batches, after the run. */
async function showTrace(client: Client, traceId: string, comment: string): Promise<void> {
  const { runs, feedback } = client.tracing;
  const deadline = performance.now() + 20_000;
  for (;;) {
    signal.throwIfAborted();
    const tree = await runs.tree({ params: { trace_id: traceId } }).catch(() => undefined);
    const given = await feedback.list({ query: { run: [traceId] } });
    const isWhole = tree !== undefined && tree.status === 'success' && tree.child_runs.length > 0;
    if (isWhole && given.some((one) => one.comment === comment && one.key === feedbackKey)) {
      for (const line of traceLines(tree, given, { colors: terminal.colors })) terminal.line(line);
      return;
    }
    assert.ok(performance.now() < deadline, 'The trace and its feedback came within 20 s.');
    await sleep(100, undefined, { signal });
  }
}

/** The example is a separate project with its own lockfile. */
async function installAgent(): Promise<void> {
  if (existsSync(join(agentFolder, 'node_modules', '@langchain', 'langgraph', 'package.json'))) return;
  heading('Install the example agent');
  const { npm_execpath: npm } = process.env;
  const [command, ...first] = npm === undefined ? ['npm'] : [process.execPath, npm];
  assert.ok(command !== undefined);
  const child = spawn(command, [...first, 'ci', '--no-audit', '--no-fund'], {
    cwd: agentFolder,
    stdio: 'inherit',
    // Without the path of npm itself, only a shell finds it on Windows.
    shell: npm === undefined && process.platform === 'win32',
  });
  const code = await new Promise((done) => child.once('error', done).once('exit', done));
  assert.equal(code, 0, `npm ci in ${agentFolder} failed.`);
}

function heading(text: string): void {
  terminal.line();
  terminal.line(`${cyan(`[${seconds(began)} s]`)} ${bold(text)}`);
}

function seconds(since: number): string {
  return ((performance.now() - since) / 1_000).toFixed(1);
}
