// Names of container images, by the grammar and the rules of github.com/distribution/reference (reference.go and
// normalize.go, read at its commits 0965666 and 4ca1403), which container engines and registries share.
import { z } from 'zod'

const component = '[a-z0-9]+(?:(?:[.]|_{1,2}|-+)[a-z0-9]+)*'
const label = '[a-zA-Z0-9](?:[a-zA-Z0-9-]*[a-zA-Z0-9])?'
const domainPattern = new RegExp(`^(?:${label}(?:[.]${label})*|\\[[a-fA-F0-9:]+\\])(?::[0-9]+)?$`)
const digestPattern = '(?:sha256:[a-f0-9]{64}|sha384:[a-f0-9]{96}|sha512:[a-f0-9]{128})'
const restPattern = new RegExp(
  `^(?<path>${component}(?:/${component})*)(?::(?<tag>\\w[\\w.-]{0,127}))?(?:@(?<digest>${digestPattern}))?$`,
)
/** An image id of an engine; as a name it would be mistaken for one. */
const idPattern = /^[a-f0-9]{64}$/

const defaultDomain = 'docker.io'
const longestPath = 255

/**
 * The one spelling of all that name the same image: with its registry, and with a digest or else a tag. A digest says
 * what the image is, so a tag beside it says nothing more. Returns undefined if it is no reference.
 */
export function canonicalImage(reference: string): string | undefined {
  if (idPattern.test(reference)) return undefined
  const { domain, rest } = splitDomain(reference)
  const { path, tag = 'latest', digest } = restPattern.exec(rest)?.groups ?? {}
  if (path === undefined || path.length > longestPath || !domainPattern.test(domain)) return undefined
  const name = domain === defaultDomain && !path.includes('/') ? `${domain}/library/${path}` : `${domain}/${path}`
  return digest === undefined ? `${name}:${tag}` : `${name}@${digest}`
}

/** What stands before the first slash is a registry where it cannot be the beginning of a name. */
function splitDomain(reference: string): { domain: string; rest: string } {
  const [first = '', ...others] = reference.split('/')
  const isDomain = others.length > 0 && (first === 'localhost' || /[.:A-Z]/.test(first))
  if (!isDomain) return { domain: defaultDomain, rest: reference }
  // An earlier name of the same registry.
  return { domain: first === 'index.docker.io' ? defaultDomain : first, rest: others.join('/') }
}

export const noImageReference =
  'is not an image reference: write [registry/]name[:tag][@digest], the name in lower case, docker.io/library/python:3.12 for example'

/** Empty is the same as none: some clients send every member. */
export const ImageReference = z
  .string()
  .max(1_024)
  .refine((text) => text === '' || canonicalImage(text) !== undefined, noImageReference)
