import assert from 'node:assert/strict';
import { cp, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { z } from 'zod';
import { EXIT } from '../../../../src/cli/terminal/exit-codes.ts';
import { projectRoot } from '../../../support/cache.ts';
import { cli } from '../../../support/cli.ts';
import { type EvaluatedProject, evaluatedProject } from '../../../support/evaluated-project.ts';
import { PYTHON_PACKAGES } from '../../../support/evaluation-packages.ts';
import { type MeteredOrigin, meteredOrigin } from '../../../support/metered-origin.ts';
import { requireEnvironment } from '../../../support/python-projects.ts';
import { type ServedProject, serveProject } from '../../../support/served-project.ts';
import { temporaryFolder } from '../../../support/temporary-folder.ts';
import { eventually } from '../../../support/wait.ts';

/** Dollars for each answer of these models, which use a hundred tokens. */
const PRICES = { models: [priced('cheap', 0.01), priced('dear', 0.000_001), priced('free', 0)] };
/** The prices of the project, which take precedence. */
const OWN_PRICES = { models: [priced('dear', 0.6)] };
const GRAPHS = ['loop', 'streamed', 'branches', 'nested', 'stubborn', 'own_callbacks'];
const Ended = z.looseObject({
  __error__: z.object({ error: z.string(), message: z.string() }).optional(),
  answers: z.array(z.string()).optional(),
});

for (const language of ['node', 'python'] as const) describeCaps(language);

function describeCaps(language: 'node' | 'python'): void {
  describe(`a cap on the cost of a run of ${language === 'node' ? 'Node' : 'Python'}`, function () {
    this.timeout(120_000);
    let origin: MeteredOrigin;
    let data: string;
    let project: EvaluatedProject;
    let served: ServedProject;
    const cleanup = new AsyncDisposableStack();

    before(async function () {
      const python =
        language === 'python'
          ? await requireEnvironment(this, 'langgraph-1.2', 'evaluation', PYTHON_PACKAGES)
          : undefined;
      origin = cleanup.use(await meteredOrigin());
      data = cleanup.use(await temporaryFolder()).path;
      await writeFile(path.join(data, 'prices.json'), JSON.stringify(PRICES));
      project = cleanup.use(await loopingProject(language, origin.url, python));
      served = cleanup.use(await serve());
    });
    after(() => cleanup.disposeAsync());

    const serve = () => {
      const given = { folder: project.folder, graphs: {}, [Symbol.asyncDispose]: async () => {} };
      return serveProject({ given, dataDir: data });
    };
    const post = async (route: string, body: object) =>
      fetch(`${served.url}${route}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body),
      });
    const makeThread = async () =>
      z.object({ thread_id: z.string() }).parse(await (await post('/threads', {})).json()).thread_id;
    const wait = async (thread: string, graph: string, body: object) =>
      Ended.parse(
        await (await post(`/threads/${thread}/runs/wait`, { assistant_id: graph, ...body })).json(),
      );
    const read = async (route: string): Promise<unknown> => (await fetch(`${served.url}${route}`)).json();
    const stateOf = async (thread: string) =>
      z
        .looseObject({ values: Ended, next: z.array(z.string()) })
        .parse(await read(`/threads/${thread}/state`));

    it('ends it after the call that crosses it, with a sentence and its state', async () => {
      origin.reset();
      const thread = await makeThread();
      const { __error__: error } = await wait(thread, 'loop', { input: { model: 'cheap' }, max_cost: 0.025 });
      assert.deepEqual(error, {
        error: 'CostCapReached',
        message:
          'The run was ended before another model call. It has cost $0.03, and its cap is $0.025. ' +
          'Its state is kept: continue the thread with a higher cap.',
      });
      assert.equal(origin.requests, 3);
      const state = await stateOf(thread);
      assert.equal(state.values.answers?.length, 3);
      assert.deepEqual(state.next, ['ask']);

      const more = await wait(thread, 'loop', { input: null, max_cost: 0.045 });
      assert.match(more.__error__?.message ?? '', /has cost \$0\.05, and its cap is \$0\.045\./);
      assert.equal(origin.requests, 8);
      assert.equal((await stateOf(thread)).values.answers?.length, 8);
    });

    it('matches what the trace of the run says', async () => {
      origin.reset();
      const run = await post(`/threads/${await makeThread()}/runs`, {
        assistant_id: 'loop',
        input: { model: 'cheap' },
        max_cost: 0.025,
      });
      const { run_id } = z.object({ run_id: z.string() }).parse(await run.json());
      const root = await eventually(
        'the end of the trace',
        async () => {
          const found = await fetch(`${served.platformUrl}/runs/${run_id}`, {
            headers: { 'x-api-key': served.apiKey },
          });
          return z.object({ status: z.string(), error: z.string().nullish() }).parse(await found.json());
        },
        ({ status }) => status !== 'pending',
      );
      assert.match(
        root.error ?? '',
        /^CostCapReached.*The run was ended before another model call\. It has cost \$0\.03, and its cap is \$0\.025\./,
      );
    });

    it('applies to streamed answers, for every reader', async () => {
      origin.reset();
      const thread = await makeThread();
      const body = { assistant_id: 'streamed', input: { model: 'cheap' }, max_cost: 0.025 };
      const stream = await post(`/threads/${thread}/runs/stream`, {
        ...body,
        stream_mode: ['messages-tuple', 'updates'],
      });
      const text = await stream.text();
      assert.match(text, /event: messages\r?\n/);
      assert.match(text, /event: error\r?\ndata: \{"error":"CostCapReached"/);
      assert.equal(origin.requests, 3);
      assert.equal((await stateOf(thread)).values.answers?.length, 3);
    });

    it('lets calls finish that started before it was reached, and starts no others', async () => {
      origin.reset({ together: 4 });
      const { __error__: error } = await wait(await makeThread(), 'branches', {
        input: { model: 'cheap' },
        max_cost: 0.005,
      });
      assert.equal(error?.error, 'CostCapReached');
      assert.equal(origin.requests, 4);
    });

    it('includes the cost of subgraphs and of calls with their own callbacks', async () => {
      for (const graph of ['nested', 'own_callbacks']) {
        origin.reset();
        const ended = await wait(await makeThread(), graph, { input: { model: 'cheap' }, max_cost: 0.015 });
        assert.equal(ended.__error__?.error, 'CostCapReached', graph);
        assert.equal(origin.requests, 2, graph);
      }
    });

    it('ends a run that mistakes the refusal for an error of the model, and tries again', async () => {
      origin.reset();
      const ended = await wait(await makeThread(), 'stubborn', {
        input: { model: 'cheap' },
        max_cost: 0.015,
      });
      assert.equal(ended.__error__?.error, 'CostCapReached');
      assert.equal(origin.requests, 2);
    });

    it('says once that it cannot be enforced for a model without a price, and continues', async () => {
      origin.reset();
      const body = { assistant_id: 'loop', input: { model: 'unheard-of', rounds: 4 }, max_cost: 0.001 };
      const text = await (await post(`/threads/${await makeThread()}/runs/stream`, body)).text();
      const said = /The cap on the run's cost cannot be enforced: there is no price for openai unheard-of/g;
      assert.equal(text.match(said)?.length, 1);
      assert.doesNotMatch(text, /event: error/);
      assert.equal(origin.requests, 4);
      assert.equal((await served.log()).filter((line) => line.match(said)).length, 1);
    });

    it('is not reached by a model whose price is zero', async () => {
      origin.reset();
      const body = { assistant_id: 'loop', input: { model: 'free', rounds: 4 }, max_cost: 0.001 };
      const text = await (await post(`/threads/${await makeThread()}/runs/stream`, body)).text();
      assert.doesNotMatch(text, /event: error|cannot be enforced/);
      assert.equal(origin.requests, 4);
    });

    it('counts only the calls of a replay that are sent', async () => {
      origin.reset();
      const thread = await makeThread();
      const body = { assistant_id: 'loop', input: { model: 'cheap', rounds: 3 } };
      const recorded = await post(`/threads/${thread}/runs`, { ...body, record: true });
      const { run_id } = z.object({ run_id: z.string() }).parse(await recorded.json());
      await read(`/threads/${thread}/runs/${run_id}/join`);
      assert.equal(origin.requests, 3);
      const replay = (allow_new: boolean) =>
        wait(thread, 'loop', {
          ...body,
          input: { model: 'cheap', rounds: 12 },
          replay: { run_id, allow_new },
          max_cost: 0.015,
        });
      const { __error__: error } = await replay(true);
      assert.equal(origin.requests, 5);
      assert.match(error?.message ?? '', /has cost \$0\.02, and its cap is \$0\.015\./);
      assert.notEqual((await replay(false)).__error__?.error, 'CostCapReached');
      assert.equal(origin.requests, 5);
    });

    it('refuses a cap that is not an amount', async () => {
      const thread = await makeThread();
      const refused = await post(`/threads/${thread}/runs`, { assistant_id: 'loop', max_cost: 0 });
      assert.equal(refused.status, 422);
      assert.match(await refused.text(), /"loc":\["body","max_cost"\]/);
    });

    // The server counts and the clients request runs, in any language.
    if (language === 'node') {
      it('is set by --max-cost in a terminal', async () => {
        origin.reset();
        const target = ['--deployment', served.url, '--input', '{"model": "cheap"}'];
        const { code, stdout } = await cli(['run', 'loop', ...target, '--max-cost', '0.025']);
        assert.match(
          stdout,
          /CostCapReached: The run was ended before another model call\. It has cost \$0\.03/,
        );
        assert.equal(code, EXIT.failed);
        assert.equal(origin.requests, 3);
        const unknown = ['--deployment', served.url, '--input', '{"model": "unheard-of", "rounds": 2}'];
        const warned = await cli(['run', 'loop', ...unknown, '--max-cost', '$0.025']);
        assert.match(warned.stdout, /The cap on the run's cost cannot be enforced/);
        assert.equal(warned.code, 0);
        const refused = await cli(['run', 'loop', ...target, '--max-cost', '0']);
        assert.match(refused.stderr, /--max-cost .*Must be an amount of dollars above 0/);
      });

      it('continues counting when the server starts again', async () => {
        origin.reset({ answers: 2 });
        const thread = await makeThread();
        const body = { assistant_id: 'loop', input: { model: 'cheap' }, max_cost: 0.025 };
        assert.equal((await post(`/threads/${thread}/runs`, body)).status, 200);
        await eventually(
          'the run waits for its third answer',
          async () => origin.requests,
          (count) => count === 3,
        );
        await served[Symbol.asyncDispose]();
        origin.reset();
        served = cleanup.use(await serve());
        await eventually(
          'the run has ended',
          async () =>
            z.array(z.looseObject({ status: z.string() })).parse(await read(`/threads/${thread}/runs`)),
          ([run]) => run?.status === 'error',
          60_000,
        );
        assert.equal((await stateOf(thread)).values.answers?.length, 3);
        assert.equal(origin.requests, 1);
      });
    }

    // The cap includes the runs of the tests above, which cost less than a dollar. On a retry, the cap would
    // already be reached.
    it('of a day counts all runs, and says so', async () => {
      origin.reset();
      const { __error__: error } = await wait(await makeThread(), 'loop', { input: { model: 'dear' } });
      assert.equal(error?.error, 'CostCapReached');
      assert.match(
        error.message,
        /^The run was ended before another model call\. It has cost \$(0\.60|1\.20)\. All runs of the project have cost \$1\.\d+ today \(UTC\), and max_cost_per_day in langgraph\.json allows \$1\.00\./,
      );
      assert.ok(origin.requests <= 2);
      origin.reset();
      const other = await wait(await makeThread(), 'loop', { input: { model: 'cheap' } });
      assert.equal(other.__error__?.error, 'CostCapReached');
      assert.equal(origin.requests, 0);
    });
  });
}

async function loopingProject(
  language: 'node' | 'python',
  url: string,
  python: string | undefined,
): Promise<EvaluatedProject> {
  const project = await evaluatedProject();
  const file = language === 'node' ? 'looping.mjs' : 'looping.py';
  await cp(path.join(projectRoot, 'test/fixtures/looping-agent', file), path.join(project.folder, file));
  const graphs = Object.fromEntries(GRAPHS.map((name) => [name, `./${file}:${name}`]));
  const env = { MODEL_URL: url, ...(python === undefined ? {} : { AGENT_HARBOR_PYTHON: python }) };
  await project.write({
    'langgraph.json': JSON.stringify({ graphs, env, max_cost_per_day: 1 }),
    'prices.json': JSON.stringify(OWN_PRICES),
  });
  return project;
}

function priced(model: string, dollars: number): object {
  return { model, prices: { input_mtok: dollars * 10_000, output_mtok: dollars * 10_000 } };
}
