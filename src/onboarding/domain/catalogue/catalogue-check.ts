import type { ProviderAbout } from '../../../contract/integrations/provider-file.ts'
import { ageInDays, tierToday } from './catalogue-item.ts'

/** `not_asked`: the address has placeholders that only a user can fill, or is discovered. */
export type Presence = 'there' | 'gone' | 'unreachable' | 'not_asked'

export type Addresses = { authorization?: string | undefined; token?: string | undefined }

export type CheckedProvider = { about: ProviderAbout; addresses: Addresses }

type ServerAnswers = {
  authorization: Presence
  token: Presence
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
