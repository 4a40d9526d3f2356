import path from 'node:path';
import { z } from 'zod';
import { describeProof } from '../proofs/describe-proof.ts';
import type { Proof } from '../proofs/prove.ts';
import { bounded } from './bounded.ts';
import { placeText } from './places.ts';

/** The schema for proofs in answers of tools. */
export const ProofAnswer = z.object({
  verdict: z.enum([
    'fixed',
    'past_failure',
    'still_failing',
    'another_failure',
    'unchanged',
    'changed',
    'new_request',
  ]),
  proved: z.boolean().describe('Whether the failure is gone, as far as the recording can say'),
  summary: z.string(),
  fails_at: z.string().optional().describe('file:line where it fails now'),
  failed_at: z.string().optional().describe('file:line where the recorded run failed'),
  first_divergence: z.unknown().optional().describe('The first request that was not recorded'),
  scores: z.array(
    z.object({ key: z.string(), recorded: z.unknown().optional(), now: z.unknown().optional() }),
  ),
});

/**
 * Converts a proof to an answer.
 * @param config the real path of langgraph.json; places are relative to its folder
 */
export function answerOf(proof: Proof, config: string): z.input<typeof ProofAnswer> {
  const folder = path.dirname(config);
  const { verdict, isProved, outcome, places, scores } = proof;
  const keys = new Set([...scores.recorded, ...scores.now].map(({ key }) => key));
  const scoreOf = (list: typeof scores.now, key: string) => {
    const found = list.find((score) => score.key === key);
    return found?.error ?? found?.score;
  };
  return {
    verdict,
    proved: isProved,
    summary: String(
      bounded(
        describeProof(proof, (place) => `at ${placeText(place, folder)}`),
        3_000,
      ),
    ),
    fails_at: places.now && placeText(places.now, folder),
    failed_at: places.recorded && placeText(places.recorded, folder),
    ...(outcome.kind === 'diverged' ? { first_divergence: bounded(outcome.divergence, 2_000) } : {}),
    scores: [...keys].map((key) => ({
      key,
      recorded: scoreOf(scores.recorded, key),
      now: scoreOf(scores.now, key),
    })),
  };
}
