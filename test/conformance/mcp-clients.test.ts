import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readdir, readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { z } from 'zod';
import { installPackages, projectRoot } from '../support/cache.ts';
import { interpreterIn, makeEnvironment, withPython } from '../support/python-environments.ts';
import { type ServedProject, serveProject } from '../support/served-project.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { eventually, patience } from '../support/wait.ts';
import { mcpGraphs } from './mcp-graphs.ts';
import { leftOut } from './mcp-scenarios.ts';
import { runPythonTests } from './python-tests.ts';

const run = promisify(execFile);

const PACKAGES = {
  // The only ones with scenarios of 2026-07-28 are pre-releases.
  '@modelcontextprotocol/conformance': '0.2.0-alpha.12',
  '@modelcontextprotocol/inspector': '2.12.0',
  '@modelcontextprotocol/sdk': '1.32.2',
};

const Output = z.object({ stdout: z.string(), stderr: z.string(), code: z.number().default(0) });
const Called = z.looseObject({
  structuredContent: z.looseObject({}).optional(),
  content: z.array(z.looseObject({ text: z.string() })),
  isError: z.boolean().optional(),
});
const Waiting = z.looseObject({ __resume__: z.looseObject({ thread_id: z.uuid() }) });

interface Client {
  connect(transport: unknown): Promise<void>;
  getServerVersion(): { name: string } | undefined;
  ping(): Promise<object>;
  listTools(): Promise<{ tools: { name: string }[] }>;
  callTool(call: object, schema?: undefined, options?: { signal: AbortSignal }): Promise<unknown>;
  close(): Promise<void>;
}

