import { resolve } from 'node:path';
import type { Client } from '../../client/client.ts';
import { describeProject } from '../../run-files/describe-project.ts';
import { makeRunFile } from '../../run-files/make-run-file.ts';
import { saveRunFile } from '../../run-files/run-file-on-disk.ts';
import type { Context } from '../terminal/context.ts';

export interface RunToSave {
  readonly threadId: string;
  readonly runId: string;
  readonly graphId: string;
  /** The project's langgraph.json; undefined when it is not on this machine. */
  readonly configPath: string | undefined;
  readonly file: string;
}

/** Saves a recorded run as a file. @throws RunFileError, RequestError, or the error of the file system */
export async function saveRecordedRun(context: Context, client: Client, run: RunToSave): Promise<void> {
  const { environment, interrupted: signal, terminal } = context;
  const project =
    run.configPath === undefined
      ? { git: null, secrets: [], variables: {} }
      : await describeProject(run.configPath, environment);
  await saveRunFile(resolve(run.file), makeRunFile(client, run, { project, signal }));
  terminal.note(`Saved the run as ${run.file}. To replay it: agent-harbor replay ${run.file}`);
}
