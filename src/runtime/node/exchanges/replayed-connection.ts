import { Duplex } from 'node:stream';

/** A connection that goes nowhere: written data is lost, and received data is played. */
export class ReplayedConnection extends Duplex {
  #wanted = () => {};
  #peer: Duplex | undefined;

  constructor() {
    super({ emitClose: true });
  }

  /**
   * Lets bytes be received as fast as they are read. An error thrown meanwhile breaks the connection.
   * @param bytes ended when the connection is closed
   */
  async play(bytes: AsyncIterable<Uint8Array>): Promise<void> {
    try {
      for await (const piece of bytes) {
        if (this.destroyed) return;
        if (this.push(piece)) continue;
        await new Promise<void>((resolve) => {
          this.#wanted = resolve;
          this.once('close', resolve);
        });
      }
      this.push(null);
    } catch (error) {
      this.destroy(error instanceof Error ? error : new Error(String(error)));
    }
  }

  /** Sends everything written from now on to a real connection. */
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

  // A client may set these on its connection.
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
