import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import type { ContainerTool } from '../containers/container-tool.ts';
import { messageOf } from '../process/message-of.ts';
import { BuildError } from '../project/build-error.ts';
import { readText } from '../project/read-text.ts';
import { BuildLog } from './build-log.ts';
import { type Dockerfile, type DockerfileChoices, makeDockerfile } from './dockerfile.ts';
import { hidePasswords } from './hide-passwords.ts';
import { makeIgnoreFile, readIgnoreFile } from './ignored-files.ts';
import { SERVER_CONTEXT } from './image-layout.ts';
import { type ImageProject, readImageProject } from './image-project.ts';
import { noticesOf } from './notices.ts';
import { PIP_CONFIG_SECRET } from './python-steps.ts';
import { secretFilesOf, secretId } from './secret-files.ts';

/** An image to build. */
export interface ImageRequest extends DockerfileChoices {
  /** Path of a langgraph.json. */
  readonly configPath: string;
  /** The image's name. */
  readonly tag: string;
  /** Absolute path of the folder with the server's bundle. */
  readonly serverDir: string;
  /** Absolute path of a Dockerfile that was generated before, and perhaps changed. */
  readonly dockerfile?: string | undefined;
  /** An env file for running the image. It is not copied into the image. */
  readonly envFile?: string | undefined;
  /** Rebuilds every layer. */
  readonly noCache?: boolean | undefined;
  /** Looks for newer base images. */
  readonly pull?: boolean | undefined;
}

/** The callbacks of a build that is running. */
export interface BuildContext {
  readonly signal: AbortSignal;
  /** Called with each line of the tool's log. */
  onLine(line: string): void;
}

/**
 * Builds an image of a project, without writing anything into its folder.
 * @throws BuildError when something is wrong with the project; ImageBuildError when an instruction failed; the signal's
 * reason when aborted.
 */
export async function buildImage(
  tool: ContainerTool,
  request: ImageRequest,
  context: BuildContext,
): Promise<void> {
  const {
    project,
    dockerfile: generated,
    ignoreFile: generatedIgnoreFile,
    notices,
  } = await makeBuildFiles(request.configPath, request, request.envFile);
  for (const notice of notices) context.onLine(notice);
  const folder = await mkdtemp(path.join(tmpdir(), 'agent-harbor-image-'));
  try {
    const { dockerfile } = request;
    const file = path.join(folder, 'Dockerfile');
    const text = dockerfile === undefined ? generated.text : await readDockerfile(dockerfile);
    await writeFile(file, text);
    // Docker looks for a .dockerignore with this name; Podman gets its path.
    const ignoreFile = `${file}.dockerignore`;
    const own = dockerfile === undefined ? undefined : await readIgnoreFile(dockerfile, project);
    await writeFile(ignoreFile, own ?? generatedIgnoreFile);
    const log = new BuildLog(dockerfile === undefined ? generated : undefined, text);
    const args = buildArguments(tool, request, { project, file, ignoreFile });
    await runBuild(tool, args, log, context);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** The generated files from which an image is built. */
export interface BuildFiles {
  readonly project: ImageProject;
  readonly dockerfile: Dockerfile;
  /** The text of the .dockerignore. */
  readonly ignoreFile: string;
  /** Sentences about settings that have no effect on an image. */
  readonly notices: readonly string[];
}

/**
 * Makes the Dockerfile of a project, and the .dockerignore that goes with it.
 * @param envFile the path of an env file to use instead of the one that langgraph.json names
 * @throws BuildError
 */
export async function makeBuildFiles(
  configPath: string,
  choices: DockerfileChoices,
  envFile?: string,
): Promise<BuildFiles> {
  const project = await readImageProject(configPath, envFile);
  return {
    project,
    dockerfile: makeDockerfile(project, choices),
    ignoreFile: await makeIgnoreFile(project),
    notices: noticesOf(project, choices),
  };
}

async function readDockerfile(file: string): Promise<string> {
  return readText(file).catch((error: unknown) => {
    throw new BuildError(`${file} could not be read: ${messageOf(error)}`);
  });
}

function buildArguments(
  tool: ContainerTool,
  { tag, serverDir, noCache, pull }: ImageRequest,
  { project, file, ignoreFile }: { project: ImageProject; file: string; ignoreFile: string },
): string[] {
  const { context, pipConfigFile } = project;
  const secretOf = (id: string, name: string) => `id=${id},src=${path.join(context, name)}`;
  const secrets = [
    ...secretFilesOf(project).map((name) => secretOf(secretId(name), name)),
    ...(pipConfigFile === undefined ? [] : [secretOf(PIP_CONFIG_SECRET, pipConfigFile)]),
  ];
  return tool.command(
    'build',
    ...['--file', file, '--tag', tag, '--build-context', `${SERVER_CONTEXT}=${serverDir}`],
    // Podman's own format has no health checks.
    ...(tool.name === 'podman'
      ? ['--layers', '--format', 'docker', '--ignorefile', ignoreFile]
      : ['--progress', 'plain']),
    ...secrets.flatMap((secret) => ['--secret', secret]),
    ...(noCache === true ? ['--no-cache'] : []),
    ...(pull === true ? ['--pull'] : []),
    ...tool.runOptions,
    context,
  );
}

async function runBuild(
  tool: ContainerTool,
  args: readonly string[],
  log: BuildLog,
  { signal, onLine }: BuildContext,
): Promise<void> {
  signal.throwIfAborted();
  const child = spawn(tool.program, args, {
    // Before version 23, Docker uses its old builder by default.
    env: { ...tool.environment, DOCKER_BUILDKIT: '1' },
    stdio: ['ignore', 'pipe', 'pipe'],
    windowsHide: true,
  });
  const stop = () => child.kill('SIGTERM');
  signal.addEventListener('abort', stop, { once: true });
  try {
    const closed = once(child, 'close');
    for (const stream of [child.stdout, child.stderr]) {
      createInterface({ input: stream, crlfDelay: Number.POSITIVE_INFINITY }).on('line', (printed) => {
        const line = hidePasswords(printed);
        log.add(line);
        onLine(line);
      });
    }
    const [code] = await closed;
    signal.throwIfAborted();
    if (code !== 0) throw log.failure();
  } finally {
    signal.removeEventListener('abort', stop);
  }
}
