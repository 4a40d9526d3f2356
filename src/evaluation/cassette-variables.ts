import path from 'node:path';
import { openRunFile } from '../run-files/run-file-on-disk.ts';
import { standInVariables } from '../run-files/stand-in-variables.ts';
import type { DatasetFile } from './dataset-file.ts';

/**
 * Values for the environment variables that cassettes were recorded with, so that graphs load without keys that no
 * request needs. Empty if a run gets no recorded answers: it may call models, so a missing key must be reported.
 */
export async function variablesOfCassettes(
  datasets: readonly Pick<DatasetFile, 'file' | 'settings' | 'examples'>[],
): Promise<Record<string, string>> {
  const variables: Record<string, string> = {};
  for (const { file, settings, examples } of datasets) {
    for (const { cassette } of examples) {
      if (cassette === undefined || !settings.cassettes) return {};
      Object.assign(variables, await readVariables(path.join(path.dirname(file), cassette)));
    }
  }
  return variables;
}

/**
 * Reads the variables of a cassette. A cassette that cannot be read has none; the run of its example reports
 * that.
 */
async function readVariables(file: string): Promise<Record<string, string>> {
  const lines = openRunFile(file);
  try {
    const { value: head } = await lines.next();
    return head?.kind === 'agentrun' ? standInVariables(head) : {};
  } catch {
    return {};
  } finally {
    await lines.return();
  }
}
