import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { Client as LangGraphClient } from '@langchain/langgraph-sdk';
import { waitForRevision } from '../../../src/client/wait-for-revision.ts';
import { projectRoot } from '../../support/cache.ts';
import { exampleFiles, slowGraphFile } from '../../support/control-plane/example-files.ts';
import { type GitRepository, gitRepository } from '../../support/control-plane/git-repository.ts';
import { type ServerProcess, serverProcess } from '../../support/control-plane/server-process.ts';
import { findPython, interpreterIn, makeEnvironment, withPython } from '../../support/python-environments.ts';

const run = promisify(execFile);

/** A deployment that is built from a repository, and the SDK at its address. */
async function deploy({ client, apiKey }: ServerProcess, repository: GitRepository, config: string) {
  const created = await client.deployments.create({
    body: {
      name: 'python',
      source: 'github',
      source_config: { repo_url: repository.url, deployment_type: 'dev', build_on_push: false },
      source_revision_config: { repo_ref: 'main', platform_config_path: config },
      secrets: [],
    },
  });
  const deployment_id = created.id;
  const live = async (revision_id: string | null) => {
    const revision = await waitForRevision(client.revisions, {
      deployment_id,
      revision_id: revision_id ?? '',
    });
    assert.equal(revision.status, 'DEPLOYED');
    const log = await client.deploymentLogs.build({
      params: { deployment_id, revision_id: revision.id },
      body: { limit: 1000, order: 'asc' },
    });
    return log.logs.map(({ message }) => message).join('\n');
  };
  const buildLog = await live(created.latest_revision_id);
  const url = (await client.deployments.get({ params: { deployment_id } })).source_config.custom_url;
  return {
    buildLog,
    sdk: new LangGraphClient({ apiUrl: url ?? '', apiKey }),
    async update(): Promise<string> {
      const patched = await client.deployments.update({
        params: { deployment_id },
        body: { source_revision_config: { repo_ref: 'main' } },
      });
      return live(patched.latest_revision_id);
    },
  };
}

describe('a Python project from a git repository', function () {
  this.timeout(400_000);

  it('is installed into its own environment, beside TypeScript graphs, and reused by later commits', async function () {
    const environment = await withPython(this, () => makeEnvironment('uv', 'uv==0.13.9\n'));
    const { version } = await findPython();
    const bin = path.dirname(interpreterIn(environment));
    const uv = { PATH: `${bin}${path.delimiter}${process.env.PATH}`, UV_PYTHON_DOWNLOADS: 'never' };
    await using server = await serverProcess({ env: uv });
    await using repository = await gitRepository();
    const line = path.join(projectRoot, 'test/fixtures/projects/langgraph-1.7');
    const files: Record<string, string> = {
      ...(await exampleFiles('examples/docs-agent-python')),
      ...slowGraphFile('from TypeScript'),
      'package.json': await readFile(path.join(line, 'package.json'), 'utf8'),
      'package-lock.json': await readFile(path.join(line, 'package-lock.json'), 'utf8'),
      'langgraph.json': JSON.stringify({
        python_version: version.split('.').slice(0, 2).join('.'),
        dependencies: ['.'],
        graphs: { docs_agent: './src/docs_agent/graph.py:graph', slow: './src/slow.mjs:graph' },
      }),
    };
    const below = Object.entries(files).map(([name, text]) => [`agents/docs/${name}`, text]);
    await repository.push({
      ...Object.fromEntries(below),
      'docs/purging.md': '# Purging\n\nTraces are purged by a job of the server.\n',
    });
    const { buildLog, sdk, update } = await deploy(server, repository, 'agents/docs/langgraph.json');
    assert.match(buildLog, /^\$ uv pip install.* -r .*requirements\.txt -e /m);
    const ask = async () => {
      const { thread_id } = await sdk.threads.create();
      const kinds = new Set<string>();
      for await (const { event } of sdk.runs.stream(thread_id, 'docs_agent', {
        input: { messages: [{ role: 'user', content: 'How are traces purged?' }] },
        context: { approval_threshold: 0, token_delay_ms: 0 },
        streamMode: ['updates', 'messages-tuple'],
      })) {
        kinds.add(event);
      }
      assert.ok(kinds.has('updates') && kinds.has('messages'), [...kinds].join());
      const { values } = await sdk.threads.getState<{ messages: { content: string }[] }>(thread_id);
      return values.messages.at(-1)?.content ?? '';
    };
    assert.match(await ask(), /purged by a job/);
    assert.deepEqual(await sdk.runs.wait(null, 'slow', { input: { ticks: 1 } }), {
      ticks: 1,
      greeting: 'from TypeScript',
    });

    // Another commit with the same packages reuses them, with the new code.
    const node = 'src/docs_agent/nodes/answer.py';
    await repository.push({
      [`agents/docs/${node}`]: `${files[node]}\n\nasync def answer(*args, **kwargs):\n    return {"messages": "the second commit"}\n`,
    });
    const again = await update();
    assert.match(again, /Reusing the packages of an earlier build/);
    assert.doesNotMatch(again, /pip install|npm ci/);
    assert.equal(await ask(), 'the second commit');

    // With a lockfile, uv determines it.
    const cwd = path.join(repository.workDir, 'agents', 'docs');
    await run('uv', ['lock', '--quiet'], { cwd, env: { ...process.env, ...uv } });
    await repository.push({});
    assert.match(await update(), /^\$ uv sync --frozen /m);
    assert.equal(await ask(), 'the second commit');
  });
});
