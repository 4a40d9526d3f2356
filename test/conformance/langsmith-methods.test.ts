import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { Client } from 'langsmith';
import { evaluateComparative } from 'langsmith/evaluation';
import { projectRoot } from '../support/cache.ts';
import { type Platform, startPlatform } from '../support/platform.ts';
import { langsmithDifferences } from './langsmith-differences.ts';
import { clientMethods, LangsmithCoverage } from './langsmith-sdk.ts';
import { all } from './real-sdk.ts';

/** The generator of docs/compatibility.md reads these results. */
const REPORT = path.join(projectRoot, 'test-results', 'conformance-langsmith.json');

describe('every method of the langsmith client', function () {
  this.timeout(60_000);
  let platform: Platform;
  let client: Client;
  /** Unique names, so that a retried test does not find data of its first attempt. */
  const named = (what: string) => `${what} ${randomUUID()}`;
  let projectName: string;
  let threadId: string;
  let runId: string;
  let childId: string;
  let projectId: string;
  let datasetName: string;
  let datasetId: string;
  let exampleId: string;
  const coverage = new LangsmithCoverage();
  const call = <Result>(method: string, work: () => Promise<Result>) => coverage.call(method, work);
  const listed = <Item>(method: string, work: () => AsyncIterable<Item>) => call(method, () => all(work()));

  before(async () => {
    platform = await startPlatform();
    client = new Client({
      apiUrl: platform.url,
      apiKey: platform.workspace.key,
      autoBatchTracing: false,
      fetchImplementation: coverage.fetch,
    });
  });
  after(async () => {
    await mkdir(path.dirname(REPORT), { recursive: true });
    await writeFile(REPORT, JSON.stringify(coverage.routes(), null, 2));
    await platform.close();
  });

  it('works for runs', async () => {
    [runId, childId] = [randomUUID(), randomUUID()];
    [projectName, threadId] = [named('p'), named('t')];
    const start_time = Date.now() - 1000;
    await call('createRun', () =>
      client.createRun({
        id: runId,
        name: 'root',
        run_type: 'chain',
        inputs: { q: 1 },
        project_name: projectName,
        start_time,
        extra: { metadata: { thread_id: threadId } },
      }),
    );
    await client.createRun({
      id: childId,
      name: 'child',
      run_type: 'llm',
      inputs: { q: 2 },
      parent_run_id: runId,
      project_name: projectName,
      start_time,
    });
    // The client sends no id when it is given none.
    await client.createRun({
      name: 'nameless',
      run_type: 'chain',
      inputs: {},
      project_name: named('nameless'),
    });
    await call('updateRun', () => client.updateRun(runId, { outputs: { a: 1 }, end_time: Date.now() }));
    const [read] = [await call('readRun', () => client.readRun(runId))];
    assert.deepEqual([read.name, read.outputs], ['root', { a: 1 }]);
    const other = randomUUID();
    const order = `20260101T000000000000Z${other}`;
    const another = {
      id: other,
      name: 'other',
      run_type: 'tool',
      inputs: {},
      trace_id: other,
      dotted_order: order,
    };
    await call('batchIngestRuns', () =>
      client.batchIngestRuns({ runCreates: [{ ...another, session_name: projectName }] }),
    );
    const third = randomUUID();
    await call('multipartIngestRuns', () =>
      client.multipartIngestRuns({
        runCreates: [
          {
            ...another,
            id: third,
            trace_id: third,
            dotted_order: order.replace(other, third),
            session_name: projectName,
          },
        ],
      }),
    );
    const found = await listed('listRuns', () => client.listRuns({ projectName }));
    assert.deepEqual(found.map(({ name }) => name).sort(), ['child', 'other', 'other', 'root']);
    const stats = await call('getRunStats', () => client.getRunStats({ projectNames: [projectName] }));
    assert.equal(stats.run_count, 4);
    const [group] = await listed('listGroupRuns', () =>
      client.listGroupRuns({ projectName, groupBy: 'conversation' }),
    );
    assert.equal((group as { group_key?: string }).group_key, threadId);
    const thread = await listed('readThread', () => client.readThread({ threadId, projectName }));
    assert.deepEqual(
      thread.map(({ id }) => id),
      [runId],
    );
    const threads = await call('listThreads', () => client.listThreads({ projectName }));
    assert.deepEqual(
      threads.map(({ thread_id }) => thread_id),
      [threadId],
    );
    assert.match(await call('getRunUrl', () => client.getRunUrl({ runId })), new RegExp(runId));
    await call('flush', () => client.flush());
    await call('awaitPendingTraceBatches', () => client.awaitPendingTraceBatches());
  });

  it('works for projects', async () => {
    const fresh = named('new');
    const project = await call('createProject', () => client.createProject({ projectName: fresh }));
    const changed = await call('updateProject', () => client.updateProject(project.id, { description: 'd' }));
    assert.equal(changed.description, 'd');
    assert.equal(await call('hasProject', () => client.hasProject({ projectName: fresh })), true);
    projectId = (await call('readProject', () => client.readProject({ projectName }))).id;
    assert.match(
      await call('getProjectUrl', () => client.getProjectUrl({ projectId })),
      new RegExp(projectId),
    );
    const names = (await listed('listProjects', () => client.listProjects())).map(({ name }) => name);
    assert.ok(names.includes(fresh) && names.includes(projectName));
    await call('deleteProject', () => client.deleteProject({ projectName: fresh }));
    assert.equal(await client.hasProject({ projectName: fresh }), false);
  });

  it('works for newer clients’ queries', async () => {
    const selects: 'NAME'[] = ['NAME'];
    const found = await call('runs.query', () =>
      all(client.runs.query({ project_ids: [projectId], selects })),
    );
    assert.ok(found.some(({ name }) => name === 'child'));
    const one = await call('runs.retrieve', () =>
      client.runs.retrieve(runId, { project_id: projectId, selects, start_time: new Date().toISOString() }),
    );
    assert.equal(one.name, 'root');
    const { url } = await call('runs.getURL', () =>
      client.runs.getURL(runId, { project_id: projectId, trace_id: runId }),
    );
    assert.equal(url, `${platform.url}/runs/${runId}`);
    const traces = await call('traces.query', () => all(client.traces.query({ project_id: projectId })));
    assert.ok(traces.some(({ root_run }) => root_run?.id === runId));
    const { items } = await call('traces.listRuns', () =>
      client.traces.listRuns(runId, { project_id: projectId }),
    );
    assert.deepEqual(items?.map(({ id }) => id).sort(), [runId, childId].sort());
    const threads = await call('threads.query', () => all(client.threads.query({ project_id: projectId })));
    assert.deepEqual(
      threads.map(({ thread_id }) => thread_id),
      [threadId],
    );
    const turns = await call('threads.listTraces', () =>
      all(client.threads.listTraces(threadId, { project_id: projectId, selects: ['NAME'] })),
    );
    assert.deepEqual(
      turns.map(({ trace_id }) => trace_id),
      [runId],
    );
    const stats = await call('threads.stats', () =>
      client.threads.stats(threadId, { session_id: projectId, selects: ['TURNS'] }),
    );
    assert.equal(stats.turns, 1);
  });

  it('works for shared traces', async () => {
    const link = await call('shareRun', () => client.shareRun(childId));
    assert.equal(await call('readRunSharedLink', () => client.readRunSharedLink(runId)), link);
    const token = link.split('/').at(-2) ?? '';
    const { items } = await call('public.runs.query', () =>
      client.public.runs.query(token, { selects: ['NAME'] }),
    );
    assert.deepEqual(items?.map(({ name }) => name).sort(), ['child', 'root']);
    const one = await call('public.runs.retrieve', () =>
      client.public.runs.retrieve(runId, {
        share_token: token,
        selects: ['NAME'],
        start_time: new Date().toISOString(),
      }),
    );
    assert.equal(one.name, 'root');
    const shared = {
      project_id: projectId,
      selects: ['SHARE_URL' as const],
      start_time: new Date().toISOString(),
    };
    const { share_url } = await client.runs.retrieve(childId, shared);
    assert.equal((await fetch(share_url ?? '')).status, 200);
    await call('unshareRun', () => client.unshareRun(runId));
    assert.equal((await client.runs.retrieve(childId, shared)).share_url, null);
    assert.equal(await client.readRunSharedLink(childId), undefined);
    assert.equal((await fetch(`${platform.url}/public/${token}/run`)).status, 404);
    const again = await call('runs.share.create', () =>
      client.runs.share.create(runId, { session_id: projectId, trace_id: runId }),
    );
    assert.equal((await fetch(`${platform.url}/public/${again.share_token}/run/${childId}`)).status, 200);
    await call('runs.share.delete', () => client.runs.share.delete(runId, { session_id: projectId }));
    assert.equal((await fetch(`${platform.url}/public/${again.share_token}/run`)).status, 404);
  });

  it('works for datasets and examples', async () => {
    datasetName = named('d');
    const dataset = await call('createDataset', () => client.createDataset(datasetName, { dataType: 'kv' }));
    datasetId = dataset.id;
    assert.equal((await call('readDataset', () => client.readDataset({ datasetId }))).name, datasetName);
    assert.equal(await call('hasDataset', () => client.hasDataset({ datasetId })), true);
    const datasets = await listed('listDatasets', () => client.listDatasets());
    assert.ok(datasets.some(({ id }) => id === datasetId));
    await call('updateDataset', () => client.updateDataset({ datasetId, description: 'e' }));
    assert.match(
      await call('getDatasetUrl', () => client.getDatasetUrl({ datasetId })),
      new RegExp(datasetId),
    );
    const chat = { role: 'user', content: 'hello' };
    const one = await call('createExample', () =>
      client.createExample({ messages: [chat] }, { answer: 1 }, { datasetId }),
    );
    exampleId = one.id;
    const [two] = await call('createExamples', () =>
      client.createExamples([{ dataset_id: datasetId, inputs: { messages: [chat] }, outputs: { n: 2 } }]),
    );
    await call('createLLMExample', () => client.createLLMExample('in', 'out', { datasetId }));
    await call('createChatExample', () =>
      client.createChatExample([{ type: 'human', data: { content: 'hi' } }], undefined, { datasetId }),
    );
    assert.deepEqual((await call('readExample', () => client.readExample(exampleId))).outputs, { answer: 1 });
    await call('updateExample', () => client.updateExample({ id: exampleId, outputs: { answer: 2 } }));
    await call('updateExamples', () =>
      client.updateExamples([{ id: exampleId, dataset_id: datasetId, metadata: { level: 'easy' } }]),
    );
    await call('updateExamplesMultipart', () =>
      client.updateExamplesMultipart(datasetId, [{ id: exampleId, outputs: { answer: 3 } }]),
    );
    await call('uploadExamplesMultipart', () =>
      client.uploadExamplesMultipart(datasetId, [{ id: randomUUID(), inputs: { q: 1 } }]),
    );
    assert.equal((await listed('listExamples', () => client.listExamples({ datasetId }))).length, 5);
    await call('updateDatasetSplits', () =>
      client.updateDatasetSplits({ datasetId, splitName: 'test', exampleIds: [exampleId] }),
    );
    assert.ok(
      (await call('listDatasetSplits', () => client.listDatasetSplits({ datasetId }))).includes('test'),
    );
    const { as_of } = await call('readDatasetVersion', () =>
      client.readDatasetVersion({ datasetId, asOf: new Date() }),
    );
    await call('updateDatasetTag', () => client.updateDatasetTag({ datasetId, asOf: as_of, tag: 'v1' }));
    await call('deleteExample', () => client.deleteExample(two?.id ?? ''));
    const diff = await call('diffDatasetVersions', () =>
      client.diffDatasetVersions({ datasetId, fromVersion: 'v1', toVersion: 'latest' }),
    );
    assert.deepEqual(diff.examples_removed, [two?.id]);
    const csv = named('csv');
    await call('uploadCsv', () =>
      client.uploadCsv({
        csvFile: new Blob(['q,a\n1,2\n']),
        fileName: 'x.csv',
        inputKeys: ['q'],
        outputKeys: ['a'],
        name: csv,
      }),
    );
    await call('deleteDataset', () => client.deleteDataset({ datasetName: csv }));
    const chats = await client.createDataset(named('chats'), { dataType: 'chat' });
    await client.createExample(
      { messages: [chat] },
      { message: { role: 'assistant', content: 'hi' } },
      { datasetId: chats.id },
    );
    const lines = await call('readDatasetOpenaiFinetuning', () =>
      client.readDatasetOpenaiFinetuning({ datasetId: chats.id }),
    );
    assert.deepEqual(lines, [{ messages: [chat, { role: 'assistant', content: 'hi' }] }]);
    await call('deleteExamples', () => client.deleteExamples([exampleId]));
  });

  it('works for shared datasets', async () => {
    const share = await call('shareDataset', () => client.shareDataset(datasetId));
    const known = await call('readDatasetSharedSchema', () => client.readDatasetSharedSchema(datasetId));
    assert.equal(known.share_token, share.share_token);
    const token = share.share_token;
    assert.equal((await call('readSharedDataset', () => client.readSharedDataset(token))).name, datasetName);
    const shown = await call('listSharedExamples', () => client.listSharedExamples(token));
    assert.ok(shown.length > 0 && shown.every(({ id }) => id !== exampleId));
    const copy = named('copy');
    await call('clonePublicDataset', () => client.clonePublicDataset(token, { datasetName: copy }));
    assert.equal((await all(client.listExamples({ datasetName: copy }))).length, shown.length);
    await call('unshareDataset', () => client.unshareDataset(datasetId));
    await assert.rejects(client.readSharedDataset(token));
  });

  it('works for feedback', async () => {
    const [key, judged] = [named('k'), named('judged')];
    const { id } = await call('createFeedback', () => client.createFeedback(runId, key, { score: 1 }));
    await call('updateFeedback', () => client.updateFeedback(id, { score: 0.5 }));
    assert.equal((await call('readFeedback', () => client.readFeedback(id))).score, 0.5);
    assert.equal(
      (await listed('listFeedback', () => client.listFeedback({ runIds: [runId], feedbackKeys: [key] })))
        .length,
      1,
    );
    await call('deleteFeedback', () => client.deleteFeedback(id));
    const token = await call('createPresignedFeedbackToken', () =>
      client.createPresignedFeedbackToken(runId, key),
    );
    const tokens = await listed('listPresignedFeedbackTokens', () =>
      client.listPresignedFeedbackTokens(runId),
    );
    assert.ok(tokens.some(({ url }) => url === token.url));
    const run = await client.readRun(runId);
    await call('logEvaluationFeedback', () => client.logEvaluationFeedback({ key: judged, score: 1 }, run));
    const given = await all(client.listFeedback({ runIds: [runId] }));
    assert.ok(given.some((feedback) => feedback.key === judged));
  });

  it('works for feedback configs', async () => {
    const feedbackKey = named('quality');
    const feedbackConfig = { type: 'continuous' as const, min: 0, max: 1 };
    const made = await call('createFeedbackConfig', () =>
      client.createFeedbackConfig({ feedbackKey, feedbackConfig }),
    );
    assert.deepEqual([made.feedback_key, made.is_lower_score_better], [feedbackKey, false]);
    await assert.rejects(
      client.createFeedbackConfig({ feedbackKey, feedbackConfig: { type: 'freeform' } }),
      /409|Conflict/,
    );
    const changed = await call('updateFeedbackConfig', () =>
      client.updateFeedbackConfig(feedbackKey, { isLowerScoreBetter: true }),
    );
    assert.deepEqual([changed.feedback_config, changed.is_lower_score_better], [feedbackConfig, true]);
    const configs = await listed('listFeedbackConfigs', () =>
      client.listFeedbackConfigs({ feedbackKeys: [feedbackKey] }),
    );
    assert.equal(configs.length, 1);
    await call('deleteFeedbackConfig', () => client.deleteFeedbackConfig(feedbackKey));
    assert.deepEqual(await all(client.listFeedbackConfigs({ nameContains: feedbackKey })), []);
  });

  it('works for comparisons made by evaluateComparative', async () => {
    const batching = new Client({
      apiUrl: platform.url,
      apiKey: platform.workspace.key,
      fetchImplementation: coverage.fetch,
    });
    const compared = named('compared');
    const dataset = await client.createDataset(compared);
    await client.createExample({ n: 1 }, { n: 1 }, { datasetId: dataset.id });
    const { evaluate } = await import('langsmith/evaluation');
    const experiment = async (step: number) =>
      (
        await evaluate((inputs: { n: number }) => ({ n: inputs.n + step }), {
          data: compared,
          client: batching,
          evaluators: [],
        })
      ).experimentName;
    const names = [await experiment(0), await experiment(1)];
    await batching.awaitPendingTraceBatches();
    const experiment_ids = await Promise.all(
      names.map(async (projectName) => (await client.readProject({ projectName })).id),
    );
    const [shown] = await call('datasets.experimentRuns.query', () =>
      all(client.datasets.experimentRuns.query(dataset.id, { experiment_ids, selects: ['OUTPUTS'] })),
    );
    assert.deepEqual(
      [shown?.inputs, shown?.runs?.map(({ outputs }) => outputs)],
      [{ n: 1 }, [{ n: 1 }, { n: 2 }]],
    );
    const results = await call('createComparativeExperiment', () =>
      evaluateComparative(names as [string, string], {
        client: batching,
        evaluators: [
          ({ runs }: { runs: { id: string }[] }) => ({
            key: 'preferred',
            scores: Object.fromEntries(runs.map(({ id }, at) => [id, at])),
          }),
        ],
      }),
    );
    assert.equal(results.results.length, 1);
    const listedThere = await platform.fetch(`/datasets/${dataset.id}/comparative`);
    const [comparison] = (await listedThere.json()) as { experiments_info: { name: string }[] }[];
    assert.deepEqual(comparison?.experiments_info.map(({ name }) => name).sort(), [...names].sort());
  });

  it('was called, or is listed as missing here', () => {
    const called = coverage.routes();
    const missing = clientMethods().filter(
      (name) => called[name] === undefined && !(name in langsmithDifferences),
    );
    assert.deepEqual(missing, []);
    const unknown = Object.entries(called).filter(([, routes]) =>
      routes.some((route) => route.includes('unknown')),
    );
    assert.deepEqual(unknown, []);
  });
});
