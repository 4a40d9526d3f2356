/** How an experiment did beside its baseline, as a comparison of the two says. */
export type Preference = 'won' | 'lost' | 'tied';
