import { lstatSync, readFileSync, statSync } from 'node:fs';
import { messageOf } from '../../../process/message-of.ts';
import { matchesWildcards } from './match-text.ts';
import { CustomPrices } from './model-price.ts';

/** The minimum time between two checks of a price file for changes. */
const CHECK_INTERVAL_MS = 1_000;
const MAX_BYTES = 1_000_000;

type OwnModel = CustomPrices['models'][number];

/** A `prices.json` file, which is read again when it has changed. */
export class CustomPricesFile {
  readonly path: string;
  readonly #isForeign: boolean;
  #models: readonly OwnModel[] = [];
  #problem: string | undefined;
  #checkedAt = Number.NEGATIVE_INFINITY;
  /** The file's size, and when its contents and its permissions last changed; empty without a file. */
  #stamp = '';

  /**
   * @param options.isForeign whether anyone but the server's owner may have created the file; if so, symbolic
   * links are not followed.
   */
  constructor(file: string, { isForeign = false } = {}) {
    this.path = file;
    this.#isForeign = isForeign;
  }

  get exists(): boolean {
    this.#refresh();
    return this.#stamp !== '';
  }

  /** Says why the file is not used; undefined if it is used, or does not exist. */
  get problem(): string | undefined {
    this.#refresh();
    return this.#problem;
  }

  /** Finds the first entry of the file that applies to a call. */
  find(model: string, provider: string | undefined, time: Date): OwnModel | undefined {
    this.#refresh();
    if (this.#models.length === 0) return undefined;
    const day = time.toISOString().slice(0, 10);
    return this.#models.find(
      (own) =>
        matchesWildcards(own.model, model) &&
        (own.provider === undefined || own.provider.toLowerCase() === provider?.toLowerCase()) &&
        (own.from === undefined || day >= own.from) &&
        (own.until === undefined || day < own.until),
    );
  }

  /** Reads the file if it has changed. */
  #refresh(): void {
    const now = performance.now();
    if (now - this.#checkedAt < CHECK_INTERVAL_MS) return;
    this.#checkedAt = now;
    try {
      const stat = (this.#isForeign ? lstatSync : statSync)(this.path, { throwIfNoEntry: false });
      const stamp = stat === undefined ? '' : `${stat.mtimeMs} ${stat.ctimeMs} ${stat.size}`;
      if (stamp === this.#stamp) return;
      this.#stamp = stamp;
      this.#models = [];
      this.#problem = undefined;
      if (stat === undefined) return;
      this.#problem = stat.isFile() ? undefined : 'it is not a regular file';
      if (stat.size > MAX_BYTES) this.#problem = 'it is larger than a megabyte';
      if (this.#problem === undefined) this.#read(readFileSync(this.path, 'utf8'));
    } catch (error) {
      this.#problem = messageOf(error);
    }
  }

  #read(text: string): void {
    const read = CustomPrices.safeParse(JSON.parse(text));
    if (read.success) {
      this.#models = read.data.models;
      return;
    }
    const [issue] = read.error.issues;
    const cause = issue?.code === 'invalid_key' ? issue.issues[0] : issue;
    this.#problem = `${issue?.path.join('.') ?? ''}: ${cause?.message ?? ''}`;
  }
}
