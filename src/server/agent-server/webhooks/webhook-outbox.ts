import type { RawBuilder, Selectable } from 'kysely';
import { v7 as uuidv7 } from 'uuid';
import { messageOf } from '../../../process/message-of.ts';
import { invalid } from '../../http/errors.ts';
import type { LogBook } from '../../runtimes/output/log-book.ts';
import type { WebhooksConfig } from '../../runtimes/project/project-config.ts';
import { secondsFromNow } from '../../storage/dialect-expressions.ts';
import type { StateDatabase } from '../../storage/state-database.ts';
import type { WebhookTable } from '../../storage/state-schema.ts';
import type { Unit } from '../../storage/unit.ts';
import type { LiveRun, RunOutcome } from '../runs/live-run.ts';
import type { Initiator } from '../runtime/in-process-calls.ts';
import { postWebhook, type WebhookRequest } from './post-webhook.ts';
import { initiatorOf, webhookBody, withSendingTime } from './webhook-body.ts';
import { webhookHeaders } from './webhook-headers.ts';
import { webhookAddress, webhookLookup } from './webhook-policy.ts';
import { WebhookRefusedError } from './webhook-refused.ts';

/** The time limit of a delivery. */
const TIMEOUT_MS = 10_000;
/** The maximum number of concurrent deliveries. */
const MAX_DELIVERIES = 8;
/** The pause after a failed read or write of the database. */
const RETRY_MS = 30_000;
/** How often a server looks for webhooks that another server did not deliver. */
const LOOK_MS = 15_000;
/** How long a server has to deliver a webhook before others try. */
const CLAIM_S = (3 * TIMEOUT_MS) / 1_000;
/** Seconds before each retry: about an hour in total, so that the receiver has time to restart. */
const PAUSES_S = [1, 5, 30, 120, 600, 3_000];

export interface WebhookSettings {
  readonly config: WebhooksConfig;
  readonly disabled: boolean;
  readonly env: Readonly<Record<string, string | undefined>>;
}

export interface WebhookOutboxOptions {
  readonly db: StateDatabase;
  readonly deploymentId: string;
  readonly log: LogBook;
  settings(): WebhookSettings;
  /** The ports of this server. A webhook reaches this server only by a path, with `own`. */
  ownPorts(): ReadonlySet<number>;
  /** URL and headers for calls to this server on behalf of a user; undefined while it does not listen. */
  own(path: string, initiator: Initiator): { address: URL; headers: Record<string, string> } | undefined;
  /** The pause after a failed read or write of the database; 30 s by default. */
  readonly retryMs?: number;
}

/** The address of a webhook, and how to call it. */
type Target = Pick<WebhookRequest, 'address' | 'headers'> & Partial<Pick<WebhookRequest, 'lookup'>>;

/**
 * Delivers the webhooks of ended runs. Each is stored in the transaction that ends its run, and delivery is retried with
 * growing pauses. Runs never wait for it.
 */
export class WebhookOutbox {
  readonly #options: WebhookOutboxOptions;
  readonly #closing = new AbortController();
  #timer: NodeJS.Timeout | undefined;
  /** When the timer fires, in milliseconds of `performance.now()`. */
  #wakesAt = Number.POSITIVE_INFINITY;
  #working: Promise<void> | undefined;

  constructor(options: WebhookOutboxOptions) {
    this.#options = options;
  }

