import { createInterface } from 'node:readline/promises';
import { Failure, usage } from './failure.ts';
import { printable } from './printable.ts';
import type { Terminal } from './terminal.ts';

/** The streams and the signal that asking for confirmation needs. */
export interface Asked {
  readonly stdin: NodeJS.ReadableStream & { readonly isTTY?: boolean };
  readonly terminal: Terminal;
  readonly interrupted: AbortSignal;
}

/**
 * Asks for confirmation before something is permanently deleted.
 * @param options.expected what must be typed to confirm.
 * @throws Failure when something else is typed, or standard input is not a terminal.
 */
export async function confirm(
  { stdin, terminal, interrupted: signal }: Asked,
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

/** Without `--yes`, `yes` must be typed. */
export async function confirmDeletion(
  context: Asked,
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
