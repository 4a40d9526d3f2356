import { z } from 'zod';

/**
 * The schema of a list that keeps only valid items. Extensions also contribute invalid items, which VS Code
 * ignores too.
 */
export const listOfValid = <Item extends z.ZodType>(item: Item) =>
  z
    .array(z.unknown())
    .catch([])
    .transform((items) =>
      items.flatMap((one) => {
        const read = item.safeParse(one);
        return read.success ? [read.data] : [];
      }),
    );
