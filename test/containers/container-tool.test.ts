import assert from 'node:assert/strict';
import { chmod, writeFile } from 'node:fs/promises';
import path from 'node:path';
import {
  ContainerTool,
  findContainerTool,
  NoContainerToolError,
} from '../../src/containers/container-tool.ts';
import { runArguments } from '../../src/containers/run-arguments.ts';
import { skip } from '../support/skip.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

describe('the container tool', () => {
  it('is reported as missing in one sentence that says what to do', async () => {
    await assert.rejects(findContainerTool({ PATH: '' }), (error) => {
      assert.ok(error instanceof NoContainerToolError);
      assert.match(error.message, /neither was found on this machine\. Install Docker or Podman/);
      return true;
    });
    await assert.rejects(
      findContainerTool({ PATH: '', AGENT_HARBOR_CONTAINER_TOOL: 'nerdctl' }),
      /AGENT_HARBOR_CONTAINER_TOOL is 'nerdctl', which is not a Docker or Podman that can be run\./,
    );
  });

  it('is not Docker if its engine does not run, and the error says what Docker said', async function () {
    if (process.platform === 'win32') skip(this, 'the tool is a script for a shell');
    await using folder = await folderWith({
      docker:
        'if [ "$1" = --version ]; then echo "Docker version 28.2.2, build e6534b4"; else echo; echo "Cannot connect to the Docker daemon at unix:///var/run/docker.sock. Is the docker daemon running?" >&2; exit 1; fi',
    });
    await assert.rejects(
      findContainerTool({ PATH: folder.path }),
      /^NoContainerToolError: Docker 28\.2\.2 is installed, but does not work: Cannot connect to the Docker daemon .* running\? Start it, or set/,
    );
  });

  it('is reported as broken with its exit code when it gives no reason', async function () {
    if (process.platform === 'win32') skip(this, 'the tool is a script for a shell');
    await using folder = await folderWith({
      podman:
        'if [ "$1" = --version ]; then echo "podman version 4.3.1"; else echo "Error: " >&2; exit 125; fi',
    });
    await assert.rejects(
      findContainerTool({ PATH: folder.path }),
      /^NoContainerToolError: Podman 4\.3\.1 is installed, but does not work: Command failed: podman info/,
    );
  });

  it('is not Docker if it does not know the given options, and the error names the unknown one', async function () {
    if (process.platform === 'win32') skip(this, 'the tool is a script for a shell');
    const help = [
      'unknown flag: --runtime',
      "See 'docker --help'.",
      '',
      'Usage:  docker [OPTIONS] COMMAND',
      '',
      'To get more help with docker, check out our guides at https://docs.docker.com/go/guides/',
    ];
    await using folder = await folderWith({
      docker: `if [ "$1" = --version ]; then echo "Docker version 20.10.24, build 297e128"; else cat <<'HELP' >&2\n${help.join('\n')}\nHELP\nexit 125; fi`,
    });
    await assert.rejects(
      findContainerTool({
        PATH: `${folder.path}:/bin`,
        AGENT_HARBOR_CONTAINER_TOOL: 'docker',
        AGENT_HARBOR_CONTAINER_OPTIONS: '--runtime runc',
      }),
      /^NoContainerToolError: Docker 20\.10\.24 does not accept the options in AGENT_HARBOR_CONTAINER_OPTIONS: unknown flag: --runtime\. Change it, or set AGENT_HARBOR_CONTAINER_TOOL/,
    );
  });

  it('is Podman when Docker has no engine, also under the name docker', async function () {
    if (process.platform === 'win32') skip(this, 'the tool is a script for a shell');
    const podman =
      'if [ "$1" = --version ]; then echo "podman version 4.3.1"; elif [ "$1 $3" = "info {{.Version.Version}}" ]; then echo 4.3.1; else exit 1; fi';
    await using beside = await folderWith({ docker: 'exit 1', podman });
    assert.equal((await findContainerTool({ PATH: beside.path })).title, 'Podman 4.3.1');
    await using renamed = await folderWith({ docker: podman });
    const instead = await findContainerTool({ PATH: renamed.path });
    assert.deepEqual([instead.name, instead.program], ['podman', 'docker']);
  });

  it('starts a container without values of variables in its arguments', () => {
    const tool = new ContainerTool(
      { name: 'podman', version: '4.3.1', program: 'podman' },
      { AGENT_HARBOR_CONTAINER_OPTIONS: '--runtime runc' },
    );
    const plan = {
      name: 'c',
      imageId: 'abc',
      labels: { a: 'b' },
      environmentFile: '/tmp/env',
      environmentNames: ['TOKEN'],
      volumes: { '/data': 'v' },
      limits: { cpus: 0.5, memoryMb: 64 },
      ports: { host: 5000, container: 8000 },
    };
    const args = runArguments(tool, plan).join(' ');
    assert.match(args, /^--runtime runc run --name c /);
    assert.match(
      args,
      / --env-file \/tmp\/env --env TOKEN --volume v:\/data --cpus 0\.5 --memory 64m --memory-swap 64m /,
    );
    assert.match(args, / --publish 127\.0\.0\.1:5000:8000 abc$/);
    const onHost = new ContainerTool(tool, { AGENT_HARBOR_CONTAINER_RUN_OPTIONS: '--network host' });
    assert.match(runArguments(onHost, plan).join(' '), / 64m --network host abc$/);
  });
});

/** A folder for `PATH` with shell scripts. */
async function folderWith(programs: Record<string, string>) {
  const folder = await temporaryFolder();
  for (const [name, script] of Object.entries(programs)) {
    await writeFile(path.join(folder.path, name), `#!/bin/sh\n${script}\n`);
    await chmod(path.join(folder.path, name), 0o755);
  }
  return folder;
}
