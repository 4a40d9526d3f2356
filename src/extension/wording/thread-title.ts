import type { Thread } from '../../contract/agent-server/threads.ts';
import { isObject } from '../../process/objects.ts';
import { inputTitle } from './input-title.ts';

/** A thread in the answer of a search. */
interface FoundThread {
  readonly metadata?: Thread['metadata'] | undefined;
  /** Has `title`, the content of the thread's first message, if the search extracts it. */
  readonly extracted?: unknown;
}

/** The name that a thread was given, else the first message of its state; undefined if it has neither. */
export function threadTitle({ metadata, extracted }: FoundThread): string | undefined {
  for (const name of [metadata?.name, metadata?.title]) {
    if (typeof name === 'string' && name.trim() !== '') return inputTitle(name) ?? name;
  }
  return inputTitle(isObject(extracted) ? extracted.title : undefined);
}
