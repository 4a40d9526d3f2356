import assert from 'node:assert/strict';
import { Client as LangGraphClient } from '@langchain/langgraph-sdk';
import { waitForRevision } from '../../../src/client/wait-for-revision.ts';
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
    const { deployments, revisions } = server.client;
    const created = await deployments.create({
      body: {
        name: 'busy',
        source: 'github',
        source_config: { repo_url: repository.url, install_command: LINK_PACKAGES },
        source_revision_config: { repo_ref: 'main' },
      },
    });
    const params = { deployment_id: created.id };
    const live = (id: string | null | undefined) =>
      waitForRevision(revisions, { ...params, revision_id: id ?? '' });
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
