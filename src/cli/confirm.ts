import { createInterface } from 'node:readline/promises';
import { Failure, usage } from './failure.ts';
import type { Terminal } from './terminal.ts';

/** Who is asked, and through what. */
export interface Asked {
  readonly stdin: NodeJS.ReadableStream & { readonly isTTY?: boolean };
  readonly terminal: Terminal;
  readonly interrupted: AbortSignal;
}

/**
 * Asks before something goes that does not come back.
 * @param options.expected what must be typed to go on.
 * @throws Failure when something else is typed, or when nobody is there to be asked.
 */
export async function confirm(
  { stdin, terminal, interrupted: signal }: Asked,
  { question, expected, otherwise }: { question: string; expected: string; otherwise: string },
): Promise<void> {
  if (!stdin.isTTY) throw usage('Nobody is there to be asked: say --yes.');
  const prompt = createInterface({ input: stdin, output: process.stderr });
  try {
    const typed = await prompt.question(question, { signal });
    if (typed.trim() !== expected) throw new Failure(otherwise);
  } finally {
    prompt.close();
    terminal.freshLine();
  }
}

/** Unless `--yes` says so already, `yes` must be typed. */
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
