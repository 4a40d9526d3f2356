import * as l10n from '@vscode/l10n';
import type { Client } from '../../../client/client.ts';
import { listFeedback } from '../../../client/list-feedback.ts';
import { millisecondsOf } from '../../../terms/times.ts';
import {
  type FeedbackByPerson,
  type FeedbackToDelete,
  panelMetadata,
  replacement,
  toGivenFeedback,
} from '../feedback.ts';
import type { Journal } from './journal.ts';

/**
 * The pre-signed feedback links of a panel's runs. They are credentials, so they stay in the extension host.
 */
export class FeedbackLinks {
  readonly #links = new Map<string, Readonly<Record<string, string>>>();
  readonly #client: () => Promise<Client>;
  /** The number of records given here so far. It identifies records for which the platform returns no ID. */
  #given = 0;

  constructor(client: () => Promise<Client>) {
    this.#client = client;
  }

  /** Keeps the links from a run's `feedback` event, and sends the panel their keys. */
  offer(runId: string, links: Readonly<Record<string, string>>, journal: Journal): void {
    this.#links.set(runId, links);
    journal.add({ type: 'feedback-asked', run_id: runId, keys: Object.keys(links) });
  }

  /**
   * Reads the links of runs that ended before the panel was opened, and sends the panel the feedback that
   * these runs have.
   */
  async recall(runIds: readonly string[], journal: Journal, signal?: AbortSignal): Promise<void> {
    const { tracing } = await this.#client();
    for (const runId of runIds) await this.#recallLinks(tracing, runId, journal, signal);
    // If feedback cannot be read, runs are shown without it.
    const given = await listFeedback(tracing, runIds, signal).catch(() => []);
    for (const one of given.toReversed())
      if (one.run_id)
        journal.add({ type: 'feedback-given', run_id: one.run_id, feedback: toGivenFeedback(one) });
  }

  async #recallLinks(
    tracing: Client['tracing'],
    runId: string,
    journal: Journal,
    signal: AbortSignal | undefined,
  ): Promise<void> {
    signal?.throwIfAborted();
    // If the platform does not list links, an older run has no keys.
    const tokens = await tracing.feedback
      .listTokens({ query: { run_id: runId } }, { signal })
      .catch(() => []);
    const valid = tokens.filter(({ expires_at }) => (millisecondsOf(expires_at) ?? 0) > Date.now());
    if (valid.length > 0)
      this.offer(
        runId,
        Object.fromEntries(valid.map(({ feedback_key, url }) => [feedback_key, url])),
        journal,
      );
  }

  /**
   * Sends feedback by the run's link for the feedback's key, or changes earlier feedback. For a key that was
   * not requested, a link is created.
   * @throws RequestError
   */
  async give(feedback: FeedbackByPerson, journal: Journal): Promise<void> {
    const { run_id, key, score, comment, correction } = feedback;
    const client = await this.#client();
    if (feedback.replaces !== undefined) {
      const params = { feedback_id: feedback.replaces };
      const changed = await client.tracing.feedback.update({ params, body: replacement(feedback) });
      journal.add({ type: 'feedback-given', run_id, feedback: toGivenFeedback(changed) });
      return;
    }
    const link = this.#links.get(run_id)?.[key] ?? (await this.#makeLink(run_id, key));
    const id = await client.sendFeedback(link, {
      ...(score !== undefined && { score }),
      ...(comment !== undefined && { comment }),
      ...(correction !== undefined && { correction }),
      metadata: panelMetadata,
    });
    this.#given += 1;
    const given = toGivenFeedback({ ...feedback, id: id ?? `given-${this.#given}` });
    journal.add({
      type: 'feedback-given',
      run_id,
      feedback: { ...given, isOwn: true, ...(id === undefined && { isFixed: true }) },
    });
  }

  /**
   * Deletes feedback.
   * @throws RequestError
   */
  async delete({ run_id, feedback_id }: FeedbackToDelete, journal: Journal): Promise<void> {
    const { tracing } = await this.#client();
    await tracing.feedback.delete({ params: { feedback_id } });
    journal.add({ type: 'feedback-deleted', run_id, feedback_id });
  }

  async #makeLink(runId: string, key: string): Promise<string> {
    const { tracing } = await this.#client();
    const made = await tracing.feedback.createTokens({ body: { run_id: runId, feedback_key: key } });
    const [token] = Array.isArray(made) ? made : [made];
    if (token === undefined)
      throw new Error(l10n.t('The platform did not create a feedback link for {0}.', key));
    this.#links.set(runId, { ...this.#links.get(runId), [key]: token.url });
    return token.url;
  }
}
