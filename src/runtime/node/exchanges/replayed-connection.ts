import { Duplex } from 'node:stream';

/** A connection without a server: written data is dropped, and a recording provides the received data. */
export class ReplayedConnection extends Duplex {
  #wanted = () => {};
  #peer: Duplex | undefined;

  constructor() {
    super({ emitClose: true });
  }

  /**
   * Provides bytes as fast as they are read. If reading `bytes` fails, the connection breaks.
   * @param bytes no longer read after the connection has closed
   */
  async play(bytes: AsyncIterable<Uint8Array>): Promise<void> {
    this.once('close', () => this.#wanted());
    try {
      for await (const piece of bytes) {
        if (this.destroyed) return;
        if (this.push(piece)) continue;
        await new Promise<void>((resolve) => {
          this.#wanted = resolve;
        });
      }
      this.push(null);
    } catch (error) {
      this.destroy(error instanceof Error ? error : new Error(String(error)));
    }
  }

  /** Sends everything that is written from now on to a real connection. */
  connect(peer: Duplex): void {
    this.#peer = peer;
  }

  override _read(): void {
    this.#wanted();
  }

  override _write(piece: Uint8Array, encoding: BufferEncoding, done: (error?: Error | null) => void): void {
    if (this.#peer === undefined) done();
    else this.#peer.write(piece, encoding, done);
  }

  // Clients may call these methods of a socket. They have no effect here.
  setTimeout(): this {
    return this;
  }
  setNoDelay(): this {
    return this;
  }
  setKeepAlive(): this {
    return this;
  }
  ref(): this {
    return this;
  }
  unref(): this {
    return this;
  }
}
