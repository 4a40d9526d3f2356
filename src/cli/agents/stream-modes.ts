import { Option } from 'commander';
import { StreamMode } from '../../contract/agent-server/runs.ts';
import { listArgument } from '../arguments/arguments.ts';
import { usage } from '../terminal/failure.ts';

const DEFAULT: readonly StreamMode[] = ['messages-tuple', 'updates', 'custom'];

export function streamModeOption(): Option {
  return new Option(
    '--stream-mode <modes>',
    `stream modes, separated by commas: ${StreamMode.options.join(', ')} (default: ${DEFAULT.join()})`,
  ).argParser(listArgument);
}

/**
 * Checks the stream modes of the command line.
 * @param names if absent, the default modes, which suit a terminal
 * @throws Failure for a mode that does not exist
 */
export function streamModes(names: readonly string[] | undefined): StreamMode[] {
  return (names ?? DEFAULT).map((name) => {
    const mode = StreamMode.safeParse(name);
    if (mode.success) return mode.data;
    throw usage(`'${name}' is not a stream mode. Use ${StreamMode.options.join(', ')}.`);
  });
}
