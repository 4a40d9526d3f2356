/**
 * The few members of a DOM element that functions sent into the page use. The project has no DOM types outside
 * its webviews, so that nothing else uses the DOM by mistake.
 */
export interface DomElement {
  readonly className: string;
  readonly textContent: string | null;
  readonly innerText: string;
  readonly style: { readonly top: string; readonly height: string };
  readonly offsetHeight: number;
  getAttribute(name: string): string | null;
  closest(selector: string): DomElement | null;
  querySelector(selector: string): DomElement | null;
  querySelectorAll(selector: string): Iterable<DomElement>;
}
