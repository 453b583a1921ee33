import type { ProviderAbout } from '../../../contract/integrations/provider-file.ts'
import { ageInDays, tierToday } from './catalogue-item.ts'

/** `not_asked`: the address has placeholders that only a user can fill, or is discovered. */
export type Presence = 'there' | 'gone' | 'unreachable' | 'not_asked'

export type Addresses = { authorization?: string | undefined; token?: string | undefined }

export type AddressKind = 'authorization' | 'token' | 'mcp'

/** `mcp`: the address of the MCP server by the ID of its integration. */
export type CheckedProvider = { about: ProviderAbout; addresses: Addresses; mcp: Readonly<Record<string, string>> }

type ServerAnswers = {
  authorization: Presence
  token: Presence
  mcp: Record<string, Presence>
  published: Addresses | undefined
}

export type ProviderFinding = {
  id: string
  tier: string
  asOf: string
  ageDays: number
  authorization: Presence
  token: Presence
  mcp: Record<string, Presence>
  published: 'same' | 'differs' | 'none'
  differences: Addresses
}

export function findingOf({ about, addresses }: CheckedProvider, seen: ServerAnswers, now: Date): ProviderFinding {
  const { authorization, token, mcp, published } = seen
  const differences = published ? differencesOf(addresses, published) : {}
  const isSame = Object.keys(differences).length === 0
  return {
    id: about.id,
    tier: tierToday(about, now),
    asOf: about.asOf,
    ageDays: ageInDays(about.asOf, now),
    authorization,
    token,
    mcp,
    published: published ? (isSame ? 'same' : 'differs') : 'none',
    differences,
  }
}

export const needsLook = ({ authorization, token, mcp, published }: ProviderFinding): boolean =>
  [authorization, token, ...Object.values(mcp)].includes('gone') || published === 'differs'

/** A few names show whether this machine resolves any. */
const maxSample = 5

export const sampleOf = (providers: readonly CheckedProvider[]): string[] =>
  providers
    .flatMap(({ addresses, mcp }) => [...Object.values(addresses), ...Object.values(mcp)])
    .filter(isWhole)
    .slice(0, maxSample)

export const isWhole = (address: string | undefined): address is string =>
  address !== undefined && !address.includes('{')

function differencesOf(written: Addresses, published: Addresses): Addresses {
  const names = ['authorization', 'token'] as const
  return Object.fromEntries(
    names
      .filter((name) => written[name] && published[name] && trimmed(written[name]) !== trimmed(published[name]))
      .map((name) => [name, published[name]]),
  )
}

const trimmed = (address: string) => address.replace(/\/$/, '')
