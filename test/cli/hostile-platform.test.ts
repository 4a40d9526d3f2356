import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { PassThrough } from 'node:stream';
import type { Command } from 'commander';
import type { Dispatcher } from 'undici';
import { makeProgram, runProgram } from '../../src/cli/program.ts';
import type { ProgramOptions } from '../../src/cli/terminal/context.ts';
import { type Output, Terminal } from '../../src/cli/terminal/terminal.ts';
import { createDispatcher } from '../../src/client/dispatcher.ts';
import {
  HOSTILE_TEXT,
  type HostilePlatform,
  hostilePlatform,
  HOSTILE_ID as ID,
} from '../support/hostile-platform.ts';

/** Commands that show resources of an agent server. */
const AGENT_COMMANDS = [
  'assistants list',
  `assistants get ${ID}`,
  'assistants create agent',
  `assistants update ${ID} --name x`,
  `assistants versions ${ID}`,
  `assistants set-latest ${ID} 1`,
  `assistants graph ${ID}`,
  `assistants schemas ${ID}`,
  `assistants delete ${ID} --yes`,
  'threads list',
  `threads get ${ID}`,
  'threads create',
  `threads update ${ID} --metadata a=b`,
  `threads state ${ID}`,
  `threads history ${ID}`,
  `threads update-state ${ID} --values {}`,
  `threads copy ${ID}`,
  `threads prune ${ID} --yes`,
  `threads delete ${ID} --yes`,
  `threads export ${ID}`,
  `runs list ${ID}`,
  `runs get ${ID} ${ID}`,
  `runs create ${ID} --input {}`,
  `runs follow ${ID} ${ID}`,
  `runs join ${ID} ${ID}`,
  `runs cancel ${ID} ${ID}`,
  `runs delete ${ID} ${ID} --yes`,
  'store search',
  'store get a k',
  'store put a k {}',
  'store delete a k --yes',
  'store namespaces',
  'crons list',
  `crons get ${ID}`,
  `crons create ${ID} --schedule 0_0_1_1_*`,
  `crons update ${ID} --schedule 0_0_1_1_*`,
  `crons enable ${ID}`,
  `crons disable ${ID}`,
  `crons delete ${ID} --yes`,
  'run agent hello',
  `run agent hello --thread ${ID}`,
  `run agent --chat --thread ${ID}`,
];

/** Commands that show resources of a platform. */
const PLATFORM_COMMANDS = [
  'traces',
  'projects',
  `trace ${ID}`,
  `trace ${ID} --io`,
  `feedback ${ID} --score 1`,
  `purge --project ${ID} --older-than 0s --dry-run`,
  `purge --project ${ID} --older-than 0s --yes`,
  'purge jobs',
  `purge job ${ID}`,
  'datasets list',
  `datasets get ${ID}`,
  'datasets create x',
  `datasets delete ${ID} --yes`,
  `datasets examples ${ID}`,
  `datasets add ${ID} --inputs {}`,
  `datasets delete-examples ${ID} --yes`,
  `datasets export ${ID}`,
  `datasets export ${ID} --format csv`,
  `datasets versions ${ID}`,
  `datasets tag ${ID} x`,
  `datasets diff ${ID} latest latest`,
  `datasets split ${ID}`,
  `datasets experiments ${ID}`,
  'deploy --repo https://git.example/x.git --name x',
  'deployments',
  `revisions ${ID}`,
  `logs ${ID}`,
  `logs ${ID} --build`,
  `rollback ${ID} ${ID}`,
  `pause ${ID}`,
  `resume ${ID}`,
  `end-draining ${ID} ${ID}`,
  `delete ${ID} --yes`,
  'audit',
  'audit --json',
  'limits',
  'limits --threads 5',
  'keys list --all',
  'keys create x',
  `keys narrow ${ID} --right read`,
  `keys rotate ${ID}`,
  `keys revoke ${ID} --yes`,
  'prices',
  'prices apply',
  `traces export ${ID}`,
];

/** Commands that show only local data or numbers. */
const OTHERS = [
  ...['new', 'dev', 'serve', 'team', 'move', 'status', 'stop', 'env', 'replay', 'cassette', 'eval'],
  ...['dockerfile', 'build', 'up', 'check', 'threads import', 'datasets import', 'rotate-secrets-key'],
  ...['otel', 'reproduce', 'prove', 'mcp', 'traces import'],
];

