import type { Deployments } from '../../deployments/deployments.ts';
import type { Trees } from '../../views/live-refresh.ts';
import { ProjectElement } from '../../views/traces.ts';
import type { Command } from '../command.ts';

interface ImportTracesParts {
  readonly deployments: Deployments;
  readonly trees: Trees;
}

/** Imports the traces of a file into the project of a row, or into the projects that the traces name. */
export const importTraces: Command<ImportTracesParts> = async ({ deployments, trees }, argument) => {
  const row = argument instanceof ProjectElement ? argument : undefined;
  const client = row?.client ?? (await deployments.connection.connect());
  const { importTraceFile } = await import('../../trace-files/trace-files.ts');
  // Traces that were sent before a failure stay.
  await importTraceFile(client, row?.project.name).finally(() => trees.traces.refresh());
};
