/** Whether the run of an experiment was preferred to that of its baseline. */
export type Preference = 'won' | 'lost' | 'tied';
