import { z } from 'zod';

/** Python's packaging tools, which images do not contain by default. */
export const PACKAGE_TOOLS = ['pip', 'setuptools', 'wheel'] as const;
export type PackageTool = (typeof PACKAGE_TOOLS)[number];

/** The keys of langgraph.json that decide what is in an image; the schema of langgraph.json defines their values. */
export const ImageConfig = z.looseObject({
  dependencies: z.array(z.string()).optional(),
  env: z.union([z.string(), z.record(z.string(), z.string())]).optional(),
  python_version: z.union([z.string(), z.number()]).transform(String).optional(),
  node_version: z.union([z.string(), z.number()]).transform(String).optional(),
  api_version: z.string().optional(),
  base_image: z.string().optional(),
  image_distro: z.enum(['debian', 'bookworm', 'wolfi']).optional(),
  pip_config_file: z.string().optional(),
  pip_installer: z.enum(['auto', 'pip', 'uv']).default('auto'),
  source: z
    .looseObject({ kind: z.literal('uv'), root: z.string().default('.'), package: z.string().optional() })
    .optional(),
  keep_pkg_tools: z.union([z.boolean(), z.array(z.enum(PACKAGE_TOOLS))]).optional(),
  dockerfile_lines: z.array(z.string()).default([]),
  docker_compose_file: z.string().optional(),
  ui: z.record(z.string(), z.string()).optional(),
});
export type ImageConfig = z.output<typeof ImageConfig>;

/** The packaging tools that `keep_pkg_tools` leaves in the image. */
export function keptTools({ keep_pkg_tools: kept = false }: ImageConfig): readonly PackageTool[] {
  if (typeof kept !== 'boolean') return kept;
  return kept ? PACKAGE_TOOLS : [];
}
