import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { WebSocket } from 'ws';
import { waitForRevision } from '../../../../src/client/wait-for-revision.ts';
import { cli } from '../../../support/cli.ts';
import {
  makeImage,
  type TestContainers,
  type TestImage,
  testContainers,
} from '../../../support/containers.ts';
import { type ServerProcess, serverProcess } from '../../../support/control-plane/server-process.ts';
import { temporaryFolder } from '../../../support/temporary-folder.ts';
import { eventually } from '../../../support/wait.ts';

/** A server without our code, whose variable MODE determines its behavior. */
const SERVER = `
import { createServer } from 'node:http';
import { createHash } from 'node:crypto';
const { MODE, PORT } = process.env;
process.on('SIGTERM', () => MODE === 'stays' || process.exit());
console.log('mode ' + MODE);
if (MODE === 'exits') {
  console.error(JSON.stringify({ level: 50, time: 1, err: { message: 'it is of 2019' }, msg: 'looked at the license' }));
  console.error('CRITICAL the license is not valid');
  process.exit(3);
}
if (MODE === 'ends') {
  console.log('there is nothing to serve');
  process.exit(0);
}
if (MODE === 'eats') {
  const eaten = [];
  for (;;) eaten.push(Buffer.alloc(16 * 1024 * 1024, 1));
}
if (MODE === 'deaf') setInterval(() => {}, 1000);
else {
  const server = createServer(async (request, response) => {
    if (request.url === '/ok') return response.end('{"ok":true}');
    if (request.url === '/slow') {
      response.setHeader('content-type', 'text/event-stream');
      response.write('data: 1\\n\\n');
      response.once('close', () => console.log('reader left'));
      return;
    }
    if (request.url === '/die') process.exit(1);
    let length = 0;
    for await (const chunk of request) length += chunk.length;
    response.statusCode = 418;
    response.setHeader('set-cookie', ['a=1', 'b=2']);
    response.setHeader('keep-alive', 'timeout=1');
    response.end(JSON.stringify({ method: request.method, url: request.url, headers: request.headersDistinct, length, secret: process.env.SECRET }));
  });
  server.on('upgrade', (request, socket) => {
    const accept = createHash('sha1').update(request.headers['sec-websocket-key'] + '258EAFA5-E914-47DA-95CA-C5AB0DC85B11').digest('base64');
    socket.write('HTTP/1.1 101 Switching Protocols\\r\\nupgrade: websocket\\r\\nconnection: Upgrade\\r\\nsec-websocket-accept: ' + accept + '\\r\\n\\r\\n');
    // Each frame of a client is masked; this one is short.
    socket.on('data', (frame) => {
      const length = frame[1] & 127;
      if ((frame[0] & 15) !== 1) return socket.end();
      const text = Buffer.from(frame.subarray(6, 6 + length).map((byte, index) => byte ^ frame[2 + (index % 4)]));
      socket.write(Buffer.concat([Buffer.from([129, length]), text]));
    });
    socket.on('error', () => {});
  });
  server.listen(Number(PORT), '0.0.0.0');
}
`;

/** The machine's Podman, which behaves as if its engine were stopped while a file exists. */
const TOOL = `#!/bin/sh
if [ -e "$(dirname "$0")/off" ] && [ "$1" != --version ]; then
  echo 'Error: the engine does not run' >&2
  exit 125
fi
exec podman "$@"
`;

