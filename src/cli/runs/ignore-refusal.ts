import { RequestError, type RequestProblem } from '../../client/request-error.ts';

/** Waits for an answer of the server. @returns undefined if the server refuses it, or the answer is not readable */
export async function ignoreRefusal<Answer>(answer: Promise<Answer>): Promise<Answer | undefined> {
  try {
    return await answer;
  } catch (error) {
    const isAnswer = (problem: RequestProblem) => problem === 'status' || problem === 'unreadable';
    if (error instanceof RequestError && isAnswer(error.problem)) return undefined;
    throw error;
  }
}
