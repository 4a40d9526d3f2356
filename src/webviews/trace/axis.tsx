import * as l10n from '@vscode/l10n';
import { tickLabel, ticksOf } from './ticks.ts';
import type { Trace } from './waterfall.ts';

/** The maximum number of marks on the axis besides 0. */
const AXIS_MARKS = 3;

interface AxisProps {
  readonly trace: Trace;
  readonly hasTokens: boolean;
  readonly hasCost: boolean;
}

/** The heads of the columns, and the time axis above the bars. */
export function Axis({ trace, hasTokens, hasCost }: AxisProps) {
  const length = trace.end - trace.start;
  return (
    <div class="axis" aria-hidden="true">
      <span class="name">{l10n.t('Span')}</span>
      {hasTokens && <span class="tokens">{l10n.t('Tokens')}</span>}
      {hasCost && <span class="cost">{l10n.t('Cost')}</span>}
      <span class="time">{l10n.t('Time')}</span>
      <span class="marks">
        {length > 0 &&
          ticksOf(length, AXIS_MARKS).map((ms) => (
            <span key={ms} class="mark" style={{ left: `${(ms / length) * 100}%` }}>
              {tickLabel(ms)}
            </span>
          ))}
      </span>
    </div>
  );
}

/** Vertical lines below the marks of the axis. */
export function GridLines({ trace }: { readonly trace: Trace }) {
  const length = trace.end - trace.start;
  if (!(length > 0)) return null;
  return (
    <div class="grid" aria-hidden="true">
      <div class="lines">
        {ticksOf(length, AXIS_MARKS).map((ms) => (
          <span key={ms} class="line" style={{ left: `${(ms / length) * 100}%` }} />
        ))}
      </div>
    </div>
  );
}
