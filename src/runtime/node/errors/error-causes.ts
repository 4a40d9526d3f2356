import { fromUserCode } from './stack-frames.ts';

const MAX_CAUSES = 5;
const CAUSED_BY = '\nCaused by: ';

/**
 * The causes of an error with their stacks, the nearest first, to be appended to the error's own stack. Never throws.
 */
export function causesOf(thrown: unknown): string {
  const seen = new Set<unknown>([thrown]);
  let text = '';
  try {
    for (let cause = causeOf(thrown); cause !== undefined && !seen.has(cause); cause = causeOf(cause)) {
      text += CAUSED_BY + stackOf(cause);
      seen.add(cause);
      if (seen.size > MAX_CAUSES) break;
    }
  } catch {
    // A property of an error may be a getter of the project's code, and an error may be a proxy.
  }
  return text;
}

/** A stack and its causes, each cut off below its last frame in the user's own code. */
export function ownStack(stack: string): string {
  return stack
    .split(CAUSED_BY)
    .map((part) => fromUserCode(part))
    .join(CAUSED_BY);
}

function causeOf(thrown: unknown): unknown {
  return thrown instanceof Error ? (thrown.cause ?? undefined) : undefined;
}

function stackOf(cause: unknown): string {
  if (!(cause instanceof Error))
    return typeof cause === 'string' ? cause : Object.prototype.toString.call(cause);
  return typeof cause.stack === 'string' ? cause.stack : `${cause.name}: ${cause.message}`;
}
