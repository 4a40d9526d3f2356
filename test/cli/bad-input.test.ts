import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { projectRoot } from '../support/cache.ts';
import { cli, startCli } from '../support/cli.ts';
import { type DataFolder, dataFolder } from '../support/data-folder.ts';
import { httpPeer } from '../support/http-peer.ts';
import { node20 } from '../support/node20.ts';
import { skip } from '../support/skip.ts';
import { eventually } from '../support/wait.ts';

const agents = resolve(import.meta.dirname, '../fixtures/agents/langgraph.json');
const brokenAgents = resolve(import.meta.dirname, '../fixtures/broken-agents');

describe('bad input to the command line', function () {
  this.timeout(60_000);

  /** Fails with one sentence on standard error and nothing on standard output. */
  async function refused(
    args: readonly string[],
    code: number,
    sentence: RegExp,
    options = {},
  ): Promise<void> {
    const result = await cli(args, options);
    assert.match(result.stderr, sentence);
    // If graphs load slowly, the command says so, and shows their output.
    const lines = result.stderr
      .split('\n')
      .filter((line) => !/^$|^Loading the graphs of|^\d\d:\d\d:/.test(line));
    assert.equal(lines.length, 1, result.stderr);
    assert.equal(result.stdout, '');
    assert.equal(result.code, code, result.stderr);
  }

  it('accepts Node 20 by running on the Node that npm installed beside it', async () => {
    await using data = await dataFolder();
    const running = startCli(['dev', '--config', agents, '--port', '0', '--data-dir', data.path], {
      node: await node20(),
    });
    await using _ = running;
    await running.said('Press Ctrl-C to stop.');
    // On Windows only a console interrupts both processes.
    if (process.platform !== 'win32') assert.equal((await running.interrupt()).code, 0);
    const wrong = await cli(['no-such-command'], { node: await node20() });
    assert.deepEqual([wrong.code, wrong.stdout], [2, '']);
  });

  describe('refused before anything starts', () => {
    const cases: [string, string[], number, RegExp][] = [
      [
        'an input that is not valid JSON',
        ['run', 'talk', '--input', '{bad'],
        2,
        /--input is not valid JSON: .*position 1/,
      ],
      [
        'a connection without a deployment of it',
        ['run', 'talk', '--input', '{}', '--connection', 'http://127.0.0.1:9'],
        2,
        /With --connection, pass the name or ID of a deployment with --deployment/,
      ],
      [
        'the same where threads are listed',
        ['threads', 'list', '--connection', 'eu'],
        2,
        /With --connection, pass the name or ID of a deployment with --deployment/,
      ],
      [
        'a context that is no object',
        ['run', 'talk', '--input', '{}', '--context', '[1]'],
        2,
        /--context must be a JSON object/,
      ],
      [
        'an address without http://',
        ['run', 'talk', '--input', '{}', '--deployment', 'localhost:2024'],
        2,
        /'localhost:2024' is not the URL of a deployment, such as http:/,
      ],
      ['a run without input', ['run', 'talk'], 2, /Nothing to run/],
      ['an answer without a thread', ['run', 'talk', '--resume', '1'], 2, /--resume needs --thread/],
      ['two messages', ['run', 'talk', 'one', '--message', 'two'], 2, /Pass the message once/],
      ['a message without an agent', ['run', 'What now?', '--json'], 2, /agent-harbor run my_graph "Hello"/],
      [
        'a thread ID that is not valid',
        ['run', 'talk', '--input', '{}', '--thread', 'x'],
        2,
        /'x' is not a valid thread ID/,
      ],
      [
        'a stream mode that does not exist',
        ['run', 'talk', '--input', '{}', '--stream-mode', 'loud'],
        2,
        /'loud' is not a stream mode\. Use values/,
      ],
      ['a trace that is not an ID', ['trace', 'x'], 2, /'x' is not a valid trace ID/],
      ['a langgraph.json that is not there', ['dev', '--config', 'no.json'], 1, /File not found: .*no\.json/],
    ];
    for (const [what, args, code, sentence] of cases) {
      it(`is ${what}`, () => refused(args, code, sentence));
    }

    it('is an unknown option or command', async () => {
      const result = await cli(['dev', '--prot', '1']);
      assert.match(result.stderr, /unknown option '--prot'\n\(Did you mean --port\?\)/);
      assert.equal(result.code, 2);
      assert.equal((await cli(['deploi'])).code, 2);
    });

    it('is a misspelled command, and the error suggests the right one', async () => {
      const meant: [string, RegExp][] = [
        ['ps', /There is no command 'ps'\. Use agent-harbor status, or/],
        ['graphs', /There is no command 'graphs'\. Use agent-harbor assistants list/],
        ['create mine', /There is no command 'create'\. Use agent-harbor new <folder>/],
        ['chat mine', /agent-harbor run <graph>, which starts a chat/],
        ['evaluate mine', /There is no command 'evaluate'\. Use agent-harbor eval\./],
        ['eval --junit', /argument missing\nTry --help\.\n$/],
        ['threads rename x', /agent-harbor threads update <thread> --metadata title=/],
        ['runs get x', /A run is identified by its thread ID and its run ID/],
        ['new mine --python', /Use --template python/],
        ['new mine --template py', /The templates are python and typescript/],
        ['run mine Hello --stream', /A run is always streamed/],
        ['traces --deployment mine', /in the project with its name: --project <name>/],
      ];
      const said = async ([line, hint]: [string, RegExp]) => {
        const { code, stderr } = await cli(line.split(' '));
        assert.match(stderr, hint);
        assert.equal(code, 2, line);
      };
      await Promise.all(meant.map(said));
    });

    it('is an invalid port', async () => {
      const result = await cli(['dev', '--port', '70000']);
      assert.match(result.stderr, /Must be a port from 0 \(any free port\) to 65535/);
      assert.equal(result.code, 2);
    });
  });

  describe('found by the server', () => {
    let folder: DataFolder;
    beforeEach(async () => {
      folder = await dataFolder();
    });
    afterEach(async () => {
      await eventually('no server is left', () => !existsSync(join(folder.path, 'data', 'server.json')));
      await folder[Symbol.asyncDispose]();
    });
    const data = () => ['--data-dir', join(folder.path, 'data')];

    it('reports file, line and column of a langgraph.json that is not valid', async () => {
      const config = join(folder.path, 'langgraph.json');
      await writeFile(config, '{\n  "graphs": {\n    "agent": oops\n  }\n}\n');
      await refused(['dev', '--config', config, ...data()], 1, /langgraph\.json:3:14: Not valid JSON: /);
      await refused(
        ['run', 'agent', '--input', '{}', '--config', config, ...data()],
        1,
        /langgraph\.json:3:14/,
      );
    });

    it('fails to list assistants, which come from the graphs', async () => {
      const config = join(folder.path, 'langgraph.json');
      await writeFile(config, '{ "graphs": { "agent": "./agent.mjs:graph" } }');
      await writeFile(join(folder.path, 'agent.mjs'), "process.kill(process.pid, 'SIGKILL');");
      const listed = await cli(['assistants', 'list', '--config', config, ...data()]);
      assert.equal(listed.code, 1);
      assert.match(
        listed.stderr,
        /^The graphs failed to load: The graph runtime .* while it loaded the graphs\.$/m,
      );
      assert.match(listed.stderr, /^No assistants: the graphs failed to load\.$/m);
    });

    it('reports errors in a langgraph.json', async () => {
      const config = join(folder.path, 'langgraph.json');
      await writeFile(config, '{\n  "graphs": {\n    "agent": "./agent.ts"\n  }\n}\n');
      await refused(['dev', '--config', config, ...data()], 1, /:3:14: Must be a file and an export/);
    });

    it('reports a port that is in use', async () => {
      await using taken = await httpPeer(() => {});
      const port = new URL(taken.url).port;
      await refused(
        ['dev', '--config', agents, '--port', port, ...data()],
        1,
        new RegExp(
          `Port ${port} is in use by another program\\. Choose another port, or 0 for any free port\\.`,
        ),
      );
      await refused(['serve', '--port', port, ...data()], 1, new RegExp(`Port ${port} is in use`));
    });

    it('reports a data folder that is a file', async () => {
      await writeFile(join(folder.path, 'data'), '');
      await refused(
        ['serve', ...data()],
        1,
        /cannot write to its data folder .*: a file with this name exists/,
      );
    });

    it('reports a read-only data folder', async function () {
      if (process.platform === 'win32') skip(this, 'Windows has no read-only folders');
      const path = join(folder.path, 'data');
      await mkdir(path);
      await chmod(path, 0o555);
      await chmod(folder.path, 0o755);
      // Root may write everywhere, so this runs as the user nobody.
      const options = process.getuid?.() === 0 ? { uid: 65_534 } : {};
      const { error } = spawnSync(process.execPath, ['--version'], { ...options, cwd: projectRoot });
      if (error) skip(this, 'the user nobody cannot read this checkout');
      await refused(
        ['serve', ...data()],
        1,
        /cannot write to its data folder .*: permission denied/,
        options,
      );
    });

    it('reports a run without a graph or assistant', async () => {
      await refused(['run', 'nobody', '--input', '{}', '--config', agents, ...data()], 1, /nobody/);
    });

    it('reports the location and reason of each graph that fails to load, and serves the others', async () => {
      await using running = startCli([
        'dev',
        '--config',
        join(brokenAgents, 'langgraph.json'),
        '--port',
        '0',
        ...data(),
      ]);
      const said = await running.said('Ctrl-C');
      for (const command of ['status', 'deployments']) {
        const listed = await cli([command, ...data()]);
        assert.match(listed.stdout, / READY \(\d of \d graphs failed\) /);
      }
      assert.match(said, /✗ missing .*no-such-file\.mjs/);
      assert.match(said, /✗ no_graph .*graph/);
      assert.match(said, /✗ no_export .*agent/);
      assert.match(said, /✗ throws .*throws\.mjs:1.*There is no key for the lighthouse\./);
      assert.equal((await running.interrupt()).code, 0);
    });

    it('reports that the graph to run failed to load', async () => {
      await refused(
        ['run', 'throws', '--input', '{}', '--config', join(brokenAgents, 'langgraph.json'), ...data()],
        1,
        /Graph 'throws' failed to load: .*throws\.mjs:1.*There is no key for the lighthouse\./,
      );
    });
  });
});
