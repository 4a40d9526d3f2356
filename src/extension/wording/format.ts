import { l10n } from 'vscode';
import { durationOf } from '../../terms/durations.ts';
import { sizeOf } from '../../terms/sizes.ts';
import { ageOf, millisecondsBetween } from '../../terms/times.ts';

/**
 * How long ago something was, in the short form of a tree row: `now`, `5 min ago`, `3 h ago`, `2 d ago`, else
 * the date. Empty without a time.
 */
export function ago(time: string | null | undefined): string {
  const age = ageOf(time, Date.now());
  switch (age?.unit) {
    case undefined:
      return '';
    case 'now':
      return l10n.t('now');
    case 'min':
      return l10n.t('{0} min ago', age.value);
    case 'h':
      return l10n.t('{0} h ago', age.value);
    case 'd':
      return l10n.t('{0} d ago', age.value);
    case 'date':
      return age.date.toLocaleDateString();
  }
}

/** `840 ms`, `1.24 s`, `12.3 s`, `2 min 5 s`; empty without an end time. */
export function latency(start: string | null | undefined, end: string | null | undefined): string {
  const ms = millisecondsBetween(start, end);
  if (ms === undefined) return '';
  const duration = durationOf(ms);
  switch (duration.unit) {
    case 'ms':
      return l10n.t('{0} ms', duration.value);
    case 's':
      return l10n.t('{0} s', duration.value);
    case 'min':
      return l10n.t('{0} min {1} s', duration.minutes, duration.seconds);
  }
}

/** `152 bytes`, `12 KB`, `3.4 MB`. */
export function sizeText(bytes: number): string {
  const { value, unit } = sizeOf(bytes);
  switch (unit) {
    case 'bytes':
      return value === 1 ? l10n.t('1 byte') : l10n.t('{0} bytes', value);
    case 'KB':
      return l10n.t('{0} KB', value);
    case 'MB':
      return l10n.t('{0} MB', value);
    case 'GB':
      return l10n.t('{0} GB', value);
    case 'TB':
      return l10n.t('{0} TB', value);
  }
}

/**
 * The last 8 characters of an ID. The first ones are no use: UUIDs of version 7 begin with the time, so
 * neighbors share them.
 */
export function shortId(id: string): string {
  return id.slice(-8);
}

/** Joins the parts of a description that are present: `5 min ago · 1.24 s`. */
export function joinParts(...parts: readonly (string | undefined)[]): string {
  return parts.filter((part) => part !== undefined && part !== '').join(' · ');
}

/** `1 example`, `1,200 examples`. */
export function formatExampleCount(count: number): string {
  return count === 1 ? l10n.t('1 example') : l10n.t('{0} examples', count.toLocaleString());
}
