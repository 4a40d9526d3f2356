import * as l10n from '@vscode/l10n';
import { useEffect, useRef, useState } from 'preact/hooks';
import { duration } from '../../shared/duration.ts';
import type { CallRun } from '../transcript-model.ts';

const SECOND_MS = 1000;
const MINUTE_MS = 60_000;

/** The time and tokens that a subagent has taken so far. */
export function Spent({
  run,
  isRunning,
}: {
  readonly run: CallRun | undefined;
  readonly isRunning: boolean;
}) {
  const running = useElapsed(run, isRunning);
  if (run === undefined) return null;
  const parts = [
    run.ms === undefined ? running : duration(run.ms),
    run.tokens > 0 ? l10n.t('{0} tokens', run.tokens.toLocaleString()) : '',
  ];
  return <>{parts.filter(Boolean).join(' · ')}</>;
}

/**
 * How long a subagent has been running, in words; undefined in its first second. This is the time until the
 * last event, by the host's clock, plus the time since that event arrived.
 */
function useElapsed(run: CallRun | undefined, isRunning: boolean): string | undefined {
  const { startedAt, seenAt } = run ?? {};
  const [now, setNow] = useState(0);
  const lastEvent = useRef({ seenAt, at: performance.now() });
  if (lastEvent.current.seenAt !== seenAt) lastEvent.current = { seenAt, at: performance.now() };
  useEffect(() => {
    if (!isRunning) return undefined;
    const timer = setInterval(() => setNow(performance.now()), SECOND_MS);
    return () => clearInterval(timer);
  }, [isRunning]);
  if (!isRunning || startedAt === undefined || seenAt === undefined) return undefined;
  const elapsed = seenAt - startedAt + Math.max(0, now - lastEvent.current.at);
  if (elapsed < SECOND_MS) return undefined;
  return elapsed < MINUTE_MS ? l10n.t('{0} s', Math.floor(elapsed / SECOND_MS)) : duration(elapsed);
}
