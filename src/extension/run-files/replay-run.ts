import { basename } from 'node:path';
import * as vscode from 'vscode';
import type { Kinds } from '../../replay/run-file.ts';
import { openRunFile } from '../../run-files/run-file-on-disk.ts';
import { readOutline } from '../../run-files/run-file-outline.ts';
import { chooseReplayMode } from './choose-replay-mode.ts';
import { chooseRunFile } from './choose-run-file.ts';
import { openToReplay } from './open-for-graph.ts';
import { type ReplayParts, replayLines } from './replay-lines.ts';

/**
 * Runs a run file again with its recorded answers, and shows where the replay differs.
 * @throws RunFileError, RequestError, EnvFileError, ActionableError
 */
export async function replayRun(parts: ReplayParts, argument: unknown): Promise<void> {
  const file = await chooseRunFile(argument, vscode.l10n.t('Replay Run File'));
  if (file === undefined) return;
  const name = basename(file);
  const open = (kinds?: Kinds) => openRunFile(file, kinds);
  const outline = await readOutline(open);
  const mode = await chooseReplayMode(name, open, outline);
  if (mode === undefined) return;
  const opened = await openToReplay(parts.deployments, outline.head);
  await replayLines(parts, { name, open, graphId: outline.head.graph_id, opened }, mode);
}
