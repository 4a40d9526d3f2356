import { Command } from 'commander';
import { addResourceCommands } from '../../agents/target.ts';
import type { Context } from '../../terminal/context.ts';
import { copyThread, createThread, updateThread } from './edit.ts';
import { exportThreadsCommand } from './export.ts';
import { importThreadsCommand } from './import.ts';
import { getThread, listThreads } from './list.ts';
import { deleteThreads, pruneThreads } from './remove.ts';
import { threadHistory, threadState, updateThreadState } from './state.ts';

export function threadsCommand(context: Context): Command {
  const command = new Command('threads').description('threads and their states; export and import');
  const makers = [
    listThreads,
    getThread,
    createThread,
    updateThread,
    threadState,
    threadHistory,
    updateThreadState,
    copyThread,
    pruneThreads,
    deleteThreads,
    exportThreadsCommand,
    importThreadsCommand,
  ];
  return addResourceCommands(command, context, makers);
}
