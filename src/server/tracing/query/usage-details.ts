import type { Priced } from '../../../contract/tracing/priced.ts';
import { memberAt } from '../../../process/objects.ts';
import { costText } from '../runs/cost-text.ts';
import { usageSource } from '../runs/usage.ts';

/** The kinds of tokens that a model call used, and their costs as decimal text, by the name of the kind. */
const DETAILS = {
  prompt_token_details: { names: ['input_token_details', 'prompt_tokens_details'], isCost: false },
  completion_token_details: { names: ['output_token_details', 'completion_tokens_details'], isCost: false },
  prompt_cost_details: { names: ['input_cost_details'], isCost: true },
  completion_cost_details: { names: ['output_cost_details'], isCost: true },
} as const;

export const DETAIL_FIELDS = Object.keys(DETAILS);

/**
 * Reads the details of usage from a run's own payloads: they are requested too rarely to have columns.
 * @param extra JSON text, like `outputs`; `undefined` when there is none.
 * @param priced the items of a cost that was computed here.
 * @returns a value for each of `DETAIL_FIELDS`, null if the run does not state it.
 */
export function usageDetails(
  extra: string | undefined,
  outputs: string | undefined,
  priced: Priced | undefined,
): Record<string, object | null> {
  const metadata = memberAt(parseIfDetailed(extra), 'metadata');
  const source = usageSource(metadata, parseIfDetailed(outputs));
  return Object.fromEntries(
    Object.entries(DETAILS).map(([field, { names, isCost }]) => [
      field,
      readDetails(source, { names, isCost }) ?? (isCost && priced ? partsOf(priced, field) : null),
    ]),
  );
}

/** The parts of the input or output that have their own price. */
function partsOf({ items }: Priced, field: string): object | null {
  const direction = field.startsWith('prompt') ? 'input' : 'output';
  const parts = items.filter((item) => item.direction === direction && item.kind !== direction);
  return parts.length === 0
    ? null
    : Object.fromEntries(parts.map(({ kind, cost }) => [kind, costText(cost)]));
}

/**
 * Parses a payload if it may have details: most payloads have none, and parsing a large one to find that out would be
 * slow.
 */
function parseIfDetailed(text: string | undefined): unknown {
  return text?.includes('_details"') ? JSON.parse(text) : undefined;
}

/** The numbers under the first of the names that the usage has; costs become decimal text. */
function readDetails(
  source: unknown,
  { names, isCost }: { readonly names: readonly string[]; readonly isCost: boolean },
): object | null {
  const found = names.map((name) => memberAt(source, name)).find((value) => value !== undefined);
  if (typeof found !== 'object' || found === null) return null;
  const entries = Object.entries(found).flatMap(([kind, value]) =>
    typeof value === 'number' ? [[kind, isCost ? costText(value) : value]] : [],
  );
  return entries.length === 0 ? null : Object.fromEntries(entries);
}
