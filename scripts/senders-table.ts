/**
 * Writes what arrives from each recorded sender of OpenTelemetry into docs/tracing.md, between `<!-- senders
 * -->` and `<!-- /senders -->`: `node scripts/senders-table.ts [--check]`. With --check, it only says whether
 * the file is up to date. Fails if data that was sent does not arrive.
 */
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { markdownTable } from 'markdown-table';
import { z } from 'zod';
import { contentTexts } from '../src/cli/render/span-content.ts';
import { isObject, objectAt } from '../src/process/objects.ts';
import { decodeSpans } from '../src/server/tracing/otlp/decode.ts';
import { decodeLogs } from '../src/server/tracing/otlp/decode-logs.ts';
import { withEvents } from '../src/server/tracing/otlp/run-events.ts';
import { spanToRun } from '../src/server/tracing/otlp/span-to-run.ts';
import { ANSWER, CALL, TOKENS } from '../test/support/recorded-traces/model-stand-in.ts';

const Recorded = z.object({
  framework: z.string(),
  packages: z.record(z.string(), z.string()),
  resourceSpans: z.array(z.unknown()),
  resourceLogs: z.array(z.unknown()).default([]),
});

/** A span as the platform reads it, in words. */
interface Read {
  readonly type: unknown;
  readonly isRoot: boolean;
  readonly inputs: string;
  readonly outputs: string;
  readonly metadata: Readonly<Record<string, unknown>>;
}

const CALLED = `→ ${CALL.name} ${JSON.stringify(CALL.args)}`;
const RESULT = 'sunny in Paris';

/** A column: how to find its content in the received spans, and how to recognize that it was sent. */
type Column = readonly [title: string, arrives: (spans: readonly Read[]) => boolean, sent: RegExp | 'a tool'];

const COLUMNS: readonly Column[] = [
  [
    'question',
    (spans) => spans.some(({ inputs }) => inputs.includes('Weather in Paris?')),
    /Weather in Paris/,
  ],
  ['instructions', (spans) => spans.some(({ inputs }) => inputs.includes('Be terse.')), /Be terse/],
  ['call of a tool', (spans) => spans.some(({ outputs }) => outputs.includes(CALLED)), /get_weather/],
  [
    "tool's arguments",
    (spans) => spans.some(({ type, inputs }) => type === 'tool' && inputs.includes('Paris')),
    'a tool',
  ],
  [
    "tool's result",
    (spans) => spans.some(({ type, outputs }) => type === 'tool' && outputs.includes(RESULT)),
    'a tool',
  ],
  ['answer', (spans) => spans.some(({ outputs }) => outputs.includes(ANSWER)), /It is sunny in Paris/],
  [
    'tokens',
    (spans) => usages(spans).some((usage) => usage.total_tokens === TOKENS.input + TOKENS.output),
    /tokens|token_count/,
  ],
  [
    'cached tokens',
    (spans) =>
      usages(spans).some((usage) => objectAt(usage, 'input_token_details').cache_read === TOKENS.cached),
    /"key":"[^"]*cache[^"]*"/i,
  ],
  [
    'model',
    (spans) => spans.some(({ type, metadata }) => type === 'llm' && 'ls_model_name' in metadata),
    /model/,
  ],
  [
    'thread',
    (spans) => spans.some(({ metadata }) => THREADS.some((name) => name in metadata)),
    /conversation\.id|session\.id|sessionId|threadId|thread_id/,
  ],
  ['nesting', (spans) => spans.filter(({ isRoot }) => !isRoot).length > 0, /"parentSpanId":"\w/],
];
const THREADS = ['conversation_id', 'session_id', 'thread_id'];

const folder = new URL('../test/fixtures/otlp/recorded/', import.meta.url);
const file = new URL('../docs/tracing.md', import.meta.url);
const place = /(?<=<!-- senders -->\n).*?(?=<!-- \/senders -->)/s;

const lost: string[] = [];
const rows: string[][] = [];
for (const name of (await readdir(folder)).toSorted()) rows.push(await rowOf(name));
const titles = ['Sender', 'Packages', ...COLUMNS.map(([title]) => title)];
const table = markdownTable([titles, ...rows], { alignDelimiters: false });
const before = await readFile(file, 'utf8');
const after = before.replace(place, () => `\n${table}\n\n`);
if (!place.test(before)) fail('docs/tracing.md has no place for the senders: <!-- senders -->.');
if (lost.length > 0) fail(`These are sent, but do not arrive: ${lost.join('; ')}.`);
if (!process.argv.includes('--check')) await writeFile(file, after);
else if (after !== before) fail('docs/tracing.md is not up to date: run `npm run generate`.');

async function rowOf(name: string): Promise<string[]> {
  const text = await readFile(new URL(name, folder), 'utf8');
  const { framework, packages, resourceSpans, resourceLogs } = Recorded.parse(JSON.parse(text));
  const spans = await read(resourceSpans, resourceLogs);
  const cells = COLUMNS.map(([title, arrives, sent]) => {
    if (arrives(spans)) return '✓';
    const wasSent = sent === 'a tool' ? spans.some(({ type }) => type === 'tool') : sent.test(text);
    if (!wasSent) return '–';
    lost.push(`${framework}, ${title}`);
    return '✗';
  });
  const versions = Object.entries(packages).map(([each, version]) => `${each} ${version}`);
  return [framework, versions.join(', '), ...cells];
}

/** Reads a recording as the platform does, with each log record under its span. */
async function read(resourceSpans: unknown[], resourceLogs: unknown[]): Promise<Read[]> {
  const bytes = (body: object) => Buffer.from(JSON.stringify(body));
  const { spans } = await decodeSpans(bytes({ resourceSpans }), 'application/json');
  const { logs } = await decodeLogs(bytes({ resourceLogs }), 'application/json');
  return spans.map((span) => {
    const run = spanToRun(span, undefined);
    const events = logs.filter((log) => log.span === run.span).map(({ event }) => event);
    const fields = { ...run.fields, ...withEvents(run.fields, events) };
    const extra = isObject(fields.extra) ? fields.extra : {};
    return {
      type: fields.run_type,
      isRoot: run.parent === undefined,
      inputs: contentTexts(fields.inputs).join('\n'),
      outputs: contentTexts(fields.outputs).join('\n'),
      metadata: objectAt(extra, 'metadata'),
    };
  });
}

function usages(spans: readonly Read[]): Record<string, unknown>[] {
  return spans.map(({ metadata }) => objectAt(metadata, 'usage_metadata'));
}

function fail(problem: string): void {
  console.error(problem);
  process.exitCode = 1;
}
