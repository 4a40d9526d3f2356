import { isObject } from '../process/objects.ts';
import { isObservation, readLangfuseTrace, readObservation } from './langfuse.ts';
import { isRun, type PostedRun, readRuns } from './langsmith.ts';
import type { OtlpSpan } from './otlp-values.ts';
import { type FileRecord, readRecords } from './read-records.ts';
import { readSdkLog, readSdkSpan } from './sdk-spans.ts';
import { TraceFileError } from './trace-file-error.ts';

/** Everything of a file: what OpenTelemetry calls `resourceSpans` and `resourceLogs`, and runs of LangSmith. */
export interface TraceFile {
  readonly spans: readonly object[];
  readonly logs: readonly object[];
  readonly runs: readonly PostedRun[];
}

/**
 * Reads traces of OTLP in JSON, of OpenTelemetry's SDK for JavaScript, of LangSmith and of Langfuse, one or one per line.
 * @throws TraceFileError that names the line, and the field, which is wrong
 */
export function readTraceFile(text: string): TraceFile {
  const file = { spans: [] as object[], logs: [] as object[], runs: [] as PostedRun[] };
  for (const record of readRecords(text)) read(record, file);
  return file;
}

function read(
  { value, place }: FileRecord,
  file: { spans: object[]; logs: object[]; runs: PostedRun[] },
): void {
  if (isObject(value)) {
    const { resourceSpans, resourceLogs, resourceMetrics } = value;
    if (Array.isArray(resourceSpans) || Array.isArray(resourceLogs) || Array.isArray(resourceMetrics)) {
      file.spans.push(...listOf(resourceSpans));
      file.logs.push(...listOf(resourceLogs));
      return;
    }
    if (Array.isArray(value.scopeSpans)) return void file.spans.push(value);
    if (Array.isArray(value.scopeLogs)) return void file.logs.push(value);
    // Copilot Chat writes metrics to the same file.
    if (Array.isArray(value.scopeMetrics)) return;
    const span = readSdkSpan(value);
    if (span !== undefined) return void file.spans.push(span);
    const log = readSdkLog(value);
    if (log !== undefined) return void file.logs.push(log);
    // A log record that is about no span.
    if ('hrTime' in value) return;
    if (isRun(value)) return void file.runs.push(...readRuns(value, place));
    const trace = readLangfuseTrace(value, place);
    if (trace !== undefined) return void file.spans.push(resourceSpansOf(trace));
    if (isObservation(value)) return void file.spans.push(resourceSpansOf([readObservation(value, place)]));
    // Pages of APIs.
    for (const list of [value.runs, value.data])
      if (Array.isArray(list)) {
        for (const [at, one] of list.entries()) read({ value: one, place: `${place}, item ${at + 1}` }, file);
        return;
      }
  }
  throw new TraceFileError(
    `${place} is neither spans of OTLP, nor a run of LangSmith, nor a trace or an observation of Langfuse.`,
  );
}

function listOf(value: unknown): object[] {
  return Array.isArray(value) ? value.filter(isObject) : [];
}

function resourceSpansOf(spans: readonly OtlpSpan[]): object {
  return { resource: { attributes: [] }, scopeSpans: [{ scope: { name: 'langfuse' }, spans }] };
}
