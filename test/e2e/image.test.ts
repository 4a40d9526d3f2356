import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { baseImage } from '../support/base-image.ts';
import { testContainers } from '../support/containers.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { eventually } from '../support/wait.ts';
import { HarborWindow } from './pages/harbor-window.ts';

describe('an image built in VS Code', function () {
  this.timeout(600_000);

  it('shows its log at the line that fails, and can be deployed once that is fixed', async function () {
    const containers = await testContainers(this);
    const env = { ...containers.environment, AGENT_HARBOR_BASE_IMAGE: await baseImage(this, containers) };
    await using folder = await temporaryFolder();
    const config = { graphs: { agent: './agent.mjs:graph' } };
    const write = (more: object) =>
      writeFile(
        path.join(folder.path, 'langgraph.json'),
        JSON.stringify({ ...config, ...more }, undefined, 2),
      );
    await write({ dockerfile_lines: ['RUN echo before', 'RUN echo the reason; exit 3'] });
    const tag = 'agent-harbor-test-e2e:1';
    const window = await HarborWindow.open({ folder: folder.path, env });
    const { workbench } = window;
    const { quickInput, notifications, editors } = workbench;
    const build = async () => {
      await workbench.runCommand('Agent Harbor: Build Image…');
      await quickInput.waitFor('Build Image');
      await quickInput.type(tag);
      await quickInput.accept();
    };
    try {
      // The command is there as soon as the project is known.
      await window.openViews(/agent/);
      await build();
      const failed = /line \d+ of the Dockerfile, dockerfile_lines\[1\] of langgraph\.json, failed/;
      await notifications.waitFor(failed, 60_000);
      await notifications.press(failed, 'Show Log');
      // The selected row is in sight.
      await eventually(
        'the log at the line that fails',
        () => editors.text(),
        (text) => /STEP \d+\/\d+: RUN echo the reason; exit 3\n+the reason/.test(text),
      );
      await write({});
      await build();
      await notifications.waitFor(new RegExp(`^Built ${tag}\\.`), 120_000);
      assert.match(await containers.tool.ask(['image', 'ls']), /agent-harbor-test-e2e/);

      await workbench.runCommand('Agent Harbor: Deploy…');
      await quickInput.waitFor(/^Deploy \(\d\/\d\)$/);
      await quickInput.accept();
      await quickInput.waitFor('Select a source');
      await quickInput.pick('Container Image…');
      await quickInput.waitFor('registry.example.com/team/agent:1.0');
      await quickInput.type(tag);
      await quickInput.accept();
      await workbench.dialog.waitFor(/^Deploy .* to Local\?/);
      await workbench.dialog.press('Deploy');
      // There is no agent.mjs in it.
      const { deployments, revisions } = await window.client();
      const deployed = await eventually(
        'the reason in its revision',
        async () => {
          const { resources } = await deployments.list();
          const found = resources.find(({ source }) => source === 'external_docker');
          const params = { deployment_id: found?.id ?? '', revision_id: found?.latest_revision_id ?? '' };
          const revision = await revisions.get({ params });
          return revision.status === 'DEPLOY_FAILED' ? revision : undefined;
        },
        Boolean,
        60_000,
      );
      assert.equal(deployed.source_revision_config?.image_uri, tag);
      assert.match(deployed.status_message ?? '', /Graph 'agent' failed to load: .*agent\.mjs/);
      const { resources } = await deployments.list();
      for (const { id, source } of resources)
        if (source === 'external_docker') await deployments.delete({ params: { deployment_id: id } });
    } finally {
      await window.close();
      await containers.tool.ask(['rmi', '--force', tag]);
    }
  });
});
