// Replays a run file ten times with its own server: `replay-offline.ts <project> <graphs> <file> <origin>` prints the
// outcomes as JSON. It is started where there is no network, and asserts that the origin does not answer there.

import assert from 'node:assert/strict';
import { Client } from '../../src/client/client.ts';
import { localConnection } from '../../src/client/connection.ts';
import { createDispatcher } from '../../src/client/dispatcher.ts';
import { replayRunFile } from '../../src/run-files/replay-run-file.ts';
import { openRunFile } from '../../src/run-files/run-file-on-disk.ts';
import { serveProject } from './served-project.ts';

const TIMES = 10;
const [, , folder = '', graphs = '{}', file = '', origin = ''] = process.argv;

await assert.rejects(fetch(origin), 'the origin that answered is not there');
const given = { folder, graphs: JSON.parse(graphs), [Symbol.asyncDispose]: async () => {} };
await using served = await serveProject({ given });
await using cleanup = new AsyncDisposableStack();
const dispatcher = createDispatcher({});
cleanup.defer(() => dispatcher.close());
const { url: deploymentUrl, platformUrl: baseUrl, apiKey } = served;
const client = new Client({ dispatcher, connection: localConnection({ baseUrl, apiKey, deploymentUrl }) });
const { signal } = new AbortController();
const outcomes: string[] = [];
for (let turn = 0; turn < TIMES; turn++) {
  const options = { tools: 'recorded', allowNew: false, secrets: [], signal } as const;
  const { kind, live } = await replayRunFile(client, (kinds) => openRunFile(file, kinds), options);
  outcomes.push(`${kind}, ${live} sent`);
}
console.log(JSON.stringify(outcomes));
