import type { RuntimeHandlers } from '../../../src/server/runtimes/process/runtime-process.ts';

const refuse = () => Promise.reject(new Error('Nothing is kept here.'));

/** Answers for a runtime that executes no run: every request to the server fails. */
export const refusedRequests: RuntimeHandlers['requests'] = {
  'checkpoints.sync': refuse,
  'checkpoints.get': refuse,
  'checkpoints.list': refuse,
  'checkpoints.delete_thread': refuse,
  'store.batch': refuse,
  'exchange.answer': refuse,
  'exchange.read_part': refuse,
  'exchange.record_part': refuse,
  'model.begin': refuse,
};
