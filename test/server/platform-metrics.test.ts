import assert from 'node:assert/strict';
import path from 'node:path';
import { Client } from '@langchain/langgraph-sdk';
import { z } from 'zod';
import { graphProject } from '../support/projects.ts';
import { configure, serveProject } from '../support/served-project.ts';

const Opened = z.object({ deployment_id: z.string(), name: z.string() });

describe('the metrics of a platform', function () {
  this.timeout(60_000);

  it("are those of all deployments, told apart by labels, of the key's workspaces alone", async () => {
    await using other = await graphProject({ line: 'langgraph-1.7' });
    // Ends first: on Windows a project is in use as long as its graphs run.
    await using served = await serveProject();
    await configure(other.folder, {});
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
    const [one, two] = [await open(served.project.folder), await open(other.folder)];
    await new Client({ apiUrl: served.url }).runs.wait(null, 'one_node', { input: { value: 1 } });

    const metrics = async (headers: Readonly<Record<string, string>>) => {
      const answer = await fetch(`${served.platformUrl}/metrics`, { headers });
      return { status: answer.status, text: await answer.text() };
    };
    const { text } = await metrics({ 'x-api-key': served.apiKey });
    const ended =
      /^harbor_runs_ended_total\{deployment="(.*)",deployment_id="(.*)",status="success"\} (\d+)$/gm;
    assert.deepEqual(
      new Set([...text.matchAll(ended)].map(([, ...found]) => found.join(' '))),
      new Set([`${one.name} ${one.deployment_id} 1`, `${two.name} ${two.deployment_id} 0`]),
    );
    const counted =
      /^(harbor_run_\w+_count)\{deployment="([^"]*)",deployment_id="[^"]*"(?:,status="success")?\} (\d+)$/gm;
    assert.deepEqual(
      [...text.matchAll(counted)].map(([, ...found]) => found.join(' ')),
      [`harbor_run_wait_seconds_count ${one.name} 1`, `harbor_run_duration_seconds_count ${one.name} 1`],
    );
    assert.match(text, /^harbor_request_duration_seconds_count\{at="platform",status="2xx"\} [1-9]/m);
    assert.equal((await metrics({ authorization: `Bearer ${served.apiKey}` })).status, 200);

    const { id } = z.object({ id: z.string() }).parse(await post('/workspaces', { display_name: 'Other' }));
    const { key } = z.object({ key: z.string() }).parse(await post('/api-key', { workspaces: [id] }));
    const ofOthers = await metrics({ 'x-api-key': key });
    assert.equal(ofOthers.status, 200);
    assert.doesNotMatch(ofOthers.text, /deployment(?:_id)?="/);
    assert.match(ofOthers.text, /^process_uptime_seconds \d/m);
    assert.equal((await metrics({})).status, 401);
  });
});
