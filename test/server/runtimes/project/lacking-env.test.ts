import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { GraphStatus } from '../../../../src/contract/harbor.ts';
import { findLackingEnv } from '../../../../src/server/runtimes/project/lacking-env.ts';
import { temporaryFolder } from '../../../support/temporary-folder.ts';

const loaded: GraphStatus = { status: 'loaded', graph_id: 'fine', nodes: {} };
const failed = (message: string): GraphStatus => ({
  status: 'failed',
  graph_id: 'agent',
  error: { name: 'Error', message },
});

/** The missing variables with these files, without the path of the env file. */
async function lacking(
  files: Readonly<Record<string, string>>,
  graphs: readonly GraphStatus[],
  environment: Readonly<Record<string, string>> = {},
) {
  await using folder = await temporaryFolder();
  for (const [name, text] of Object.entries(files)) await writeFile(path.join(folder.path, name), text);
  const envFile = path.join(folder.path, '.env');
  const found = await findLackingEnv({ envFile }, graphs, environment);
  if (found === undefined) return undefined;
  const { file, ...rest } = found;
  assert.equal(file, envFile);
  return rest;
}

describe('the env file of a project whose graphs fail', () => {
  it('is lacking when it is missing, with the variables of its example that are not set', async () => {
    const files = { '.env.example': 'OPENAI_API_KEY=\nTOWN=Kiel\nPIER=\n' };
    assert.deepEqual(await lacking(files, [failed('Cannot find package')], { PIER: '9' }), {
      is_missing: true,
      has_example: true,
      variables: ['OPENAI_API_KEY', 'TOWN'],
    });
    assert.deepEqual(await lacking({}, [loaded, failed('Set the OPENAI_API_KEY environment variable.')]), {
      is_missing: true,
      has_example: false,
      variables: ['OPENAI_API_KEY'],
    });
  });

  it('is lacking when a failure names a variable that it leaves empty', async () => {
    const files = { '.env': 'TOWN_NAME=\n', '.env.example': 'TOWN_NAME=\nPIER=\n' };
    assert.deepEqual(await lacking(files, [failed('TOWN_NAME is empty')], { TOWN_NAME: '' }), {
      is_missing: false,
      has_example: true,
      variables: ['TOWN_NAME', 'PIER'],
    });
  });

  it('is not to blame for failures that name nothing it lacks, nor while all graphs load', async () => {
    const files = { '.env': '', '.env.example': 'PIER=\n' };
    assert.equal(await lacking(files, [failed('Unexpected token')]), undefined);
    assert.equal(
      await lacking(files, [failed('OPENAI_API_KEY is wrong')], { OPENAI_API_KEY: 'x' }),
      undefined,
    );
    assert.equal(await lacking({ '.env.example': 'PIER=\n' }, [loaded]), undefined);
  });
});
