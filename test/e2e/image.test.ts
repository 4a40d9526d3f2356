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

  it('shows its log at the line that fails, and is there once that is mended', async function () {
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
      // What is selected is in sight.
      await eventually(
        'the log at the line that fails',
        () => editors.text(),
        (text) => /STEP \d+\/\d+: RUN echo the reason; exit 3\n+the reason/.test(text),
      );
      await write({});
      await build();
      await notifications.waitFor(new RegExp(`^Built ${tag}\\.`), 120_000);
      assert.match(await containers.tool.ask(['image', 'ls']), /agent-harbor-test-e2e/);
    } finally {
      await window.close();
      await containers.tool.ask(['rmi', '--force', tag]);
    }
  });
});
