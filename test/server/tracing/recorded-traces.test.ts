import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import { contentTexts } from '../../../src/cli/render/span-content.ts';
import { readPayload } from '../../../src/terms/payload.ts';
import { type Platform, startPlatform } from '../../support/platform.ts';
import { ANSWER, CALL, TOKENS } from '../../support/recorded-traces/model-stand-in.ts';
import { sessionId } from '../../support/traces.ts';

interface Span {
  startTimeUnixNano: string;
  endTimeUnixNano: string;
}
interface Recorded {
  readonly framework: string;
  readonly packages: Readonly<Record<string, string>>;
  readonly resourceSpans: { scopeSpans: { spans: Span[] }[] }[];
  readonly resourceLogs?: unknown[];
}
interface Run {
  readonly name: string;
  readonly run_type: string;
  readonly parent_run_id: string | null;
  readonly error: string | null;
  readonly inputs: Record<string, unknown>;
  readonly outputs: Record<string, unknown> | null;
  readonly total_tokens: number;
  readonly prompt_tokens: number;
  readonly total_cost: string | null;
}

const folder = new URL('../../fixtures/otlp/recorded/', import.meta.url);
const names = (await readdir(folder)).map((file) => file.replace('.json', '')).toSorted();

/** The span that Anthropic's client creates by itself; it has no messages. */
const SILENT = 'anthropic.messages.create';
/** The number of model calls, if not two: one for the tool and one for the answer, here from two providers. */
const CALLS: Readonly<Record<string, number>> = { langsmith: 4 };
/** Senders whose call spans lack the question; the enclosing step has it. */
const ASKED_AROUND = ['mastra'];

/** `scripts/record-traces.ts` recorded them: an agent is asked for the weather, calls a tool, and answers. */
describe('the recorded traces', () => {
  let platform: Platform;
  before(async () => {
    platform = await startPlatform();
  });
  after(() => platform.close());

  /** Reads a recording with the current time. */
  async function read(name: string): Promise<Recorded> {
    const recorded = JSON.parse(await readFile(new URL(`${name}.json`, folder), 'utf8')) as Recorded;
    const { resourceSpans } = recorded;
    const spans = resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap((scope) => scope.spans));
    const last = spans
      .map(({ endTimeUnixNano }) => BigInt(endTimeUnixNano))
      .reduce((a, b) => (a > b ? a : b));
    const shift = BigInt(Date.now()) * 1_000_000n - last;
    for (const span of spans) {
      span.startTimeUnixNano = String(BigInt(span.startTimeUnixNano) + shift);
      span.endTimeUnixNano = String(BigInt(span.endTimeUnixNano) + shift);
    }
    return recorded;
  }

  async function post(path: string, body: object, project: string): Promise<void> {
    const headers = { 'langsmith-project': project };
    const sent = await platform.fetch(path, { method: 'POST', body, headers });
    assert.deepEqual([sent.status, await sent.json()], [200, {}]);
  }

  /** @returns the runs of a project, the earliest first. */
  async function runsOf(project: string): Promise<Run[]> {
    const body = { session: [await sessionId(platform, project)], order: 'asc' };
    const found = await platform.fetch('/runs/query', { method: 'POST', body });
    return ((await found.json()) as { runs: Run[] }).runs;
  }

  async function replay(name: string): Promise<Run[]> {
    const { resourceSpans, resourceLogs } = await read(name);
    // The second layer of a call comes in a separate request, as it was recorded.
    const requests = name.includes('-beside-') ? resourceSpans.map((each) => [each]) : [resourceSpans];
    for (const some of requests) await post('/otel/v1/traces', { resourceSpans: some }, name);
    if (resourceLogs !== undefined) await post('/otel/v1/logs', { resourceLogs }, name);
    return runsOf(name);
  }

  for (const name of names) {
    it(`of ${name} show the question, the tool call and the answer, with tokens and cost`, async () => {
      const runs = await replay(name);
      const texts = runs.flatMap(({ inputs, outputs }) => [
        ...contentTexts(inputs),
        ...contentTexts(outputs),
      ]);
      const isThere = (what: string) =>
        assert.ok(
          texts.some((text) => text.includes(what)),
          what,
        );
      isThere('Weather in Paris?');
      isThere(`→ ${CALL.name} ${JSON.stringify(CALL.args)}`);
      isThere('sunny in Paris');
      isThere(ANSWER);
      const calls = runs.filter((run) => run.run_type === 'llm' && run.total_tokens > 0);
      for (const call of calls) {
        assert.equal(call.total_tokens, TOKENS.input + TOKENS.output);
        assert.notEqual(call.total_cost, null, `${call.name} has a price`);
        if (call.name === SILENT) continue;
        if (!ASKED_AROUND.includes(name))
          assert.ok(readPayload(call.inputs).messages.length > 0, `input of ${call.name} has messages`);
        assert.ok(readPayload(call.outputs).messages.length > 0, `output of ${call.name} has messages`);
        const said = contentTexts(call.outputs).join('\n').split(ANSWER).length - 1;
        assert.ok(said <= 1, `output of ${call.name} says its text once`);
      }
      for (const { error } of runs) assert.equal(error, null);
      const roots = runs.filter(({ parent_run_id }) => parent_run_id === null);
      const sum = roots.reduce((total, root) => total + root.total_tokens, 0);
      const wanted = (CALLS[name] ?? 2) * (TOKENS.input + TOKENS.output);
      assert.equal(sum, wanted, 'each call is counted once');
      const own = calls.reduce((total, call) => total + call.total_tokens, 0);
      assert.equal(own, wanted, 'what its calls say is the sum');
    });
  }
});
