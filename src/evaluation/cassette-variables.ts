import path from 'node:path';
import { openRunFile } from '../run-files/run-file-on-disk.ts';
import { standInVariables } from '../run-files/stand-in-variables.ts';
import type { DatasetFile } from './dataset-file.ts';

/**
 * The variables that cassettes say their project needs, so that graphs load without keys that no request uses. There
 * are none when an example calls models itself, because a missing key must then be reported.
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

/** A cassette that cannot be read fails its example, which says why. */
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
