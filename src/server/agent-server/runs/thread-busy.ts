import { conflict, type HttpError } from '../../http/errors.ts';

/** A run that is to be rejected when its thread has one. */
export function threadBusy(): HttpError {
  return conflict(
    'Thread is already running a task. Wait for it to finish or choose a different multitask strategy.',
  );
}
