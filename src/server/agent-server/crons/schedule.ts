import { Cron } from 'croner';
import { messageOf } from '../../../process/message-of.ts';
import { invalid } from '../../http/errors.ts';

/** When a cron runs. */
export interface Timing {
  readonly schedule: string;
  /** The IANA name of the time zone; null for UTC. */
  readonly timezone: string | null;
  /** The time after which the cron does not run; null for no end. */
  readonly end_time: string | null;
  readonly enabled: boolean;
}

/** A name such as `@daily`, or five or six fields. */
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

/** The time when a cron runs next after `after`, in UTC; null for never. */
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
