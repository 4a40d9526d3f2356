import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { projectRoot } from '../support/cache.ts';
import { cli } from '../support/cli.ts';
import { PYTHON_PACKAGES } from '../support/evaluation-packages.ts';
import { type ModelOrigin, modelOrigin } from '../support/model-origin.ts';
import { requireEnvironment } from '../support/python-projects.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

/** Sends one request to a model and one to a tool. */
const AGENT = `
import { Annotation, START, StateGraph } from '@langchain/langgraph';

async function ask() {
  const body = JSON.stringify({ model: 'm', user: process.env.USER_ID, messages: [{ role: 'user', content: 'hello' }] });
  const headers = { 'content-type': 'application/json', authorization: 'Bearer a-secret-key' };
  const url = process.env.MODEL_ORIGIN;
  const answer = await fetch(url + '/v1/chat/completions', { method: 'POST', body, headers });
  const tool = await fetch(url + '/tool?q=1', { headers: { 'accept-encoding': 'gzip' } });
  return { said: (await answer.json()).choices[0].message.content + ', ' + (await tool.json()).said };
}

export const graph = new StateGraph(Annotation.Root({ said: Annotation() }))
  .addNode('ask', ask)
  .addEdge(START, 'ask')
  .compile();
`;

/** The same, under vcrpy. */
const SCRIPT = `
import json, sys
import httpx, requests, vcr
cassette, mode, origin = sys.argv[1:]
body = {"model": "m", "user": "us3r-of-the-env-file", "messages": [{"role": "user", "content": "hello"}]}
match = ["method", "scheme", "host", "port", "path", "query", "body"]
with vcr.use_cassette(cassette, record_mode=mode, match_on=match):
    answer = httpx.post(f"{origin}/v1/chat/completions", json=body).json()
    tool = requests.get(f"{origin}/tool?q=1", headers={"accept-encoding": "gzip"}).json()
print(answer["choices"][0]["message"]["content"] + ", " + tool["said"])
`;

describe('a cassette of vcrpy', function () {
  this.timeout(120_000);
  let origin: ModelOrigin;
  let python: string;
  let folder: Awaited<ReturnType<typeof temporaryFolder>>;

  const run = (...args: string[]) =>
    cli([...args, '--data-dir', join(folder.path, 'data')], { cwd: folder.path });
  const withVcr = async (cassette: string, mode: string) => {
    const script = join(folder.path, 'script.py');
    const { stdout } = await promisify(execFile)(python, [
      script,
      join(folder.path, cassette),
      mode,
      origin.url,
    ]);
    return stdout.trim();
  };

  before(async function () {
    python = await requireEnvironment(this, 'langgraph-1.2', 'evaluation', PYTHON_PACKAGES);
    origin = await modelOrigin();
    folder = await temporaryFolder();
    const files = {
      'langgraph.json': JSON.stringify({ graphs: { agent: './agent.mjs:graph' }, env: '.env' }),
      'package.json': '{ "type": "module" }',
      '.env': `MODEL_ORIGIN=${origin.url}\nUSER_ID=us3r-of-the-env-file\n`,
      'agent.mjs': AGENT,
      'script.py': SCRIPT,
    };
    for (const [name, text] of Object.entries(files)) await writeFile(join(folder.path, name), text);
    await symlink(join(projectRoot, 'node_modules'), join(folder.path, 'node_modules'), 'junction');
  });
  after(async () => {
    await origin?.close();
    await folder?.[Symbol.asyncDispose]();
  });

  it('is written from a run file, and vcrpy plays it without a network', async () => {
    const recorded = await run('run', 'agent', '--input', '{}', '--record', 'ours.agentrun');
    assert.equal(recorded.code, 0, recorded.stderr);
    const { code, stderr } = await cli(['cassette', 'ours.agentrun', 'ours.yaml'], { cwd: folder.path });
    assert.equal(code, 0, stderr);
    assert.doesNotMatch(await readFile(join(folder.path, 'ours.yaml'), 'utf8'), /a-secret-key/);
    const asked = origin.requests;
    // The cassette lacks the masked value, so the question must not contain it.
    await writeFile(join(folder.path, 'script.py'), SCRIPT.replace('us3r-of-the-env-file', '*'.repeat(20)));
    const said = await withVcr('ours.yaml', 'none');
    await writeFile(join(folder.path, 'script.py'), SCRIPT);
    assert.match(said, /^answer \d+, answer \d+$/);
    assert.ok(recorded.stdout.includes(said), recorded.stdout);
    assert.equal(origin.requests, asked);
  });

  it('recorded by vcrpy answers a run here, and nothing else does', async () => {
    const said = await withVcr('theirs.yaml', 'once');
    const asked = origin.requests;
    const { code, stdout, stderr } = await run('run', 'agent', '--input', '{}', '--replay', 'theirs.yaml');
    assert.equal(code, 0, stderr);
    assert.ok(stdout.includes(said), stdout);
    const text = await readFile(join(folder.path, 'theirs.yaml'), 'utf8');
    await writeFile(join(folder.path, 'other.yaml'), text.replaceAll('hello', 'goodbye'));
    const other = await run('run', 'agent', '--input', '{}', '--replay', 'other.yaml');
    assert.notEqual(other.code, 0);
    assert.match(other.stdout + other.stderr, /Node 'ask' sent a request that was not recorded/);
    assert.equal(origin.requests, asked);
  });

  it('is refused with a message that says what is wrong in it', async () => {
    await writeFile(
      join(folder.path, 'bad.yaml'),
      'version: 1\ninteractions: [{ request: { method: GET } }]\n',
    );
    const { code, stderr } = await run('run', 'agent', '--input', '{}', '--replay', 'bad.yaml');
    assert.notEqual(code, 0);
    assert.match(stderr, /The cassette could not be read: interactions\.0\.request\.uri\./);
    await writeFile(join(folder.path, 'broken.yaml'), 'version: 1\ninteractions: [a: b: c]\n');
    await writeFile(join(folder.path, 'run.agentrun'), '{"kind":"agentrun","version":1}\n');
    const refusals = {
      'nope.yaml': /^error: The cassette could not be read: nope\.yaml does not exist\. Check the path\.$/m,
      'broken.yaml': /^error: The cassette could not be read: it is not valid YAML in line 2 \([^\n]*\)\.$/m,
      'run.agentrun': /^error: This is a run file, not a cassette\. Run it again with agent-harbor replay/m,
    };
    for (const [name, refusal] of Object.entries(refusals)) {
      const refused = await run('run', 'agent', '--input', '{}', '--replay', name);
      assert.equal(refused.code, 1, name);
      assert.match(refused.stderr, refusal);
    }
    const missing = await cli(['cassette', 'nope.agentrun', 'nope.yaml'], { cwd: folder.path });
    assert.notEqual(missing.code, 0);
    assert.match(missing.stderr, /nope\.agentrun does not exist\. Check the path\./);
  });
});
