import type { Client } from '../../../client/client.ts';
import type { Feedback } from '../../../client/presigned-feedback.ts';
import type { Journal } from './journal.ts';

type Send = (address: string, feedback: Feedback) => Promise<void>;

/** The pre-signed links of a panel's runs. They are credentials, so they stay in the extension host. */
export class FeedbackLinks {
  readonly #links = new Map<string, Readonly<Record<string, string>>>();
  readonly #client: () => Promise<Client>;
  readonly #send: () => Promise<Send>;

  constructor(client: () => Promise<Client>, send: () => Promise<Send> = presigned) {
    this.#client = client;
    this.#send = send;
  }

  /** Keeps the links that a run's `feedback` event brought, and tells the panel their keys. */
  offer(runId: string, links: Readonly<Record<string, string>>, journal: Journal): void {
    this.#links.set(runId, links);
    journal.add({ type: 'feedback-asked', run_id: runId, keys: Object.keys(links) });
  }

  /** Gets the links of a run that ended before the panel was there, and the feedback it has been given. */
  async recall(runId: string, journal: Journal): Promise<void> {
    const { tracing } = await this.#client();
    // Where the platform does not list links, an old run just has no feedback bar.
    const tokens = await tracing.feedback.listTokens({ query: { run_id: runId } }).catch(() => []);
    const valid = tokens.filter(({ expires_at }) => Date.parse(expires_at) > Date.now());
    if (valid.length === 0) return;
    this.offer(runId, Object.fromEntries(valid.map(({ feedback_key, url }) => [feedback_key, url])), journal);
    const given = await tracing.feedback.list({ query: { run: [runId] } }).catch(() => []);
    for (const { key, score, comment } of given.toReversed()) {
      journal.add({
        type: 'feedback-given',
        run_id: runId,
        key,
        ...(score === null || score === undefined ? {} : { score: Number(score) }),
        ...(comment ? { comment } : {}),
      });
    }
  }

  /** @throws RequestError; Error when the run has no such link. */
  async give(runId: string, key: string, feedback: Feedback): Promise<void> {
    const link = this.#links.get(runId)?.[key];
    if (link === undefined) throw new Error(`Run ${runId} asked for no feedback with the key ${key}.`);
    const send = await this.#send();
    await send(link, feedback);
  }
}

async function presigned(): Promise<Send> {
  const { createDispatcher, presignedFeedback } = await import('../../connections/platform.ts');
  const dispatcher = createDispatcher();
  return (address, feedback) => presignedFeedback(dispatcher, address, feedback);
}
