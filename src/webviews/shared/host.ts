import type { CodeToColor, ColoredSpan, HostMessage, PanelKey } from '../../extension/panels/webview-rpc.ts';
import { HostFailure } from './host-failure.ts';

interface VsCodeApi {
  postMessage(message: unknown): void;
  getState(): unknown;
  setState(state: unknown): void;
}

declare function acquireVsCodeApi(): VsCodeApi;

interface Waiting {
  resolve(result: unknown): void;
  reject(error: Error): void;
}

/** The webview's side of the extension host: requests that are answered, and events. */
export class Host<
  Params extends Readonly<Record<string, unknown>>,
  Results extends Record<keyof Params, unknown>,
  Event,
> {
  readonly #api = acquireVsCodeApi();
  readonly #waiting = new Map<number, Waiting>();
  #nextId = 1;

  /**
   * @param onEvents gets the host's events in order, possibly several at once.
   * @param onPress called with the action of a VS Code key.
   */
  constructor(onEvents: (events: readonly Event[]) => void, onPress: (key: PanelKey) => void = () => {}) {
    addEventListener('message', ({ data: message }: MessageEvent<HostMessage<Event>>) => {
      if (message.kind === 'events') {
        onEvents(message.events);
        return;
      }
      if (message.kind === 'press') {
        onPress(message.key);
        return;
      }
      const waiting = this.#waiting.get(message.id);
      this.#waiting.delete(message.id);
      if (message.kind === 'answer') waiting?.resolve(message.result);
      else waiting?.reject(new HostFailure(message.message, message.id, message.actions));
    });
  }

  /** @throws Error with a sentence for a person when the host failed. */
  request<Method extends keyof Params & string>(
    method: Method,
    params: Params[Method],
  ): Promise<Results[Method]> {
    // The host's answers have the types of `Results`.
    return this.#ask(method, params) as Promise<Results[Method]>;
  }

  /** Runs the action that the host proposed when a request failed. */
  async act(failure: number, action: number): Promise<void> {
    await this.#ask('act', { failure, action });
  }

  /** Asks how VS Code colors code. */
  colorCode(code: CodeToColor): Promise<readonly ColoredSpan[]> {
    // The host's answer to this request has this type.
    return this.#ask('colorCode', code) as Promise<readonly ColoredSpan[]>;
  }

  #ask(method: string, params: unknown): Promise<unknown> {
    const id = this.#nextId++;
    const answer = new Promise<unknown>((resolve, reject) => this.#waiting.set(id, { resolve, reject }));
    this.#api.postMessage({ id, method, params });
    return answer;
  }

  get state(): unknown {
    return this.#api.getState();
  }

  set state(state: unknown) {
    this.#api.setState(state);
  }
}
