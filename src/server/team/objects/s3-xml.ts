const ENTITIES: ReadonlyMap<string, string> = new Map([
  ['lt', '<'],
  ['gt', '>'],
  ['quot', '"'],
  ['apos', "'"],
  ['amp', '&'],
]);

/**
 * The texts of all elements with a certain name in an S3 response. The elements that are read here (keys, codes,
 * tokens) have no attributes and contain only text.
 */
export function textsOf(xml: string, element: string): string[] {
  return [...xml.matchAll(new RegExp(`<${element}>([^<]*)</${element}>`, 'g'))].map(([, text = '']) =>
    text.replace(
      /&(#?\w+);/g,
      (entity: string, name: string) => ENTITIES.get(name) ?? characterOf(name) ?? entity,
    ),
  );
}

/** The character of `#34` or `#x22`; undefined for any other name. */
function characterOf(name: string): string | undefined {
  const number = Number(name.replace(/^#x/, '0x').replace(/^#/, ''));
  return Number.isNaN(number) ? undefined : String.fromCodePoint(number);
}