describe('a deployment from any image', function () {
  this.timeout(300_000);
  const name = `localhost/agent-harbor-test-${randomUUID()}:1`;
  let containers: TestContainers;
  let image: TestImage;
  let server: ServerProcess;
  let tools: Awaited<ReturnType<typeof temporaryFolder>>;
  let deployed: { id: string; url: string };

  before(async function () {
    containers = await testContainers(this);
    image = await makeImage(containers, {
      name,
      files: { 'server.mjs': SERVER },
      command: ['/app/server.mjs'],
    });
    tools = await temporaryFolder();
    const tool = path.join(tools.path, 'podman');
    await writeFile(tool, TOOL, { mode: 0o755 });
    server = await serverProcess({
      env: {
        ...containers.environment,
        AGENT_HARBOR_CONTAINER_TOOL: tool,
        AGENT_HARBOR_CONTAINER_START_SECONDS: '6',
      },
    });
    const { id, revision } = await deploy('serves', { secrets: { SECRET: 'quoted "and"\nin two lines' } });
    assert.equal(revision.status, 'DEPLOYED', revision.status_message ?? '');
    const { source_config } = await server.client.deployments.get({ params: { deployment_id: id } });
    deployed = { id, url: source_config.custom_url ?? '' };
  });
  after(async () => {
    await server?.stop();
    await server?.[Symbol.asyncDispose]();
    await image?.[Symbol.asyncDispose]();
    await tools?.[Symbol.asyncDispose]();
  });

  /** Deploys the image in a mode, and waits for the end of the revision. */
  async function deploy(
    mode: string,
    more: { secrets?: Record<string, string>; memory?: number; image?: string } = {},
  ) {
    const created = await server.client.deployments.create({
      body: {
        name: `${mode}-${randomUUID()}`,
        source: 'external_docker',
        source_config: { resource_spec: { memory_limit_mb: more.memory ?? null } },
        source_revision_config: { image_uri: more.image ?? name },
        secrets: Object.entries({ MODE: mode, ...more.secrets }).map(([of, value]) => ({ name: of, value })),
      },
    });
    const params = { deployment_id: created.id, revision_id: created.latest_revision_id ?? '' };
    await waitForRevision(server.client.revisions, params).catch(() => {});
    return { id: created.id, revision: await server.client.revisions.get({ params }) };
  }

  const ask = (route: string, init: RequestInit = {}) =>
    fetch(`${deployed.url}${route}`, { ...init, headers: { 'x-api-key': server.apiKey, ...init.headers } });

  it('gets the requests of its clients, without their key', async () => {
    const body = 'x'.repeat(100_000);
    const answer = await ask('/any/path?with=query', {
      method: 'PUT',
      body,
      headers: { authorization: 'Bearer for-the-agent', 'x-own': 'kept' },
    });
    assert.equal(answer.status, 418);
    assert.deepEqual(answer.headers.getSetCookie(), ['a=1', 'b=2']);
    const { headers, ...rest } = (await answer.json()) as { headers: Record<string, string[]> };
    assert.deepEqual(rest, {
      method: 'PUT',
      url: '/any/path?with=query',
      length: body.length,
      secret: 'quoted "and"\nin two lines',
    });
    assert.deepEqual([headers['x-own'], headers.authorization], [['kept'], ['Bearer for-the-agent']]);
    assert.deepEqual(headers.host, [new URL(deployed.url).host]);
    assert.ok(!JSON.stringify(headers).includes(server.apiKey));
    // A bearer token that was the platform's credential is not passed on to the agent.
    const bearer = await fetch(`${deployed.url}/`, { headers: { authorization: `Bearer ${server.apiKey}` } });
    assert.equal(bearer.status, 418);
    assert.ok(!(await bearer.text()).includes(server.apiKey));
  });

  it('refuses callers without a key, and pages of other origins', async () => {
    assert.equal((await fetch(`${deployed.url}/`)).status, 401);
    assert.equal((await ask('/', { headers: { origin: 'https://example.com' } })).status, 403);
    const socket = new WebSocket(deployed.url.replace('http', 'ws'));
    const [, refused] = await once(socket, 'unexpected-response');
    assert.equal(refused.statusCode, 401);
  });

  it('streams at once, and tells its server when the reader leaves', async () => {
    const leaving = new AbortController();
    const answer = await ask('/slow', { signal: leaving.signal });
    const { value } = (await answer.body?.getReader().read()) ?? {};
    assert.equal(Buffer.from(value ?? []).toString(), 'data: 1\n\n');
    leaving.abort();
    await eventually('the server knows', async () => (await log(deployed.id)).includes('reader left'));
  });

  it('takes part in a WebSocket', async () => {
    const socket = new WebSocket(deployed.url.replace('http', 'ws'), {
      headers: { 'x-api-key': server.apiKey },
    });
    await once(socket, 'open');
    socket.send('hello');
    const [said] = await once(socket, 'message');
    assert.equal(String(said), 'hello');
    socket.close();
    await once(socket, 'close');
  });

  it('answers 503 when its container dies, and again from the next', async () => {
    const died = await ask('/die');
    assert.equal(died.status, 503);
    assert.match(await died.text(), /stopped unexpectedly/);
    // A request that reaches the dying server gets the same answer.
    await eventually(
      'the next container answers',
      async () => (await ask('/')).status,
      (status) => status === 418,
    );
    assert.match(await log(deployed.id), /exited with code 1\. Starting it again\./);
  });

  it('comes back when the container tool works again, without another start of the server', async () => {
    const off = path.join(tools.path, 'off');
    await writeFile(off, '');
    await server.kill();
    await server.start();
    const { source_config } = await server.client.deployments.get({
      params: { deployment_id: deployed.id },
    });
    deployed = { ...deployed, url: source_config.custom_url ?? '' };
    const refused = await ask('/');
    assert.equal(refused.status, 503);
    assert.match(
      await refused.text(),
      /Podman .* is installed, but does not work: the engine does not run\./,
    );
    await rm(off);
    await eventually(
      'it answers',
      async () => (await ask('/')).status,
      (status) => status === 418,
    );
  });

  it('refuses isolation, which is for graphs that are built from sources', async () => {
    const path = `/v2/deployments/${deployed.id}`;
    const answer = await server.fetch(path, {
      method: 'PATCH',
      body: { source_config: { isolation: 'container' } },
    });
    assert.equal(answer.status, 422);
    const { detail } = (await answer.json()) as { detail: { loc: string[]; msg: string }[] };
    assert.deepEqual(detail[0]?.loc, ['body', 'source_config', 'isolation']);
    assert.match(detail[0]?.msg ?? '', /An image always runs in a separate container/);
    // Null changes nothing.
    const body = { source_config: { isolation: null } };
    assert.equal((await server.fetch(path, { method: 'PATCH', body })).status, 200);
  });

  it('is deployed by the command line, which names it like its image', async () => {
    const args = ['deploy', '--image', name, '--data-dir', server.dataDir, '--wait', '--json'];
    await using env = await temporaryFolder();
    const file = path.join(env.path, 'variables');
    await writeFile(file, 'SECRET=from a file\n');
    const { stdout, code, stderr } = await cli([...args, '--env', file]);
    assert.equal(code, 0, stderr);
    const result = JSON.parse(stdout) as { name: string; deployment_url: string };
    assert.equal(result.name, name.replace(/^localhost\//, '').replace(/:1$/, ''));
    const answer = await fetch(result.deployment_url, { headers: { 'x-api-key': server.apiKey } });
    assert.match(await answer.text(), /from a file/);
    // A limit that is set later leaves the other one as it is.
    for (const limit of [
      ['--memory', '512'],
      ['--cpu', '1.5'],
    ])
      assert.equal((await cli([...args, '--name', result.name, ...limit])).code, 0);
    const [deployed] = (await server.client.deployments.list({ query: { name_contains: result.name } }))
      .resources;
    assert.deepEqual(deployed?.source_config.resource_spec, { memory_limit_mb: 512, cpu_limit: 1.5 });
    const wrong = await cli([...args, '--memory', '2 GB']);
    assert.equal(wrong.code, 2);
    assert.match(wrong.stderr, /--memory <mb>.*'2 GB'.*Must be a whole number of megabytes/);
    const again = await cli([...args, '--image', 'localhost/agent-harbor-missing:1', '--name', result.name]);
    assert.equal(again.code, 1);
    assert.match(again.stderr, /Image localhost\/agent-harbor-missing:1 is not on this machine/);
    assert.match(again.stderr, /The previous revision is still available at/);
    const other = await cli([
      'deploy',
      '--name',
      result.name,
      '--repo',
      'https://example.com/x.git',
      '--data-dir',
      server.dataDir,
    ]);
    assert.match(other.stderr, /already exists and is deployed from image localhost\//);
  });

  it('fails with the reason when its image does not exist', async () => {
    const { revision } = await deploy('missing', { image: 'localhost/agent-harbor-missing:1' });
    assert.equal(revision.status, 'BUILD_FAILED');
    assert.match(
      revision.status_message ?? '',
      /^Image localhost\/agent-harbor-missing:1 is not on this machine, and could not be pulled: .* Build it on this machine, or .*login/,
    );
  });

  it('fails with advice when an image that was built here, and is named by its digest, has been removed', async () => {
    const pinned = `agent-harbor-missing@sha256:${'a'.repeat(64)}`;
    const { revision } = await deploy('removed', { image: pinned });
    assert.equal(revision.status, 'BUILD_FAILED');
    assert.match(
      revision.status_message ?? '',
      / If it was built on this machine, it has been removed since: /,
    );
  });

  it('fails with the reason and the last lines of its output when its container exits', async () => {
    const { id, revision } = await deploy('exits');
    assert.equal(revision.status, 'DEPLOY_FAILED');
    assert.match(
      revision.status_message ?? '',
      /^The container of localhost\/.* exited with code 3\.\n(?:.*\n)*looked at the license: it is of 2019\nCRITICAL the license is not valid$/,
    );
    // The secret is masked, and the lines are there once.
    assert.match(
      await log(id),
      /^mode \*\*\*\n\{"level":50,.*\nCRITICAL .*\nThe container of .* exited with code 3\.$/,
    );
  });

  it('fails with the last lines of its output also when its container ends with code 0', async () => {
    const { revision } = await deploy('ends');
    assert.equal(revision.status, 'DEPLOY_FAILED');
    assert.match(
      revision.status_message ?? '',
      /^The container of localhost\/.* exited with code 0\.\n(?:.*\n)*there is nothing to serve$/,
    );
  });

  it('fails with the reason when nothing listens at its port', async () => {
    const { revision } = await deploy('deaf');
    assert.equal(revision.status, 'DEPLOY_FAILED');
    assert.match(
      revision.status_message ?? '',
      /was not ready within 6 s: there is no response from GET \/ok on port \d+\. The server must listen on the port in the variable PORT\.\nmode \*\*\*$/,
    );
  });

  it('fails with the limit when it is out of memory', async () => {
    const { revision } = await deploy('eats', { memory: 96 });
    assert.equal(revision.status, 'DEPLOY_FAILED');
    assert.match(
      revision.status_message ?? '',
      /out of memory \(exit code 137\)\. It may use 96 MB: raise memory_limit_mb .*deploy --memory/,
    );
  });

  it('leaves no container behind when a revision fails', async () => {
    const listed = await containers.tool.ask([
      'ps',
      '--all',
      '--filter',
      `ancestor=${name}`,
      '--format',
      '{{.Names}}',
    ]);
    assert.equal(listed.split('\n').filter(Boolean).length, 2, listed);
  });

  it('ends with a server that is killed, also when it ignores signals', async () => {
    const running = async () => {
      const listed = await containers.tool.ask(['ps', '--quiet', '--filter', `ancestor=${name}`]);
      return listed.split('\n').filter(Boolean).length;
    };
    const { revision } = await deploy('stays');
    assert.equal(revision.status, 'DEPLOYED', revision.status_message ?? '');
    assert.ok((await running()) > 0);
    await server.kill();
    await eventually('its containers are gone', running, (count) => count === 0);
    await server.start();
  });

  it('ends with a server that is killed while it starts, at whatever moment', async () => {
    const there = async () => {
      const listed = await containers.tool.ask(['ps', '--all', '--quiet', '--filter', `ancestor=${name}`]);
      return listed.split('\n').filter(Boolean).length;
    };
    for (const afterMs of [0, 300, 900]) {
      const created = await server.client.deployments.create({
        body: {
          name: `killed-${randomUUID()}`,
          source: 'external_docker',
          source_config: {},
          source_revision_config: { image_uri: name },
          secrets: [{ name: 'MODE', value: 'deaf' }],
        },
      });
      const params = { deployment_id: created.id, revision_id: created.latest_revision_id ?? '' };
      await eventually(
        'its container is to be started',
        () => server.client.revisions.get({ params }),
        ({ status }) => status === 'DEPLOYING',
        60_000,
      );
      await delay(afterMs);
      await server.kill();
      await eventually('no container is left', there, (count) => count === 0, 60_000);
      await server.start();
    }
  });

  async function log(deployment_id: string): Promise<string> {
    const { logs } = await server.client.deploymentLogs.deploy({
      params: { deployment_id },
      body: { order: 'asc', limit: 1_000 },
    });
    return logs.map(({ message }) => message).join('\n');
  }
});
