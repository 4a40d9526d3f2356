import assert from 'node:assert/strict';
import path from 'node:path';
import { Client } from '../../../../src/client/client.ts';
import { localConnection } from '../../../../src/client/connection.ts';
import { createDispatcher } from '../../../../src/client/dispatcher.ts';
import { DapClient } from '../../../support/dap-client.ts';
import { DebugSession } from '../../../support/debug-session.ts';
import { debuggedAgent, LINES } from '../../../support/debugged-python.ts';
import { findPython, findPythonVersion, withPython } from '../../../support/python-environments.ts';
import { debuggableEnvironment, servablePythonProject } from '../../../support/python-projects.ts';
import { serveProject } from '../../../support/served-project.ts';
import { skip } from '../../../support/skip.ts';

/** A version that a machine lacks is skipped. Python 3.12 changed how debuggers stop: sys.monitoring. */
const VERSIONS = ['3.11', '3.12', '3.13', '3.14'] as const;

describe('debugging Python', function () {
  this.timeout(10 * 60_000);

  for (const wanted of VERSIONS) {
    it(`${wanted} stops in a sync node, in an async one, and at breakpoint()`, async function () {
      const python = await withPython(this, async () => {
        const { version } = await findPython();
        if (version.startsWith(`${wanted}.`))
          skip(this, `Python ${wanted} is the first of the PATH, with which python-debugging.test.ts runs.`);
        return debuggableEnvironment('langgraph-1.2', await findPythonVersion(wanted));
      });
      await using dispatcher = new AsyncDisposableStack();
      await using served = await serveProject({
        given: await servablePythonProject(python, {
          empty: true,
          files: {
            'agent.py': debuggedAgent('breakpoint()'),
            'langgraph.json': JSON.stringify({ dependencies: ['.'], graphs: { agent: './agent.py:graph' } }),
          },
        }),
      });
      const { url, platformUrl: baseUrl, apiKey, project } = served;
      const client = new Client({
        dispatcher: dispatcher.adopt(createDispatcher({}), (made) => made.destroy()),
        connection: localConnection({ baseUrl, apiKey, deploymentUrl: url }),
      });
      const config_path = path.join(project.folder, 'langgraph.json');
      const { deployment_id } = await client.harbor.openFolder({ body: { config_path } });
      await using session = await DebugSession.begin(client, deployment_id);
      const process = await session.process();
      using editor = await DapClient.connect(process.address);
      await editor.attach(path.join(project.folder, 'agent.py'), LINES);
      await session.tell(process, { state: 'attached' });
      const state = client.runs.waitStateless({
        body: { assistant_id: 'agent', input: { question: 'why' } },
      });
      const places = [];
      for (const expression of ['found', 'found', 'found']) {
        const { threadId, name, value } = await editor.paused(expression);
        places.push([name, value]);
        await editor.request('continue', { threadId });
      }
      assert.deepEqual(places, [
        ['retrieve', "'WHY'"],
        ['answer', "'WHY'"],
        ['answer', "'WHY'"],
      ]);
      assert.deepEqual(await state, { question: 'why', found: 'WHY!' });
      const { runtime } = await client.harbor.getFolder({ params: { deployment_id } });
      assert.match(
        JSON.stringify(runtime),
        new RegExp(`"language_version":"${wanted.replace('.', '\\.')}\\.`),
      );
    });
  }
});
