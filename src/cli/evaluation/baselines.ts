import { dirname } from 'node:path';
import { type Baseline, baselineOf, readBaseline } from '../../evaluation/baseline.ts';
import { variablesOfCassettes } from '../../evaluation/cassette-variables.ts';
import type { DatasetFile } from '../../evaluation/dataset-file.ts';
import type { DatasetResult } from '../../evaluation/evaluate-dataset.ts';
import { findBaseline } from '../../evaluation/find-baseline.ts';
import { checkOut, resolveCommit } from '../../evaluation/git-worktree.ts';
import { findUploaded } from '../../evaluation/upload-dataset.ts';
import type { PlatformSession } from '../folders/agent-connection.ts';
import type { Context } from '../terminal/context.ts';
import { Failure } from '../terminal/failure.ts';
import { type DatasetToRun, examplesIn, runDataset } from './run-dataset.ts';
import { serveProject } from './served-project.ts';

/** A dataset with the result to compare with the baseline. */
export interface ComparedDataset extends Pick<DatasetToRun, 'file' | 'config' | 'identity' | 'split'> {
  readonly result: DatasetResult;
}

/** Checks that the baseline exists or can be evaluated. @throws Failure when it does not */
export async function requireBaseline(
  { interrupted: signal }: Context,
  { client }: PlatformSession,
  name: string,
  { file, config, identity }: Pick<DatasetToRun, 'file' | 'config' | 'identity'>,
): Promise<void> {
  if ((await resolveCommit(dirname(config), name)) !== undefined) return;
  const dataset = await findUploaded(client, file, identity, { signal });
  const wanted = { name, commit: undefined, project: identity };
  if (dataset !== undefined && (await findBaseline(client, dataset.id, undefined, wanted, { signal })))
    return;
  throw noBaseline(name, file);
}

function noBaseline(name: string, { name: dataset }: DatasetFile): Failure {
  return new Failure(
    `--baseline: '${name}' is neither an experiment on '${dataset}' nor a branch or commit.`,
  );
}

/** Reads the scores of an earlier experiment. If a commit has none, its code is checked out and evaluated. */
export async function baselineFor(
  context: Context,
  session: PlatformSession,
  {
    file,
    config,
    identity,
    split,
    result,
    name,
    json,
  }: ComparedDataset & { readonly name: string; readonly json: boolean },
): Promise<Baseline> {
  const { interrupted: signal, terminal } = context;
  const commit = await resolveCommit(dirname(config), name);
  const wanted = { name, commit, project: identity };
  const known = await findBaseline(session.client, result.datasetId, result.experiment, wanted, { signal });
  if (known !== undefined) return readBaseline(session.client, known, name, { signal });
  if (commit === undefined) throw noBaseline(name, file);
  if (!json) terminal.line(`  evaluating ${name} (${commit.slice(0, 8)}) as the baseline`);
  await using worktree = await checkOut(config, commit);
  const variables = await variablesOfCassettes([{ ...file, examples: examplesIn(file, split) }]);
  await using project = await serveProject(session, worktree.config, signal, variables);
  const metadata = { revision_id: commit, git: { commit, dirty: false } };
  const before = await runDataset(context, project, {
    file,
    config: worktree.config,
    identity,
    split,
    metadata,
    onExample: () => {},
  });
  return baselineOf(before, name);
}
