import assert from 'node:assert/strict';
import { PassThrough } from 'node:stream';
import { Agent } from 'undici';
import { connectToDeployment } from '../../../src/cli/folders/agent-connection.ts';
import type { Context } from '../../../src/cli/terminal/context.ts';
import { Terminal } from '../../../src/cli/terminal/terminal.ts';
import { httpPeer } from '../../support/http-peer.ts';

describe('the connection to a deployment', () => {
  it('uses the other key if the first variable is empty, as CI systems set missing ones', async () => {
    await using deployment = await httpPeer((_request, response) => void response.end('[]'));
    const dispatcher = new Agent();
    const context: Context = {
      dispatcher,
      terminal: new Terminal({ stdout: new PassThrough(), stderr: new PassThrough(), environment: {} }),
      version: '1.2.3',
      serverPath: '/nowhere/server.js',
      templatesPath: '/nowhere/templates',
      environment: { LANGGRAPH_API_KEY: '', LANGSMITH_API_KEY: 'key', LANGSMITH_WORKSPACE_ID: '' },
      stdin: new PassThrough(),
      interrupted: new AbortController().signal,
    };
    const { client } = connectToDeployment(context, deployment.url);
    await client.assistants.search({ body: {} });
    assert.equal(deployment.seen[0]?.headers['x-api-key'], 'key');
    assert.equal(deployment.seen[0]?.headers['x-tenant-id'], undefined);
    await dispatcher.close();
  });
});
