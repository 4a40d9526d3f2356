import { z } from 'zod';
import { stateNamed } from './a2a-version.ts';

/** The number of tasks on a page if the client does not specify it. */
export const DEFAULT_PAGE_SIZE = 50;
const MAX_PAGE_SIZE = 100;

/** Whether a field is present. Clients of A2A 1.0 may send an empty text for an absent field. */
export function isGiven(text: string | null | undefined): text is string {
  return text != null && text !== '';
}

/** The maximum number of messages to return; there may be fewer. */
export const HistoryLength = z.int().min(0).nullish();

/** The parameters of `ListTasks` (A2A 1.0, 3.1.4). */
export const ListParams = z.looseObject({
  contextId: z.string().nullish(),
  status: z
    .string()
    .transform((name, context) => {
      if (name === '' || name === 'TASK_STATE_UNSPECIFIED') return undefined;
      const state = stateNamed(name);
      if (state === undefined)
        context.addIssue({ code: 'custom', message: 'Must be the name of a task state.' });
      return state;
    })
    .nullish(),
  pageSize: z.int().min(1).max(MAX_PAGE_SIZE).nullish(),
  pageToken: z.string().nullish(),
  historyLength: HistoryLength,
  statusTimestampAfter: z.iso
    .datetime({ offset: true })
    .transform((time) => new Date(time).toISOString())
    .nullish(),
  includeArtifacts: z.boolean().nullish(),
});
