import { z } from 'zod';
import { JsonObject } from '../../../../contract/fields.ts';
import { messageOf } from '../../../../process/message-of.ts';

/** A question to a client's user, in the form of `elicitation/create` (MCP 2026-07-28, "Elicitation"). */
export type Elicitation =
  | { readonly mode: 'form'; readonly message: string; readonly requestedSchema: JsonObject }
  | { readonly mode: 'url'; readonly message: string; readonly url: string };

/** The reply of a client's user. */
export const ElicitationReply = z.looseObject({
  action: z.enum(['accept', 'decline', 'cancel']),
  content: JsonObject.nullish(),
});
export type ElicitationReply = z.output<typeof ElicitationReply>;

/**
 * The answer when the user declines or cancels a question whose resume value cannot express that. The call
 * then ends.
 */
export const UNANSWERED = Symbol('unanswered');

/** A question, and how a reply to it becomes an answer. */
export interface AskedQuestion {
  readonly elicitation: Elicitation;
  /**
   * Turns a reply into the answer, a part of the resume value.
   * @throws FormError for content that does not fit.
   */
  answer(reply: ElicitationReply): unknown;
}

/** A form that cannot be asked, or an answer that does not fit it. */
export class FormError extends Error {
  override readonly name = 'FormError';
}

/**
 * The schema of a form's content.
 * @throws FormError for a schema that is not valid, for example because of a pattern.
 */
export function contentSchema(form: JsonObject): z.ZodType {
  try {
    return z.fromJSONSchema({ ...form, additionalProperties: false });
  } catch (error) {
    throw new FormError(`The interrupt's requestedSchema is not valid: ${messageOf(error)}`);
  }
}

/** The content of a reply. @throws FormError that names the field that does not fit the form. */
export function contentOf(schema: z.ZodType, { content }: ElicitationReply): JsonObject {
  const checked = schema.safeParse(content ?? {});
  if (checked.success) return JsonObject.parse(checked.data);
  const [issue] = checked.error.issues;
  throw new FormError(
    `content${(issue?.path ?? []).map((key) => `.${String(key)}`).join('')}: ${issue?.message}`,
  );
}
