import { l10n } from 'vscode';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** How long ago something was, as short as a tree row wants it: `now`, `5 min`, `3 h`, `2 d`, else the date. */
export function ago(timestamp: string | null | undefined, now = Date.now()): string {
  const time = Date.parse(timestamp ?? '');
  if (Number.isNaN(time)) return '';
  const age = now - time;
  if (age < MINUTE) return l10n.t('now');
  if (age < HOUR) return l10n.t('{0} min ago', Math.floor(age / MINUTE));
  if (age < DAY) return l10n.t('{0} h ago', Math.floor(age / HOUR));
  if (age < 14 * DAY) return l10n.t('{0} d ago', Math.floor(age / DAY));
  return new Date(time).toLocaleDateString();
}

/** `840 ms`, `1.24 s`, `12.3 s`, `2 min 5 s`, as the trace panel says it; empty when it has not ended. */
export function latency(start: string | null | undefined, end: string | null | undefined): string {
  const ms = Date.parse(end ?? '') - Date.parse(start ?? '');
  if (Number.isNaN(ms)) return '';
  if (ms < 999.5) return l10n.t('{0} ms', Math.round(ms));
  const seconds = ms / 1000;
  if (seconds < 10) return l10n.t('{0} s', seconds.toFixed(2));
  if (seconds < 59.95) return l10n.t('{0} s', seconds.toFixed(1));
  const whole = Math.round(seconds);
  return l10n.t('{0} min {1} s', Math.floor(whole / 60), whole % 60);
}

/** The beginning of an id, enough to distinguish neighbors; UUIDs of version 7 begin with the time, so its end. */
export function shortId(id: string): string {
  return id.slice(-8);
}

export function joinParts(...parts: readonly (string | undefined)[]): string {
  return parts.filter((part) => part !== undefined && part !== '').join(' · ');
}
