import { Cron } from 'croner';
import { messageOf } from '../../../process/message-of.ts';
import { invalid } from '../../http/errors.ts';

export interface Timing {
  readonly schedule: string;
  /** IANA name; null is UTC. */
  readonly timezone: string | null;
  readonly end_time: string | null;
  readonly enabled: boolean;
}

const SHAPE = /^(?:@\w+|\S+(?:\s+\S+){4,5})$/;

/**
 * Checks a schedule and its time zone.
 * @throws HttpError 422 that names the field.
 */
export function checkTiming({ schedule, timezone }: Pick<Timing, 'schedule' | 'timezone'>): void {
  if (timezone !== null && !isTimezone(timezone)) {
    throw invalid(
      ['body', 'timezone'],
      `'${timezone}' is not a time zone. Use an IANA name such as Europe/Paris.`,
    );
  }
  try {
    if (!SHAPE.test(schedule.trim())) throw new Error('expected five fields, or six with seconds first');
    if (new Cron(schedule, { paused: true }).nextRun() === null) throw new Error('it never runs');
  } catch (error) {
    const reason = messageOf(error);
    throw invalid(['body', 'schedule'], `'${schedule}' is not a valid cron schedule: ${reason}`);
  }
}

/** When a cron runs next after a moment; null for never. */
export function nextRun(timing: Timing, after: Date): string | null {
  if (!timing.enabled) return null;
  const next = new Cron(timing.schedule, { timezone: timing.timezone ?? 'UTC', paused: true }).nextRun(after);
  if (next === null || (timing.end_time !== null && next.getTime() > Date.parse(timing.end_time)))
    return null;
  return next.toISOString();
}

function isTimezone(name: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone: name });
    return true;
  } catch {
    return false;
  }
}
