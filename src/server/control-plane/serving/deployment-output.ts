import { LogBook } from '../../runtimes/log-book.ts';
import type { LogStore } from '../logs/log-store.ts';
import { maskOf } from '../secrets/mask.ts';

/** A deployment's log: kept in the database with the revision it is of, and without the values of its secrets. */
export class DeploymentOutput {
  readonly log: LogBook;
  readonly #builds: string;
  #revisionId: string | null = null;
  #secrets: readonly string[] = [];
  #mask = maskOf([]);

  /** @param builds the folder its builds are in, which means nothing to anybody: paths are told as in the source. */
  constructor(logs: LogStore, deploymentId: string, builds: string) {
    this.#builds = builds;
    this.log = new LogBook((message) => this.shown(message));
    this.log.follow(({ level, message }) =>
      logs.write({ deploymentId, revisionId: this.#revisionId, stream: 'deploy' }, level, message),
    );
  }

  /** A message as it may be shown. */
  shown(message: string): string {
    const masked = this.#mask(message);
    if (!masked.includes(this.#builds)) return masked;
    return masked
      .split(this.#builds)
      .map((part, index) =>
        index === 0 ? part.replace(/file:\/\/\/?$/, '') : part.replace(/^[/\\]\w+[/\\]/, ''),
      )
      .join('');
  }

  /** Lines are of this revision from now on. @returns goes back to the one before. */
  begin(revisionId: string, secrets: readonly string[]): () => void {
    const before = { revisionId: this.#revisionId, secrets: this.#secrets };
    this.#revisionId = revisionId;
    // Both revisions print while one takes over.
    this.#mask = maskOf([...before.secrets, ...secrets]);
    this.#secrets = secrets;
    return () => {
      this.#revisionId = before.revisionId;
      this.#secrets = before.secrets;
    };
  }
}
