import { ProblemBanner } from './problem-banner.tsx';

/** A panel's store whose `open` reads everything again. */
interface ReopenedStore {
  readonly view: { readonly problem: string | undefined };
  readonly actions: readonly string[];
  act(index: number): Promise<boolean>;
  open(): Promise<void>;
  ask(method: 'showLog', params: Record<string, never>): Promise<unknown>;
  report(problem: undefined): void;
}

/** The problem of a panel. Try Again reopens the store, and so does an action that succeeds. */
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
