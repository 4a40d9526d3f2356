import { isObject } from '../process/objects.ts';
import { isObservation, readLangfuseTrace, readObservation } from './langfuse.ts';
import { isRun, type PostedRun, readRuns } from './langsmith.ts';
import type { OtlpSpan } from './otlp-values.ts';
import { type FileRecord, readRecords } from './read-records.ts';
import { readSdkLog, readSdkSpan } from './sdk-spans.ts';
import { TraceFileError } from './trace-file-error.ts';

/** The contents of a file. */
export interface TraceFile {
  /** Items of OpenTelemetry's `resourceSpans`, also for traces of Langfuse. */
  readonly spans: readonly object[];
  /** Items of OpenTelemetry's `resourceLogs`. */
  readonly logs: readonly object[];
  /** Runs of LangSmith. */
  readonly runs: readonly PostedRun[];
}

/**
 * Reads a file with traces: OTLP in JSON, spans of OpenTelemetry's SDK for JavaScript, runs of LangSmith, or traces of
 * Langfuse.
 * @throws TraceFileError that names the invalid line and field
 */
export function readTraceFile(text: string): TraceFile {
  const file: FoundTraces = { spans: [], logs: [], runs: [] };
  for (const record of readRecords(text)) read(record, file);
  return file;
}

/** The contents of a file while it is read. */
interface FoundTraces {
  readonly spans: object[];
  readonly logs: object[];
  readonly runs: PostedRun[];
}

function read({ value, place }: FileRecord, file: FoundTraces): void {
  const isRead =
    isObject(value) &&
    (addOtlp(value, file) ||
      addSdk(value, file) ||
      addTrace(value, place, file) ||
      addPage(value, place, file));
  if (isRead) return;
  throw new TraceFileError(
    `${place} contains no OTLP spans, LangSmith run, or Langfuse trace or observation.`,
  );
}

/**
 * Adds the spans and log records of a value in OTLP. Metrics, which Copilot Chat writes to the same file, are left out.
 * @returns whether the value is OTLP
 */
function addOtlp(value: Record<string, unknown>, file: FoundTraces): boolean {
  const { resourceSpans, resourceLogs, resourceMetrics, scopeSpans, scopeLogs, scopeMetrics } = value;
  file.spans.push(...listOf(resourceSpans));
  file.logs.push(...listOf(resourceLogs));
  if ([resourceSpans, resourceLogs, resourceMetrics].some(Array.isArray)) return true;
  if (Array.isArray(scopeSpans)) file.spans.push(value);
  else if (Array.isArray(scopeLogs)) file.logs.push(value);
  return [scopeSpans, scopeLogs, scopeMetrics].some(Array.isArray);
}

/**
 * Adds a span or log record that OpenTelemetry's SDK has written. Log records without a span are left out.
 * @returns whether the value is from this SDK
 */
function addSdk(value: Record<string, unknown>, file: FoundTraces): boolean {
  const span = readSdkSpan(value);
  const log = span === undefined ? readSdkLog(value) : undefined;
  if (span !== undefined) file.spans.push(span);
  if (log !== undefined) file.logs.push(log);
  // Only the SDK's log records have this field.
  return span !== undefined || log !== undefined || 'hrTime' in value;
}

/** Adds the runs of LangSmith or Langfuse in a value. @returns whether the value is from one of them */
function addTrace(value: Record<string, unknown>, place: string, file: FoundTraces): boolean {
  if (isRun(value)) {
    file.runs.push(...readRuns(value, place));
    return true;
  }
  const trace =
    readLangfuseTrace(value, place) ?? (isObservation(value) ? [readObservation(value, place)] : undefined);
  if (trace !== undefined) file.spans.push(resourceSpansOf(trace));
  return trace !== undefined;
}

/** @returns whether the value is a page from an API. The items of a page are read. */
function addPage({ runs, data }: Record<string, unknown>, place: string, file: FoundTraces): boolean {
  const list: unknown = [runs, data].find(Array.isArray);
  if (!Array.isArray(list)) return false;
  for (const [at, one] of list.entries()) read({ value: one, place: `${place}, item ${at + 1}` }, file);
  return true;
}

function listOf(value: unknown): object[] {
  return Array.isArray(value) ? value.filter(isObject) : [];
}

function resourceSpansOf(spans: readonly OtlpSpan[]): object {
  return { resource: { attributes: [] }, scopeSpans: [{ scope: { name: 'langfuse' }, spans }] };
}
