import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { zstdDecompressSync } from 'node:zlib';
import { Client as LangGraphClient } from '@langchain/langgraph-sdk';
import { waitForRevision } from '../../../../src/client/wait-for-revision.ts';
import { LINK_PACKAGES, linkedProject } from '../../../support/control-plane/example-files.ts';
import { gitRepository } from '../../../support/control-plane/git-repository.ts';
import { serverProcess } from '../../../support/control-plane/server-process.ts';
import { eventually } from '../../../support/wait.ts';

/** Unique values; tracing SDKs tend to send the variable with the second one's name. */
const SECRETS = {
  A_SECRET: 'correct horse/battery+staple',
  LANGCHAIN_FAVOURITE: 'a favorite of no one else',
};

/** Uses its secrets like careless code: it outputs them in every way, and proves that it has them. */
const careless = `
import { createHash } from 'node:crypto';
import { Annotation, StateGraph } from '@langchain/langgraph';

const secrets = ${JSON.stringify(Object.keys(SECRETS))}.map((name) => process.env[name]);
const State = Annotation.Root({ hashes: Annotation });
for (const secret of secrets) {
  console.log('loaded with', secret);
  console.error(JSON.stringify({ secret }), encodeURIComponent(secret), Buffer.from(secret).toString('base64'));
}

function careless() {
  for (const secret of secrets) console.warn(new Error('cannot use ' + secret).stack);
  return { hashes: secrets.map((secret) => createHash('sha256').update(secret).digest('hex')) };
}

export const graph = new StateGraph(State).addNode('careless', careless).addEdge('__start__', 'careless').compile();
`;

describe('the secrets of a deployment', function () {
  this.timeout(60_000);

  it('reach its graphs, but no answer, log, trace or file', async () => {
    await using server = await serverProcess({ args: ['--log-level', 'trace'] });
    await using repository = await gitRepository();
    await repository.push({ ...(await linkedProject('careless')), 'src/slow.mjs': careless });
    const answers: string[] = [];
    const keep = <Value>(value: Value): Value => {
      answers.push(JSON.stringify(value));
      return value;
    };
    const { client } = server;
    const secrets = Object.entries(SECRETS).map(([name, value]) => ({ name, value }));
    const created = keep(
      await client.deployments.create({
        body: {
          name: 'careless',
          source: 'github',
          source_config: { repo_url: repository.url, install_command: LINK_PACKAGES },
          source_revision_config: { repo_ref: 'main' },
          secrets,
        },
      }),
    );
    const params = { deployment_id: created.id, revision_id: created.latest_revision_id ?? '' };
    keep(await waitForRevision(client.revisions, params));
    const { source_config } = keep(await client.deployments.get({ params }));
    const apiUrl = source_config.custom_url ?? '';
    const sdk = new LangGraphClient({ apiUrl, apiKey: server.apiKey });
    const thread = await sdk.threads.create();
    const values = keep(await sdk.runs.wait(thread.thread_id, 'slow', { input: {} }));
    const hashes = Object.values(SECRETS).map((secret) => createHash('sha256').update(secret).digest('hex'));
    assert.deepEqual(values, { hashes });

    const { deploymentLogs } = client.controlPlane;
    const lines = await eventually(
      'its log has what it said',
      async () => (await deploymentLogs.deploy({ params, body: { limit: 1000 } })).logs,
      (logs) => logs.some(({ message }) => message.includes('cannot use')),
    );
    assert.ok(lines.some(({ message }) => message.includes('loaded with ***')));
    keep(lines);
    keep(await deploymentLogs.build({ params, body: { limit: 1000 } }));
    keep(await deploymentLogs.deployOfRevision({ params, body: { limit: 1000 } }));
    const sessions = (await (await server.fetch('/api/v1/sessions?name=careless')).json()) as {
      id: string;
    }[];
    const runs = await eventually(
      'its trace has arrived',
      async () => {
        const response = await server.fetch('/api/v1/runs/query', {
          method: 'POST',
          body: {
            session: sessions.map(({ id }) => id),
            select: ['inputs', 'outputs', 'extra', 'error', 'events'],
          },
        });
        return (await response.json()) as { runs?: unknown[] };
      },
      (found) => (found.runs?.length ?? 0) >= 2,
    );
    keep(runs);
    for (const route of [
      '/v2/deployments',
      `/v2/deployments/${created.id}/revisions`,
      '/api-host/v2/deployments',
      '/api/v1/sessions',
      '/openapi.json',
    ]) {
      keep(await (await server.fetch(route)).text());
    }
    keep(await sdk.threads.getHistory(thread.thread_id));
    keep(await sdk.assistants.getGraph('slow'));
    keep(await client.deployments.update({ params, body: { source_config: { build_on_push: false } } }));

    await server.stop();
    const places = new Map<string, Buffer>([
      ['an answer', Buffer.from(answers.join('\n'))],
      ["the server's log", Buffer.from(await server.log())],
      ...(await filesBelow(server.dataDir)),
    ]);
    for (const [place, content] of places) {
      for (const secret of Object.values(SECRETS)) {
        const forms = [secret, encodeURIComponent(secret), Buffer.from(secret).toString('base64')];
        for (const form of forms) assert.ok(!content.includes(form), `${form} stands in ${place}`);
      }
    }
  });
});

/** The content of every file, and every value of databases, decompressed. */
async function filesBelow(dir: string): Promise<[string, Buffer][]> {
  const entries = await readdir(dir, { recursive: true, withFileTypes: true });
  const found: [string, Buffer][] = [];
  for (const entry of entries) {
    const file = path.join(entry.parentPath, entry.name);
    if (!entry.isFile()) continue;
    found.push([file, await readFile(file)]);
    if (entry.name.endsWith('.db')) found.push(...valuesOf(file));
  }
  return found;
}

const ZSTD_MAGIC = Buffer.from([0x28, 0xb5, 0x2f, 0xfd]);

function* valuesOf(file: string): Generator<[string, Buffer]> {
  const db = new DatabaseSync(file);
  const tables = db.prepare("SELECT name FROM sqlite_schema WHERE type = 'table'").all();
  for (const { name } of tables) {
    for (const row of db.prepare(`SELECT * FROM "${String(name)}"`).all()) {
      for (const value of Object.values(row)) {
        if (!(value instanceof Uint8Array)) continue;
        const bytes = Buffer.from(value);
        if (bytes.subarray(0, 4).equals(ZSTD_MAGIC))
          yield [`${file}, ${String(name)}`, zstdDecompressSync(bytes)];
      }
    }
  }
  db.close();
}
