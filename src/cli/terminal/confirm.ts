import { createInterface } from 'node:readline/promises';
import { Failure, usage } from './failure.ts';
import { printable } from './printable.ts';
import type { Terminal } from './terminal.ts';

/** The parts of a command's context that a prompt needs. */
export interface PromptContext {
  readonly stdin: NodeJS.ReadableStream & { readonly isTTY?: boolean };
  readonly terminal: Terminal;
  readonly interrupted: AbortSignal;
}

/**
 * Asks for confirmation before something is permanently deleted.
 * @param options.expected the text that the user must type to confirm
 * @param options.otherwise the message of the failure for any other text
 * @throws Failure for any other text, or when standard input is not a terminal
 */
export async function confirm(
  { stdin, terminal, interrupted: signal }: PromptContext,
  { question, expected, otherwise }: { question: string; expected: string; otherwise: string },
): Promise<void> {
  if (!stdin.isTTY) throw usage('Standard input is not a terminal. Pass --yes to confirm.');
  const prompt = createInterface({ input: stdin, output: process.stderr });
  try {
    const typed = await prompt.question(printable(question), { signal });
    if (typed.trim() !== expected) throw new Failure(otherwise);
  } finally {
    prompt.close();
    terminal.freshLine();
  }
}

/** Asks the user to type `yes` before a deletion, unless `--yes` was passed. @throws Failure for any other text */
export async function confirmDeletion(
  context: PromptContext,
  options: { readonly yes?: true },
  what: string,
): Promise<void> {
  if (options.yes) return;
  await confirm(context, {
    question: `Delete ${what}? Type 'yes': `,
    expected: 'yes',
    otherwise: 'Nothing was deleted.',
  });
}
