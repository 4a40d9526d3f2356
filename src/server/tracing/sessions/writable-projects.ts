import type { TracesDatabase } from '../database/traces-database.ts';
import { DEFAULT_PROJECT } from './find-session.ts';

/** The projects of a workspace that the sender of a request may write to: all, or those that its key names. */
export class WritableProjects {
  readonly #db: TracesDatabase;
  readonly #workspace: number;
  readonly #names: readonly string[] | undefined;

  /** @param names undefined for all. */
  constructor(db: TracesDatabase, workspace: number, names: readonly string[] | undefined) {
    this.#db = db;
    this.#workspace = workspace;
    this.#names = names;
  }

  get areAll(): boolean {
    return this.#names === undefined;
  }

  /** The project of what names none. */
  get usual(): string {
    const [only, ...others] = this.#names ?? [];
    return only === undefined || others.length > 0 ? DEFAULT_PROJECT : only;
  }

  hasName(name: string): boolean {
    return this.#names?.includes(name) ?? true;
  }

  /** @param key of the project's row. */
  hasKey(key: number): boolean {
    return this.areAll || this.hasName(this.nameOf(key));
  }

  hasId(id: string): boolean {
    if (this.areAll) return true;
    const row = this.#db
      .statement('SELECT name FROM sessions WHERE id = ? AND workspace = ?')
      .get(id, this.#workspace);
    return row !== undefined && this.hasName(String(row.name));
  }

  /** The name of a project by the key of its row. */
  nameOf(key: number): string {
    return String(this.#db.statement('SELECT name FROM sessions WHERE key = ?').get(key)?.name);
  }

  /** Why a project may not be written to, in a sentence. */
  refusalOf(name: string): string {
    return `this key may not write to project '${name}', only to ${(this.#names ?? []).map((own) => `'${own}'`).join(', ')}`;
  }
}
