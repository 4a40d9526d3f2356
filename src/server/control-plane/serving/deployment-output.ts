import { LogBook } from '../../runtimes/output/log-book.ts';
import type { LogStore } from '../data/log-store.ts';
import { maskOf } from '../secrets/mask.ts';

/** A deployment's log, stored with its revision and without secret values. */
export class DeploymentOutput {
  readonly log: LogBook;
  readonly #builds: string;
  #revisionId: string | null = null;
  #secrets: readonly string[] = [];
  readonly #earlier: string[] = [];
  readonly #ownKeys: readonly string[];
  #mask: (text: string) => string;

  /**
   * @param builds the build folder; paths in it are shown relative to the source.
   * @param ownKeys the keys of the machine and of the deployment.
   */
  constructor(
    logs: LogStore,
    { deploymentId, builds, ownKeys }: { deploymentId: string; builds: string; ownKeys: readonly string[] },
  ) {
    this.#builds = builds;
    this.#ownKeys = ownKeys;
    this.#mask = maskOf(ownKeys);
    this.log = new LogBook((message) => this.redact(message));
    this.log.follow(({ level, message }) =>
      logs.write({ deploymentId, revisionId: this.#revisionId, stream: 'deploy' }, level, message),
    );
  }

  /** A message with secrets masked. */
  redact(message: string): string {
    const masked = this.#mask(message);
    if (!masked.includes(this.#builds)) return masked;
    return masked
      .split(this.#builds)
      .map((part, index) =>
        index === 0 ? part.replace(/file:\/\/\/?$/, '') : part.replace(/^[/\\]\w+[/\\]/, ''),
      )
      .join('');
  }

  /** Also masks these secrets, because graphs of an earlier revision may still print. */
  alsoMask(secrets: readonly string[]): void {
    this.#earlier.push(...secrets);
    this.#mask = maskOf([...this.#ownKeys, ...this.#earlier, ...this.#secrets]);
  }

  /** Assigns the following lines to this revision. @returns a function that restores the previous one. */
  begin(revisionId: string, secrets: readonly string[]): () => void {
    const before = { revisionId: this.#revisionId, secrets: this.#secrets };
    this.#revisionId = revisionId;
    // During a rollout, both revisions print.
    this.#mask = maskOf([...this.#ownKeys, ...this.#earlier, ...before.secrets, ...secrets]);
    this.#secrets = secrets;
    return () => {
      this.#revisionId = before.revisionId;
      this.#secrets = before.secrets;
    };
  }
}