  /** Checks a URL when a run is requested. @throws HttpError 422 at `loc` if webhooks to it are not allowed. */
  check(url: string, loc: (string | number)[] = ['body', 'webhook']): void {
    const { config, env, disabled } = this.#options.settings();
    if (disabled) return;
    try {
      webhookAddress(url, config.url, this.#options.ownPorts());
      webhookHeaders(config, env);
    } catch (error) {
      if (error instanceof WebhookRefusedError) throw invalid(loc, error.message);
      throw error;
    }
  }

  /** Stores the webhook of a run that ends, if it has one. */
  enqueue(unit: Unit, run: LiveRun, outcome: RunOutcome): void {
    const url = run.identity.kwargs.webhook;
    if (url == null || this.#options.settings().disabled) return;
    const now = new Date().toISOString();
    unit.do(
      unit.build.insertInto('webhooks').values({
        webhook_id: uuidv7(),
        deployment_id: this.#options.deploymentId,
        run_id: run.identity.runId,
        url,
        body: webhookBody(run, outcome, now),
        attempts: 0,
        next_attempt_at: secondsFromNow(0),
        created_at: now,
      }),
    );
  }

  /** Sends the webhook of a run whose end is stored, if it has one. */
  wake(run: LiveRun): void {
    if (run.identity.kwargs.webhook != null) this.#wakeIn(0);
  }

  /** Continues with the undelivered webhooks of an earlier server. */
  start(): void {
    this.#wakeIn(0);
  }

  async close(): Promise<void> {
    this.#closing.abort();
    clearTimeout(this.#timer);
    await this.#working;
  }

  /** Looks for due webhooks after a pause, or at the time that was already set if that is earlier. */
  #wakeIn(ms: number): void {
    const at = performance.now() + ms;
    if (this.#closing.signal.aborted || at >= this.#wakesAt) return;
    clearTimeout(this.#timer);
    this.#wakesAt = at;
    this.#timer = setTimeout(() => {
      this.#wakesAt = Number.POSITIVE_INFINITY;
      this.#working = (this.#working ?? Promise.resolve())
        .then(() => this.#deliverDue())
        .catch((error: unknown) => {
          this.#options.log.write(
            'ERROR',
            `Could not deliver webhooks, trying again later: ${messageOf(error)}`,
          );
          this.#wakeIn(this.#options.retryMs ?? RETRY_MS);
        });
    }, ms).unref();
  }

  async #deliverDue(): Promise<void> {
    const { db, deploymentId } = this.#options;
    const due = await db
      .selectFrom('webhooks')
      .selectAll()
      .where('deployment_id', '=', deploymentId)
      .where('next_attempt_at', '<=', secondsFromNow(0))
      .orderBy('next_attempt_at')
      .limit(MAX_DELIVERIES)
      .execute();
    await Promise.all(due.map((webhook) => this.#deliver(webhook)));
    if (this.#closing.signal.aborted) return;
    const next = await db
      .selectFrom('webhooks')
      .select(['next_attempt_at', secondsFromNow(0).as('now')])
      .where('deployment_id', '=', deploymentId)
      .orderBy('next_attempt_at')
      .limit(1)
      .executeTakeFirst();
    const waitMs =
      next === undefined ? undefined : Math.max(0, Date.parse(next.next_attempt_at) - Date.parse(next.now));
    const lookMs = db.claims.lookAfter(waitMs, LOOK_MS);
    if (lookMs !== undefined) this.#wakeIn(lookMs);
  }

  async #deliver(webhook: Selectable<WebhookTable>): Promise<void> {
    const { db, log } = this.#options;
    // Claims the webhook: other servers only try after a while, in case this server is killed in the meantime.
    const claimed = await db.claims.take(webhook.next_attempt_at, () =>
      this.#setNext(webhook, secondsFromNow(CLAIM_S)),
    );
    if (claimed === undefined) return;
    const problem = await this.#post(webhook.url, webhook.body);
    if (problem?.final === false && this.#closing.signal.aborted) {
      // Gives the claim back, so that another server finds the webhook at its next check without waiting for the claim
      // to expire.
      await db.claims.giveBack(() =>
        this.#setNext({ ...webhook, next_attempt_at: claimed }, webhook.next_attempt_at),
      );
      return;
    }
    const pause = PAUSES_S[webhook.attempts];
    if (problem === undefined || problem.final || pause === undefined) {
      if (problem !== undefined) log.write('ERROR', problem.why, webhook.run_id);
      await db.deleteFrom('webhooks').where('webhook_id', '=', webhook.webhook_id).execute();
      return;
    }
    log.write('WARNING', `${problem.why} Retrying in ${pause} s.`, webhook.run_id);
    await db
      .updateTable('webhooks')
      .set({
        attempts: webhook.attempts + 1,
        next_attempt_at: secondsFromNow(pause),
      })
      .where('webhook_id', '=', webhook.webhook_id)
      .execute();
  }

  /**
   * Sets when a webhook is delivered next.
   * @returns the time; undefined if another server has set it since it was read.
   */
  async #setNext(
    seen: { webhook_id: string; next_attempt_at: string },
    next_attempt_at: string | RawBuilder<string>,
  ): Promise<string | undefined> {
    const row = await this.#options.db
      .updateTable('webhooks')
      .set({ next_attempt_at })
      .where('webhook_id', '=', seen.webhook_id)
      .where('next_attempt_at', '=', seen.next_attempt_at)
      .returning('next_attempt_at')
      .executeTakeFirst();
    return row?.next_attempt_at;
  }

  /** Delivers a webhook. @returns undefined, or why it was not delivered; `final` if a retry cannot help. */
  async #post(url: string, body: string): Promise<{ why: string; final: boolean } | undefined> {
    const { config, env } = this.#options.settings();
    const ownPorts = this.#options.ownPorts();
    let target: Target | undefined;
    try {
      const address = webhookAddress(url, config.url, ownPorts);
      const headers = webhookHeaders(config, env);
      target =
        address === 'own'
          ? this.#options.own(url, initiatorOf(body))
          : { address, headers, lookup: webhookLookup(address, config.url, ownPorts) };
    } catch (error) {
      return { why: messageOf(error), final: true };
    }
    if (target === undefined) return { why: 'The server is not listening yet.', final: false };
    const { address, headers, lookup } = target;
    try {
      const status = await postWebhook({
        address,
        headers,
        lookup,
        body: withSendingTime(body),
        signal: AbortSignal.any([AbortSignal.timeout(TIMEOUT_MS), this.#closing.signal]),
      });
      if (status >= 200 && status < 300) return undefined;
      const final = status >= 400 && status < 500 && status !== 408 && status !== 425 && status !== 429;
      return { why: `The webhook at ${address.host} answered ${status}.`, final };
    } catch (error) {
      if (error instanceof WebhookRefusedError) return { why: error.message, final: true };
      const reason = messageOf(error instanceof Error && error.cause instanceof Error ? error.cause : error);
      return { why: `Could not reach the webhook at ${address.host}: ${reason}.`, final: false };
    }
  }
}
