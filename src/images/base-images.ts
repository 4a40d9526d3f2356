import { MIN_NODE } from '../process/min-node.ts';
import { block, type DockerfileLine } from './dockerfile-lines.ts';
import { OWN_NODE, SERVER_DIR } from './image-layout.ts';
import type { ImageProject } from './image-project.ts';

/** The version of Node for the server if the graphs use an older one, or none. */
const SERVER_NODE = 24;
const [MIN_MAJOR = 0, MIN_MINOR = 0] = MIN_NODE.split('.').map(Number);
const DEFAULT_NODE = '20';
const DEFAULT_PYTHON = '3.11';
const WOLFI = 'cgr.dev/chainguard/wolfi-base';

/** The beginning of an image: its base, and the Node that runs the server. */
export interface Base {
  /** The first instructions. */
  readonly lines: readonly DockerfileLine[];
  /** The Node that runs the server. */
  readonly serverNode: string;
  /** Whether it is Python's official image, whose packaging tools can be removed. */
  readonly isOfficialPython: boolean;
}

/**
 * The image that a project's image is made from.
 * @param given an image to use instead of those that langgraph.json implies.
 */
export function baseOf({ config, languages }: ImageProject, given: string | undefined): Base {
  const chosen = given ?? config.base_image;
  if (chosen !== undefined) return chosenBase(chosen);
  const node = languages.has('javascript') ? (config.node_version ?? DEFAULT_NODE) : undefined;
  const python = languages.has('python') ? (config.python_version ?? DEFAULT_PYTHON) : undefined;
  return config.image_distro === 'wolfi' ? wolfiBase(node, python) : debianBase(node, python);
}

/** The user's base image, which must contain everything. The build fails if its Node is too old. */
function chosenBase(image: string): Base {
  const check = `const [major, minor] = process.versions.node.split('.'); process.exit(major > ${MIN_MAJOR} || (major == ${MIN_MAJOR} && minor >= ${MIN_MINOR}) ? 0 : 1)`;
  const problem = `The base image has no Node ${MIN_NODE} or later on its PATH, which the server runs on. Choose another base_image.`;
  return {
    lines: [
      { text: `FROM ${image}`, origin: 'base_image' },
      { text: 'USER root' },
      {
        text: `RUN node -e "${check}" || { echo '${problem}' >&2; exit 1; }`,
        origin: 'base_image',
      },
    ],
    serverNode: 'node',
    isOfficialPython: false,
  };
}

/**
 * Whether the server can run on the Node of the graphs. Official images have the newest minor version of each
 * major version.
 */
function isEnoughForServer(node: string | undefined): boolean {
  return node !== undefined && Number(node) >= MIN_MAJOR;
}

function debianBase(node: string | undefined, python: string | undefined): Base {
  const isNewEnough = isEnoughForServer(node);
  const from = python === undefined ? nodeImage(node ?? SERVER_NODE) : `python:${python}-slim-bookworm`;
  const copiesNode =
    python !== undefined && node !== undefined
      ? block(
          'Node, for the graphs in TypeScript and JavaScript',
          `COPY --from=${nodeImage(node)} /usr/local/lib/node_modules /usr/local/lib/node_modules`,
          `COPY --from=${nodeImage(node)} /usr/local/bin/node /usr/local/bin/node`,
          'RUN ln -s ../lib/node_modules/npm/bin/npm-cli.js /usr/local/bin/npm && ln -s ../lib/node_modules/npm/bin/npx-cli.js /usr/local/bin/npx',
        )
      : [];
  return {
    lines: [{ text: `FROM ${from}` }, ...copiesNode, ...(isNewEnough ? [] : ownNode())],
    serverNode: isNewEnough ? 'node' : OWN_NODE,
    isOfficialPython: python !== undefined,
  };
}

function wolfiBase(node: string | undefined, python: string | undefined): Base {
  const isNewEnough = isEnoughForServer(node);
  const packages = [
    'libstdc++',
    ...(node === undefined ? [] : [`nodejs-${node}`, 'npm']),
    ...(python === undefined ? [] : [`python-${python}`, `py${python}-pip`]),
  ];
  return {
    lines: [
      { text: `FROM ${WOLFI}`, origin: 'image_distro' },
      { text: `RUN apk add --no-cache ${packages.join(' ')}`, origin: 'image_distro' },
      ...(isNewEnough ? [] : ownNode()),
    ],
    serverNode: isNewEnough ? 'node' : OWN_NODE,
    isOfficialPython: false,
  };
}

function nodeImage(version: string | number): string {
  return `node:${version}-bookworm-slim`;
}

/** Copies a Node that only the server uses. */
function ownNode(): DockerfileLine[] {
  return block(
    'The Node of the server; the graphs do not see it',
    `COPY --from=${nodeImage(SERVER_NODE)} /usr/local/bin/node ${SERVER_DIR}/node`,
  );
}
