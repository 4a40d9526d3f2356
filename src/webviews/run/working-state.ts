import { isDictionary } from '../../terms/fields.ts';

/** The to-dos and files in the state of a deep agent. */
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

/** How many to-dos are done, and the first that is in progress. */
export function todoProgress(todos: readonly Todo[]): {
  readonly done: number;
  readonly current: Todo | undefined;
} {
  return {
    done: todos.filter(({ status }) => status === 'completed').length,
    current: todos.find(({ status }) => status === 'in_progress'),
  };
}

/** Reads the to-dos and files of a state. */
export function workOf(values: unknown): WorkingState {
  return isDictionary(values) ? withUpdate(noWork, values) : noWork;
}

/** Applies a node's update: to-dos are replaced, files are added, and files that are null are removed. */
export function withUpdate(work: WorkingState, update: unknown): WorkingState {
  if (!isDictionary(update)) return work;
  const { files } = withFiles(work, update);
  return { todos: readTodos(update.todos) ?? work.todos, files };
}

/** Applies an update of a subagent, which shares only the files. */
export function withFiles(work: WorkingState, update: unknown): WorkingState {
  if (!isDictionary(update) || !isDictionary(update.files)) return work;
  const changes = Object.entries(update.files).map(([path, file]) => [path, readFile(file)] as const);
  // An object with anything but files under this name is not shown.
  if (changes.length === 0 || changes.some(([, text]) => text === undefined)) return work;
  const files = Object.entries({ ...work.files, ...Object.fromEntries(changes) });
  return {
    ...work,
    files: Object.fromEntries(
      files.flatMap(([path, text]) => (typeof text === 'string' ? [[path, text]] : [])),
    ),
  };
}

/** Reads a list of to-dos; undefined for a list with anything else, which is not shown. */
function readTodos(todos: unknown): readonly Todo[] | undefined {
  if (!Array.isArray(todos)) return undefined;
  const known = todos.flatMap((todo) => readTodo(todo) ?? []);
  return known.length === todos.length ? known : undefined;
}

function readTodo(todo: unknown): Todo | undefined {
  if (!isDictionary(todo)) return undefined;
  const { content, status } = todo;
  if (typeof content !== 'string') return undefined;
  return status === 'pending' || status === 'in_progress' || status === 'completed'
    ? { content, status }
    : undefined;
}

/** The text of a file; null for a removed file. Older versions of deepagents store the text as a list of lines. */
function readFile(file: unknown): string | null | undefined {
  if (file === null || typeof file === 'string') return file;
  if (!isDictionary(file)) return undefined;
  const { content } = file;
  if (typeof content === 'string') return content;
  const lines: unknown[] | undefined = Array.isArray(content) ? content : undefined;
  return lines?.every((line) => typeof line === 'string') ? lines.join('\n') : undefined;
}
