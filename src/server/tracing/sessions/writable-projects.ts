import type { TracesDatabase } from '../database/traces-database.ts';
import { NOT_WRITABLE, RunRefused } from '../runs/refusal.ts';
import { DEFAULT_PROJECT } from './find-session.ts';

interface NamedProject {
  readonly sessionId: string | undefined;
  readonly sessionName: string | undefined;
}

/** The project of a key that names exactly one; undefined for other keys. */
export function onlyProject(names: readonly string[] | undefined): string | undefined {
  return names?.length === 1 ? names[0] : undefined;
}

/** The projects of a workspace to which the sender of a request may write: all, or those that its key names. */
export class WritableProjects {
  readonly #db: TracesDatabase;
  readonly #workspace: number;
  readonly #names: readonly string[] | undefined;

  /** @param names the names of the projects; undefined for all. */
  constructor(db: TracesDatabase, workspace: number, names: readonly string[] | undefined) {
    this.#db = db;
    this.#workspace = workspace;
    this.#names = names;
  }

  /** Whether the sender may write to every project. */
  get areAll(): boolean {
    return this.#names === undefined;
  }

  /** The name of the project for data that names none. */
  get defaultName(): string {
    return onlyProject(this.#names) ?? DEFAULT_PROJECT;
  }

  /** @param name the name of a project, which need not exist. */
  hasName(name: string): boolean {
    return this.#names?.includes(name) ?? true;
  }

  /** @param key the key of the project's row. */
  hasKey(key: number): boolean {
    return this.areAll || this.hasName(this.nameOf(key));
  }

  /** @param key the key of the project's row. @throws RunRefused for a project that may not be written to. */
  require(key: number): void {
    if (!this.hasKey(key)) throw this.#refused(this.nameOf(key));
  }

  /**
   * The project that a run names, which need not exist yet.
   * @throws RunRefused for a name that may not be written to.
   */
  projectOf({ sessionId: id, sessionName }: NamedProject): {
    id: string | undefined;
    name: string | undefined;
  } {
    const name = id === undefined ? (sessionName ?? this.defaultName) : sessionName;
    if (id === undefined && name !== undefined && !this.hasName(name)) throw this.#refused(name);
    return { id, name };
  }

  /** @param id the ID of the project. */
  hasId(id: string): boolean {
    if (this.areAll) return true;
    const name = this.findName(id);
    return name !== undefined && this.hasName(name);
  }

  /** Finds the name of a project by its ID; undefined if the workspace has no such project. */
  findName(id: string): string | undefined {
    const row = this.#db
      .statement('SELECT name FROM sessions WHERE id = ? AND workspace = ?')
      .get(id, this.#workspace);
    return row === undefined ? undefined : String(row.name);
  }

  /** Finds the name of a project by the key of its row. */
  nameOf(key: number): string {
    return String(this.#db.statement('SELECT name FROM sessions WHERE key = ?').get(key)?.name);
  }

  /** A sentence that says why a project may not be written to. */
  refusalOf(name: string): string {
    return `this key may not write to project '${name}', only to ${(this.#names ?? []).map((own) => `'${own}'`).join(', ')}`;
  }

  #refused(name: string): RunRefused {
    return new RunRefused(this.refusalOf(name), { type: NOT_WRITABLE });
  }
}
