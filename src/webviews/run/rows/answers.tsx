import './answers.css';
import { memo } from 'preact/compat';
import { ErrorBoundary } from '../../shared/error-boundary.tsx';
import type { Answers } from '../timeline-rows.ts';
import { AiMessage } from './message.tsx';
import type { AnswerProps } from './row-props.ts';

interface AnswersProps extends Pick<AnswerProps, 'store' | 'isCurrent' | 'InnerRow'> {
  readonly answers: Answers;
  /** Whether answers show the node that produced them. */
  readonly showsNodes: boolean;
}

/** The answers of parallel branches, side by side if there is room. */
export function AnswersRow({ answers, store, showsNodes, isCurrent, InnerRow }: AnswersProps) {
  return (
    <div class={answers.branches.length > 1 ? 'branches' : ''}>
      {answers.branches.map(({ task, answers: branch }) => (
        <div key={task} class="branch">
          {branch.map(({ row, isOther }) => (
            <ErrorBoundary key={row.id} of={row}>
              <Answer
                row={row}
                store={store}
                showsNode={showsNodes && isOther}
                isCurrent={isCurrent}
                InnerRow={InnerRow}
              />
            </ErrorBoundary>
          ))}
        </div>
      ))}
    </div>
  );
}

/** An answer that is drawn again only when its own props change. */
const Answer = memo(AiMessage);
