/** A name in which characters that change the direction of text, and could disguise the name, are replaced. */
export function plainName(name: string): string {
  return name.toWellFormed().replace(/[\u200e\u200f\u202a-\u202e\u2066-\u2069]/g, '\ufffd');
}
