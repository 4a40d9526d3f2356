import type { FeedbackSubmission, feedback, TokenCreate } from '../../../../contract/tracing/feedback.ts';
import { isObject } from '../../../../process/objects.ts';
import { type Caller, projectsOf } from '../../../http/caller.ts';
import { invalid } from '../../../http/errors.ts';
import type { Handlers } from '../../../http/router.ts';
import { formatTime, nowMicros, parseStorableTime } from '../../database/time.ts';
import type { NewToken } from '../../feedback/tokens.ts';
import type { TracingServices } from '../../services/services.ts';
import { linkOf } from './links.ts';

/** How long a link lasts by default, as with the public client (docs/interface/tracing.md#feedback). */
const DEFAULT_TTL_MS = 3 * 3_600_000;

/**
 * Handlers for feedback and its links (docs/interface/tracing.md#feedback). A link needs no other credential: 404 for
 * an unknown one, 403 for an expired one. Only a POST to a link can send `metadata`.
 */
export function feedbackHandlers(services: TracingServices): Handlers<typeof feedback> {
  const { write, read, publish, baseUrl } = services;

  async function submit(token: string, submission: FeedbackSubmission) {
    const { feedbackId, workspaceId, change } = await write('submitByToken', { token, submission });
    publish(workspaceId, [change]);
    return { feedback_id: feedbackId, message: 'Feedback recorded' };
  }

  return {
    createTokens: async ({ body, caller }) => {
      const list = Array.isArray(body) ? body : [body];
      const tokens = list.map((token, at) => newToken(token, Array.isArray(body) ? ['body', at] : ['body']));
      const created = await write('createTokens', { ...placeOf(caller), tokens });
      const links = created.map(({ id, key, expiresAt }) => ({
        id,
        url: linkOf(baseUrl(), id),
        expires_at: formatTime(expiresAt),
        feedback_key: key,
      }));
      const [first] = links;
      return Array.isArray(body) || first === undefined ? links : first;
    },
    listTokens: async ({ query, caller }) => {
      const { run_id: runId, limit, offset } = query;
      const tokens = await read('listTokens', { ...placeOf(caller), runId, limit, offset });
      return tokens.map((token) => ({
        id: token.id,
        url: linkOf(baseUrl(), token.id),
        expires_at: token.expiresAt,
        feedback_key: token.key,
      }));
    },
    submit: ({ params, body }) => submit(params.token, body),
    submitByQuery: ({ params, query }) =>
      submit(params.token, {
        score: parseScore(query.score),
        value: parseValue(query.value),
        comment: query.comment,
        correction: parseCorrection(query.correction),
        extend_trace_retention: query.extend_trace_retention,
      }),
    create: async ({ body, caller }) => {
      const created = await write('createFeedback', { ...placeOf(caller), feedback: body });
      publish(caller.workspaceId, [{ resource: 'feedback', action: 'created', id: created.id }]);
      return created;
    },
    list: ({ query, caller }) => read('listFeedback', { workspaceId: caller.workspaceId, query }),
    get: ({ params, caller }) =>
      read('getFeedback', { workspaceId: caller.workspaceId, feedbackId: params.feedback_id }),
    update: async ({ params, body, caller }) => {
      const updated = await write('updateFeedback', {
        ...placeOf(caller),
        feedbackId: params.feedback_id,
        changes: body,
      });
      publish(caller.workspaceId, [{ resource: 'feedback', action: 'updated', id: updated.id }]);
      return updated;
    },
    delete: async ({ params, caller }) => {
      const feedbackId = params.feedback_id;
      await write('deleteFeedback', { ...placeOf(caller), feedbackId });
      publish(caller.workspaceId, [{ resource: 'feedback', action: 'deleted', id: feedbackId }]);
      return { message: 'Feedback deleted' };
    },
  };
}

/** The workspace of a caller, and the names of the projects that the caller may use; all when undefined. */
function placeOf(caller: Caller) {
  return { workspaceId: caller.workspaceId, projects: projectsOf(caller) };
}

function newToken(token: TokenCreate, at: readonly (string | number)[]): NewToken {
  return {
    runId: token.run_id,
    key: token.feedback_key,
    config: token.feedback_config ?? undefined,
    expiresAt: expiryOf(token, at),
  };
}

/**
 * When a link expires, in microseconds. @throws HttpError 422 for a time that has passed: the link could never be used.
 */
function expiryOf({ expires_at, expires_in }: TokenCreate, at: readonly (string | number)[]): number {
  if (expires_at !== null && expires_at !== undefined) {
    const micros = parseStorableTime(expires_at, [...at, 'expires_at']);
    if (micros <= nowMicros()) {
      throw invalid(
        [...at, 'expires_at'],
        'Must be in the future. The default is three hours from now.',
        'datetime_future',
      );
    }
    return micros;
  }
  const isGiven = Object.values(expires_in ?? {}).some((part) => part !== undefined);
  const { days = 0, hours = 0, minutes = 0 } = expires_in ?? {};
  const milliseconds = ((days * 24 + hours) * 60 + minutes) * 60_000;
  if (isGiven && milliseconds === 0) {
    throw invalid(
      [...at, 'expires_in'],
      'The link would expire immediately. Set days, hours or minutes.',
      'greater_than',
    );
  }
  return nowMicros() + (isGiven ? milliseconds : DEFAULT_TTL_MS) * 1000;
}

/** Reads a score from a query: a number or a boolean; undefined if it is empty. @throws HttpError 422 */
function parseScore(text: string | undefined): number | boolean | undefined {
  if (text === undefined || text === '') return undefined;
  if (text === 'true' || text === 'True') return true;
  if (text === 'false' || text === 'False') return false;
  const number = Number(text);
  if (Number.isFinite(number)) return number;
  throw invalid(['query', 'score'], 'Must be a number, true or false.', 'number');
}

/** Reads a value from a query: a boolean or a number if it looks like one, else text. */
function parseValue(text: string | undefined): number | boolean | string | undefined {
  if (text === undefined) return undefined;
  if (text === 'true' || text === 'false') return text === 'true';
  return text.trim() !== '' && Number.isFinite(Number(text)) ? Number(text) : text;
}

/**
 * Reads a correction from a query, in which it is a JSON object (docs/interface/tracing.md#feedback).
 * @throws HttpError 422
 */
function parseCorrection(text: string | undefined): Record<string, unknown> | undefined {
  if (text === undefined || text === '') return undefined;
  try {
    const parsed: unknown = JSON.parse(text);
    if (isObject(parsed)) return parsed;
  } catch {
    // The error is thrown below.
  }
  throw invalid(['query', 'correction'], 'Must be a JSON object, URL-encoded.', 'json_invalid');
}
