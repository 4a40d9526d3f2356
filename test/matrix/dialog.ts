import { eventually } from '../support/wait.ts';
import type { Workbench } from '../support/workbench/workbench.ts';

/** A question, identified by its title or placeholder, or by its message if it is a modal dialog. */
export interface Question {
  readonly at: string | RegExp;
  readonly isModal?: boolean;
  /** Answers that it refuses, each with its message. */
  readonly refuses?: readonly (readonly [text: string, why: RegExp])[];
  /** The answer that leads to the next question; the last question is not answered. */
  readonly pick?: string;
  /** Selects its first item. */
  readonly ticks?: boolean;
  readonly type?: string;
}

/** All questions of a command, in order. */
export interface Dialog {
  readonly name: string;
  readonly open: (workbench: Workbench) => Promise<void>;
  readonly questions: readonly Question[];
}

/** Answers all earlier questions, and waits for this one. */
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

/** Cancels a question, like a user who changes their mind. */
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
