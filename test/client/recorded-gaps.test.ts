import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { z } from 'zod';
import { traceLines } from '../../src/cli/render/trace-tree.ts';
import { makeColors } from '../../src/cli/terminal/colors.ts';
import { withInferred } from '../../src/cli/tracing/inferred-inputs.ts';
import { createDispatcher } from '../../src/client/dispatcher.ts';
import { lacksArguments, readInferredArguments } from '../../src/client/inferred-arguments.ts';
import { readSpanContents } from '../../src/client/span-contents.ts';
import { readTraceTree } from '../../src/client/trace-tree.ts';
import { clientOf } from '../../src/launcher/client-of.ts';
import { missingContent } from '../../src/terms/missing-content.ts';
import { type Platform, startPlatform } from '../support/platform.ts';

const Recorded = z.object({
  resourceSpans: z.array(
    z.looseObject({
      scopeSpans: z.array(
        z.looseObject({
          spans: z.array(
            z.looseObject({
              traceId: z.string(),
              spanId: z.string(),
              parentSpanId: z.string().optional(),
              name: z.string(),
              startTimeUnixNano: z.string(),
              endTimeUnixNano: z.string(),
            }),
          ),
        }),
      ),
    }),
  ),
  resourceLogs: z.array(z.looseObject({})),
});

describe('a recorded span without contents', () => {
  const dispatcher = createDispatcher();
  let platform: Platform;
  before(async () => {
    platform = await startPlatform();
  });
  after(async () => {
    await platform.close();
    await dispatcher.close();
  });

  it('says what its sender would have to record, and a tool’s arguments are in the message that called it', async () => {
    const client = clientOf({ baseUrl: platform.url, apiKey: platform.workspace.key }, dispatcher);
    const file = new URL('../fixtures/otlp/recorded/opentelemetry-openai.json', import.meta.url);
    const { resourceSpans, resourceLogs } = Recorded.parse(JSON.parse(await readFile(file, 'utf8')));
    const spans = resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap((scope) => scope.spans));
    const [call] = spans
      .filter(({ name }) => name.startsWith('chat'))
      .sort((a, b) => (a.startTimeUnixNano < b.startTimeUnixNano ? -1 : 1));
    assert.ok(call);
    // The instrumentation does not record tools, so the program does, without contents.
    const tool = (id: string, name: string) => ({
      ...{ traceId: call.traceId, spanId: randomBytes(8).toString('hex'), parentSpanId: call.parentSpanId },
      ...{
        name: `execute_tool ${name}`,
        startTimeUnixNano: call.endTimeUnixNano,
        endTimeUnixNano: call.endTimeUnixNano,
      },
      attributes: Object.entries({
        'gen_ai.operation.name': 'execute_tool',
        'gen_ai.tool.name': name,
        'gen_ai.tool.call.id': id,
      }).map(([key, stringValue]) => ({ key, value: { stringValue } })),
    });
    const tools = [tool('call_1', 'get_weather'), tool('call_7', 'get_time')];
    const own = { scopeSpans: [{ scope: { name: 'program' }, spans: tools }] };
    await client.tracing.otlp.traces({ resourceSpans: [...resourceSpans, own] });
    const idOf = ({ traceId, spanId }: { traceId: string; spanId: string }) =>
      `${traceId.slice(0, 16)}${spanId}`.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
    const [weather, time] = tools;
    assert.ok(weather && time);

    const readGaps = async (run_id: string) => {
      const run = await client.tracing.runs.get({ params: { run_id } });
      const { run_type, status, extra } = run;
      const missing = (which: 'inputs' | 'outputs') =>
        missingContent(which, { run_type, status, extra, payload: run[which] });
      const inferred = lacksArguments(run) ? await readInferredArguments(client, run) : undefined;
      return { trace: run.trace_id, inferred, inputs: missing('inputs'), outputs: missing('outputs') };
    };

    const how =
      'OTEL_SEMCONV_STABILITY_OPT_IN=gen_ai_latest_experimental OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT=SPAN_AND_EVENT';
    const before = await readGaps(idOf(call));
    assert.deepEqual(before.inputs, { attribute: 'gen_ai.input.messages', switch: how });
    assert.deepEqual(before.outputs, { attribute: 'gen_ai.output.messages', switch: how });
    const lacking = await readGaps(idOf(weather));
    assert.deepEqual(
      [lacking.inferred, lacking.inputs?.attribute],
      [undefined, 'gen_ai.tool.call.arguments'],
    );

    await client.tracing.otlp.logs({ resourceLogs });
    const after = await readGaps(idOf(call));
    assert.deepEqual([after.inputs, after.outputs], [undefined, undefined]);
    assert.deepEqual((await readGaps(idOf(weather))).inferred, { city: 'Paris' });
    // No message calls this one.
    assert.equal((await readGaps(idOf(time))).inferred, undefined);
    const root = await readTraceTree(client, before.trace);
    const contents = await readSpanContents(client, before.trace, { select: ['inputs', 'outputs', 'extra'] });
    const lines = traceLines(root, [], { colors: makeColors(false), contents: withInferred(root, contents) });
    assert.match(
      lines.join('\n'),
      /execute_tool get_weather[^\n]*\n[^\n]*< \{"city":"Paris"\}\n[^\n]*inferred from the model's message\n[^\n]*no gen_ai\.tool\.call\.result; to record it: OTEL_/,
    );
  });
});
