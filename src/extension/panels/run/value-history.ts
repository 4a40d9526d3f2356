import type { ThreadState } from '../../../contract/agent-server/threads.ts';
import { isObject } from '../../../process/objects.ts';
import { checkpointIdOf } from '../../states/checkpoint-ids.ts';
import { sourceOf } from '../../states/thread-history.ts';
import { lineageOf } from './past-steps.ts';
import type { ValueHistory, ValueStep } from './value-step.ts';

/**
 * Lists how the value of a key changed, from the first state of the thread to the one that is shown.
 * @param states newest first
 * @param from the checkpoint that is shown; if absent, the newest
 * @param reducers the names of reducers, by key; undefined if the platform does not report them
 */
export function valueHistory(
  states: readonly ThreadState[],
  from: string | undefined,
  key: string,
  reducers: Readonly<Record<string, string>> | undefined,
): ValueHistory {
  const line = lineageOf(states, from);
  const steps = line.flatMap((state, index): ValueStep[] => {
    const checkpoint_id = checkpointIdOf(state);
    const earlier = line[index - 1];
    const [before, value] = [fieldAt(earlier, key), fieldAt(state, key)];
    if (checkpoint_id === undefined || isSame(before, value)) return [];
    const { metadata, created_at } = state;
    const source = sourceOf(metadata?.source);
    const writes = writesOf(metadata?.writes, key);
    const [single] = writes;
    const writtenWhole = writes.length === 1 && isSame(single?.value, value);
    const ran = source === 'loop' ? (earlier?.next ?? []) : [];
    return [
      {
        checkpoint_id,
        step: typeof metadata?.step === 'number' ? metadata.step : 0,
        created_at: created_at ?? undefined,
        source,
        nodes: [...new Set(writes.length > 0 ? writes.map(({ node }) => node) : ran)].filter(
          (node) => node !== '__start__',
        ),
        ...howWritten({ reducers, key, isKnown: writes.length > 0, isWhole: writtenWhole }),
        ...(writes.length > 0 && !writtenWhole && { written: writes.map((write) => write.value) }),
        ...(value !== undefined && { value }),
        ...(before !== undefined && { before }),
      },
    ];
  });
  return { steps: steps.toReversed() };
}

/** The writes of a key, as far as they are known. */
interface Writing {
  readonly key: string;
  /** The names of reducers, by key; undefined if the platform does not report them. */
  readonly reducers: Readonly<Record<string, string>> | undefined;
  /** Whether the writes are known. */
  readonly isKnown: boolean;
  /** Whether there is a single write, which is the whole value. */
  readonly isWhole: boolean;
}

/** The keys of the values of states, in the order of the newest states. */
export function keysOf(states: readonly ThreadState[]): string[] {
  return [...new Set(states.flatMap(({ values }) => Object.keys(fieldsOf(values))))];
}

/**
 * Whether a value was replaced or reduced. If the platform reports no reducers, this follows from what was
 * written.
 */
function howWritten({ reducers, key, isKnown, isWhole }: Writing): Pick<ValueStep, 'how' | 'reducer'> {
  if (reducers !== undefined) {
    return Object.hasOwn(reducers, key)
      ? { how: 'reduced', reducer: reducers[key] ?? '' }
      : { how: 'replaced', reducer: undefined };
  }
  if (!isKnown) return { how: 'unknown', reducer: undefined };
  return isWhole ? { how: 'replaced', reducer: undefined } : { how: 'reduced', reducer: '' };
}

/** The writes of nodes to a key. If several tasks of a node wrote, their writes are in a list. */
function writesOf(writes: unknown, key: string): { readonly node: string; readonly value: unknown }[] {
  return Object.entries(fieldsOf(writes)).flatMap(([node, written]) => {
    const all: unknown[] = Array.isArray(written) ? written : [written];
    return all.flatMap((each) => {
      const fields = fieldsOf(each);
      return Object.hasOwn(fields, key) ? [{ node, value: fields[key] }] : [];
    });
  });
}

function fieldAt(state: ThreadState | undefined, key: string): unknown {
  const fields = fieldsOf(state?.values);
  return Object.hasOwn(fields, key) ? fields[key] : undefined;
}

function fieldsOf(value: unknown): Readonly<Record<string, unknown>> {
  return isObject(value) ? value : {};
}

function isSame(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}
