/** The name of a Python package in the form in which names are compared (PEP 503). */
export function normalizePythonName(name: string): string {
  return name.toLowerCase().replace(/[-_.]+/g, '-');
}
