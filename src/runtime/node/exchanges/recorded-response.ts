import type { ExchangeAnswer, ExchangeError, ExchangeResponse } from '../../protocol/protocol.ts';
import { fromChunks } from './body-text.ts';

/** What is thrown at the end of a body that was cut off, when it was not recorded why. */
const CUT_OFF: ExchangeError = {
  message: 'other side closed',
  code: 'UND_ERR_SOCKET',
  types: ['SocketError'],
};

/** The request failed when it was recorded, too. */
export class RecordedFailure extends Error {
  override readonly name: string;
  readonly code: string | undefined;
  constructor({ message, code, types }: ExchangeError) {
    super(message);
    this.name = types?.[0] ?? 'Error';
    this.code = code;
  }
}

/** A response of a recording. */
export class RecordedResponse {
  readonly status: number;
  readonly headers: ExchangeResponse['headers'];
  readonly #response: ExchangeResponse;
  readonly #error: ExchangeError | undefined;

  constructor(response: ExchangeResponse, { error }: Pick<ExchangeAnswer, 'error'>) {
    this.status = response.status;
    this.headers = response.headers;
    this.#response = response;
    this.#error = error;
  }

  /** The body in the pieces that it came in. @throws RecordedFailure at the end of one that was cut off */
  async *pieces(): AsyncGenerator<Uint8Array, void, undefined> {
    yield* fromChunks(this.#response);
    if (this.#response.cut) throw new RecordedFailure(this.#error ?? CUT_OFF);
  }
}
