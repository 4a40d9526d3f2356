import assert from 'node:assert/strict';
import { chmod, writeFile } from 'node:fs/promises';
import path from 'node:path';
import process from 'node:process';
import { ContainerTool } from '../../../../src/containers/container-tool.ts';
import { CommandRunner } from '../../../../src/server/control-plane/builds/command-runner.ts';
import { Container } from '../../../../src/server/control-plane/images/container.ts';
import { LogBook } from '../../../../src/server/runtimes/output/log-book.ts';
import { serverBundles } from '../../../support/server-bundles.ts';
import { temporaryFolder } from '../../../support/temporary-folder.ts';

describe('a container that ends while it starts', function () {
  this.timeout(60_000);
  before(function () {
    // The stand-in for the container tool is a shell script.
    if (process.platform === 'win32') this.skip();
  });

  for (const code of [0, 3]) {
    it(`is reported with the last lines of its output, with exit code ${code}`, async () => {
      await using folder = await temporaryFolder();
      const program = path.join(folder.path, 'tool');
      const run = `for line in $(seq 20); do echo "line $line"; done; exit ${code}`;
      await writeFile(program, `#!/bin/sh\ncase " $* " in *" run "*) ${run};; esac\n`);
      await chmod(program, 0o755);
      const options = {
        launch: {
          image: { id: 'a'.repeat(64), digest: undefined, port: 8000, volumes: [] },
          reference: 'some/image',
          environment: {},
          limits: {},
        },
        name: 'some-container',
        labels: {},
        volumes: {},
        tool: new ContainerTool({ name: 'docker', version: '29.0.0', program }, process.env),
        runner: new CommandRunner((await serverBundles()).buildGuard),
        folder: folder.path,
        log: new LogBook(),
        startTimeoutMs: 30_000,
      };
      const lines = Array.from({ length: 15 }, (_, index) => `line ${index + 6}`).join('\n');
      await assert.rejects(Container.start(options, new AbortController().signal), {
        message: `The container of some/image exited with code ${code}.\n${lines}`,
      });
    });
  }
});
