import { isDictionary } from '../../terms/fields.ts';
import { messagesOf } from './messages.ts';
import type { Row, RowOf, Transcript } from './transcript-model.ts';
import { workOf } from './working-state.ts';

type AnswerRow = RowOf<'ai'>;

/** The name of a node that a middleware adds to an agent. */
const HOOK = /\.(?:before|after)_(?:agent|model)$/;

interface Answer {
  readonly row: AnswerRow;
  /** Whether the previous answer is from another node. */
  readonly isOther: boolean;
}

/** The answers of one branch, one below the other. */
interface Branch {
  /** The task of the graph that the branch belongs to. */
  readonly task: string;
  readonly answers: readonly Answer[];
}

/** The answers of parallel branches, side by side; usually there is only one. */
export interface Answers {
  readonly kind: 'answers';
  /** The ID of the first answer. */
  readonly id: string;
  readonly branches: readonly Branch[];
}

export type TimelineRow = Exclude<Row, AnswerRow> | Answers;

/**
 * The rows of a transcript as the panel shows them. The current state of a graph without messages is the last row.
 * @param withSteps whether steps and events are shown
 */
export function timelineRows(
  { rows, values }: Pick<Transcript, 'rows' | 'values'>,
  withSteps: boolean,
): TimelineRow[] {
  const shown: TimelineRow[] = [];
  let speaker: string | undefined;
  for (const row of rows) {
    if (row.kind === 'ai') {
      const last = shown.at(-1);
      const beside = last?.kind === 'answers' ? withAnswer(last, row) : undefined;
      if (beside !== undefined) shown[shown.length - 1] = beside;
      else shown.push(alone(row, speaker));
      speaker = beside === undefined ? row.node : undefined;
    } else {
      if (row.kind === 'human' || row.kind === 'input') speaker = undefined;
      if (isShown(row, withSteps)) shown.push(row);
    }
  }
  if (values !== undefined) shown.push({ kind: 'state', id: 'values', values });
  return shown;
}

/** Single answers by their rows, so that unchanged ones stay the same objects and are not drawn again. */
const singles = new WeakMap<AnswerRow, Answers>();

/** A single answer. @param speaker the node of the previous answer, if no input follows it */
function alone(row: AnswerRow, speaker: string | undefined): Answers {
  const isOther = row.node !== speaker;
  const before = singles.get(row);
  if (before !== undefined && before.branches[0]?.answers[0]?.isOther === isOther) return before;
  const branch = { task: branchOf(row), answers: [{ row, isOther }] };
  const answers: Answers = { kind: 'answers', id: row.id, branches: [branch] };
  singles.set(row, answers);
  return answers;
}

/** Adds an answer beside others, or below one of several branches; `undefined` if it does not belong there. */
function withAnswer(given: Answers, row: AnswerRow): Answers | undefined {
  const { branches } = given;
  if (branches.length === 1 && !row.isBeside) return undefined;
  const task = branchOf(row);
  const own = branches.find((branch) => branch.task === task);
  if (own === undefined) {
    if (!row.isBeside) return undefined;
    return { ...given, branches: [...branches, { task, answers: [{ row, isOther: true }] }] };
  }
  if (branches.length === 1) return undefined;
  const isOther = own.answers.at(-1)?.row.node !== row.node;
  const grown = { task, answers: [...own.answers, { row, isOther }] };
  return { ...given, branches: branches.map((branch) => (branch === own ? grown : branch)) };
}

/** The branch of an answer: the task of the graph, which contains the tasks of a subgraph. */
function branchOf({ task, id }: AnswerRow): string {
  return task?.split('|')[0] ?? id;
}

/** Whether several nodes have answered, so that answers have to be labeled. */
export function hasSeveralSpeakers(rows: readonly Row[]): boolean {
  let first: string | undefined;
  for (const row of rows) {
    if (row.kind !== 'ai' || row.node === undefined) continue;
    first ??= row.node;
    if (row.node !== first) return true;
  }
  return false;
}

function isShown(row: Exclude<Row, AnswerRow>, withSteps: boolean): boolean {
  switch (row.kind) {
    case 'step':
      return withSteps && !needsNoRow(row);
    case 'custom':
    case 'event':
      return withSteps;
    default:
      return true;
  }
}

/**
 * Whether a step needs no row: the panel shows all of its update elsewhere, as messages, to-dos and files, or it is the
 * step of a middleware that changed nothing.
 */
function needsNoRow({ node, update }: RowOf<'step'>): boolean {
  if (update === null || update === undefined) return HOOK.test(node);
  if (!isDictionary(update)) return false;
  const keys = Object.keys(update);
  if (keys.length === 0) return HOOK.test(node);
  if (messagesOf(update).length === 0) return false;
  const { todos, files } = workOf(update);
  const shown = new Set([
    'messages',
    ...(todos.length > 0 ? ['todos'] : []),
    ...(Object.keys(files).length > 0 ? ['files'] : []),
  ]);
  return keys.every((key) => shown.has(key));
}
