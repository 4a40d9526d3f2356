import { block, copyFiles, type DockerfileLine, quoted, runIn } from './dockerfile-lines.ts';
import { keptTools, PACKAGE_TOOLS, type PackageTool } from './image-config.ts';
import { PYTHON_DIR, TOOLS_DIR } from './image-layout.ts';
import type { ImageProject } from './image-project.ts';
import type { ListedPython, LockedPython, PythonPart } from './python-part.ts';
import { secretMount } from './secret-files.ts';

/** The ID of the secret for `pip_config_file`. */
export const PIP_CONFIG_SECRET = 'pip.conf';

/** The two steps in which Python packages are installed. */
export interface PythonSteps {
  /** Packages, in a layer that is rebuilt only when their list changes. */
  readonly packages: readonly DockerfileLine[];
  /** The project's own packages, once its sources are copied. */
  readonly project: readonly DockerfileLine[];
}

type Installer = 'uv' | 'pip' | 'poetry';

const CACHE_MOUNT = 'type=cache,target=/root/.cache';
const QUIET = '--disable-pip-version-check --progress-bar=off';
const UV = `UV_LINK_MODE=copy UV_PYTHON_INSTALL_DIR=/opt/python UV_PROJECT_ENVIRONMENT=${PYTHON_DIR} ${TOOLS_DIR}/bin/uv`;
const POETRY = `VIRTUAL_ENV=${PYTHON_DIR} ${TOOLS_DIR}/bin/poetry`;
const PIP = `${PYTHON_DIR}/bin/python -m pip install --no-input ${QUIET}`;

/**
 * Commands that install an installer, for the beginning of an instruction. The instruction removes the
 * installer at its end, so that no layer contains it. Mounting the installer from a separate stage does not
 * work: Podman 4 does not find it once the stage is cached.
 */
const INSTALL_INSTALLER: Readonly<Record<Installer, string | undefined>> = {
  uv: `python3 -m pip install --quiet --root-user-action=ignore ${QUIET} --target ${TOOLS_DIR} uv`,
  pip: undefined,
  poetry: `python3 -m venv ${TOOLS_DIR} && ${TOOLS_DIR}/bin/pip install --quiet ${QUIET} poetry`,
};

/**
 * Installs a project's Python packages into a virtual environment.
 * @param hasOwnTools whether the base image contains packaging tools, which can be removed.
 * @param installCommand a command to run instead of the installer's.
 */
export function pythonSteps(
  { python, config, pipConfigFile, dir }: ImageProject & { readonly python: PythonPart },
  hasOwnTools: boolean,
  installCommand: string | undefined,
): PythonSteps {
  const kept = keptTools(config);
  const removed = PACKAGE_TOOLS.filter((tool) => !kept.includes(tool));
  const installer = python.kind === 'listed' ? python.installer : python.kind;
  const mounts = [
    CACHE_MOUNT,
    ...(pipConfigFile === undefined ? [] : [`type=secret,id=${PIP_CONFIG_SECRET},target=/etc/pip.conf`]),
    ...python.secretFiles.map(secretMount),
  ];
  const makeEnvironment = environmentCommand(installer, config.python_version, kept);
  const run: Run = (where, commands) => runIn(where, mounts, withInstaller(installer, commands));
  const environment = `ENV VIRTUAL_ENV=${PYTHON_DIR} PATH=${PYTHON_DIR}/bin:$PATH`;
  const installSteps = (): PythonSteps => {
    if (installCommand !== undefined)
      return {
        packages: block('The Python environment of the graphs', run('.', [makeEnvironment]), environment),
        project: block('Python packages', run(dir, [installCommand])),
      };
    return python.kind === 'listed'
      ? listedSteps(python, run, { makeEnvironment, environment, removed })
      : lockedSteps(python, run, { makeEnvironment, environment });
  };
  const cleaning =
    hasOwnTools && removed.length > 0
      ? block(
          'Packaging tools are not needed anymore (keep_pkg_tools)',
          `RUN /usr/local/bin/python3 -m pip uninstall --yes --root-user-action=ignore ${removed.join(' ')}`,
        )
      : [];
  const { packages, project } = installSteps();
  return { packages, project: [...project, ...cleaning] };
}

/** Creates an instruction that runs commands in a folder, with the installer available. */
type Run = (dir: string, commands: readonly string[]) => string;

function withInstaller(installer: Installer, commands: readonly string[]): string {
  const bring = INSTALL_INSTALLER[installer];
  return (bring === undefined ? commands : [bring, ...commands, `rm -rf ${TOOLS_DIR}`]).join(' && ');
}

/**
 * The command that creates the virtual environment. Packages that `dockerfile_lines` have installed with pip can be
 * imported there too.
 */
function environmentCommand(
  installer: Installer,
  version: string | undefined,
  kept: readonly PackageTool[],
): string {
  switch (installer) {
    case 'uv': {
      const python = version === undefined ? '' : ` --python ${version}`;
      const make = `${UV} venv --no-progress --system-site-packages${python} ${PYTHON_DIR}`;
      return kept.length === 0 ? make : `${make} && ${uvInstall(kept)}`;
    }
    case 'pip':
      return `python3 -m venv --system-site-packages ${PYTHON_DIR}`;
    case 'poetry':
      return `python3 -m venv --without-pip --system-site-packages ${PYTHON_DIR}`;
  }
}

function uvInstall(what: readonly string[]): string {
  return `${UV} pip install --no-progress --python ${PYTHON_DIR} ${what.join(' ')}`;
}

/** Installs the packages of a lockfile, and then the project itself. */
function lockedSteps(
  { kind, dir, files, package: name }: LockedPython,
  run: Run,
  { makeEnvironment, environment }: { makeEnvironment: string; environment: string },
): PythonSteps {
  const install =
    kind === 'uv'
      ? `${UV} sync --frozen --inexact --no-dev --no-progress${name === undefined ? '' : ` --package ${quoted(name)}`}`
      : `${POETRY} install --only main --no-interaction`;
  const without = kind === 'uv' ? ' --no-install-workspace' : ' --no-root';
  return {
    packages: block(
      `Python packages, from ${kind}.lock`,
      ...copyFiles(files),
      run(dir, [makeEnvironment, install + without]),
      environment,
    ),
    project: block('The project itself', run(dir, [install])),
  };
}

/** Installs the packages that `dependencies` lists, and then the folders in it that are packages. */
function listedSteps(
  { installer, files, requirements, packages, installed }: ListedPython,
  run: Run,
  commands: { makeEnvironment: string; environment: string; removed: readonly PackageTool[] },
): PythonSteps {
  const { makeEnvironment, environment, removed } = commands;
  const install = (what: readonly string[]) =>
    installer === 'uv' ? uvInstall(what) : `${PIP} ${what.join(' ')}`;
  const wanted = [...requirements.flatMap((file) => ['-r', file]), ...packages].map(quoted);
  const own = installed.flatMap((folder) => ['-e', folder === '.' ? '.' : `./${folder}`]).map(quoted);
  const uninstall =
    installer === 'pip' && removed.length > 0
      ? [`RUN ${PYTHON_DIR}/bin/python -m pip uninstall --yes ${removed.join(' ')}`]
      : [];
  return {
    packages: block(
      'Python packages',
      ...copyFiles(files),
      run('.', wanted.length === 0 ? [makeEnvironment] : [makeEnvironment, install(wanted)]),
      environment,
    ),
    project: block(
      'The project itself',
      ...(own.length === 0 ? [] : [run('.', [install(own)])]),
      ...uninstall,
    ),
  };
}
