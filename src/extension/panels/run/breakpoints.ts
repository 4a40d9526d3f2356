import * as l10n from '@vscode/l10n';
import { messageOf } from '../../../process/message-of.ts';
import { isTrue, logText, type StopVariables } from './breakpoint-expressions.ts';
import type { Breakpoint, RunOptions } from './messages.ts';

/** The place where a run has stopped. */
export interface StopAt extends StopVariables {
  /** The nodes that ran last. */
  readonly ran: readonly string[];
}

/** Whether a run stays stopped, and what to report. */
interface StopDecision {
  readonly isKept: boolean;
  /** Messages of logpoints, and why a condition could not be evaluated. */
  readonly notes: readonly BreakpointNote[];
}

interface BreakpointNote {
  readonly node: string;
  readonly text: string;
  readonly kind: 'log' | 'problem';
}

/**
 * Decides whether a run stays stopped at a breakpoint or continues, and counts the hits of each breakpoint.
 */
export class Breakpoints {
  readonly #hits = new Map<string, number>();

  /** Resets the hit counts, because a run begins with new input. */
  begin(): void {
    this.#hits.clear();
  }

  /**
   * Decides whether a run stays stopped. A stop that no breakpoint caused comes from the graph itself and is
   * kept.
   */
  decide(options: RunOptions, at: StopAt): StopDecision {
    const nodes = new Set([
      ...options.interrupt_before.filter((node) => at.next.includes(node)),
      ...options.interrupt_after.filter((node) => at.ran.includes(node)),
    ]);
    const notes: BreakpointNote[] = [];
    let isKept = nodes.size === 0;
    for (const node of nodes) {
      const breakpoint = options.breakpoints?.find((one) => one.node === node);
      if (this.#stops(node, breakpoint, at, notes)) isKept = true;
    }
    return { isKept, notes };
  }

  /** Whether a breakpoint keeps the run stopped; adds what to report to `notes`. */
  #stops(node: string, breakpoint: Breakpoint | undefined, at: StopAt, notes: BreakpointNote[]): boolean {
    if (breakpoint === undefined) return true;
    const { condition, hit_count = 1, log } = breakpoint;
    try {
      if (condition !== undefined && !isTrue(condition, at)) return false;
    } catch (error) {
      const reason = messageOf(error);
      const text = l10n.t('The condition “{0}” could not be evaluated: {1}', condition ?? '', reason);
      notes.push({ node, text, kind: 'problem' });
      return true;
    }
    const hits = (this.#hits.get(node) ?? 0) + 1;
    this.#hits.set(node, hits);
    if (hits < hit_count) return false;
    if (log === undefined) return true;
    notes.push({ node, text: logText(log, at), kind: 'log' });
    return false;
  }
}
