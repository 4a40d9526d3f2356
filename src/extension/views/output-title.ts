import { z } from 'zod';
import { inputTitle } from './input-title.ts';

const Conversation = z.looseObject({ messages: z.array(z.unknown()).min(1) });

/**
 * The words of an output: its last message's, else its first text or number.
 * @param output a value, or the beginning of one as JSON, as lists of runs have it.
 * @returns a line; undefined if there are no words.
 */
export function outputTitle(output: unknown): string | undefined {
  const conversation = Conversation.safeParse(typeof output === 'string' ? jsonOf(output) : output).data;
  return inputTitle(conversation === undefined ? output : conversation.messages.at(-1));
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // It was cut off, or is not JSON.
    return undefined;
  }
}
