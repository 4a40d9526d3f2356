import { conflict, type HttpError } from '../../http/errors.ts';

/** The refusal of a run whose thread is busy. */
export function threadBusy(): HttpError {
  return conflict(
    'Thread is already running a task. Wait for it to finish or choose a different multitask strategy.',
  );
}
