import { FeedbackCreate } from '../../../contract/tracing/feedback.ts';
import { isObject } from '../../../process/objects.ts';
import { parseJson } from '../runs/json-text.ts';
import type { Part } from '../runs/parts.ts';
import { RunRefused } from '../runs/refusal.ts';

/** Reads feedback that was sent with runs; its ID may be in the part's name. @throws RunRefused */
export function parseFeedback(part: Part, bytes: Buffer): FeedbackCreate {
  const value = parseJson(bytes, `part '${part.name}'`);
  const [, id] = part.name.split('.');
  const parsed = FeedbackCreate.safeParse(isObject(value) ? { ...value, id: value.id ?? id } : value);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  throw new RunRefused(`part '${part.name}': ${issue?.path.join('.')}: ${issue?.message}`);
}
