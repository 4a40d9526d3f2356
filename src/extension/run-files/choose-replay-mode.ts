import * as vscode from 'vscode';
import type { OpenLines, RunFileOutline } from '../../run-files/run-file-outline.ts';
import { type MadeState, readStates } from '../../run-files/run-file-states.ts';
import { dateOf } from '../../terms/times.ts';
import { joinParts } from '../wording/format.ts';
import type { ReplayMode } from './replay-lines.ts';

type ModeItem = vscode.QuickPickItem & ReplayMode;

/** Asks how to replay a run file. @returns undefined when canceled. @throws RunFileError */
export async function chooseReplayMode(
  name: string,
  open: OpenLines,
  outline: RunFileOutline,
): Promise<ReplayMode | undefined> {
  const fromState: ModeItem = {
    label: vscode.l10n.t('From a State…'),
    description: vscode.l10n.t('Starts in the middle of the run; nothing is sent'),
    tools: 'recorded',
    allowNew: false,
  };
  const items: ModeItem[] = [
    {
      label: vscode.l10n.t('From the File'),
      description: vscode.l10n.t('Models and tools answer from the file; nothing is sent'),
      tools: 'recorded',
      allowNew: false,
    },
    {
      label: vscode.l10n.t('With Live Tools'),
      description: vscode.l10n.t('Models answer from the file; everything else is sent'),
      tools: 'live',
      allowNew: false,
    },
    {
      label: vscode.l10n.t('With New Requests'),
      description: vscode.l10n.t('Requests that were not recorded are sent'),
      tools: 'recorded',
      allowNew: true,
    },
    fromState,
  ];
  const title = vscode.l10n.t('Replay {0}', name);
  const chosen = await vscode.window.showQuickPick(items, { title });
  if (chosen !== fromState) return chosen;
  const from = await chooseState(title, open, outline);
  return from && { ...chosen, from };
}

async function chooseState(title: string, open: OpenLines, outline: RunFileOutline) {
  const states = await readStates(open, outline);
  const items = states.map((state) => ({
    label: nameOf(state),
    description: joinParts(
      state.step < 0 ? undefined : vscode.l10n.t('step {0}', state.step),
      dateOf(state.createdAt)?.toLocaleTimeString(),
      state.next.length > 0 ? vscode.l10n.t('next: {0}', state.next.join(', ')) : undefined,
    ),
    detail: state.checkpointId,
    state,
  }));
  const placeHolder = vscode.l10n.t('Start from…');
  const options = { title, placeHolder, matchOnDescription: true, matchOnDetail: true };
  return (await vscode.window.showQuickPick(items, options))?.state;
}

/** The label of a state, as in the history of a thread: the nodes that wrote it, or *Input* or *Start*. */
function nameOf({ step, nodes }: MadeState): string {
  if (step < 0) return vscode.l10n.t('Input');
  return nodes.length > 0 ? nodes.join(', ') : vscode.l10n.t('Start');
}
