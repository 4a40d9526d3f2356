import { lstatSync, readFileSync, statSync } from 'node:fs';
import { messageOf } from '../../../process/message-of.ts';
import { matchesWildcards } from './match-text.ts';
import { CustomPrices } from './model-price.ts';

/** The interval at which a price file is checked for changes. */
const LOOK_MS = 1_000;
const MAX_BYTES = 1_000_000;

type OwnModel = CustomPrices['models'][number];

/** A `prices.json` file, which is read again when it has changed. */
export class CustomPricesFile {
  readonly path: string;
  readonly #isForeign: boolean;
  #models: readonly OwnModel[] = [];
  #problem: string | undefined;
  #lookedAt = Number.NEGATIVE_INFINITY;
  #stamp = '';

  /**
   * @param isForeign whether anyone but the server's owner may have created the file; if so, symbolic links are not
   * followed.
   */
  constructor(file: string, isForeign = false) {
    this.path = file;
    this.#isForeign = isForeign;
  }

  get exists(): boolean {
    this.#look();
    return this.#stamp !== '';
  }

  /** Why the file is not used. */
  get problem(): string | undefined {
    this.#look();
    return this.#problem;
  }

  find(model: string, provider: string | undefined, time: Date): OwnModel | undefined {
    this.#look();
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

  #look(): void {
    const now = performance.now();
    if (now - this.#lookedAt < LOOK_MS) return;
    this.#lookedAt = now;
    try {
      const stat = (this.#isForeign ? lstatSync : statSync)(this.path, { throwIfNoEntry: false });
      const stamp = stat === undefined ? '' : `${stat.mtimeMs} ${stat.size}`;
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
    const said = issue?.code === 'invalid_key' ? issue.issues[0] : issue;
    this.#problem = `${issue?.path.join('.') ?? ''}: ${said?.message ?? ''}`;
  }
}
