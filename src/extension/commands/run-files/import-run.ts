import type { ImportRunParts } from '../../run-files/import-run.ts';
import type { Command } from '../command.ts';

/** Creates a thread from a run file, and shows it. */
export const importRun: Command<ImportRunParts> = async (parts, argument) => {
  const { importRun } = await import('../../run-files/import-run.ts');
  await importRun(parts, argument);
};
