import type { TracesDatabase } from '../database/traces-database.ts';
import { NOT_WRITABLE, RunRefused } from '../runs/refusal.ts';
import { DEFAULT_PROJECT } from './find-session.ts';

interface NamedProject {
  readonly sessionId: string | undefined;
  readonly sessionName: string | undefined;
}

/** The project of an API key that names exactly one; undefined for other API keys. */
export function onlyProject(names: readonly string[] | undefined): string | undefined {
  return names?.length === 1 ? names[0] : undefined;
}

/** The projects of a workspace to which the sender of a request may write: all, or those that its API key names. */
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

  /** @param row the key of the project's row. */
  hasRow(row: number): boolean {
    return this.areAll || this.hasName(this.readName(row));
  }

  /** @param row the key of the project's row. @throws RunRefused for a project that may not be written to. */
  require(row: number): void {
    if (!this.hasRow(row)) throw this.#refused(this.readName(row));
  }

  /**
   * The project that a run names, which need not exist yet. A project given by ID is not checked; call `require` once its
   * row is known.
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
    const name = this.findNameById(id);
    return name !== undefined && this.hasName(name);
  }

  /** Finds the name of a project by its ID; undefined if the workspace has no such project. */
  findNameById(id: string): string | undefined {
    const row = this.#db
      .statement('SELECT name FROM sessions WHERE id = ? AND workspace = ?')
      .get(id, this.#workspace);
    return row === undefined ? undefined : String(row.name);
  }

  /** Reads the name of a project. @param row the key of its row. */
  readName(row: number): string {
    return String(this.#db.statement('SELECT name FROM sessions WHERE key = ?').get(row)?.name);
  }

  /** A clause that says why a project may not be written to, for the messages of refusals. */
  refusalOf(name: string): string {
    return `this key may not write to project '${name}', only to ${(this.#names ?? []).map((own) => `'${own}'`).join(', ')}`;
  }

  #refused(name: string): RunRefused {
    return new RunRefused(this.refusalOf(name), { type: NOT_WRITABLE });
  }
}
