import { z } from 'zod';
import type { JsonObject } from '../../../../contract/fields.ts';
import { readStoredObject } from '../../../storage/stored-json.ts';
import { type AskedQuestion, ElicitationReply, FormError, UNANSWERED } from './asked-question.ts';
import { type AskedInterrupt, questionsOf } from './interrupt-forms.ts';
import { INVALID_PARAMS, RpcFailure } from './json-rpc.ts';
import type { McpCall } from './mcp-call-store.ts';
import { type McpClient, missingCapability } from './mcp-era.ts';

/**
 * The prefix of the fields of a thread's metadata that store replies until all replies of the round have
 * arrived.
 */
const REPLY_KEY = 'mcp_reply:';

const Interrupts = z.record(
  z.string(),
  z.array(z.looseObject({ id: z.string().nullish(), value: z.unknown() })),
);

/** A question, with its key among the requests to the client. */
interface KeyedQuestion {
  readonly key: string;
  readonly question: AskedQuestion;
}

/**
 * The value with which to resume; `incomplete` while answers are missing, `unanswered` if the user declined
 * or canceled.
 */
export type Answered = { readonly resume: unknown } | 'incomplete' | 'unanswered';

/** The questions with which a call's run ended. Their keys contain the run, so they are new in each round. */
export class McpQuestions {
  readonly #interrupts: readonly { readonly id: string | undefined; readonly asked: AskedInterrupt }[];
  /** The questions of each interrupt. */
  readonly #questions: readonly (readonly KeyedQuestion[])[];
  readonly #replies: ReadonlyMap<string, ElicitationReply>;

  /** @throws FormError for an interrupt that cannot be presented as a form or a URL. */
  constructor({ run, thread }: McpCall, options: { allowInsecureUrls: boolean }) {
    const interrupts = Object.values(Interrupts.parse(JSON.parse(thread.interrupts))).flat();
    this.#interrupts = interrupts.map(({ id, value }) => ({
      id: id ?? undefined,
      asked: questionsOf(value, options),
    }));
    this.#questions = this.#interrupts.map(({ asked }, at) =>
      asked.questions.map((question, part) => ({ key: `${run.run_id}.${at}.${part}`, question })),
    );
    const metadata: JsonObject = readStoredObject(thread.metadata);
    this.#replies = new Map(
      this.#questions.flat().flatMap(({ key }) => {
        const reply = ElicitationReply.safeParse(metadata[`${REPLY_KEY}${key}`]).data;
        return reply === undefined ? [] : [[key, reply]];
      }),
    );
  }

  /**
   * The questions that have no reply so far, as requests to the client.
   * @throws RpcFailure for a client that does not support such questions.
   */
  inputRequests({ form, url }: McpClient): Record<string, object> {
    const open = this.#questions.flat().filter(({ key }) => !this.#replies.has(key));
    const modes = new Set(open.map(({ question }) => question.elicitation.mode));
    const missing = {
      ...(modes.has('form') && !form ? { form: {} } : {}),
      ...(modes.has('url') && !url ? { url: {} } : {}),
    };
    if (Object.keys(missing).length > 0) throw missingCapability({ elicitation: missing });
    return Object.fromEntries(
      open.map(({ key, question }) => [key, { method: 'elicitation/create', params: question.elicitation }]),
    );
  }

  /**
   * Adds replies to those that are stored. Replies to questions that are not open are ignored.
   * @returns the answer to the call, and the metadata in which the thread stores the new replies.
   * @throws RpcFailure for a reply that does not fit its question.
   */
  take(responses: JsonObject): { answered: Answered; remembered: JsonObject } {
    const replies = new Map(this.#replies);
    const remembered: JsonObject = {};
    for (const { key } of this.#questions.flat()) {
      if (replies.has(key) || responses[key] === undefined) continue;
      const reply = ElicitationReply.safeParse(responses[key]);
      if (!reply.success) throw unfit(key, 'needs an action: accept, decline or cancel');
      replies.set(key, reply.data);
      remembered[`${REPLY_KEY}${key}`] = reply.data;
    }
    const answers = this.#questions.map((questions) =>
      questions.map(({ key, question }) => {
        const reply = replies.get(key);
        return reply === undefined ? undefined : answerTo(key, question, reply);
      }),
    );
    if (answers.flat().includes(UNANSWERED)) return { answered: 'unanswered', remembered };
    if (replies.size < this.#questions.flat().length) return { answered: 'incomplete', remembered };
    const values = this.#interrupts.map(({ asked }, at) => asked.resume(answers[at] ?? []));
    const byId = this.#interrupts.flatMap(({ id }, at) =>
      id === undefined ? [] : [[id, values[at]] as const],
    );
    // LangGraph takes a single answer unchanged, and several by the IDs of their interrupts.
    const resume = values.length === 1 ? values[0] : Object.fromEntries(byId);
    return { answered: { resume }, remembered };
  }
}

function answerTo(key: string, question: AskedQuestion, reply: ElicitationReply): unknown {
  try {
    return question.answer(reply);
  } catch (error) {
    throw error instanceof FormError ? unfit(key, error.message) : error;
  }
}

function unfit(key: string, message: string): RpcFailure {
  return new RpcFailure(INVALID_PARAMS, `params.inputResponses['${key}']: ${message}.`);
}
