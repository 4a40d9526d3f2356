import type { CodeToColor, ColoredSpan, PanelKey } from '../../extension/panels/webview-rpc.ts';
import { Host } from './host.ts';
import { HostFailure } from './host-failure.ts';
import { sentenceOf } from './sentence-of.ts';

/** The fields that the view of every panel has. */
interface PanelView {
  /** The error message of a failed request. */
  readonly problem: string | undefined;
  /** The data that survives reloading the page. */
  readonly saved: unknown;
}

/** The view of a panel, and its requests to the extension host. Changes are reported to one listener. */
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
    // Only this page writes it.
    this.#view = makeView(this.#host.state as View['saved'] | undefined);
    this.#host.state = this.#view.saved;
  }

  get view(): View {
    return this.#view;
  }

  /** Sends the host a request; a failure is shown as the panel's problem, and returns `undefined`. */
  async ask<Method extends keyof Params & string>(
    method: Method,
    params: Params[Method],
  ): Promise<Results[Method] | undefined> {
    this.report(undefined);
    try {
      return await this.#host.request(method, params);
    } catch (error) {
      this.report(sentenceOf(error), error instanceof HostFailure ? error : undefined);
      return undefined;
    }
  }

  /** The titles of the actions for the problem. */
  get actions(): readonly string[] {
    return this.#failure?.actions ?? [];
  }

  /** Runs an action for the problem. @returns whether it worked */
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

  /** Asks the host. @returns whether that worked */
  async did<Method extends keyof Params & string>(method: Method, params: Params[Method]): Promise<boolean> {
    await this.ask(method, params);
    return this.#view.problem === undefined;
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

  /** Called with the action of a VS Code key. */
  protected press(_: PanelKey): void {}

  /** Sends a request without showing a failure. @throws Error with a sentence for a person */
  protected request<Method extends keyof Params & string>(
    method: Method,
    params: Params[Method],
  ): Promise<Results[Method]> {
    return this.#host.request(method, params);
  }

  /** Shows changes, and keeps what is saved. */
  protected update(change: Partial<View>): void {
    this.#view = { ...this.#view, ...change };
    if (change.saved !== undefined) this.#host.state = change.saved;
    this.#listen();
  }
}
