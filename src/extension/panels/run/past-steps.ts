import type { ThreadState } from '../../../contract/agent-server/threads.ts';
import { checkpointIdOf, parentIdOf } from '../../states/checkpoint-ids.ts';
import type { NodeDetails, PastStep } from './messages.ts';
import { errorText } from './task-events.ts';

/**
 * The supersteps that led to a state, oldest first, according to the states of a thread.
 * @param states newest first.
 * @param from the checkpoint that is shown; if absent, the newest.
 */
export function pastSteps(states: readonly ThreadState[], from: string | undefined): PastStep[] {
  const steps: PastStep[] = [];
  let origin: PastStep['origin'] = 'elsewhere';
  const line = lineageOf(states, from);
  for (const [index, state] of line.entries()) {
    const { source } = state.metadata ?? {};
    if (source === 'update' || source === 'fork') origin = 'elsewhere';
    const next = line[index + 1];
    if (next !== undefined && !isStepTo(next)) continue;
    const tasks = state.tasks.filter((task) => task.name !== '__start__');
    const ran = tasks.filter((task) => hasRun(task, next, from));
    if (ran.length > 0) {
      steps.push({
        origin,
        isLast: next !== undefined && next.next.length === 0,
        tasks: ran.map(({ id, name, error, interrupts }) => ({
          task_id: id,
          node: name,
          phase: phaseOf(error, next === undefined && (interrupts?.length ?? 0) > 0),
        })),
      });
    }
    origin = state.tasks.some(({ name }) => name === '__start__') ? 'start' : 'step';
  }
  return steps;
}

function phaseOf(error: unknown, isWaiting: boolean): PastStep['tasks'][number]['phase'] {
  if (isThere(error)) return 'failed';
  return isWaiting ? 'waiting' : 'done';
}

/**
 * A node's most recent input and output, from the states of a thread, and its next input if the thread has
 * stopped before it.
 * @param from the checkpoint that is shown; if absent, the newest
 * @returns undefined if the node neither ran nor comes next
 */
export function pastDetails(
  states: readonly ThreadState[],
  from: string | undefined,
  node: string,
): NodeDetails | undefined {
  const line = lineageOf(states, from);
  const nextInput = nextInputOf(line.at(-1), from, node);
  for (let index = line.length - 1; index >= 0; index--) {
    const [state, next] = [line[index], line[index + 1]];
    const task = state?.tasks.find(({ name }) => name === node);
    if (state === undefined || task === undefined) continue;
    if (!hasRun(task, next, from)) continue;
    return {
      ...nextInput,
      ...(!isSent(task) && { input: state.values }),
      ...(isThere(task.result) && { output: task.result }),
      ...(isThere(task.error) && { error: errorText(task.error) }),
      ...(next !== undefined && { state: next.values }),
    };
  }
  return nextInput;
}

function nextInputOf(
  state: ThreadState | undefined,
  from: string | undefined,
  node: string,
): Pick<NodeDetails, 'nextInput'> | undefined {
  const task = state?.tasks.find(({ name }) => name === node);
  if (state === undefined || task === undefined || isSent(task)) return undefined;
  return hasRun(task, undefined, from) ? undefined : { nextInput: state.values };
}

/** Whether a task was sent its own input with `Send`; no state has that input. */
function isSent({ path }: ThreadState['tasks'][number]): boolean {
  return path?.[0] === '__pregel_push';
}

/** A state and its ancestors, oldest first. @param from the state's checkpoint; if absent, the newest */
export function lineageOf(states: readonly ThreadState[], from: string | undefined): ThreadState[] {
  const byId = new Map(states.map((state) => [checkpointIdOf(state), state]));
  const line: ThreadState[] = [];
  let state = from === undefined ? states[0] : byId.get(from);
  while (state !== undefined && line.length < states.length) {
    line.push(state);
    const parent = parentIdOf(state);
    state = parent === undefined ? undefined : byId.get(parent);
  }
  return line.reverse();
}

/**
 * Whether a task of a state has run.
 * @param next the state that follows on the line; undefined for the last state, whose tasks may have begun
 * @param from the checkpoint that is shown, unless it is the newest; it is shown as it was before its tasks
 */
function hasRun(
  task: ThreadState['tasks'][number],
  next: ThreadState | undefined,
  from: string | undefined,
): boolean {
  return next === undefined ? from === undefined && hasBegun(task) : isStepTo(next);
}

/**
 * Whether a superstep led to a state. If it is an update or a new input instead, the nodes that were due
 * before it did not run.
 */
function isStepTo({ metadata }: ThreadState): boolean {
  return metadata?.source === 'loop';
}

/** Whether a task has a result, an error or an interrupt. */
function hasBegun({ error, interrupts, result }: ThreadState['tasks'][number]): boolean {
  return isThere(error) || isThere(result) || (interrupts?.length ?? 0) > 0;
}

function isThere(value: unknown): boolean {
  return value !== null && value !== undefined;
}
