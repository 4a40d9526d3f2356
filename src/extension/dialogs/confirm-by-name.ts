import * as vscode from 'vscode';
import { ask } from './steps.ts';

/**
 * Asks the user to confirm a permanent deletion by typing a name. @returns false when the dialog is closed.
 */
export async function confirmByName(options: {
  readonly title: string;
  readonly prompt: string;
  readonly name: string;
}): Promise<boolean> {
  const { title, prompt, name } = options;
  const answer = await ask({
    title,
    prompt,
    placeholder: name,
    canGoBack: false,
    check: (typed) =>
      typed === name.trim() ? undefined : vscode.l10n.t('The name does not match {0}.', name),
  });
  return answer.kind === 'answered';
}
