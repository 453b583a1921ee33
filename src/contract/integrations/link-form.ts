// The members that must be correct before the first user can link, and the tier that their sources justify.
import type { tiers } from './categories.ts'

export const linkFormMembers = [
  'authorization',
  'token',
  'scopes',
  'scopeSeparator',
  'pkce',
  'refreshTokens',
  'clientAuthentication',
] as const
export type LinkFormMember = (typeof linkFormMembers)[number]

export type LinkFormSource = {
  date?: string | undefined
  isVendor?: true | undefined
  confirms?: readonly LinkFormMember[] | undefined
}

type SourcedProvider = {
  asOf: string
  sources: readonly LinkFormSource[]
  scopesFrom?: string | undefined
  products: ReadonlyArray<{ scopes?: readonly unknown[] | undefined }>
}

export const confirmsMember =
  (member: LinkFormMember) =>
  ({ confirms = [] }: LinkFormSource): boolean =>
    confirms.includes(member)

/** A separator needs a source only if some request has two scopes. */
export const unsourcedMembers = ({ sources, scopesFrom, products }: SourcedProvider): LinkFormMember[] => {
  const isJoined = scopesFrom !== 'app' && products.some(({ scopes = [] }) => scopes.length > 1)
  return linkFormMembers.filter(
    (member) => (member !== 'scopeSeparator' || isJoined) && !sources.some(confirmsMember(member)),
  )
}

export function earnedTier(provider: SourcedProvider): (typeof tiers)[number] {
  if (unsourcedMembers(provider).length > 0) return 'listed'
  const addresses = ['authorization', 'token'] as const
  const ofVendor = provider.sources.filter(({ isVendor }) => isVendor)
  if (addresses.every((member) => ofVendor.some(confirmsMember(member)))) return 'verified'
  return addresses.every((member) => witnesses(provider, member) >= 2) ? 'corroborated' : 'listed'
}

/** Sources older than two years count once, however many agree: they may have copied each other. */
function witnesses({ asOf, sources }: SourcedProvider, member: LinkFormMember): number {
  const oldest = `${Number(asOf.slice(0, 4)) - 2}${asOf.slice(4)}`
  const isOld = ({ date = '' }: LinkFormSource) => date < oldest
  const confirming = sources.filter(confirmsMember(member))
  return confirming.filter((source) => !isOld(source)).length + (confirming.some(isOld) ? 1 : 0)
}
