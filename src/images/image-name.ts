const COMPONENT = '[a-z0-9]+(?:(?:[._]|__|-+)[a-z0-9]+)*';
const HOST = '(?:[a-zA-Z0-9](?:[a-zA-Z0-9.-]*[a-zA-Z0-9])?(?::\\d+)?/)?';
const NAME = new RegExp(`^${HOST}${COMPONENT}(?:/${COMPONENT})*(?::[\\w][\\w.-]{0,127})?$`);

/**
 * The suggested name for the image of a project.
 * @param project the name of its folder.
 */
export function suggestImageName(project: string): string {
  const plain = project
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '');
  return `${plain || 'agent'}:latest`;
}

/** Why a text is not a valid image name; undefined when it is. */
export function imageNameProblem(name: string): string | undefined {
  return NAME.test(name)
    ? undefined
    : `'${name}' cannot name an image. Use lowercase letters, such as support:1.4.`;
}
