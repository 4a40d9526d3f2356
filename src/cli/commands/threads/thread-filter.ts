import { type Command, Option } from 'commander';
import { ThreadStatus } from '../../../contract/agent-server/threads.ts';
import { objectArgument, pairArgument } from '../../arguments/json-arguments.ts';

export interface ThreadFilter {
  readonly status?: ThreadStatus;
  readonly metadata?: Readonly<Record<string, unknown>>;
  readonly values?: string;
}

export function addThreadFilter(command: Command): Command {
  return command
    .addOption(new Option('--status <status>', 'only with this status').choices(ThreadStatus.options))
    .option('--metadata <key=value>', 'only with this metadata, repeatable', pairArgument)
    .option('--values <json>', 'only if the values contain this JSON');
}

export function filterBody({ status, metadata, values }: ThreadFilter) {
  return {
    ...(status === undefined ? {} : { status }),
    ...(metadata === undefined ? {} : { metadata: { ...metadata } }),
    ...(values === undefined ? {} : { values: objectArgument('--values', values) }),
  };
}
