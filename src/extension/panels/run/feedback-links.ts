import type { Client } from '../../../client/client.ts';
import { type FeedbackByPerson, givenFeedback } from '../feedback.ts';
import type { Journal } from './journal.ts';

/** The pre-signed links of a panel's runs. They are credentials, so they stay in the extension host. */
export class FeedbackLinks {
  readonly #links = new Map<string, Readonly<Record<string, string>>>();
  readonly #client: () => Promise<Client>;
  #given = 0;

  constructor(client: () => Promise<Client>) {
    this.#client = client;
  }

  /** Keeps the links that a run's `feedback` event brought, and tells the panel their keys. */
  offer(runId: string, links: Readonly<Record<string, string>>, journal: Journal): void {
    this.#links.set(runId, links);
    journal.add({ type: 'feedback-asked', run_id: runId, keys: Object.keys(links) });
  }

  /** Gets the links of a run that ended before the panel was there, and the feedback it has been given. */
  async recall(runId: string, journal: Journal): Promise<void> {
    const { tracing } = await this.#client();
    // Where the platform does not list links, an old run is just not asked about any key.
    const tokens = await tracing.feedback.listTokens({ query: { run_id: runId } }).catch(() => []);
    const valid = tokens.filter(({ expires_at }) => Date.parse(expires_at) > Date.now());
    if (valid.length > 0)
      this.offer(
        runId,
        Object.fromEntries(valid.map(({ feedback_key, url }) => [feedback_key, url])),
        journal,
      );
    const given = await tracing.feedback.list({ query: { run: [runId] } }).catch(() => []);
    for (const one of given.toReversed())
      journal.add({ type: 'feedback-given', run_id: runId, feedback: givenFeedback(one) });
  }

  /**
   * Sends feedback by the run's link for its key. For a key that nobody asked for, a link is made.
   * @throws RequestError
   */
  async give({ run_id, key, ...feedback }: FeedbackByPerson, journal: Journal): Promise<void> {
    const link = this.#links.get(run_id)?.[key] ?? (await this.#makeLink(run_id, key));
    const client = await this.#client();
    const { score, comment, correction } = feedback;
    await client.sendFeedback(link, {
      ...(score !== undefined && { score }),
      ...(comment !== undefined && { comment }),
      ...(correction !== undefined && { correction }),
    });
    this.#given += 1;
    const given = givenFeedback({ id: `given-${this.#given}`, key, ...feedback });
    journal.add({ type: 'feedback-given', run_id, feedback: given });
  }

  async #makeLink(runId: string, key: string): Promise<string> {
    const { tracing } = await this.#client();
    const made = await tracing.feedback.createTokens({ body: { run_id: runId, feedback_key: key } });
    const [token] = Array.isArray(made) ? made : [made];
    if (token === undefined) throw new Error(`The platform made no feedback link for ${key}.`);
    this.#links.set(runId, { ...this.#links.get(runId), [key]: token.url });
    return token.url;
  }
}
