import { LogBook } from '../../runtimes/output/log-book.ts';
import type { LogStore } from '../data/log-store.ts';
import { maskOf } from '../secrets/mask.ts';

/** A deployment's log, stored with its revision and without secret values. */
export class DeploymentOutput {
  readonly log: LogBook;
  readonly #builds: string;
  /** The revision to which lines are assigned. */
  #revisionId: string | null = null;
  /** The secret values of all revisions so far, because earlier ones may still print. */
  readonly #secrets = new Set<string>();
  readonly #ownKeys: readonly string[];
  #mask: (text: string) => string;

  /**
   * @param builds the folder that contains the deployment's builds; paths in a build are shown relative to the source.
   * @param ownKeys the keys of the machine and of the deployment.
   */
  constructor(
    logs: Pick<LogStore, 'write'>,
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

  /** A message with secrets masked, and with paths and file URLs in builds relative to the source. */
  redact(message: string): string {
    const [before = '', ...parts] = this.#mask(message).split(this.#builds);
    // Each part begins with the key of a build. Before a part, there may be the beginning of a file URL.
    const paths = parts.map((part) => part.replace(/^[/\\][\w-]+[/\\]/, ''));
    return [before, ...paths]
      .map((part, index, { length }) => (index === length - 1 ? part : part.replace(/file:\/\/\/?$/, '')))
      .join('');
  }

  /**
   * Also masks these values, for example the secrets of an earlier revision whose graphs are loaded again.
   */
  alsoMask(secrets: readonly string[]): void {
    for (const secret of secrets) this.#secrets.add(secret);
    this.#mask = maskOf([...this.#ownKeys, ...this.#secrets]);
  }

  /**
   * Assigns the following lines to a revision.
   * @param secrets the revision's secret values.
   * @returns a function that assigns lines to the previous revision again.
   */
  begin(revisionId: string, secrets: readonly string[]): () => void {
    this.alsoMask(secrets);
    const before = this.#revisionId;
    this.#revisionId = revisionId;
    return () => {
      this.#revisionId = before;
    };
  }
}
