import { z } from 'zod';
import { JsonObject } from '../../../../contract/fields.ts';
import type { ElicitationRequest } from '../../../../terms/interrupt-requests.ts';
import { type AskedQuestion, contentOf, contentSchema, FormError } from './asked-question.ts';

const Titled = { title: z.string().optional(), description: z.string().optional() };
const Choice = z.strictObject({ const: z.string(), title: z.string().optional() });
/** A field of a form ("Elicitation", requested schema). */
const Field = z.union([
  z.strictObject({
    type: z.literal('string'),
    ...Titled,
    minLength: z.int().optional(),
    maxLength: z.int().optional(),
    pattern: z.string().optional(),
    format: z.enum(['email', 'uri', 'date', 'date-time']).optional(),
    enum: z.array(z.string()).optional(),
    enumNames: z.array(z.string()).optional(),
    oneOf: z.array(Choice).optional(),
    default: z.string().optional(),
  }),
  z.strictObject({
    type: z.enum(['number', 'integer']),
    ...Titled,
    minimum: z.number().optional(),
    maximum: z.number().optional(),
    default: z.number().optional(),
  }),
  z.strictObject({ type: z.literal('boolean'), ...Titled, default: z.boolean().optional() }),
  z.strictObject({
    type: z.literal('array'),
    ...Titled,
    minItems: z.int().optional(),
    maxItems: z.int().optional(),
    items: z.union([
      z.strictObject({ type: z.literal('string').optional(), enum: z.array(z.string()) }),
      z.strictObject({ anyOf: z.array(Choice) }),
    ]),
    default: z.array(z.string()).optional(),
  }),
]);
/** The schema of a form: a flat object, because clients do not show anything else. */
const RequestedSchema = z.looseObject({
  type: z.literal('object'),
  properties: z.record(z.string(), Field),
  required: z.array(z.string()).optional(),
});

/** Names of secrets, which a form must not ask for ("Elicitation", trust and safety). */
const SECRET = /pass(?:word|code|phrase)|secret|api[-_]?key|access[-_]?token|credential|credit[-_]?card|cvv/i;

/**
 * The question of an interrupt that is already in the protocol's own form.
 * @throws FormError for a form or a URL that clients must not or cannot show.
 */
export function elicitationQuestion(
  asked: ElicitationRequest,
  { allowInsecureUrls }: { readonly allowInsecureUrls: boolean },
): AskedQuestion {
  if (asked.mode === 'url') {
    const { mode, message, url } = asked;
    if (!isSafeUrl(url, allowInsecureUrls)) {
      throw new FormError(
        `The interrupt's url '${url.slice(0, 64)}' must begin with https:// and have no credentials in it.`,
      );
    }
    return { elicitation: { mode, message, url }, answer: ({ action }) => ({ action }) };
  }
  const { message, schema: requestedSchema } = asked;
  const schema = RequestedSchema.safeParse(requestedSchema);
  if (!schema.success) {
    const [issue] = schema.error.issues;
    const where = ['requestedSchema', ...(issue?.path ?? [])].map(String).join('.');
    throw new FormError(
      `The interrupt's ${where} is not a form that MCP clients show: use a flat object of texts, numbers, booleans and choices.`,
    );
  }
  const secret = Object.keys(schema.data.properties).find((name) => SECRET.test(name));
  if (secret !== undefined) {
    throw new FormError(`The interrupt asks for '${secret}' in a form. Use mode 'url' for secrets.`);
  }
  const form = JsonObject.parse(requestedSchema);
  const content = contentSchema(form);
  return {
    elicitation: { mode: 'form', message, requestedSchema: form },
    answer: (reply) =>
      reply.action === 'accept'
        ? { action: 'accept', content: contentOf(content, reply) }
        : { action: reply.action },
  };
}

/** Whether users may be sent to a URL: only https (also http if that is allowed), without credentials. */
function isSafeUrl(text: string, allowInsecure: boolean): boolean {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || url.username !== '' || url.password !== '') return false;
  return url.protocol === 'https:' || (allowInsecure && url.protocol === 'http:');
}
