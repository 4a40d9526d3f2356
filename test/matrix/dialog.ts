import { eventually } from '../support/wait.ts';
import type { Workbench } from '../support/workbench/workbench.ts';

/** A question that is asked, known by its title or placeholder, or as a modal dialog by its message. */
export interface Question {
  readonly at: string | RegExp;
  readonly isModal?: boolean;
  /** Answers that it refuses, and its message about each. */
  readonly refuses?: readonly (readonly [text: string, why: RegExp])[];
  /** How it is answered on the way to the next one; the last one never is. */
  readonly pick?: string;
  /** Ticks its first item. */
  readonly ticks?: boolean;
  readonly type?: string;
}

/** Everything that a command asks, one question after the other. */
export interface Dialog {
  readonly name: string;
  readonly open: (workbench: Workbench) => Promise<void>;
  readonly questions: readonly Question[];
}

/** Answers every question before one, and waits for that. */
export async function goTo(workbench: Workbench, { open, questions }: Dialog, wanted: number): Promise<void> {
  await open(workbench);
  for (const [index, question] of questions.entries()) {
    await asked(workbench, question);
    if (index === wanted) return;
    await answer(workbench, question);
  }
}

/** Gives a question the answers that it refuses. */
export async function tryRefused({ quickInput }: Workbench, { refuses = [] }: Question): Promise<void> {
  for (const [text, why] of refuses) {
    await quickInput.type(text);
    await quickInput.accept();
    await eventually(
      `“${text}” to be refused`,
      () => quickInput.state(),
      ({ message }) => why.test(message),
    );
  }
}

/** Cancels a question, as a person does who thinks better of it. */
export async function leave({ dialog, quickInput }: Workbench, { isModal }: Question): Promise<void> {
  if (isModal === true) await dialog.press('Cancel');
  else await quickInput.cancel();
}

async function asked({ dialog, quickInput }: Workbench, { at, isModal }: Question): Promise<void> {
  if (isModal === true) await dialog.waitFor(at);
  else await quickInput.waitFor(at);
}

async function answer({ quickInput }: Workbench, { at, pick, ticks = false, type }: Question): Promise<void> {
  if (pick !== undefined) await quickInput.pick(pick);
  if (ticks) await quickInput.pick((await quickInput.waitFor(at)).items[0]?.label ?? '');
  if (type !== undefined) await quickInput.type(type);
  if (ticks || type !== undefined) await quickInput.accept();
}
