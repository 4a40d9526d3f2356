import { readFileSync } from 'node:fs';
import path from 'node:path';
import { z } from 'zod';
import { projectRoot } from './cache.ts';

/** Errors that scripts/record-errors.ts has recorded. */
export const fixtureOfErrors = path.join(projectRoot, 'test', 'fixtures', 'errors', 'recorded.json');

const RecordedError = z.strictObject({
  language: z.enum(['node', 'python']),
  /** How the graph failed. */
  way: z.string(),
  /** The error of the span in which it failed. */
  error: z.string(),
  /** The stack alone, as the language writes it and tracers of OpenTelemetry send it. */
  stack: z.string().optional(),
});
export type RecordedError = z.output<typeof RecordedError>;

export function recordedErrors(): RecordedError[] {
  return z.array(RecordedError).parse(JSON.parse(readFileSync(fixtureOfErrors, 'utf8')));
}
