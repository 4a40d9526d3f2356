import { RunFileError } from '../../replay/read-run-file.ts';
import { EXIT } from '../terminal/exit-codes.ts';
import { explain } from '../terminal/explain.ts';
import { Failure } from '../terminal/failure.ts';

/** Ends the command because its run file cannot be read; then `git bisect run` stops. @throws Failure */
export function unreadable(file: string, error: unknown): never {
  const why = error instanceof RunFileError ? error.message : `${file} could not be read: ${explain(error)}`;
  throw new Failure(why, EXIT.aborted);
}

/** Ends the command with the exit code for which `git bisect run` skips a commit. @throws Failure */
export function untestable(error: unknown): never {
  throw new Failure(explain(error), EXIT.untestable);
}
