import assert from 'node:assert/strict';
import { RememberedTool } from '../../../../src/containers/remembered-tool.ts';
import { SandboxHost } from '../../../../src/server/runtimes/isolation/sandbox-host.ts';
import { Sandboxes } from '../../../../src/server/runtimes/isolation/sandboxes.ts';
import { RuntimeStartError } from '../../../../src/server/runtimes/process/runtime-errors.ts';
import { temporaryFolder } from '../../../support/temporary-folder.ts';

describe('isolated graphs', () => {
  /** Starts a runtime where there is no container tool. */
  async function launchOn(platform: NodeJS.Platform) {
    await using dataDir = await temporaryFolder();
    const tools = new RememberedTool({ AGENT_HARBOR_CONTAINER_TOOL: 'no-such-tool' });
    const sandboxes = new Sandboxes({
      host: new SandboxHost(dataDir.path, tools),
      environment: {},
      allowedPorts: () => [],
      noteConnection: () => {},
      guard: 'guard.js',
      platform,
    });
    const folder = dataDir.path;
    const launch = sandboxes.launcherOf({ deploymentId: 'one', folder, home: folder, limits: {} });
    await launch({ file: process.execPath, args: ['start.js'], cwd: folder, env: {} });
  }

  it('are refused on systems whose programs do not run in containers, with the alternatives', async () => {
    for (const platform of ['win32', 'darwin'] as const) {
      await assert.rejects(launchOn(platform), (error) => {
        assert.ok(error instanceof RuntimeStartError);
        assert.match(
          error.message,
          /needs a server on Linux\. Deploy an image instead, or set isolation to process\./,
        );
        return true;
      });
    }
  });

  it('require a container tool on Linux', async () => {
    await assert.rejects(launchOn('linux'), /'no-such-tool', which is not a Docker or Podman/);
  });
});
