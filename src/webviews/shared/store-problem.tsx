import { ProblemBanner } from './problem-banner.tsx';

/** The store of a panel that reads everything again when it is opened. */
interface ReopenedStore {
  readonly view: { readonly problem: string | undefined };
  readonly actions: readonly string[];
  act(index: number): Promise<boolean>;
  open(): Promise<void>;
  ask(method: 'showLog', params: Record<string, never>): Promise<unknown>;
  report(problem: undefined): void;
}

/** The problem of a panel. Trying again, or an action that worked, opens it again. */
export function StoreProblem({ store }: { readonly store: ReopenedStore }) {
  return (
    <ProblemBanner
      problem={store.view.problem}
      onTryAgain={() => void store.open()}
      actions={store.actions}
      onAct={(index) => void store.act(index).then((isDone) => (isDone ? store.open() : undefined))}
      onShowLog={() => void store.ask('showLog', {})}
      onDismiss={() => store.report(undefined)}
    />
  );
}
