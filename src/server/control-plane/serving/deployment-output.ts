import { LogBook } from '../../runtimes/output/log-book.ts';
import type { LogStore } from '../data/log-store.ts';
import { maskOf } from '../secrets/mask.ts';

/** A deployment's log, stored with its revision and without secret values. */
export class DeploymentOutput {
  readonly log: LogBook;
  readonly #builds: string;
  /** The revision to which lines are assigned. */
  #revisionId: string | null = null;
  /** The secret values of that revision. */
  #secrets: readonly string[] = [];
  /** The secret values of earlier revisions that may still print. */
  readonly #earlierSecrets: string[] = [];
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

  /** Also masks the secret values of an earlier revision, whose graphs may still print. */
  alsoMask(secrets: readonly string[]): void {
    this.#earlierSecrets.push(...secrets);
    this.#mask = maskOf([...this.#ownKeys, ...this.#earlierSecrets, ...this.#secrets]);
  }

  /**
   * Assigns the following lines to a revision.
   * @param secrets the revision's secret values.
   * @returns a function that assigns lines to the previous revision again.
   */
  begin(revisionId: string, secrets: readonly string[]): () => void {
    const before = { revisionId: this.#revisionId, secrets: this.#secrets };
    this.#revisionId = revisionId;
    // During a rollout, both revisions print.
    this.#mask = maskOf([...this.#ownKeys, ...this.#earlierSecrets, ...before.secrets, ...secrets]);
    this.#secrets = secrets;
    return () => {
      this.#revisionId = before.revisionId;
      this.#secrets = before.secrets;
    };
  }
}
