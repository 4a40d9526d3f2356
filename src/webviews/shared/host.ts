import type {
  CodeToColor,
  ColoredSpan,
  HostMessage,
  PageError,
  PanelKey,
} from '../../extension/panels/webview-rpc.ts';
import { HostFailure } from './host-failure.ts';

interface VsCodeApi {
  postMessage(message: unknown): void;
  getState(): unknown;
  setState(state: unknown): void;
}

declare function acquireVsCodeApi(): VsCodeApi;

interface PendingRequest {
  resolve(result: unknown): void;
  reject(error: Error): void;
}

/** The webview's connection to the extension host: sends requests, and receives answers and events. */
export class Host<
  Params extends Readonly<Record<string, unknown>>,
  Results extends Record<keyof Params, unknown>,
  Event,
> {
  readonly #api = acquireVsCodeApi();
  readonly #pending = new Map<number, PendingRequest>();
  #nextId = 1;

  /**
   * @param onEvents gets the host's events in order, possibly several at once.
   * @param onPress called when the user presses a key that VS Code binds to an action of the panel.
   */
  constructor(onEvents: (events: readonly Event[]) => void, onPress: (key: PanelKey) => void) {
    addEventListener('error', ({ error }) => {
      // An event without an error is about resize observers, and comes often.
      if (!(error instanceof Error)) return;
      const params: PageError = { message: String(error), stack: error.stack };
      void this.#ask('logError', params);
    });
    addEventListener('message', ({ data: message }: MessageEvent<HostMessage<Event>>) => {
      if (message.kind === 'events') {
        onEvents(message.events);
        return;
      }
      if (message.kind === 'press') {
        onPress(message.key);
        return;
      }
      const pending = this.#pending.get(message.id);
      this.#pending.delete(message.id);
      if (message.kind === 'answer') pending?.resolve(message.result);
      else pending?.reject(new HostFailure(message.message, message.id, message.actions));
    });
  }

  /** @throws HostFailure with a sentence for the user when the host failed. */
  request<Method extends keyof Params & string>(
    method: Method,
    params: Params[Method],
  ): Promise<Results[Method]> {
    // The host's answers have the types of `Results`.
    return this.#ask(method, params) as Promise<Results[Method]>;
  }

  /**
   * Runs an action that the host offered when a request failed.
   * @param failure the `id` of the HostFailure
   * @param action the position in its `actions`
   */
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
    const answer = new Promise<unknown>((resolve, reject) => this.#pending.set(id, { resolve, reject }));
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