/** Characters that no output may contain. Line breaks and tabs are allowed. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const FORBIDDEN = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/;

describe('the response of a hostile platform', function () {
  this.timeout(120_000);
  let platform: HostilePlatform;
  let dispatcher: Dispatcher;
  let dataDir: string;
  before(async () => {
    platform = await hostilePlatform();
    dispatcher = createDispatcher({});
    dataDir = await mkdtemp(path.join(tmpdir(), 'harbor-hostile-'));
  });
  after(async () => {
    await platform[Symbol.asyncDispose]();
    await dispatcher.destroy();
    await rm(dataDir, { recursive: true });
  });

  beforeEach(() => {
    platform.failing = false;
  });

  const optionsOf = (output: Output): ProgramOptions => ({
    terminal: new Terminal({ stdout: output, stderr: output, environment: { NO_COLOR: '1' } }),
    version: '1.2.3',
    serverPath: '/nowhere/server.js',
    templatesPath: '/nowhere/templates',
    environment: { LANGSMITH_API_KEY: 'key', LANGGRAPH_API_KEY: 'key' },
    stdin: new PassThrough().end(),
    interrupted: new AbortController().signal,
  });

  /** Runs a command. @returns all that it wrote */
  async function shown(command: string, isTTY = true): Promise<string> {
    const output = Object.assign(new PassThrough(), { isTTY, columns: 120 });
    let text = '';
    output.setEncoding('utf8').on('data', (piece: string) => (text += piece));
    const options = optionsOf(output);
    const words = command.split(' ').map((word) => word.replaceAll('_', ' '));
    const isForAgent = AGENT_COMMANDS.some((one) => command.startsWith(one));
    const where = [isForAgent ? '--deployment' : '--connection', platform.url, '--data-dir', dataDir];
    await runProgram(options, async () => ({ ...options, dispatcher }), [...words, ...where]);
    return text;
  }

  for (const command of [...AGENT_COMMANDS, ...PLATFORM_COMMANDS]) {
    it(`is only text in the terminal after ${command.replaceAll('_', ' ')}`, async () => {
      const text = await shown(command);
      assert.notEqual(text, '');
      assert.doesNotMatch(text, /cannot read|not found/);
      assert.doesNotMatch(text, FORBIDDEN);
    });
  }

  it('is only text in the terminal as the reason of a failure', async () => {
    platform.failing = true;
    for (const command of [...AGENT_COMMANDS, ...PLATFORM_COMMANDS]) {
      const text = await shown(command);
      assert.match(text, /error: .*PWNED/, command);
      assert.doesNotMatch(text, FORBIDDEN, command);
    }
  });

  it('is whole in JSON, and only text in the terminal', async () => {
    for (const command of [...AGENT_COMMANDS, ...PLATFORM_COMMANDS]) {
      assert.doesNotMatch(await shown(`${command} --json`), FORBIDDEN, command);
    }
    const assistant: unknown = JSON.parse(await shown(`assistants get ${ID} --json`));
    assert.ok(typeof assistant === 'object' && assistant !== null && 'name' in assistant);
    assert.equal(assistant.name, HOSTILE_TEXT);
  });

  it('is written unchanged to a file', async () => {
    assert.equal(await shown(`datasets export ${ID} --format csv`, false), `"${HOSTILE_TEXT}"\n`);
  });

  it('is requested by every command that shows it', async () => {
    const options = optionsOf(new PassThrough());
    const root = await makeProgram(options, async () => ({ ...options, dispatcher }), undefined);
    const leaves = (command: Command, names: readonly string[]): string[] =>
      command.commands.length === 0
        ? [names.join(' ')]
        : command.commands.flatMap((child) => leaves(child, [...names, child.name()]));
    const tried = [...AGENT_COMMANDS, ...PLATFORM_COMMANDS, ...OTHERS];
    const missing = leaves(root, []).filter(
      (name) => !tried.some((command) => command === name || command.startsWith(`${name} `)),
    );
    assert.deepEqual(missing, []);
  });
});
