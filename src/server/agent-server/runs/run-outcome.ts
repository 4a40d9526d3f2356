import { z } from 'zod';
import { messageOf } from '../../../process/message-of.ts';
import { capSentence } from './cost-cap.ts';
import type { LiveRun, RunOutcome } from './live-run.ts';
import type { ExecutionResult } from './run-execution.ts';

const Interrupts = z.record(z.string(), z.array(z.unknown()));

/**
 * The final values for waiting callers, with pending interrupts in `__interrupt__`, as in the last `values`
 * event (docs/interface/agent-server.md#runs).
 * @param values JSON text of the state.
 * @param interrupts JSON text of the interrupts by task.
 */
export function withInterrupts(values: string, interrupts: string): string {
  if (interrupts === '{}' || !values.startsWith('{')) return values;
  const waiting = Object.values(Interrupts.parse(JSON.parse(interrupts))).flat();
  if (waiting.length === 0) return values;
  const rest = values.slice(1, -1);
  return `{${rest}${rest === '' ? '' : ','}"__interrupt__":${JSON.stringify(waiting)}}`;
}

/** The result of an execution that failed outside of the graph. */
export function failureResult(error: unknown): ExecutionResult {
  const { name, message } = error instanceof Error ? error : { name: 'Error', message: String(error) };
  return { status: 'error', state: null, error: { name, message } };
}

/** The outcome of a run whose last work or whose end could not be stored. */
export function storageOutcome(failure: unknown): RunOutcome {
  return { status: 'error', values: null, error: { error: 'StorageError', message: messageOf(failure) } };
}

/**
 * The outcome of a run, from the result of its execution and from storage failures, caps, time limits and
 * cancellation.
 */
export function outcomeOf(run: LiveRun, result: ExecutionResult): RunOutcome {
  const values = result.state === null ? null : withInterrupts(result.state.values, result.state.interrupts);
  if (run.storageFailure !== undefined && result.status !== 'error') {
    return { ...storageOutcome(run.storageFailure), values };
  }
  if (run.reachedCap !== undefined) {
    return {
      status: 'error',
      values,
      error: { error: 'CostCapReached', message: capSentence(run.reachedCap, run.cost) },
    };
  }
  if (run.timedOut) {
    return {
      status: 'timeout',
      values,
      error: { error: 'TimeoutError', message: 'The run exceeded its time limit.' },
    };
  }
  if (run.cancelled !== undefined) return { status: 'interrupted', values };
  switch (result.status) {
    case 'success':
    case 'interrupted':
      return { status: 'success', values };
    case 'cancelled':
      return { status: 'interrupted', values };
    case 'lost':
      return {
        status: 'error',
        values,
        error: {
          error: 'RuntimeLostError',
          message: `The process that ran the graph was lost${howOften(result)}. See the deployment's log.`,
        },
      };
    case 'error':
      return {
        status: 'error',
        values,
        error: { error: result.error?.name ?? 'Error', message: result.error?.message ?? 'Unknown error.' },
      };
  }
}

/** How often and how a process was lost, as a part of a sentence. */
function howOften({ times, how }: { times?: number; how?: string }): string {
  if (times === undefined) return how === undefined ? '' : `: it ${how}`;
  return ` ${times} times at the same step of this run${how === undefined ? '' : `, and ${how} the last time`}`;
}
