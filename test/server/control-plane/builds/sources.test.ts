import assert from 'node:assert/strict';
import { link, mkdir, readdir, readFile, readlink, realpath, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { gzipSync } from 'node:zlib';
import { create, Header } from 'tar';
import { findLinksLeadingOut } from '../../../../src/project/source-files.ts';
import { buildBase } from '../../../../src/server/control-plane/builds/base-environment.ts';
import { CommandRunner } from '../../../../src/server/control-plane/builds/command-runner.ts';
import { requireInSource } from '../../../../src/server/control-plane/builds/paths-in-source.ts';
import { folderSource } from '../../../../src/server/control-plane/builds/sources/folder-source.ts';
import { problemOfRef } from '../../../../src/server/control-plane/builds/sources/git-ref.ts';
import { gitSource, placeFetched } from '../../../../src/server/control-plane/builds/sources/git-source.ts';
import { problemOfRepositoryUrl } from '../../../../src/server/control-plane/builds/sources/repository-url.ts';
import { readSourceFiles } from '../../../../src/server/control-plane/builds/sources/source-files.ts';
import { tarballSource } from '../../../../src/server/control-plane/builds/sources/tarball-source.ts';
import { gitRepository } from '../../../support/control-plane/git-repository.ts';
import { serverBundles } from '../../../support/server-bundles.ts';
import { temporaryFolder } from '../../../support/temporary-folder.ts';

let runner: CommandRunner;
const env = buildBase(process.env);
const lines: string[] = [];
const context = {
  signal: new AbortController().signal,
  log: (_level: string, message: string) => void lines.push(message),
};

async function filesOf(dir: string): Promise<string[]> {
  const entries = await readdir(dir, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => !entry.isDirectory())
    .map((entry) => path.relative(dir, path.join(entry.parentPath, entry.name)).replaceAll('\\', '/'))
    .sort();
}

describe('the source of a revision', function () {
  this.timeout(60_000);
  before(async () => {
    runner = new CommandRunner((await serverBundles()).buildGuard);
  });

  it('has the line endings of its commit, whatever git is configured to do on this machine', async () => {
    await using repository = await gitRepository();
    await using folder = await temporaryFolder();
    await repository.push({ 'run.sh': '#!/bin/sh\necho hi\n' });
    const settings = path.join(folder.path, 'gitconfig');
    // The default of Git for Windows.
    await writeFile(settings, '[core]\n\tautocrlf = true\n');
    const source = await gitSource(
      {
        runner,
        env: { ...env, GIT_CONFIG_GLOBAL: settings },
        mirror: path.join(folder.path, 'mirror'),
        url: repository.url,
        ref: null,
      },
      context,
    );
    await source.place(path.join(folder.path, 'placed'));
    assert.equal(await readFile(path.join(folder.path, 'placed', 'run.sh'), 'utf8'), '#!/bin/sh\necho hi\n');
  });

  it('is a branch, a tag or a commit of a git repository', async () => {
    await using repository = await gitRepository();
    await using folder = await temporaryFolder();
    const first = await repository.push({ 'a.txt': 'one', 'b/c.txt': 'c' });
    await repository.git('tag', '-a', 'v1', '-m', 'first');
    await repository.git('push', '--quiet', 'origin', 'v1');
    const second = await repository.push({ 'a.txt': 'two', 'b/c.txt': null });
    // A server that is killed while it clones leaves this behind.
    await mkdir(path.join(folder.path, 'mirror.new'));
    await writeFile(path.join(folder.path, 'mirror.new', 'HEAD'), 'ref: refs/heads/main\n');
    const find = (ref: string | null) =>
      gitSource({ runner, env, mirror: path.join(folder.path, 'mirror'), url: repository.url, ref }, context);
    for (const [ref, commit] of [
      [null, second],
      ['main', second],
      ['refs/heads/main', second],
      ['v1', first],
      ['refs/tags/v1', first],
      [first, first],
      [second, second],
    ] as const) {
      assert.equal((await find(ref)).commit, commit, String(ref));
    }
    const dir = path.join(folder.path, 'placed');
    await (await find(first)).place(dir);
    assert.deepEqual(await filesOf(dir), ['a.txt', 'b/c.txt']);
    assert.equal(await readFile(path.join(dir, 'a.txt'), 'utf8'), 'one');
    await assert.rejects(find('no-such-branch'), /has no branch, tag or commit 'no-such-branch'/);
    await assert.rejects(find('0'.repeat(40)), /could not fetch|has no commit/);
    const fetched = { runner, env, mirror: path.join(folder.path, 'mirror') };
    const again = path.join(folder.path, 'again');
    assert.equal(await placeFetched(fetched, second, again, context.signal), true);
    assert.deepEqual(await filesOf(again), ['a.txt']);
    assert.equal(
      await placeFetched(fetched, '0'.repeat(40), path.join(folder.path, 'no'), context.signal),
      false,
    );
  });

  it('is a commit of a server that sends only branches and tags', async () => {
    await using repository = await gitRepository();
    await using folder = await temporaryFolder();
    const first = await repository.push({ 'a.txt': 'one' });
    await repository.push({ 'a.txt': 'two' });
    const settings = path.join(folder.path, 'gitconfig');
    // With the first version of the protocol, a server refuses commits that no branch or tag is at.
    await writeFile(settings, '[protocol]\n\tversion = 0\n');
    const find = (ref: string | null) =>
      gitSource(
        {
          runner,
          env: { ...env, GIT_CONFIG_GLOBAL: settings },
          mirror: path.join(folder.path, 'mirror'),
          url: repository.url,
          ref,
        },
        context,
      );
    // The newest commit is fetched without those before it.
    const newest = await find(null);
    await newest.place(path.join(folder.path, 'newest'));
    const source = await find(first);
    await source.place(path.join(folder.path, 'placed'));
    assert.equal(await readFile(path.join(folder.path, 'placed', 'a.txt'), 'utf8'), 'one');
    await assert.rejects(find('0'.repeat(40)), /has no commit 0000/);
  });

  it('runs no git hooks', async () => {
    await using repository = await gitRepository();
    await using folder = await temporaryFolder();
    const witness = path.join(folder.path, 'hook-ran');
    const templates = path.join(folder.path, 'templates', 'hooks');
    await mkdir(templates, { recursive: true });
    await writeFile(path.join(templates, 'post-checkout'), `#!/bin/sh\ntouch ${witness}\n`, { mode: 0o755 });
    const config = path.join(folder.path, 'gitconfig');
    await writeFile(
      config,
      `[init]\n\ttemplateDir = ${path.dirname(templates)}\n[core]\n\thooksPath = ${templates}\n`,
    );
    await repository.push({ 'a.txt': 'a' });
    const options = {
      runner,
      env: { ...env, GIT_CONFIG_GLOBAL: config },
      mirror: path.join(folder.path, 'mirror'),
      url: repository.url,
      ref: null,
    };
    await (await gitSource(options, context)).place(path.join(folder.path, 'placed'));
    assert.ok(!(await readdir(folder.path)).includes('hook-ran'));
  });

  it('is a folder with changed and new files, without ignored files and links out of it', async () => {
    await using repository = await gitRepository();
    await using folder = await temporaryFolder();
    await repository.push({
      'kept.txt': 'old',
      'deleted.txt': 'x',
      '.gitignore': 'ignored/\n*.log\n.env\n',
      'nested/.gitignore': 'local\n',
    });
    const { workDir } = repository;
    await repository.git('rm', '--quiet', '--cached', 'deleted.txt');
    await writeFile(path.join(workDir, 'kept.txt'), 'new');
    await writeFile(path.join(workDir, 'new file.txt'), 'new');
    await writeFile(path.join(workDir, 'nested', 'local'), 'local');
    await writeFile(path.join(workDir, '.env'), 'SECRET=1');
    await writeFile(path.join(workDir, 'x.log'), 'log');
    await mkdir(path.join(workDir, 'node_modules'));
    await writeFile(path.join(workDir, 'node_modules', 'x.js'), '');
    await symlink('/etc/hostname', path.join(workDir, 'outside'));
    await symlink('kept.txt', path.join(workDir, 'inside'));
    await symlink(path.join(workDir, 'kept.txt'), path.join(workDir, 'nested', 'absolute'));
    lines.length = 0;
    const find = () =>
      folderSource({ runner, env, dir: workDir, staging: path.join(folder.path, 'staging') }, context);
    const source = await find();
    assert.equal(source.commit, (await repository.git('rev-parse', 'HEAD')).trim());
    // Changed and new files, three links, and files removed from git. Ignored files do not count.
    assert.equal(source.changes, 6);
    const dir = path.join(folder.path, 'placed');
    await source.place(dir);
    assert.deepEqual(await filesOf(dir), [
      '.gitignore',
      'deleted.txt',
      'inside',
      'kept.txt',
      'nested/.gitignore',
      'nested/absolute',
      'new file.txt',
    ]);
    assert.equal(await readlink(path.join(dir, 'nested', 'absolute')), path.join('..', 'kept.txt'));
    assert.ok(
      lines.includes('Not included: outside (links to a place outside the folder).'),
      lines.join('\n'),
    );
    assert.deepEqual(await findLinksLeadingOut(workDir), ['outside']);
    assert.equal(await readFile(path.join(dir, 'kept.txt'), 'utf8'), 'new');
    const same = await find();
    assert.equal(same.key, source.key);
    await same.discard();
    await writeFile(path.join(workDir, 'kept.txt'), 'newer');
    const other = await find();
    assert.notEqual(other.key, source.key);
    await other.discard();
  });

  it('says that repositories inside it are not included', async () => {
    await using repository = await gitRepository();
    await using folder = await temporaryFolder();
    const commit = await repository.push({
      'a.txt': 'a',
      '.gitmodules': '[submodule "sub"]\n\tpath = sub\n\turl = ./elsewhere\n',
    });
    const { workDir } = repository;
    await repository.git('update-index', '--add', '--cacheinfo', `160000,${commit},sub`);
    await repository.git('commit', '--quiet', '-m', 'a submodule');
    await repository.git('push', '--quiet', 'origin', 'HEAD');
    for (const name of ['sub', 'cloned']) await mkdir(path.join(workDir, name));
    await repository.git('init', '--quiet', path.join(workDir, 'cloned'));
    await writeFile(path.join(workDir, 'cloned', 'b.txt'), 'b');
    lines.length = 0;
    const source = await folderSource(
      { runner, env, dir: workDir, staging: path.join(folder.path, 'staging') },
      context,
    );
    await source.place(path.join(folder.path, 'of folder'));
    assert.deepEqual(await filesOf(path.join(folder.path, 'of folder')), ['.gitmodules', 'a.txt']);
    for (const name of ['sub', 'cloned'])
      assert.ok(
        lines.includes(`Not included: ${name} (a git repository inside the folder).`),
        lines.join('\n'),
      );
    lines.length = 0;
    const mirror = path.join(folder.path, 'mirror');
    const fetched = await gitSource({ runner, env, mirror, url: repository.url, ref: null }, context);
    await fetched.place(path.join(folder.path, 'of git'));
    assert.ok(lines.includes('Not included: submodules (.gitmodules).'), lines.join('\n'));
  });

  it('can be a folder outside a repository, without the files that its .gitignore excludes', async () => {
    await using folder = await temporaryFolder();
    const dir = path.join(folder.path, 'plain');
    await mkdir(path.join(dir, 'build'), { recursive: true });
    for (const [name, text] of Object.entries({ 'a.txt': 'a', '.gitignore': 'build/\n', 'build/x': 'x' })) {
      await writeFile(path.join(dir, name), text);
    }
    const source = await folderSource(
      { runner, env, dir, staging: path.join(folder.path, 'staging') },
      context,
    );
    const placed = path.join(folder.path, 'placed');
    await source.place(placed);
    assert.deepEqual(await filesOf(placed), ['.gitignore', 'a.txt']);
    assert.equal(source.commit, null);
  });

  it('is no folder that git refuses to read, and quotes the reason', async () => {
    await using repository = await gitRepository();
    await using folder = await temporaryFolder();
    await repository.push({ 'a.txt': 'a' });
    const options = { runner, dir: repository.workDir, staging: path.join(folder.path, 'staging') };
    const settings = path.join(folder.path, 'gitconfig');
    await writeFile(settings, '');
    // Git's own tests use this variable to imitate a folder of another user.
    const foreign = { GIT_TEST_ASSUME_DIFFERENT_OWNER: '1', GIT_CONFIG_GLOBAL: settings };
    await assert.rejects(folderSource({ ...options, env: { ...env, ...foreign } }, context), {
      name: 'BuildError',
      message:
        /^git could not read .*: fatal: detected dubious ownership .*git config --global --add safe\.directory/,
    });
    await writeFile(path.join(repository.workDir, '.git', 'index'), 'damaged');
    await assert.rejects(folderSource({ ...options, env }, context), {
      name: 'BuildError',
      message: /^git could not read .*: fatal: .*index/,
    });
  });

  it('must not refer to files outside it, not even through links', async () => {
    await using folder = await temporaryFolder();
    const top = path.join(await realpath(folder.path), 'top');
    await mkdir(path.join(top, 'app'), { recursive: true });
    await writeFile(path.join(folder.path, 'outside.ts'), '');
    await writeFile(path.join(folder.path, '.env'), 'SECRET=1');
    await writeFile(path.join(top, 'shared.ts'), '');
    await symlink(path.join(folder.path, 'outside.ts'), path.join(top, 'app', 'link.ts'));
    await symlink(path.parse(top).root, path.join(top, 'app', 'root'));
    await symlink('../../not-there', path.join(top, 'app', 'dangling'));
    await symlink('circle', path.join(top, 'app', 'circle'));
    await mkdir(path.join(top, 'app', 'deep', 'deeper'), { recursive: true });
    await symlink('../..', path.join(top, 'app', 'deep', 'deeper', 'up'));
    const file = path.join(top, 'app', 'langgraph.json');
    const check = async (config: object) => {
      const others = {
        dependencies: ['.', '..', 'a-package'],
        graphs: { a: '../shared.ts:a', b: 'pkg.agent:g' },
      };
      await writeFile(file, JSON.stringify({ ...others, ...config }));
      await requireInSource(top, file);
    };
    await check({});
    await check({
      dependencies: [
        `pkg @ ${pathToFileURL(path.join(top, 'shared'))}`,
        'file:../pkg',
        'b @ https://a.example/b.whl',
      ],
    });
    await check({ env: '../.env', store: { index: { dims: 1, embed: 'openai:text-embedding-3-small' } } });
    await check({ env: { FOLDER: '/etc' }, ui: { a: './not/there.tsx' } });
    const outside = path.join(await realpath(folder.path), 'outside.ts');
    const linked = `./root${outside.slice(path.parse(outside).root.length - 1).replaceAll('\\', '/')}`;
    for (const [config, name] of [
      [{ env: '../../.env' }, 'env'],
      [{ env: '../../not-there/.env' }, 'env'],
      [{ env: outside }, 'env'],
      [{ graphs: { a: '../../outside.ts:a' } }, 'graphs.a'],
      [{ graphs: { a: './link.ts:a' } }, 'graphs.a'],
      [{ graphs: { a: { path: './link.ts:a', description: 'linked' } } }, 'graphs.a.path'],
      [{ graphs: { a: 'root.agent:a' } }, 'graphs.a'],
      [{ ui: { a: linked } }, 'ui.a'],
      [{ ui: { a: './root/not-there.tsx' } }, 'ui.a'],
      [{ auth: { path: '../../outside.ts:auth' } }, 'auth.path'],
      [{ http: { app: `${linked}:app` } }, 'http.app'],
      [{ store: { index: { dims: 1, embed: `${linked}:embed` } } }, 'store.index.embed'],
      [{ checkpointer: { path: `${linked}:saver` } }, 'checkpointer.path'],
      [{ encryption: { path: `${linked}:encryption` } }, 'encryption.path'],
      [{ dependencies: ['.', '../..'] }, 'dependencies[1]'],
      [{ dependencies: ['./root'] }, 'dependencies[0]'],
      [{ dependencies: [`pkg @ ${pathToFileURL(outside)} ; python_version > '3'`] }, 'dependencies[0]'],
      [{ dependencies: ['pkg[all] @ file:../../pkg'] }, 'dependencies[0]'],
      [{ dependencies: ['file://elsewhere/pkg'] }, 'dependencies[0]'],
      [{ dependencies: ['./dangling'] }, 'dependencies[0]'],
      [{ dependencies: ['./deep/deeper/up/dangling'] }, 'dependencies[0]'],
      [{ dependencies: [`pkg @ git+${pathToFileURL(outside)}@main`] }, 'dependencies[0]'],
      [{ graphs: { a: './circle/agent.py:a' } }, 'graphs.a'],
      [{ pip_config_file: linked }, 'pip_config_file'],
      [{ docker_compose_file: linked }, 'docker_compose_file'],
      [{ source: { kind: 'uv', root: '../..' } }, 'source.root'],
    ] as const) {
      await assert.rejects(
        check(config),
        { message: `'${name}' in langgraph.json points outside the source.` },
        JSON.stringify(config),
      );
    }
  });

  it('is a tarball that is only read up to the size limit', async () => {
    await using folder = await temporaryFolder();
    const file = path.join(folder.path, 'bomb.tar.gz');
    const head = new Header({
      path: 'zeros',
      size: 3 * 1024 ** 3,
      type: 'File',
      mode: 0o644,
      mtime: new Date(),
    });
    const block = Buffer.alloc(512);
    head.encode(block);
    const begin = gzipSync(Buffer.concat([block, Buffer.alloc(40_000_000)]));
    // The rest cannot be decompressed.
    await writeFile(file, Buffer.concat([begin.subarray(0, -8), Buffer.alloc(100_000, 1)]));
    const target = path.join(folder.path, 'placed');
    await assert.rejects(
      (await tarballSource(file, context)).place(target),
      /more than 100,000 files or 2 GiB/,
    );
    await writeFile(file, gzipSync(gzipSync(block)));
    await assert.rejects((await tarballSource(file, context)).place(target), /compressed twice/);
  });

  it('is no tarball that is compressed with zstd', async () => {
    await using folder = await temporaryFolder();
    const tarball = path.join(folder.path, 'source.tar.zst');
    await writeFile(tarball, Buffer.from('28b52ffd', 'hex'));
    const source = await tarballSource(tarball, context);
    await assert.rejects(source.place(path.join(folder.path, 'placed')), /compressed with zstd; use gzip/);
  });

  it('is a tarball that is unpacked only inside its folder', async () => {
    await using folder = await temporaryFolder();
    const inside = path.join(folder.path, 'in');
    await mkdir(inside);
    await writeFile(path.join(inside, 'a.txt'), 'a');
    await writeFile(path.join(folder.path, 'evil.txt'), 'evil');
    await symlink('/etc', path.join(inside, 'etc'));
    const file = path.join(folder.path, 'source.tar.gz');
    await create({ file, gzip: true, cwd: inside, preservePaths: true }, [
      'a.txt',
      'etc',
      '../evil.txt',
      path.join(folder.path, 'evil.txt'),
    ]);
    const target = path.join(folder.path, 'deep', 'er', 'placed');
    await (await tarballSource(file, context)).place(target);
    assert.equal(await readFile(path.join(target, 'a.txt'), 'utf8'), 'a');
    assert.deepEqual(await readdir(path.join(folder.path, 'deep', 'er')), ['placed']);
    await writeFile(file, 'this is not a tarball');
    await assert.rejects(
      (await tarballSource(file, context)).place(path.join(folder.path, 'no')),
      /not a (valid )?tarball/,
    );
  });

  it('is read without its secrets, and without what is not text or leads out of it', async () => {
    await using folder = await temporaryFolder();
    const top = path.join(folder.path, 'in');
    const files = {
      'langgraph.json': JSON.stringify({ graphs: {}, env: 'settings/production.cfg' }),
      'src/graph.ts': 'export const graph = 1;\n',
      'src/latin.txt': Buffer.from([0x63, 0xe9]),
      'data/big.csv': 'x'.repeat(600 * 1024),
      'node_modules/left/index.js': 'left();',
      '.env': 'A=hush',
      'deep/.env.production': 'A=hush',
      '.env.example': 'A=',
      'server.pem': 'hush',
      'settings/production.cfg': 'A=hush',
    };
    for (const [name, content] of Object.entries(files)) {
      await mkdir(path.dirname(path.join(top, name)), { recursive: true });
      await writeFile(path.join(top, name), content);
    }
    await symlink('src/graph.ts', path.join(top, 'link.ts'));
    await writeFile(path.join(folder.path, 'evil.txt'), 'evil');
    const tarball = path.join(folder.path, 'source.tar.gz');
    await create({ file: tarball, gzip: true, cwd: top, preservePaths: true }, [
      '.',
      '../evil.txt',
      path.join(folder.path, 'evil.txt'),
    ]);
    const read = await readSourceFiles(tarball, 'langgraph.json', context.signal);
    assert.ok(read.is_complete);
    assert.doesNotMatch(JSON.stringify(read), /hush|evil|left\(\)/);
    assert.deepEqual(
      read.files.map(({ path: name, left_out, text, sha256 }) => [
        name,
        left_out ?? text?.slice(0, 23),
        sha256 !== undefined,
      ]),
      [
        ['.env', 'secret', false],
        ['.env.example', 'A=', true],
        ['data/big.csv', 'large', true],
        ['deep/.env.production', 'secret', false],
        ['langgraph.json', '{"graphs":{},"env":"set', true],
        ['link.ts', 'src/graph.ts', true],
        ['server.pem', 'secret', false],
        ['settings/production.cfg', 'secret', false],
        ['src/graph.ts', 'export const graph = 1;', true],
        ['src/latin.txt', 'binary', true],
      ],
    );
  });

  it('is read without a secret, whichever of the file’s hard links is named', async () => {
    await using folder = await temporaryFolder();
    const top = path.join(folder.path, 'in');
    await mkdir(top);
    await writeFile(path.join(top, 'langgraph.json'), JSON.stringify({ graphs: {}, env: 'b.cfg' }));
    for (const [first, ...links] of [
      ['a.cfg', 'b.cfg', 'c.cfg'],
      ['d.txt', 'e.pem', 'f.txt'],
    ]) {
      await writeFile(path.join(top, first ?? ''), 'A=hush');
      for (const name of links) await link(path.join(top, first ?? ''), path.join(top, name));
    }
    const tarball = path.join(folder.path, 'source.tar.gz');
    const names = ['a.cfg', 'b.cfg', 'c.cfg', 'd.txt', 'e.pem', 'f.txt'];
    await create({ file: tarball, gzip: true, cwd: top }, [...names, 'langgraph.json']);
    const { files } = await readSourceFiles(tarball, 'langgraph.json', context.signal);
    assert.doesNotMatch(JSON.stringify(files), /hush/);
    assert.deepEqual(
      files.filter(({ left_out }) => left_out === 'secret').map(({ path: name }) => name),
      names,
    );
  });

  it('is not read to its end when it is very large', async () => {
    await using folder = await temporaryFolder();
    const tarball = path.join(folder.path, 'source.tar.gz');
    const head = new Header({ path: 'zeros', size: 2 ** 30, type: 'File', mode: 0o644, mtime: new Date() });
    const block = Buffer.alloc(512);
    head.encode(block);
    const zeros = gzipSync(Buffer.alloc(2 ** 24));
    await writeFile(tarball, Buffer.concat([gzipSync(block), ...Array.from({ length: 9 }, () => zeros)]));
    const read = await readSourceFiles(tarball, 'langgraph.json', context.signal);
    assert.deepEqual(read, { files: [], is_complete: false });
  });

  it('has a URL that cannot be an option or a command', () => {
    for (const good of [
      'https://github.com/a/b.git',
      'ssh://git@host/a.git',
      'git@github.com:a/b.git',
      'file:///srv/a.git',
      'http://127.0.0.1:3000/a.git',
    ]) {
      assert.equal(problemOfRepositoryUrl(good), undefined, good);
    }
    for (const bad of [
      'ext::sh -c id',
      '-oProxyCommand=id',
      'ssh://-oProxyCommand=id/x',
      'https://u:p@host/a',
      'http://example.com/a',
      'git://host/a',
      'fd::17',
      'https://host/a\nb',
      '/srv/a.git',
      '-x@host:a',
    ]) {
      assert.notEqual(problemOfRepositoryUrl(bad), undefined, bad);
    }
    for (const good of ['main', 'refs/tags/v1', 'feature/x-1.2', 'a'.repeat(40)])
      assert.equal(problemOfRef(good), undefined);
    for (const bad of ['--output=x', 'a..b', 'a b', 'a^', 'a:b', 'x.lock', '/a', 'a/'])
      assert.notEqual(problemOfRef(bad), undefined, bad);
  });
});
