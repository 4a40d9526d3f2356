import { z } from 'zod';

/** What a platform says of itself (`GET /info`), as one that is not an Agent Harbor server says it. */
export function asAnotherPlatform(info: string): string {
  const { harbor_version: _, ...others } = z.looseObject({}).parse(JSON.parse(info));
  return JSON.stringify(others);
}
