import * as vscode from 'vscode';
import type { RunTarget } from '../panels/run/run-target.ts';
import type { Command } from './command.ts';

/** Runs a run file again, answered from it, and shows where it went another way. */
export const replayRun: Command = async ({ deployments, documents, panels }, argument) => {
  const { chooseRunFile } = await import('../run-files/choose-run-file.ts');
  const file = await chooseRunFile(argument, vscode.l10n.t('Replay Run File'));
  if (file === undefined) return;
  const { replayRun } = await import('../run-files/replay-run.ts');
  const openRunPanel = async (target: RunTarget) => {
    (await panels()).open(target);
  };
  await replayRun({ deployments, documents, openRunPanel }, file);
};
