import type { CodeToColor, ColoredSpan, PanelKey } from '../../extension/panels/webview-rpc.ts';
import { Host } from './host.ts';
import { HostFailure } from './host-failure.ts';
import { sentenceOf } from './sentence-of.ts';

/** The fields in the view of every panel. */
interface PanelView {
  /** The error message of a failed request. */
  readonly problem: string | undefined;
  /** The data that survives reloading the page. */
  readonly saved: unknown;
}

/**
 * The view of a panel, and its requests to the extension host. One listener is called when the view changes.
 */
export abstract class PanelStore<
  View extends PanelView,
  Params extends Readonly<Record<string, unknown>>,
  Results extends Record<keyof Params, unknown>,
  Event,
> {
  readonly #host: Host<Params, Results, Event>;
  readonly #listen: () => void;
  #view: View;
  #failure: HostFailure | undefined;

  /** @param makeView creates the first view from the data that survived a reload. */
  constructor(listen: () => void, makeView: (kept: View['saved'] | undefined) => View) {
    this.#listen = listen;
    this.#host = new Host(
      (events) => this.receive(events),
      (key) => this.press(key),
    );
    // Only this page writes the state, so it has the type of `saved`.
    this.#view = makeView(this.#host.state as View['saved'] | undefined);
    this.#host.state = this.#view.saved;
  }

  get view(): View {
    return this.#view;
  }

  /** Sends the host a request. @returns its result; `undefined` after a failure, which the panel shows */
  async ask<Method extends keyof Params & string>(
    method: Method,
    params: Params[Method],
  ): Promise<Results[Method] | undefined> {
    return (await this.#tryRequest(method, params))?.result;
  }

  /** Sends the host a request. @returns whether it succeeded; the panel shows a failure */
  async did<Method extends keyof Params & string>(method: Method, params: Params[Method]): Promise<boolean> {
    return (await this.#tryRequest(method, params)) !== undefined;
  }

  async #tryRequest<Method extends keyof Params & string>(
    method: Method,
    params: Params[Method],
  ): Promise<{ readonly result: Results[Method] } | undefined> {
    this.report(undefined);
    try {
      return { result: await this.#host.request(method, params) };
    } catch (error) {
      this.report(sentenceOf(error), error instanceof HostFailure ? error : undefined);
      return undefined;
    }
  }

  /** The titles of the actions that the host offers to resolve the problem. */
  get actions(): readonly string[] {
    return this.#failure?.actions ?? [];
  }

  /** Runs one of the `actions`, by its position. @returns whether it succeeded */
  async act(index: number): Promise<boolean> {
    const failure = this.#failure;
    if (failure === undefined) return false;
    this.report(undefined);
    try {
      await this.#host.act(failure.id, index);
      return true;
    } catch (error) {
      this.report(sentenceOf(error));
      return false;
    }
  }

  /** Asks how VS Code colors code. */
  colorCode(code: CodeToColor): Promise<readonly ColoredSpan[]> {
    return this.#host.colorCode(code);
  }

  /** Shows a problem, or none. */
  report(problem: string | undefined, failure?: HostFailure): void {
    this.#failure = failure;
    this.#view = { ...this.#view, problem };
    this.#listen();
  }

  /** Takes the host's events, in order. */
  protected abstract receive(events: readonly Event[]): void;

  /** Called when the user presses a key that VS Code binds to an action of the panel. */
  protected press(_: PanelKey): void {}

  /** Sends a request without showing a failure. @throws HostFailure with a sentence for the user */
  protected request<Method extends keyof Params & string>(
    method: Method,
    params: Params[Method],
  ): Promise<Results[Method]> {
    return this.#host.request(method, params);
  }

  /** Changes the view, and stores its `saved` part so that it survives reloading the page. */
  protected update(change: Partial<View>): void {
    this.#view = { ...this.#view, ...change };
    if (change.saved !== undefined) this.#host.state = change.saved;
    this.#listen();
  }
}
