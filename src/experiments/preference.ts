/** How an experiment compared to its baseline, according to a comparison of the two. */
export type Preference = 'won' | 'lost' | 'tied';
