import assert from 'node:assert/strict';
import { Client as LangGraphClient } from '@langchain/langgraph-sdk';
import { followRevision } from '../../../src/deploy/follow-revision.ts';
import { LINK_PACKAGES, linkedProject } from '../../support/control-plane/example-files.ts';
import { gitRepository } from '../../support/control-plane/git-repository.ts';
import { serverProcess } from '../../support/control-plane/server-process.ts';
import { clientsOf } from '../../support/control-plane/steady-clients.ts';

describe('a revision that takes over', function () {
  this.timeout(60_000);

  it('costs nobody an answer, however many ask meanwhile', async () => {
    await using server = await serverProcess();
    await using repository = await gitRepository();
    await repository.push(await linkedProject('old'));
    const { deployments } = server.client;
    const created = await deployments.create({
      body: {
        name: 'busy',
        source: 'github',
        source_config: { repo_url: repository.url, install_command: LINK_PACKAGES },
        source_revision_config: { repo_ref: 'main' },
      },
    });
    const params = { deployment_id: created.id };
    /** Waits for a revision. What is shown of its log meanwhile is, in the end, the log: no line twice, none missing. */
    const live = async (id: string | null | undefined) => {
      const ref = { ...params, revision_id: id ?? '' };
      const lines: string[] = [];
      const statuses: string[] = [];
      const show = {
        status: ({ status }: { status: string }) => statuses.push(status),
        line: ({ message }: { message: string }) => lines.push(message),
      };
      await followRevision(server.client, ref, show, AbortSignal.timeout(50_000));
      const { logs } = await server.client.deploymentLogs.build({
        params: ref,
        body: { order: 'asc', limit: 1_000 },
      });
      assert.ok(lines.length > 3);
      assert.deepEqual(
        lines,
        logs.map(({ message }) => message),
      );
      const order = [
        'CREATING',
        'QUEUED',
        'AWAITING_BUILD',
        'BUILDING',
        'AWAITING_DEPLOY',
        'DEPLOYING',
        'DEPLOYED',
      ];
      assert.deepEqual(
        statuses,
        order.filter((status) => statuses.includes(status)),
      );
      assert.equal(statuses.at(-1), 'DEPLOYED');
    };
    await live(created.latest_revision_id);
    const apiUrl = (await deployments.get({ params })).source_config.custom_url ?? '';
    const callerOptions = { maxRetries: 0 };
    const clients = clientsOf(new LangGraphClient({ apiUrl, apiKey: server.apiKey, callerOptions }), 3);
    await repository.push(await linkedProject('new'));
    const changed = await deployments.update({ params, body: { source_revision_config: {} } });
    await live(changed.latest_revision_id);
    const { answered, failures, greetings } = await clients.stop();
    assert.deepEqual(failures, []);
    assert.ok(answered > 0);
    assert.deepEqual(greetings, new Set(['old', 'new']));
  });
});
