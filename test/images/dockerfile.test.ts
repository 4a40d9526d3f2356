import assert from 'node:assert/strict';
import { mkdir, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { makeBuildFiles } from '../../src/images/build-image.ts';
import type { DockerfileChoices } from '../../src/images/dockerfile.ts';
import { readIgnoreFile } from '../../src/images/ignored-files.ts';
import { readImageProject } from '../../src/images/image-project.ts';
import { BuildError } from '../../src/project/build-error.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const JS = { graphs: { agent: './agent.mjs:graph' } };
const PYTHON = { graphs: { agent: './agent.py:graph' }, dependencies: ['.'] };
const PYPROJECT =
  '[project]\nname = "agent"\nversion = "1"\ndependencies = ["langgraph>=1", "x[y]; sys_platform == \'linux\'"]\n';
const CREDENTIALS = [
  '**/.netrc',
  '**/.pypirc',
  '**/pip.conf',
  '**/.git-credentials',
  '**/.docker',
  '**/.aws',
  '**/.ssh',
];

interface Wanted {
  readonly config: object;
  readonly files?: Readonly<Record<string, string>>;
  readonly choices?: Partial<DockerfileChoices>;
  /** Where langgraph.json is. */
  readonly dir?: string;
}

/** The parts from which the image of a project is built. */
async function filesOf({ config, files = {}, choices = {}, dir = '.' }: Wanted) {
  await using folder = await temporaryFolder();
  const all = { [path.join(dir, 'langgraph.json')]: JSON.stringify(config), ...files };
  // Nothing outside belongs to the project.
  await mkdir(path.join(folder.path, '.git'));
  for (const [name, text] of Object.entries(all)) {
    await mkdir(path.dirname(path.join(folder.path, name)), { recursive: true });
    await writeFile(path.join(folder.path, name), text);
  }
  const made = await makeBuildFiles(path.join(folder.path, dir, 'langgraph.json'), {
    version: '1.2.3',
    ...choices,
  });
  const lines = made.dockerfile.text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  return { ...made, context: path.relative(folder.path, made.project.context), lines };
}

/** Asserts that these lines are there, in this order. */
function assertOrder(lines: readonly string[], ...wanted: readonly (string | RegExp)[]): void {
  let from = 0;
  for (const one of wanted) {
    const at = lines.findIndex(
      (line, index) => index >= from && (typeof one === 'string' ? line === one : one.test(line)),
    );
    assert.ok(at !== -1, `no ${String(one)} after line ${from} of\n${lines.join('\n')}`);
    from = at + 1;
  }
}

describe('the Dockerfile of a project', () => {
  it('installs Node packages before the server and the sources, so that changes of these do not reinstall them', async () => {
    const files = { 'package.json': '{}', 'package-lock.json': '{}', 'src/other.json': '{}' };
    const { lines } = await filesOf({ config: JS, files });
    assertOrder(
      lines,
      'FROM node:20-bookworm-slim',
      'COPY --from=node:24-bookworm-slim /usr/local/bin/node /opt/agent-harbor/node',
      'COPY ["package-lock.json","package.json","./"]',
      /^RUN --mount=type=cache,target=\/root\/\.npm npm ci --no-audit/,
      /^COPY --from=agent-harbor \["server\*\.js",/,
      'COPY --chown=1000:1000 [".","./"]',
      'USER 1000:1000',
      'VOLUME /data',
      'EXPOSE 8000',
      /^HEALTHCHECK .*\/ok/,
      'ENTRYPOINT ["/opt/agent-harbor/node","/opt/agent-harbor/server.js","--data-dir","/data","--agent","/app/langgraph.json"]',
    );
  });

  it('runs the server on the Node of the graphs if that is new enough', async () => {
    const { lines } = await filesOf({ config: { ...JS, node_version: '22' } });
    assertOrder(
      lines,
      'FROM node:22-bookworm-slim',
      /^ENTRYPOINT \["node","\/opt\/agent-harbor\/server\.js"/,
    );
    assert.ok(!lines.some((line) => line.startsWith('COPY --from=node')), lines.join('\n'));
  });

  for (const [lockfile, text, command] of [
    [
      'pnpm-lock.yaml',
      "lockfileVersion: '9.0'\n",
      /npm exec --yes --package=pnpm@10 -- pnpm install --frozen-lockfile/,
    ],
    [
      'yarn.lock',
      '# yarn lockfile v1\n',
      /npm exec --yes --package=yarn@1 -- yarn install --frozen-lockfile/,
    ],
    [
      'yarn.lock',
      '__metadata:\n  version: 8\n',
      /YARN_NODE_LINKER=node-modules .*--package=@yarnpkg\/cli-dist@4\.9 -- yarn install --immutable/,
    ],
    ['bun.lock', '{}', /npm exec --yes --package=bun@1 -- bun install --frozen-lockfile/],
  ] as const) {
    it(`installs what ${lockfile} locks (${text.slice(0, 12).trim()})`, async () => {
      const { lines } = await filesOf({ config: JS, files: { 'package.json': '{}', [lockfile]: text } });
      assertOrder(lines, /^COPY \[.*"package\.json".*"\.\/"\]$/, command);
      assert.ok(lines.some((line) => line.startsWith('COPY [') && line.includes(`"${lockfile}"`)));
    });
  }

  it('has the manifests of a whole workspace, and runs in the folder of langgraph.json', async () => {
    const { lines, context } = await filesOf({
      dir: 'apps/agent',
      config: JS,
      files: {
        'package.json': '{"workspaces": ["apps/*", "packages/*"]}',
        'package-lock.json': '{}',
        'apps/agent/package.json': '{"name": "agent"}',
        'packages/shared/package.json': '{"name": "shared"}',
        'packages/shared/node_modules/x/package.json': '{}',
      },
    });
    assert.equal(context, '');
    assertOrder(
      lines,
      'COPY ["apps/agent/package.json","apps/agent/"]',
      'COPY ["package-lock.json","package.json","./"]',
      'COPY ["packages/shared/package.json","packages/shared/"]',
      /npm ci/,
      'WORKDIR /app/apps/agent',
      /"\/app\/apps\/agent\/langgraph\.json"/,
    );
    assert.ok(!lines.some((line) => line.includes('node_modules/x')));
  });

  it('copies the sources before packages are installed if scripts of the project run during the installation', async () => {
    const files = {
      'package.json': '{"scripts": {"postinstall": "node make.mjs"}}',
      'package-lock.json': '{}',
    };
    const { lines } = await filesOf({ config: JS, files });
    assertOrder(lines, 'COPY --chown=1000:1000 [".","./"]', /npm ci/);
  });

  it('installs what requirements.txt and pyproject.toml name, then the project, with a uv that does not stay in the image', async () => {
    const files = {
      'pyproject.toml': PYPROJECT,
      'requirements.txt': '-r requirements/base.txt',
      'requirements/base.txt': 'langgraph==1.2',
    };
    const { lines } = await filesOf({ config: { ...PYTHON, python_version: '3.12' }, files });
    assertOrder(
      lines,
      'FROM python:3.12-slim-bookworm',
      'COPY ["requirements.txt","./"]',
      'COPY ["requirements/base.txt","requirements/"]',
      /uv venv .*--python 3\.12 \/opt\/venv && .* -r requirements\.txt 'langgraph>=1' 'x\[y\]; sys_platform == '\\''linux'\\''' && rm -rf \/tmp\/tools$/,
      /^ENV VIRTUAL_ENV=\/opt\/venv/,
      'COPY --chown=1000:1000 [".","./"]',
      /uv pip install .* -e \. && rm -rf \/tmp\/tools$/,
      /pip uninstall .* pip setuptools wheel$/,
    );
    const uses = lines.filter((line) => line.includes('/tmp/tools/bin/uv'));
    assert.ok(uses.length > 0);
    for (const line of uses)
      assert.match(line, /pip install .* --target \/tmp\/tools uv && .*rm -rf \/tmp\/tools$/);
  });

  it('installs with pip if pip_installer or a pip_config_file asks for it, and keeps the config file out of all layers', async () => {
    const config = { ...PYTHON, pip_config_file: './pip.conf' };
    const files = { 'pip.conf': '[global]\n', 'requirements.txt': 'langgraph', 'uv.lock': 'version = 1\n' };
    for (const wanted of [config, { ...config, pip_installer: 'pip' }]) {
      const { lines, ignoreFile } = await filesOf({ config: wanted, files });
      assertOrder(
        lines,
        /--mount=type=secret,id=pip\.conf,target=\/etc\/pip\.conf python3 -m venv .* \/opt\/venv\/bin\/python -m pip install .* -r requirements\.txt$/,
      );
      assert.ok(!lines.some((line) => line.includes('/tmp/tools')));
      assert.ok(ignoreFile.split('\n').includes('pip.conf'));
    }
  });

  it('installs what uv.lock and poetry.lock lock, first without the project', async () => {
    const uv = await filesOf({ config: PYTHON, files: { 'pyproject.toml': PYPROJECT, 'uv.lock': '' } });
    assertOrder(
      uv.lines,
      'COPY ["pyproject.toml","uv.lock","./"]',
      /uv sync --frozen --inexact --no-dev --no-progress --no-install-workspace && rm/,
      'COPY --chown=1000:1000 [".","./"]',
      /uv sync --frozen --inexact --no-dev --no-progress && rm/,
    );
    const poetry = await filesOf({
      config: PYTHON,
      files: { 'pyproject.toml': PYPROJECT, 'poetry.lock': '' },
    });
    assertOrder(
      poetry.lines,
      /\/tmp\/tools\/bin\/pip install .* poetry && .*poetry install --only main --no-interaction --no-root && rm/,
      'COPY --chown=1000:1000 [".","./"]',
      /poetry install --only main --no-interaction && rm/,
    );
  });

  it('builds the package of a uv workspace that source names', async () => {
    const { lines, context } = await filesOf({
      dir: 'agents/one',
      config: {
        graphs: PYTHON.graphs,
        python_version: '3.12',
        source: { kind: 'uv', root: '../..', package: 'one' },
      },
      files: {
        'pyproject.toml': '[tool.uv.workspace]\n',
        'uv.lock': '',
        'agents/one/pyproject.toml': PYPROJECT,
      },
    });
    assert.equal(context, '');
    assertOrder(
      lines,
      'COPY ["agents/one/pyproject.toml","agents/one/"]',
      'COPY ["pyproject.toml","uv.lock","./"]',
      /uv sync --frozen --inexact --no-dev --no-progress --package one --no-install-workspace && rm/,
    );
  });

  it('keeps the packaging tools that keep_pkg_tools lists', async () => {
    const files = { 'requirements.txt': 'langgraph' };
    const some = await filesOf({ config: { ...PYTHON, keep_pkg_tools: ['pip'] }, files });
    assertOrder(some.lines, /uv venv .* pip install .* pip && /, /pip uninstall .* setuptools wheel$/);
    const all = await filesOf({ config: { ...PYTHON, keep_pkg_tools: true }, files });
    assert.ok(!all.lines.some((line) => line.includes('uninstall')));
  });

  it('has both languages for a project with graphs in both', async () => {
    const config = { ...PYTHON, graphs: { ...PYTHON.graphs, other: './other.ts:graph' }, node_version: 22 };
    const files = { 'package.json': '{}', 'package-lock.json': '{}', 'requirements.txt': 'langgraph' };
    const { lines } = await filesOf({ config, files });
    assertOrder(
      lines,
      'FROM python:3.11-slim-bookworm',
      'COPY --from=node:22-bookworm-slim /usr/local/bin/node /usr/local/bin/node',
      /npm ci/,
      /uv pip install .* -r requirements\.txt && rm/,
      /^ENTRYPOINT \["node"/,
    );
  });

  it('has Node and its packages for a Python project with components in `ui`, which a Node package bundles', async () => {
    const config = { ...PYTHON, ui: { agent: './ui/index.tsx' } };
    const files = { 'package.json': '{}', 'package-lock.json': '{}', 'requirements.txt': 'langgraph' };
    const { lines } = await filesOf({ config, files });
    assertOrder(
      lines,
      'FROM python:3.11-slim-bookworm',
      'COPY --from=node:20-bookworm-slim /usr/local/bin/node /usr/local/bin/node',
      /npm ci/,
      /uv pip install .* -r requirements\.txt && rm/,
    );
    const without = await filesOf({ config: PYTHON, files });
    assert.ok(!without.lines.some((line) => line.includes('npm ci')));
  });

  it('starts from a given base image, and checks that it has a Node that the server runs on', async () => {
    const config = { ...JS, base_image: 'mine:1', node_version: '20' };
    const { lines, notices } = await filesOf({ config });
    assertOrder(
      lines,
      'FROM mine:1',
      'USER root',
      /^RUN node -e .*Node 22\.16 or later/,
      /^ENTRYPOINT \["node"/,
    );
    assert.deepEqual(notices, ['Everything comes from mine:1. Not used: node_version.']);
    const other = await filesOf({ config, choices: { baseImage: 'other:2' } });
    assertOrder(other.lines, 'FROM other:2');
  });

  it('starts from Wolfi if image_distro says so', async () => {
    const config = { ...PYTHON, image_distro: 'wolfi', python_version: '3.13' };
    const { lines } = await filesOf({ config, files: { 'requirements.txt': 'langgraph' } });
    assertOrder(
      lines,
      /^FROM .*wolfi-base$/,
      'RUN apk add --no-cache libstdc++ python-3.13 py3.13-pip',
      'COPY --from=node:24-bookworm-slim /usr/local/bin/node /opt/agent-harbor/node',
    );
  });

  it('has dockerfile_lines after the base image, and knows where its lines come from', async () => {
    const config = { ...JS, dockerfile_lines: ['RUN apt-get update', 'RUN echo \\\n  two'] };
    const { lines, dockerfile } = await filesOf({ config });
    assertOrder(lines, /^FROM/, 'RUN apt-get update', 'RUN echo \\', '  two', /^WORKDIR/);
    const origin = (text: string) => dockerfile.lines.find((line) => line.text === text)?.origin;
    assert.equal(origin('RUN apt-get update'), 'dockerfile_lines[0]');
    assert.equal(origin('  two'), 'dockerfile_lines[1]');
  });

  it('runs the commands that are given instead of the package manager, and after the sources', async () => {
    const files = { 'package.json': '{}', 'package-lock.json': '{}' };
    const choices = { installCommand: 'npm run setup', buildCommand: 'npm run build' };
    const { lines } = await filesOf({ config: JS, files, choices });
    assertOrder(lines, /npm run setup$/, 'COPY --chown=1000:1000 [".","./"]', 'RUN npm run build');
    assert.ok(!lines.some((line) => line.includes('npm ci')));
  });

  it('leaves env files and credentials out of the image, whatever the project’s .dockerignore says', async () => {
    const { lines, ignoreFile } = await filesOf({
      config: { ...JS, env: 'config/production.env' },
      files: {
        'package.json': '{}',
        'package-lock.json': '{}',
        '.npmrc': '//registry.example/:_authToken=abc\n',
        '.dockerignore': 'notes\n!.env\n',
      },
    });
    const ignored = ignoreFile.trimEnd().split('\n');
    assert.deepEqual(ignored.slice(0, 2), ['notes', '!.env']);
    for (const name of ['**/.env', '**/.env.*', 'config/production.env', '.npmrc', '**/node_modules'])
      assert.ok(ignored.lastIndexOf(name) > 1, ignoreFile);
    assertOrder(lines, /--mount=type=secret,id=\.npmrc,target=\/app\/\.npmrc npm ci/);
    assert.ok(!lines.some((line) => line.startsWith('COPY') && line.includes('.npmrc')));
  });

  for (const [what, files] of [
    ['a project in Python', { '.npmrc': '//registry.example/:_authToken=abc\n' }],
    ['a folder that installs nothing', { 'web/.npmrc': '//registry.example/:_password=abc\n' }],
    ['Yarn 1, which has a space', { '.yarnrc': '"//registry.example/:_authToken" "abc"\n' }],
    ['the URL of a registry', { '.npmrc': 'registry=https://me:abc@registry.example/\n' }],
  ] as const) {
    it(`leaves the credentials of ${what} out of the image`, async () => {
      const config = what.includes('Python') ? PYTHON : JS;
      const manifest = what.includes('Python') ? {} : { 'package.json': '{}', 'yarn.lock': '' };
      const { lines, ignoreFile } = await filesOf({ config, files: { ...manifest, ...files } });
      for (const name of Object.keys(files)) {
        assert.ok(ignoreFile.split('\n').includes(name), ignoreFile);
        assert.ok(!lines.some((line) => line.startsWith('COPY') && line.includes(name)), lines.join('\n'));
      }
    });
  }

  for (const [what, file, text] of [
    ['requirements.txt', 'requirements.txt', '--index-url https://me:abc@pypi.example/simple\nlanggraph\n'],
    ['a token in a requirement', 'requirements.txt', `x @ git+https://${'t'.repeat(40)}@example.com/x.git\n`],
    ['uv.toml', 'uv.toml', '[[index]]\nurl = "https://me:abc@pypi.example/simple"\n'],
  ] as const) {
    it(`mounts ${what} with a password while Python packages are installed, and only then`, async () => {
      const { lines, ignoreFile } = await filesOf({ config: PYTHON, files: { [file]: text } });
      assert.ok(ignoreFile.split('\n').includes(file), ignoreFile);
      assert.ok(!lines.some((line) => line.startsWith('COPY') && line.includes(file)), lines.join('\n'));
      assertOrder(lines, new RegExp(`^RUN .*--mount=type=secret,id=${file},target=/app/${file} .*/opt/venv`));
    });
  }

  it('is refused while a manifest or a lockfile has a password, with the line', async () => {
    const url = 'https://me:abc@registry.example/x.tgz';
    for (const [config, file, text] of [
      [PYTHON, 'pyproject.toml', `${PYPROJECT}[[tool.uv.index]]\nurl = "${url}"\n`],
      [JS, 'package.json', `{\n\n\n\n\n"dependencies": { "x": "${url}" } }`],
    ] as const) {
      const refused = filesOf({ config, files: { [file]: text } });
      await assert.rejects(refused, (error: unknown) => {
        assert.ok(error instanceof BuildError);
        assert.match(error.message, new RegExp(`^${file}:6: .*password.*\\.npmrc`));
        assert.ok(!error.message.includes('abc'));
        return true;
      });
    }
    const variable = url.replace('abc', `$\{TOKEN}`);
    await filesOf({ config: JS, files: { 'package.json': `{ "dependencies": { "x": "${variable}" } }` } });
  });

  it('leaves out the env file that the image is run with, and files in which programs keep credentials', async () => {
    await using folder = await temporaryFolder();
    await mkdir(path.join(folder.path, '.git'));
    const write = (name: string, text: string) => writeFile(path.join(folder.path, name), text);
    await write('langgraph.json', JSON.stringify({ ...JS, env: 'own' }));
    await write('production', 'TOKEN=abc\n');
    await symlink('production', path.join(folder.path, 'chosen'));
    const { ignoreFile } = await makeBuildFiles(
      path.join(folder.path, 'langgraph.json'),
      { version: '1.2.3' },
      path.join(folder.path, 'chosen'),
    );
    const ignored = ignoreFile.split('\n');
    for (const name of ['own', 'chosen', 'production', ...CREDENTIALS])
      assert.ok(ignored.includes(name), name);
  });

  it('has settings that name a variable instead of a credential', async () => {
    const files = {
      'package.json': '{}',
      '.npmrc': '//registry.example/:_authToken = ${NPM_TOKEN}\n',
      '.yarnrc.yml': 'npmAuthToken: "${NPM_TOKEN}"\n',
    };
    const { lines, ignoreFile } = await filesOf({ config: JS, files });
    assert.doesNotMatch(ignoreFile, /npmrc|yarnrc/);
    assertOrder(lines, 'COPY [".npmrc",".yarnrc.yml","package.json","./"]');
  });

  it('leaves out an env file whose name would be a pattern', async () => {
    for (const [env, pattern] of [
      ['conf[prod]/prod.env', 'conf?prod?/prod.env'],
      ['!prod.env', '?prod.env'],
    ]) {
      const { ignoreFile } = await filesOf({ config: { ...JS, env } });
      assert.ok(ignoreFile.split('\n').includes(pattern ?? ''), ignoreFile);
    }
  });

  it('leaves secrets out even with a .dockerignore that was written before there were any', async () => {
    await using folder = await temporaryFolder();
    const write = (name: string, text: string) => writeFile(path.join(folder.path, name), text);
    await mkdir(path.join(folder.path, '.git'));
    await write('langgraph.json', JSON.stringify({ ...JS, env: 'prod.env' }));
    await write('.npmrc', '//registry.example/:_authToken=abc\n');
    await write('Dockerfile.dockerignore', 'notes\n!.env\n');
    const project = await readImageProject(path.join(folder.path, 'langgraph.json'));
    const text = await readIgnoreFile(path.join(folder.path, 'Dockerfile'), project);
    const lines = text?.trimEnd().split('\n') ?? [];
    assert.deepEqual(lines.slice(0, 4), ['notes', '!.env', '**/.env', '**/.env.*']);
    assert.deepEqual(lines.slice(-2), ['prod.env', '.npmrc']);
  });

  it('is the same for a project that is opened through a link', async () => {
    await using folder = await temporaryFolder();
    const [real, link] = [path.join(folder.path, 'real'), path.join(folder.path, 'link')];
    await mkdir(path.join(real, '.git'), { recursive: true });
    await writeFile(path.join(real, 'langgraph.json'), JSON.stringify(PYTHON));
    await symlink(real, link, 'junction');
    const direct = await makeBuildFiles(path.join(real, 'langgraph.json'), { version: '1.2.3' });
    const linked = await makeBuildFiles(path.join(link, 'langgraph.json'), { version: '1.2.3' });
    assert.equal(linked.project.context, direct.project.context);
    assert.equal(linked.dockerfile.text, direct.dockerfile.text);
  });

  it('says which settings have no effect in an image', async () => {
    const config = { ...JS, api_version: '0.8', env: { NAME: 'x' }, docker_compose_file: 'compose.yml' };
    const { notices } = await filesOf({ config, files: { 'package.json': '{}' } });
    assert.deepEqual(
      notices.map((notice) => notice.split(' ').slice(0, 5).join(' ')),
      [
        'api_version is not used: the',
        'docker_compose_file is not used: an',
        'The variables in env are',
        'There is no lockfile, so',
      ],
    );
  });

  it('is not created from an invalid langgraph.json', async () => {
    const refused = (wanted: Wanted, reason: RegExp) =>
      assert.rejects(filesOf(wanted), (error) => error instanceof BuildError && reason.test(error.message));
    await refused({ config: { ...JS, image_distro: 'bullseye' } }, /^langgraph\.json:1:\d+: /);
    await refused(
      { config: { ...PYTHON, dependencies: ['./gone'] } },
      /'\.\/gone' in dependencies is not a folder of this project/,
    );
    await refused(
      { config: { ...PYTHON, dependencies: ['./requirements.txt'] }, files: { 'requirements.txt': '' } },
      /\.\/requirements\.txt is a file, not a folder: write "\." for/,
    );
    const source = { kind: 'uv', root: 'x' };
    await refused(
      { config: { graphs: PYTHON.graphs, python_version: '3.12', source } },
      /source\.root of langgraph\.json names x, where there is no uv\.lock/,
    );
  });
});
