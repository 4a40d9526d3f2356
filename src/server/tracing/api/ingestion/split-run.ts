import { RunPayload } from '../../../../contract/tracing/runs.ts';
import { normalId } from '../../runs/parts.ts';

/** A payload of a run, as a separate part of a request. */
interface PayloadPart {
  readonly name: string;
  readonly json: Buffer;
}

/**
 * Separates large payloads from a run, like SDKs that send each payload in its own part.
 * @param part the name of the part with the run; if it contains no valid ID, nothing is separated.
 * @param limit the maximum size, in bytes, of a payload's JSON that stays in the run.
 */
export function splitRun(
  part: string,
  run: object,
  limit: number,
): { readonly rest: object; readonly payloads: readonly PayloadPart[] } {
  const [, id = ''] = part.split('.');
  const payloads: PayloadPart[] = [];
  if (normalId(id) === undefined) return { rest: run, payloads };
  const rest = Object.entries(run).filter(([kind, value]) => {
    if (!RunPayload.safeParse(kind).success) return true;
    const json = Buffer.from(JSON.stringify(value) ?? '');
    if (json.length <= limit) return true;
    payloads.push({ name: `${part}.${kind}`, json });
    return false;
  });
  return { rest: Object.fromEntries(rest), payloads };
}
