/**
 * A UUID in a name, with the separators before it: CrewAI names spans `Crew_6244e7b5-…-6b09989e3a9c.kickoff`.
 */
const ID = /[\s_:-]*[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}/gi;

/**
 * The name of a span as it is shown: without IDs, which hide the words. A name that is only an ID is kept.
 */
export function shownName(name: string): string {
  return name.replace(ID, '') || name;
}
