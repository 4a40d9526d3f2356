import path from 'node:path';
import { baseOf } from './base-images.ts';
import { block, copy, type DockerfileLine, runIn } from './dockerfile-lines.ts';
import type { ImageConfig } from './image-config.ts';
import { DATA_DIR, PORT, PROJECT_DIR, SERVER_CONTEXT, SERVER_DIR, USER } from './image-layout.ts';
import type { ImageProject } from './image-project.ts';
import { nodeSteps } from './node-steps.ts';
import { pythonSteps } from './python-steps.ts';
import { secretFilesOf } from './secret-files.ts';

/** Choices in addition to those of langgraph.json. */
export interface DockerfileChoices {
  /** An image to use instead of `base_image` and of those that the versions imply. */
  readonly baseImage?: string | undefined;
  /**
   * A command to run instead of the package manager's, in the folder of the manifests. In a project
   * with packages of both Node and Python, it installs those of Node.
   */
  readonly installCommand?: string | undefined;
  /** A command to run in the folder of langgraph.json once the sources are there. */
  readonly buildCommand?: string | undefined;
  /** Agent Harbor's version. */
  readonly version: string;
}

/** A generated Dockerfile, with the origin of its lines. */
export interface Dockerfile {
  readonly lines: readonly DockerfileLine[];
  readonly text: string;
}

/** The server's bundle and the files beside it that it needs. */
const SERVER_FILES = [
  'server*.js',
  'runtime-node*.js',
  'runtime-node*.cjs',
  'traces-worker.js',
  'traces-link.js',
  'build-guard.js',
];

/** The image of a project, as a Dockerfile to build, or to read and change. */
export function makeDockerfile(project: ImageProject, choices: DockerfileChoices): Dockerfile {
  const { config, node, python, dir } = project;
  const base = baseOf(project, choices.baseImage);
  const { installCommand, buildCommand, version } = choices;
  const pythonParts =
    python &&
    pythonSteps(
      { ...project, python },
      base.isOfficialPython,
      node === undefined ? installCommand : undefined,
    );
  const sources = block('The sources', copy(['.'], './', `--chown=${USER}`));
  const nodePackages = node === undefined ? [] : nodeSteps(node, installCommand);
  const server = block(
    'Agent Harbor: the server and what runs the graphs',
    copy(SERVER_FILES, `${SERVER_DIR}/`, `--from=${SERVER_CONTEXT}`),
    copy(['runtime-python'], `${SERVER_DIR}/runtime-python`, `--from=${SERVER_CONTEXT}`),
  );
  // The project's own install scripts need its sources, so its packages cannot be in an earlier layer.
  const layers = node?.runsOwnScripts
    ? [...(pythonParts?.packages ?? []), ...server, ...sources, ...nodePackages]
    : [...nodePackages, ...(pythonParts?.packages ?? []), ...server, ...sources];
  const lines: DockerfileLine[] = [
    ...header(project, version),
    ...base.lines,
    ...ownLines(config),
    ...block(
      'Folders, and the user that everything runs as',
      `RUN mkdir -p ${SERVER_DIR} ${PROJECT_DIR} ${DATA_DIR} /home/agent && chown ${USER} ${PROJECT_DIR} ${DATA_DIR} /home/agent && chmod 700 ${DATA_DIR} && echo '{"type":"module"}' > ${SERVER_DIR}/package.json`,
      `WORKDIR ${PROJECT_DIR}`,
    ),
    ...layers,
    ...(pythonParts?.project ?? []),
    ...(buildCommand === undefined ? [] : block('The build', runIn(dir, [], buildCommand))),
    ...startInstructions(project, base.serverNode, version),
  ];
  return { lines, text: `${lines.map(({ text }) => text).join('\n')}\n` };
}

function startInstructions(
  { dir, configPath }: ImageProject,
  serverNode: string,
  version: string,
): DockerfileLine[] {
  const entryPoint = [
    serverNode,
    `${SERVER_DIR}/server.js`,
    ...['--data-dir', DATA_DIR],
    ...['--agent', `${PROJECT_DIR}/${configPath}`],
  ];
  return block(
    'How it runs',
    `LABEL dev.agent-harbor.version=${JSON.stringify(version)}`,
    ...(dir === '.' ? [] : [`WORKDIR ${PROJECT_DIR}/${dir}`]),
    'ENV HOME=/home/agent NODE_ENV=production PYTHONUNBUFFERED=1 AGENT_HARBOR_TRACING=cloud',
    `USER ${USER}`,
    `VOLUME ${DATA_DIR}`,
    `EXPOSE ${PORT}`,
    healthCheck(serverNode),
    `ENTRYPOINT ${JSON.stringify(entryPoint)}`,
    'CMD []',
  );
}

function header(project: ImageProject, version: string): DockerfileLine[] {
  const { context, pipConfigFile } = project;
  const secrets = [...secretFilesOf(project), ...(pipConfigFile === undefined ? [] : [pipConfigFile])];
  return [
    `# Made by Agent Harbor ${version} from langgraph.json. After a change here, build it with`,
    '#   agent-harbor build --file <this file> --tag <name>',
    `# which gives Docker or Podman the folder ${path.basename(context)}, and Agent Harbor's own files as the context '${SERVER_CONTEXT}'.`,
    ...(secrets.length === 0
      ? []
      : [`# Mounted while packages are installed, and in no layer: ${secrets.join(', ')}.`]),
    '',
  ].map((text) => ({ text }));
}

/** `dockerfile_lines`; an entry may have several lines. */
function ownLines({ dockerfile_lines: entries }: ImageConfig): DockerfileLine[] {
  if (entries.length === 0) return [];
  const lines = entries.flatMap((entry, at) =>
    entry.split('\n').map((text) => ({ text, origin: `dockerfile_lines[${at}]` })),
  );
  return [{ text: '' }, { text: '# dockerfile_lines of langgraph.json' }, ...lines];
}

function healthCheck(node: string): string {
  const script = `fetch('http://127.0.0.1:' + (process.env.PORT || ${PORT}) + '/ok').then((r) => process.exit(r.ok ? 0 : 1), () => process.exit(1))`;
  return `HEALTHCHECK --interval=10s --timeout=5s --start-period=60s CMD ${JSON.stringify([node, '-e', script])}`;
}
