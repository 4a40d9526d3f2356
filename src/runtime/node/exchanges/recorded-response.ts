import { fromChunks } from '../../../process/body-text.ts';
import type { ExchangeChunks, ExchangeError, ExchangeResponse } from '../../protocol/protocol.ts';

/** The error at the end of a body that was cut off, when the reason was not recorded. */
const CUT_OFF: ExchangeError = {
  message: 'other side closed',
  code: 'UND_ERR_SOCKET',
  types: ['SocketError'],
};

/** The failure of a request that also failed when it was recorded. */
export class RecordedFailure extends Error {
  override readonly name: string;
  readonly code: string | undefined;
  constructor({ message, code, types }: ExchangeError) {
    super(message);
    this.name = types?.[0] ?? 'Error';
    this.code = code;
  }
}

/** A response from a recording. */
export class RecordedResponse {
  readonly status: number;
  readonly headers: ExchangeResponse['headers'];
  readonly #response: ExchangeResponse;
  readonly #error: ExchangeError | undefined;
  readonly #readPart: (part: number) => Promise<ExchangeChunks>;

  /**
   * @param error the error that cut its body off
   * @param readPart reads a part of a long body
   */
  constructor(
    response: ExchangeResponse,
    error: ExchangeError | undefined,
    readPart: (part: number) => Promise<ExchangeChunks>,
  ) {
    this.status = response.status;
    this.headers = response.headers;
    this.#response = response;
    this.#error = error;
    this.#readPart = readPart;
  }

  /** The body in its original pieces. @throws RecordedFailure at the end of a body that was cut off */
  async *pieces(): AsyncGenerator<Uint8Array, void, undefined> {
    const { parts = 0, cut } = this.#response;
    yield* fromChunks(this.#response);
    for (let part = 0; part < parts; part++) yield* fromChunks(await this.#readPart(part));
    if (cut) throw new RecordedFailure(this.#error ?? CUT_OFF);
  }
}
