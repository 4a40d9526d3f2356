import type { ClientRequest } from 'node:http';
import { toBody } from '../../../process/body-text.ts';
import type { ExchangeRequest } from '../../protocol/protocol.ts';
import { pairsOf } from './dispatch-options.ts';
import { asUpgrade } from './web-exchanges.ts';

/** A request of `http` or `https` whose body is recorded while it is written. */
export class SentRequest {
  readonly request: ClientRequest;
  readonly #pieces: Uint8Array[] = [];
  readonly #ended: Promise<void>;

  constructor(request: ClientRequest) {
    this.request = request;
    const { write, end } = request;
    let ended = () => {};
    this.#ended = new Promise((resolve) => {
      ended = resolve;
    });
    Reflect.set(request, 'write', (...args: unknown[]) => {
      this.#add(args);
      return Reflect.apply(write, request, args);
    });
    Reflect.set(request, 'end', (...args: unknown[]) => {
      // `end` writes its argument itself, without the method above.
      this.#add(args);
      ended();
      return Reflect.apply(end, request, args);
    });
  }

  /** Resolves when the whole body has been written. */
  get ended(): Promise<void> {
    return this.#ended;
  }

  /** The part of the body that has been written so far. */
  get body(): Buffer {
    return Buffer.concat(this.#pieces);
  }

  /** Whether the connection will switch to another protocol. */
  get isSwitch(): boolean {
    return this.request.method === 'CONNECT' || this.request.hasHeader('upgrade');
  }

  get url(): string {
    const { protocol, path } = this.request;
    return new URL(path, `${protocol}//${this.request.getHeader('host') ?? this.request.host}`).href;
  }

  /** The request in the form in which it is recorded. */
  describe(): ExchangeRequest {
    const { body } = this;
    const described = {
      method: this.request.method,
      url: this.url,
      headers: pairsOf(Object.entries(this.request.getHeaders()).flat(1)),
      body: body.length === 0 ? null : toBody(body),
    };
    return this.isSwitch ? asUpgrade(described) : described;
  }

  #add([piece, encoding]: readonly unknown[]): void {
    if (piece instanceof Uint8Array) this.#pieces.push(piece.slice());
    else if (typeof piece === 'string') {
      const known = typeof encoding === 'string' && Buffer.isEncoding(encoding) ? encoding : 'utf8';
      this.#pieces.push(Buffer.from(piece, known));
    }
  }
}
