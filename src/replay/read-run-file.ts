import { z } from 'zod';
import { messageOf } from '../process/message-of.ts';
import { RUN_FILE_VERSION, RunFileLine } from './run-file.ts';

/** A file is not a run file or is incomplete, or a run cannot be saved in one. */
export class RunFileError extends Error {
  override readonly name = 'RunFileError';
  constructor(why: string, options?: ErrorOptions) {
    super(`The run file could not be read: ${why}`, options);
  }
}

const NO_RUN_FILE =
  'its first line is not that of a run saved by Agent Harbor. A cassette of vcrpy is read with agent-harbor run <graph> --replay <cassette>.';

const Kind = z.looseObject({ kind: z.string(), version: z.unknown().optional() });

/**
 * Parses a line of a run file.
 * @param at the number of the line, from 1
 * @throws RunFileError that names the line
 */
export function parseRunFileLine(text: string, at: number): RunFileLine {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch (error) {
    if (at === 1) throw new RunFileError(NO_RUN_FILE);
    throw new RunFileError(`line ${at} is not valid JSON (${messageOf(error)}).`);
  }
  const { kind, version } = Kind.safeParse(json).data ?? {};
  if (at === 1 && kind !== 'agentrun') {
    throw new RunFileError(NO_RUN_FILE);
  }
  if (kind === 'agentrun' && version !== RUN_FILE_VERSION) {
    throw new RunFileError(
      `it has version ${String(version)} of the format, and this Agent Harbor reads version ${RUN_FILE_VERSION}. Update Agent Harbor.`,
    );
  }
  const line = RunFileLine.safeParse(json);
  if (!line.success) {
    const [issue] = line.error.issues;
    const where = issue === undefined ? '' : ` (${[...issue.path, ''].join('.')}${issue.message})`;
    throw new RunFileError(`line ${at} is not valid${kind === undefined ? '' : ` for '${kind}'`}${where}.`);
  }
  return line.data;
}
