// Container image names, by the grammar and rules of github.com/distribution/reference (reference.go and normalize.go,
// commits 0965666 and 4ca1403), which container engines and registries share.
import { z } from 'zod'

const component = '[a-z0-9]+(?:(?:[.]|_{1,2}|-+)[a-z0-9]+)*'
const label = '[a-zA-Z0-9](?:[a-zA-Z0-9-]*[a-zA-Z0-9])?'
const domainPattern = new RegExp(`^(?:${label}(?:[.]${label})*|\\[[a-fA-F0-9:]+\\])(?::[0-9]+)?$`)
const digestPattern = '(?:sha256:[a-f0-9]{64}|sha384:[a-f0-9]{96}|sha512:[a-f0-9]{128})'
const restPattern = new RegExp(
  `^(?<path>${component}(?:/${component})*)(?::(?<tag>\\w[\\w.-]{0,127}))?(?:@(?<digest>${digestPattern}))?$`,
)
const idPattern = /^[a-f0-9]{64}$/

const defaultDomain = 'docker.io'
const maxPathLength = 255

/** Adds the registry, and the digest or else the tag. Returns undefined for an invalid reference. */
export function canonicalImage(reference: string): string | undefined {
  if (idPattern.test(reference)) return undefined
  const { domain, rest } = splitDomain(reference)
  const { path, tag = 'latest', digest } = restPattern.exec(rest)?.groups ?? {}
  if (path === undefined || path.length > maxPathLength || !domainPattern.test(domain)) return undefined
  const name = domain === defaultDomain && !path.includes('/') ? `${domain}/library/${path}` : `${domain}/${path}`
  return digest === undefined ? `${name}:${tag}` : `${name}@${digest}`
}

/** The part before the first slash is a registry if it can't be the start of a name. */
function splitDomain(reference: string): { domain: string; rest: string } {
  const [first = '', ...others] = reference.split('/')
  const isDomain = others.length > 0 && (first === 'localhost' || /[.:A-Z]/.test(first))
  if (!isDomain) return { domain: defaultDomain, rest: reference }
  // index.docker.io is an older name of docker.io.
  return { domain: first === 'index.docker.io' ? defaultDomain : first, rest: others.join('/') }
}

export const noImageReference =
  'is not an image reference: use [registry/]name[:tag][@digest] with a lower-case name, for example docker.io/library/python:3.12'

/** Empty means none: some clients send every member. */
export const ImageReference = z
  .string()
  .max(1_024)
  .refine((text) => text === '' || canonicalImage(text) !== undefined, noImageReference)
