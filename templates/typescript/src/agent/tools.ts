import { tool } from '@langchain/core/tools';
import * as z from 'zod';

/** The model reads name, description and schema, so say there what the tool is for and what it takes. */
const currentTime = tool(
  ({ time_zone }) => new Date().toLocaleString('en-GB', { timeZone: time_zone, timeZoneName: 'short' }),
  {
    name: 'current_time',
    description: 'Tells the date and the time of day.',
    schema: z.object({
      time_zone: z.string().default('UTC').describe('An IANA time zone, such as Europe/Berlin.'),
    }),
  },
);

/** Every tool the model may call. */
export const tools = [currentTime];
