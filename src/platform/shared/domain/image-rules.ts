import { canonicalImage } from '../../../contract/control-plane/image-reference.ts'

export type ImageRules = ReturnType<typeof imageRules>

/** Without prefixes, tenants run what the engine has, and nothing is pulled. */
export function imageRules(prefixes: readonly string[]) {
  const isNamed = (image: string) =>
    prefixes.some((prefix) => prefix === '*' || canonicalImage(image)?.startsWith(prefix))
  return {
    /** A sentence for tenants if it may not run. */
    problem: (image: string): string | undefined =>
      prefixes.length === 0 || isNamed(image)
        ? undefined
        : `The image ${image} may not run on this platform. Its operator allows ${prefixes.join(', ')} (ENGINE_IMAGES).`,
    mayPull: isNamed,
    /** What was checked. To an engine, a short name may also be the start of an ID, or name another registry. */
    reference: (image: string): string =>
      prefixes.length === 0 || prefixes.includes('*') ? image : (canonicalImage(image) ?? image),
  }
}
