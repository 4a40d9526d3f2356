import { type Caller, keyIdOf } from '../../http/caller.ts';
import type { TracingServices } from './services.ts';

/** Removes from JSON what must not be stored. */
export type HideMembers = (json: Uint8Array) => Uint8Array;

/** Environment variables that tracing SDKs send with every span. */
const SENT_ALONG = /^LANG(?:CHAIN|SMITH)_\w+$/;

/**
 * Creates a function that hides the secrets of the deployment to which the caller's key belongs. @returns undefined for
 * other keys
 */
export async function findHider(services: TracingServices, caller: Caller): Promise<HideMembers | undefined> {
  const keyId = keyIdOf(caller);
  return keyId === undefined ? undefined : hiderOf(await services.hiddenNames(keyId));
}

/**
 * Creates a function that removes the values of variables from a span's JSON. Variables are recognized by name, so
 * that the same value elsewhere is left unchanged; OpenTelemetry writes the path before the name.
 * @returns undefined when no tracing SDK would send any of them.
 */
function hiderOf(names: Iterable<string>): HideMembers | undefined {
  const sent = [...names].filter((name) => SENT_ALONG.test(name));
  if (sent.length === 0) return undefined;
  const member = new RegExp(
    `("(?:[\\w.]+\\.)?(?:${sent.join('|')})"\\s*:\\s*")(?:[^"\\\\]|\\\\.)*(?=")`,
    'g',
  );
  return (json) => {
    // Each byte becomes one character: names are ASCII, and everything around them stays unchanged.
    const text = Buffer.from(json.buffer, json.byteOffset, json.byteLength).toString('latin1');
    return member.test(text) ? Buffer.from(text.replace(member, '$1***'), 'latin1') : json;
  };
}
