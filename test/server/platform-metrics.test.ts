import assert from 'node:assert/strict';
import path from 'node:path';
import { Client } from '@langchain/langgraph-sdk';
import { z } from 'zod';
import { type GraphProject, graphProject } from '../support/projects.ts';
import { configure, type ServedProject, serveProject } from '../support/served-project.ts';

const Opened = z.object({ deployment_id: z.string(), name: z.string() });

describe('the metrics of a platform', function () {
  this.timeout(60_000);
  let other: GraphProject;
  let served: ServedProject;
  let deployments: z.output<typeof Opened>[];

  before(async () => {
    other = await graphProject({ line: 'langgraph-1.7' });
    served = await serveProject();
    await configure(other.folder, {});
    deployments = [await open(served.project.folder), await open(other.folder)];
    await new Client({ apiUrl: served.url }).runs.wait(null, 'one_node', { input: { value: 1 } });
  });
  after(async () => {
    // This ends first, because on Windows a project is in use as long as its graphs run.
    await served?.[Symbol.asyncDispose]();
    await other?.[Symbol.asyncDispose]();
  });

  const post = async (route: string, body: object): Promise<unknown> => {
    const answer = await fetch(`${served.platformUrl}${route}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-api-key': served.apiKey },
      body: JSON.stringify(body),
    });
    assert.ok(answer.ok, await answer.clone().text());
    return answer.json();
  };
  const open = async (folder: string) =>
    Opened.parse(
      await post('/harbor/workspaces', {
        config_path: path.join(folder, 'langgraph.json'),
        holder: 'test',
      }),
    );
  const metrics = async (headers: Readonly<Record<string, string>>) => {
    const answer = await fetch(`${served.platformUrl}/metrics`, { headers });
    return { status: answer.status, text: await answer.text() };
  };
  const own = () => metrics({ 'x-api-key': served.apiKey });

  it('are those of all deployments, told apart by labels', async () => {
    const { text } = await own();
    const ended =
      /^harbor_runs_ended_total\{deployment="(.*)",deployment_id="(.*)",status="success"\} (\d+)$/gm;
    const [one, two] = deployments;
    assert.deepEqual(
      new Set([...text.matchAll(ended)].map(([, ...found]) => found.join(' '))),
      new Set([`${one?.name} ${one?.deployment_id} 1`, `${two?.name} ${two?.deployment_id} 0`]),
    );
    const counted =
      /^(harbor_run_\w+_count)\{deployment="([^"]*)",deployment_id="[^"]*"(?:,status="success")?\} (\d+)$/gm;
    assert.deepEqual(
      new Set([...text.matchAll(counted)].map(([, ...found]) => found.join(' '))),
      new Set(['wait', 'duration'].map((what) => `harbor_run_${what}_seconds_count ${one?.name} 1`)),
    );
  });

  it('count the requests to the platform itself', async () => {
    const { text } = await own();
    assert.match(text, /^harbor_request_duration_seconds_count\{at="platform",status="2xx"\} [1-9]/m);
  });

  it('are given to a key in either header, and to nobody without one', async () => {
    assert.equal((await own()).status, 200);
    assert.equal((await metrics({ authorization: `Bearer ${served.apiKey}` })).status, 200);
    assert.equal((await metrics({})).status, 401);
  });

  it('name only deployments of the workspaces of the key', async () => {
    const { id } = z.object({ id: z.string() }).parse(await post('/workspaces', { display_name: 'Other' }));
    const { key } = z.object({ key: z.string() }).parse(await post('/api-key', { workspaces: [id] }));
    const { status, text } = await metrics({ 'x-api-key': key });
    assert.equal(status, 200);
    assert.doesNotMatch(text, /deployment(?:_id)?="/);
    assert.match(text, /^process_uptime_seconds \d/m);
  });
});
