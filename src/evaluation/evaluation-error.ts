/** An evaluation that cannot be run. The message says why, and what to do. */
export class EvaluationError extends Error {
  override readonly name = 'EvaluationError';
}
