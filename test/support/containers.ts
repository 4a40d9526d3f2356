import { execFile } from 'node:child_process';
import { cp, mkdir, readdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import type { Context } from 'mocha';
import { type ContainerTool, findContainerTool } from '../../src/containers/container-tool.ts';
import { messageOf } from '../../src/process/message-of.ts';
import { distFolder } from './dist.ts';
import { installLine } from './projects.ts';
import { skip } from './skip.ts';
import { temporaryFolder } from './temporary-folder.ts';
import { patience } from './wait.ts';

const execute = promisify(execFile);

/** Variables that containers need where there is neither systemd nor a separate network. */
const ENVIRONMENT: Readonly<Record<string, string>> = {
  AGENT_HARBOR_CONTAINER_TOOL: 'podman',
  AGENT_HARBOR_CONTAINER_OPTIONS: '--runtime runc --cgroup-manager cgroupfs',
  AGENT_HARBOR_CONTAINER_RUN_OPTIONS: '--ulimit nofile=1000:1000 --ulimit nproc=2000:2000 --network host',
};

/** A container tool that can run the images that tests make. */
export interface TestContainers {
  readonly tool: ContainerTool;
  /** The variables a server needs to find it. */
  readonly environment: Readonly<Record<string, string>>;
}

/**
 * Finds the container tool, or skips the test. Images are built from this machine's own programs, without a
 * registry; only Podman as root runs such images everywhere.
 */
export async function testContainers(test: Context): Promise<TestContainers> {
  if (process.platform !== 'linux' || process.getuid?.() !== 0) skip(test, 'containers need Linux and root');
  try {
    const tool = await findContainerTool({ ...process.env, ...ENVIRONMENT });
    await execute('runc', ['--version']);
    return { tool, environment: ENVIRONMENT };
  } catch (error) {
    return skip(test, `no usable container tool: ${messageOf(error)}`);
  }
}

/** An image for tests, removed with the scope it was made in. */
export interface TestImage extends AsyncDisposable {
  readonly name: string;
}

export interface TestImageOptions {
  readonly name: string;
  /** Files by path below `/app`. */
  readonly files?: Readonly<Record<string, string>>;
  /** Further folders of this machine, by their place in the image. */
  readonly folders?: Readonly<Record<string, string>>;
  /** Arguments of node. */
  readonly command: readonly string[];
  readonly volumes?: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
}

/** Builds an image with Node and the given files, and nothing else. */
export async function makeImage({ tool }: TestContainers, options: TestImageOptions): Promise<TestImage> {
  await using root = await temporaryFolder();
  const node = process.execPath;
  const { stdout } = await execute('ldd', [node]);
  const libraries = [...stdout.matchAll(/(\/\S+\.so\S*)/g)].map(([, file = '']) => file);
  await copyTo(root.path, '/bin/node', node);
  for (const library of libraries) await copyTo(root.path, library, library);
  for (const [place, folder] of Object.entries(options.folders ?? {})) await copyTo(root.path, place, folder);
  for (const [name, content] of Object.entries(options.files ?? {})) {
    const file = path.join(root.path, 'app', name);
    await mkdir(path.dirname(file), { recursive: true });
    await writeFile(file, content);
  }
  for (const dir of ['tmp', 'dev', 'proc', 'sys', 'etc', 'run', 'app']) {
    await mkdir(path.join(root.path, dir), { recursive: true });
  }
  const archive = `${root.path}.tar`;
  await execute('tar', ['--create', '--file', archive, '--directory', root.path, '.']);
  const changes = [
    'ENTRYPOINT ["/bin/node"]',
    `CMD ${JSON.stringify(options.command)}`,
    'WORKDIR /app',
    'ENV PATH=/bin HOME=/tmp',
    'EXPOSE 8000',
    ...Object.entries(options.environment ?? {}).map(([name, value]) => `ENV ${name}=${value}`),
    ...(options.volumes ?? []).map((folder) => `VOLUME ${folder}`),
  ];
  await tool.ask(
    ['import', '--quiet', ...changes.flatMap((change) => ['--change', change]), archive, options.name],
    {
      timeoutMs: 120_000 * patience,
    },
  );
  await execute('rm', ['-f', archive]);
  return imageNamed(tool, options.name);
}

function imageNamed(tool: ContainerTool, name: string): TestImage {
  return {
    name,
    [Symbol.asyncDispose]: async () => {
      await tool.ask(['rmi', '--force', name]);
    },
  };
}

/** An image like another one, but with a different value of a variable. */
export async function makeVariant(
  { tool }: TestContainers,
  { name: from }: TestImage,
  name: string,
  variable: string,
): Promise<TestImage> {
  const container = (await tool.ask(['create', from])).trim();
  await tool.ask(['commit', '--quiet', '--change', `ENV ${variable}`, container, name], {
    timeoutMs: 120_000 * patience,
  });
  await tool.ask(['rm', '--volumes', container]);
  return imageNamed(tool, name);
}

const GRAPH = `
import { Annotation, StateGraph } from '@langchain/langgraph';

const State = Annotation.Root({ ticks: Annotation, greeting: Annotation });
const greeting = process.env.GREETING;

async function slow({ ticks }, config) {
  for (let tick = 0; tick < ticks; tick++) {
    config.writer({ tick, greeting });
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  return { greeting };
}

export const graph = new StateGraph(State).addNode('slow', slow).addEdge('__start__', 'slow').compile();
`;

/** An image of our own server with one graph, `slow`, which says every 100 ms, `ticks` times, what the variable GREETING is. */
export async function makeAgentImage(
  containers: TestContainers,
  name: string,
  greeting: string,
): Promise<TestImage> {
  await using dist = await temporaryFolder();
  for (const entry of await readdir(distFolder)) {
    if (/^(?:server|runtime|traces|build-guard).*(?<!\.map)$/.test(entry)) {
      await cp(path.join(distFolder, entry), path.join(dist.path, entry), { recursive: true });
    }
  }
  return await makeImage(containers, {
    name,
    files: {
      'package.json': JSON.stringify({ name: 'agent', type: 'module' }),
      'langgraph.json': JSON.stringify({ graphs: { slow: './src/slow.mjs:graph' } }),
      'src/slow.mjs': GRAPH,
    },
    folders: {
      '/opt/agent-harbor': dist.path,
      '/app/node_modules': path.join(await installLine('langgraph-1.7'), 'node_modules'),
    },
    command: ['/opt/agent-harbor/server.js', '--data-dir', '/data', '--agent', '/app/langgraph.json'],
    volumes: ['/data'],
    // The same as in images that are built from projects.
    environment: { GREETING: greeting, AGENT_HARBOR_TRACING: 'cloud' },
  });
}

async function copyTo(root: string, place: string, from: string): Promise<void> {
  const to = path.join(root, place);
  await mkdir(path.dirname(to), { recursive: true });
  await execute('cp', ['-rL', from, to]);
}