describe('third-party MCP clients', function () {
  this.timeout(180_000);
  let served: ServedProject;
  let folder: string;
  before(async () => {
    [served, { folder }] = await Promise.all([
      serveProject({ empty: true, files: mcpGraphs }),
      installPackages('mcp-clients', PACKAGES),
    ]);
  });
  after(() => served?.[Symbol.asyncDispose]());

  const packageFile = (name: string, ...file: string[]) =>
    path.join(folder, 'node_modules', '@modelcontextprotocol', name, ...file);

  async function program(file: string, args: readonly string[], env: NodeJS.ProcessEnv = {}) {
    const options = { env: { ...process.env, ...env }, timeout: 150_000 * patience };
    return Output.parse(await run(file, args, options).catch((error: unknown) => error));
  }

  it('pass the scenarios of MCP’s conformance suite', async () => {
    await using results = await temporaryFolder();
    const failed = async (version: string): Promise<string[]> => {
      const output = path.join(results.path, version);
      const patiently = ['--timeout', String(60_000 * patience)];
      const options = ['--url', `${served.url}/mcp`, '--requirements', version, '-o', output, ...patiently];
      const { stderr } = await program(process.execPath, [
        packageFile('conformance', 'dist', 'index.js'),
        'server',
        ...options,
      ]);
      const Check = z.looseObject({
        id: z.string(),
        status: z.string(),
        errorMessage: z.string().optional(),
      });
      const found = (await readdir(output).catch(() => [])).map(async (name) => {
        const scenario = /^server-(.+)-\d{4}-\d\d-\d\dT/.exec(name)?.[1] ?? name;
        const text = await readFile(path.join(output, name, 'checks.json'), 'utf8');
        const failures = z
          .array(Check)
          .parse(JSON.parse(text))
          .filter(({ status }) => status === 'FAILURE');
        const expected = leftOut[version] ?? {};
        return failures.map(({ id, errorMessage }) => {
          if (scenario in expected) return scenario;
          const check = `${scenario}:${id}`;
          return check in expected ? check : `${check} (${errorMessage})`;
        });
      });
      const names = new Set((await Promise.all(found)).flat());
      assert.ok(names.size > 0, stderr);
      return [...names].toSorted();
    };
    const versions = Object.keys(leftOut);
    assert.deepEqual(
      Object.fromEntries(
        await Promise.all(versions.map(async (version) => [version, await failed(version)])),
      ),
      Object.fromEntries(
        versions.map((version) => [version, Object.keys(leftOut[version] ?? {}).toSorted()]),
      ),
    );
  });

  it("include the Inspector's command line, in both eras", async () => {
    await using home = await temporaryFolder();
    const inspect = (...args: string[]) => inspectAt(`${served.url}/mcp`, ...args);
    const inspectAt = (url: string, ...args: string[]) =>
      program(
        process.execPath,
        [
          packageFile('inspector', 'clients', 'launcher', 'build', 'index.js'),
          '--cli',
          url,
          ...args,
          '--format',
          'json',
        ],
        { HOME: home.path, USERPROFILE: home.path },
      );
    const call = (tool: string, given: object, ...more: string[]) =>
      inspect(
        '--method',
        'tools/call',
        '--tool-name',
        tool,
        '--tool-args-json',
        JSON.stringify(given),
        ...more,
      );
    const resultOf = ({ stdout }: z.output<typeof Output>) =>
      z.looseObject({ result: z.unknown() }).parse(JSON.parse(stdout)).result;
    const [listed, agents, failing, ...called] = await Promise.all([
      inspect('--method', 'tools/list', '--strict'),
      inspectAt(
        `${served.platformUrl}/harbor/mcp`,
        ...['--header', `x-api-key: ${served.apiKey}`, '--method', 'tools/list', '--strict'],
      ),
      call('fails', {}),
      ...['legacy', 'modern'].map((era) =>
        call('chat', { messages: [{ role: 'user', content: 'hi' }] }, '--protocol-era', era),
      ),
    ]);
    for (const [output, tool] of [
      [listed, 'chat'],
      [agents, 'read_trace'],
    ] as const) {
      const { tools } = z
        .looseObject({ tools: z.array(z.looseObject({ name: z.string() })) })
        .parse(resultOf(output));
      assert.ok(tools.some(({ name }) => name === tool));
      assert.match(output.stderr, /\b0 errors/, 'no schema is one that clients refuse');
    }
    assert.equal(called.length, 2);
    for (const each of called)
      assert.match(Called.parse(resultOf(each)).content[0]?.text ?? '', /You said: hi/);
    assert.equal(Called.parse(resultOf(failing)).content[0]?.text, 'Error: on purpose');
    assert.match(failing.stderr, /tool_is_error/);
  });

  it('include the SDK from before 2026-07-28, which answers interrupts by arguments', async () => {
    const packages = createRequire(path.join(folder, 'index.js'));
    const load = async (name: string): Promise<unknown> =>
      import(pathToFileURL(packages.resolve(`@modelcontextprotocol/sdk/client/${name}.js`)).href);
    const { Client } = z
      .object({ Client: z.custom<new (info: object) => Client>() })
      .parse({ ...Object(await load('index')) });
    const { StreamableHTTPClientTransport } = z
      .object({ StreamableHTTPClientTransport: z.custom<new (url: URL) => { protocolVersion?: string }>() })
      .parse({ ...Object(await load('streamableHttp')) });
    const client = new Client({ name: 'test', version: '1' });
    const transport = new StreamableHTTPClientTransport(new URL(`${served.url}/mcp`));
    await client.connect(transport);
    assert.deepEqual(
      [transport.protocolVersion, client.getServerVersion()?.name],
      ['2025-11-25', 'agent-harbor'],
    );
    assert.deepEqual(await client.ping(), {});
    assert.ok((await client.listTools()).tools.some(({ name }) => name === 'asks'));
    const call = async (name: string, given: object) =>
      Called.parse(await client.callTool({ name, arguments: given }));
    const asked = await call('asks', { asks: ['Name?'] });
    const { thread_id } = Waiting.parse(asked.structuredContent).__resume__;
    const again = { __resume__: { thread_id, value: 'Ada' } };
    assert.deepEqual((await call('asks', again)).structuredContent?.answers, ['Ada']);
    await assert.rejects(call('asks', again), /is not waiting for an answer/);
    await assert.rejects(call('nobody', {}), /Unknown tool 'nobody'/);
    assert.deepEqual([(await call('fails', {})).isError], [true]);
    await client.close();
  });

  for (const [title, requirements, script] of [
    ['the SDK of Python, in both eras', 'mcp', 'python_mcp.py'],
    [
      'langchain-mcp-adapters, whose tools keep threads and answer interrupts',
      'clients',
      'python_mcp_adapters.py',
    ],
  ] as const) {
    it(`include ${title}`, async function () {
      this.timeout(10 * 60_000);
      const file = path.join(projectRoot, 'test', 'fixtures', 'clients-python', `${requirements}.txt`);
      const python = await withPython(this, async () =>
        interpreterIn(await makeEnvironment(`python-${requirements}`, await readFile(file, 'utf8'))),
      );
      const stderr = await runPythonTests(python, script, { MCP_URL: `${served.url}/mcp` });
      assert.match(stderr, /\nOK\s*$/, stderr);
      await eventually('the call that was given up has ended', async () => {
        const response = await fetch(`${served.url}/threads/count`, {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify({ status: 'busy' }),
        });
        return (await response.json()) === 0;
      });
    });
  }
});
