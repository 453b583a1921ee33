// Whether an entry of the catalogue is still true, as far as servers tell without an account.
import type { ProviderAbout } from '../../../contract/integrations/provider-file.ts'
import { ageInDays, tierToday } from './catalogue-item.ts'

/** `not_asked`: the address has gaps that only a user can fill, or is discovered. */
export type Presence = 'there' | 'gone' | 'unreachable' | 'not_asked'

export type Addresses = { authorization?: string | undefined; token?: string | undefined }

export type CheckedProvider = { about: ProviderAbout; addresses: Addresses }

export type ServerAnswers = {
  authorization: Presence
  token: Presence
  /** What the provider's own metadata says; undefined if there is none. */
  published: Addresses | undefined
}

export type ProviderFinding = {
  id: string
  tier: string
  asOf: string
  ageDays: number
  authorization: Presence
  token: Presence
  published: 'same' | 'differs' | 'none'
  /** Addresses that the provider publishes in place of the file's. */
  differences: Addresses
}

export function findingOf({ about, addresses }: CheckedProvider, seen: ServerAnswers, now: Date): ProviderFinding {
  const { authorization, token, published } = seen
  const differences = published ? differencesOf(addresses, published) : {}
  const isSame = Object.keys(differences).length === 0
  return {
    id: about.id,
    tier: tierToday(about, now),
    asOf: about.asOf,
    ageDays: ageInDays(about.asOf, now),
    authorization,
    token,
    published: published ? (isSame ? 'same' : 'differs') : 'none',
    differences,
  }
}

/** Something that somebody has to look at; a server that cannot be reached today says nothing about the file. */
export const needsLook = ({ authorization, token, published }: ProviderFinding): boolean =>
  authorization === 'gone' || token === 'gone' || published === 'differs'

function differencesOf(written: Addresses, published: Addresses): Addresses {
  const names = ['authorization', 'token'] as const
  return Object.fromEntries(
    names
      .filter((name) => written[name] && published[name] && trimmed(written[name]) !== trimmed(published[name]))
      .map((name) => [name, published[name]]),
  )
}

const trimmed = (address: string) => address.replace(/\/$/, '')
