import { toBody } from '../../../process/body-text.ts';
import type { ExchangeRequest } from '../../protocol/protocol.ts';
import type { Recorded, ResponseRecorder } from './exchanges.ts';
import type { RecordedResponse } from './recorded-response.ts';

/** Statuses of responses that have no body; with one of them, `Response` throws if it gets a body. */
const WITHOUT_BODY: ReadonlySet<number> = new Set([101, 103, 204, 205, 304]);

/** A request of `fetch` in the form in which it is recorded. */
export async function describeRequest(request: Request): Promise<ExchangeRequest> {
  const { method, url, headers, body } = request;
  return {
    method,
    url,
    headers: [...headers],
    body: body === null ? null : toBody(new Uint8Array(await request.clone().arrayBuffer())),
  };
}

/**
 * Describes a request that switches to another protocol, with a `ws:` URL, so that no recorded request equals
 * it.
 */
export function asUpgrade(request: ExchangeRequest): ExchangeRequest {
  return { ...request, url: request.url.replace(/^http/, 'ws') };
}

/**
 * Records a response of `fetch`, and its body while it is read.
 * @returns the response to pass to the caller
 */
export function recordFetchResponse(recorded: Recorded, response: Response): Response {
  // `fetch` decompresses the body.
  const recorder = recorded.answered(response.status, [...response.headers], { isDecoded: true });
  if (response.body === null) {
    recorder.end();
    return response;
  }
  return withBody(response, recordBody(response.body, recorder));
}

/** Converts a recorded response to a `Response`, whose body has the original pieces. */
export function toResponse(recorded: RecordedResponse, url: string): Response {
  const { status, headers } = recorded;
  const pieces = recorded.pieces();
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      try {
        const { done, value } = await pieces.next();
        if (done) controller.close();
        else controller.enqueue(value);
      } catch (cause) {
        controller.error(new TypeError('terminated', { cause }));
      }
    },
  });
  const made = new Response(WITHOUT_BODY.has(status) ? null : body, { status, headers });
  return Object.defineProperty(made, 'url', { value: url });
}

function recordBody(
  body: ReadableStream<Uint8Array>,
  recorder: ResponseRecorder,
): ReadableStream<Uint8Array> {
  const reader = body.getReader();
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        try {
          const { done, value } = await reader.read();
          if (done) {
            recorder.end();
            controller.close();
            return;
          }
          await recorder.add(value);
          controller.enqueue(value);
        } catch (error) {
          recorder.cut(error);
          controller.error(error);
        }
      },
      async cancel(reason) {
        recorder.cut();
        await reader.cancel(reason);
      },
    },
    { highWaterMark: 0 },
  );
}

function withBody(response: Response, body: ReadableStream<Uint8Array>): Response {
  const { status, statusText, headers, url, redirected, type } = response;
  const made = new Response(body, { status, statusText, headers });
  for (const [name, value] of Object.entries({ url, redirected, type })) {
    Object.defineProperty(made, name, { value });
  }
  return made;
}
