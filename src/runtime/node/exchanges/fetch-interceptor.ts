import process from 'node:process';
import type { Exchanges } from './exchanges.ts';
import { RecordedFailure } from './recorded-response.ts';
import type { RunExchanges } from './run-exchanges.ts';
import { describeRequest, recordFetchResponse, toResponse } from './web-exchanges.ts';

/**
 * Replaces the global `fetch`, before the project's code is loaded, because clients of models may keep the
 * function. In runs that are neither recorded nor replayed, a request costs only one comparison.
 */
export function interceptFetch(exchanges: Exchanges): void {
  const send = globalThis.fetch;
  globalThis.fetch = function fetch(input, init) {
    const run = exchanges.current;
    if (run === undefined) return send(input, init);
    // The request keeps a custom proxy or agent, like everything else in `init`.
    return exchange(run, new Request(input, init), (request) => exchanges.passThrough(() => send(request)));
  };

  async function exchange(
    run: RunExchanges,
    request: Request,
    sendOn: (request: Request) => Promise<Response>,
  ): Promise<Response> {
    if (sendsSpans(request.url)) return sendOn(request);
    if (run.mode === 'replay') return (await replayed(run, request)) ?? sendOn(request);
    const recorded = await exchanges.record(run, describeRequest(request));
    try {
      return recordFetchResponse(recorded, await sendOn(request));
    } catch (error) {
      recorded.failed(error);
      throw error;
    }
  }

  async function replayed(run: RunExchanges, request: Request): Promise<Response | undefined> {
    try {
      const response = await exchanges.replay(run, describeRequest(request));
      return response === undefined ? undefined : toResponse(response, request.url);
    } catch (error) {
      throw error instanceof RecordedFailure ? toFetchError(error) : error;
    }
  }
}

/**
 * Converts a recorded failure to the error that `fetch` throws: the reason of an aborted signal, or for other failures, a
 * TypeError with the failure as its cause.
 */
function toFetchError(failure: RecordedFailure): Error {
  const { name, message } = failure;
  if (name === 'AbortError' || name === 'TimeoutError') return new DOMException(message, name);
  return new TypeError('fetch failed', { cause: failure });
}

/** Whether a request to this URL sends spans. Such requests are sent during a run, but are not part of it. */
export function sendsSpans(url: string): boolean {
  const { LANGSMITH_ENDPOINT: endpoint = '' } = process.env;
  return endpoint !== '' && url.startsWith(`${endpoint.replace(/\/+$/, '')}/`);
}
