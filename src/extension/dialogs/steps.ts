import * as vscode from 'vscode';

/** The outcome of a step: answered, back, or canceled. */
export type Answer<T> =
  | { readonly kind: 'answered'; readonly value: T }
  | { readonly kind: 'back' }
  | { readonly kind: 'canceled' };

export interface StepOptions {
  readonly title: string;
  readonly canGoBack: boolean;
}

interface ChooseOptions<T extends vscode.QuickPickItem> extends StepOptions {
  readonly placeholder: string;
  /** The items, or a promise of them. Until the promise resolves, the quick pick shows that it is busy. */
  readonly items: readonly T[] | Promise<readonly T[]>;
  /** The initially active item. */
  readonly isActive?: (item: T) => boolean;
}

/** Lets the user choose one of several items. */
export function choose<T extends vscode.QuickPickItem>(options: ChooseOptions<T>): Promise<Answer<T>> {
  const pick = vscode.window.createQuickPick<T>();
  pick.placeholder = options.placeholder;
  pick.matchOnDescription = true;
  return show(pick, options, async (settle, fail) => {
    pick.onDidAccept(() => {
      const [value] = pick.selectedItems;
      if (value !== undefined) settle({ kind: 'answered', value });
    });
    await fill(pick, options.items, fail);
    const active = pick.items.filter(options.isActive ?? (() => false)).slice(0, 1);
    // Without this, VS Code activates the first item; an empty list would activate none.
    if (active.length > 0) pick.activeItems = active;
  });
}

interface ChooseSeveralOptions<T extends vscode.QuickPickItem> extends StepOptions {
  readonly placeholder: string;
  readonly items: readonly T[];
}

/** Lets the user choose several items; `picked` items are selected initially. */
export function chooseSeveral<T extends vscode.QuickPickItem>(
  options: ChooseSeveralOptions<T>,
): Promise<Answer<readonly T[]>> {
  const pick = vscode.window.createQuickPick<T>();
  pick.placeholder = options.placeholder;
  pick.canSelectMany = true;
  return show(pick, options, async (settle) => {
    pick.onDidAccept(() => settle({ kind: 'answered', value: pick.selectedItems }));
    pick.items = options.items;
    pick.selectedItems = pick.items.filter(({ picked }) => picked === true);
  });
}

interface AskOptions extends StepOptions {
  readonly prompt: string;
  readonly placeholder?: string;
  readonly value?: string;
  readonly isSecret?: boolean;
  /**
   * Returns what is wrong with an answer, or undefined if it is valid. Called when the user submits the
   * answer, not while they type, so it may take a while.
   */
  readonly check?: (text: string) => Promise<string | undefined> | string | undefined;
}

/** Lets the user type a line. */
export function ask(options: AskOptions): Promise<Answer<string>> {
  const input = vscode.window.createInputBox();
  input.prompt = options.prompt;
  input.placeholder = options.placeholder ?? '';
  input.value = options.value ?? '';
  input.password = options.isSecret ?? false;
  return show(input, options, async (settle, fail) => {
    input.onDidChangeValue(() => {
      input.validationMessage = undefined;
    });
    input.onDidAccept(async () => {
      if (input.busy) return;
      const value = input.value.trim();
      input.busy = true;
      input.enabled = false;
      try {
        const problem = await options.check?.(value);
        if (problem === undefined) settle({ kind: 'answered', value });
        else input.validationMessage = problem;
      } catch (error) {
        fail(error);
      } finally {
        input.busy = false;
        input.enabled = true;
      }
    });
  });
}

/** One question of a dialog: asks it, unless it does not apply, and stores the answer. */
export type Step = (canGoBack: boolean) => Promise<'next' | 'back' | 'canceled' | 'skipped'>;

/**
 * Asks the questions of a dialog in order. *Back* returns to the previous question that was shown.
 * @returns false when canceled
 */
export async function walk(steps: readonly Step[]): Promise<boolean> {
  const shown: number[] = [];
  for (let at = 0; ; ) {
    const step = steps[at];
    if (step === undefined) return true;
    const outcome = await step(shown.length > 0);
    if (outcome === 'canceled') return false;
    if (outcome === 'back') {
      at = shown.pop() ?? 0;
      continue;
    }
    if (outcome === 'next') shown.push(at);
    at++;
  }
}

/** Passes the value of an answer to `take`, and returns where {@link walk} goes next. */
export function takeAnswer<T>(answer: Answer<T>, take: (value: T) => void): 'next' | 'back' | 'canceled' {
  if (answer.kind !== 'answered') return answer.kind;
  take(answer.value);
  return 'next';
}

/**
 * Shows a dialog until it is answered or dismissed.
 * @param prepare fills the dialog, and calls `settle` with the answer; an error for `fail` rejects the result
 */
function show<T>(
  input: vscode.QuickPick<vscode.QuickPickItem> | vscode.QuickPick<never> | vscode.InputBox,
  { title, canGoBack }: StepOptions,
  prepare: (settle: (answer: Answer<T>) => void, fail: (error: unknown) => void) => Promise<void>,
): Promise<Answer<T>> {
  input.title = title;
  // A click outside must not discard the answers.
  input.ignoreFocusOut = true;
  if (canGoBack) input.buttons = [vscode.QuickInputButtons.Back];
  return new Promise<Answer<T>>((resolve, reject) => {
    input.onDidTriggerButton((button) => {
      if (button === vscode.QuickInputButtons.Back) resolve({ kind: 'back' });
    });
    input.onDidHide(() => resolve({ kind: 'canceled' }));
    input.show();
    prepare(resolve, reject).catch(reject);
  }).finally(() => input.dispose());
}

/** Shows the items, and progress until they are known. An error of the promise goes to `fail`. */
async function fill<T extends vscode.QuickPickItem>(
  pick: vscode.QuickPick<T>,
  items: readonly T[] | Promise<readonly T[]>,
  fail: (error: unknown) => void,
): Promise<void> {
  pick.busy = items instanceof Promise;
  try {
    pick.items = [...(await items)];
  } catch (error) {
    fail(error);
  }
  pick.busy = false;
}
