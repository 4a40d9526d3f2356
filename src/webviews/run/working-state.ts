import { isDictionary } from '../../terms/fields.ts';

/** The working state of deep agents: to-dos, and files that are stored nowhere else. */
export interface WorkingState {
  readonly todos: readonly Todo[];
  /** The text of each file, by its path. */
  readonly files: Readonly<Record<string, string>>;
}

export interface Todo {
  readonly content: string;
  readonly status: 'pending' | 'in_progress' | 'completed';
}

export const noWork: WorkingState = { todos: [], files: {} };

/** Reads it from a whole state. */
export function workOf(values: unknown): WorkingState {
  return isDictionary(values) ? withUpdate(noWork, values) : noWork;
}

/** The same after a node's update of the state: to-dos are replaced, files are added, or removed where they are null. */
export function withUpdate(work: WorkingState, update: unknown): WorkingState {
  if (!isDictionary(update)) return work;
  const { todos } = update;
  const known = Array.isArray(todos) ? todos.flatMap((todo) => readTodo(todo) ?? []) : undefined;
  // A list of other things under this name is not shown.
  const isTodos = known !== undefined && Array.isArray(todos) && known.length === todos.length;
  const { files } = withFiles(work, update);
  return { todos: isTodos ? known : work.todos, files };
}

/** The same after an update of a subagent, which shares only the files. */
export function withFiles(work: WorkingState, update: unknown): WorkingState {
  if (!isDictionary(update) || !isDictionary(update.files)) return work;
  const changes = Object.entries(update.files).map(([path, file]) => [path, readFile(file)] as const);
  if (changes.length === 0 || changes.some(([, text]) => text === undefined)) return work;
  const files = Object.entries({ ...work.files, ...Object.fromEntries(changes) });
  return {
    ...work,
    files: Object.fromEntries(files.flatMap(([path, text]) => (text === null ? [] : [[path, text ?? '']]))),
  };
}

function readTodo(todo: unknown): Todo | undefined {
  if (!isDictionary(todo)) return undefined;
  const { content, status } = todo;
  if (typeof content !== 'string') return undefined;
  return status === 'pending' || status === 'in_progress' || status === 'completed'
    ? { content, status }
    : undefined;
}

/** The text of a file, which older versions keep as lines; null for a removed one. */
function readFile(file: unknown): string | null | undefined {
  if (file === null || typeof file === 'string') return file;
  if (!isDictionary(file)) return undefined;
  const { content } = file;
  if (typeof content === 'string') return content;
  const lines: unknown[] | undefined = Array.isArray(content) ? content : undefined;
  return lines?.every((line) => typeof line === 'string') ? lines.join('\n') : undefined;
}
