import { confirmsMember } from '../../../contract/integrations/link-form.ts'
import type { Integration, Profile } from '../integration.ts'
import { type DoctorFinding, inconclusive, ok, type Remedy, wrong } from './finding.ts'

type OfflineMembers = Pick<Profile, 'scopes' | 'scopesFrom' | 'authorizationParameters'>

const offlineScope = /^(?:offline|offline[_.]access|refresh_token)$/

/** `access_type=offline` is part of every request. `permanent` is the word of Reddit. */
const isOfflineValue = (value: string): boolean => value === 'offline' || value === 'permanent'

/** What asks for refresh tokens, besides `access_type=offline`. */
const offlineRequests = ({ scopes, scopesFrom, authorizationParameters }: OfflineMembers): string[] => [
  ...(scopesFrom === 'app' ? [] : scopes)
    .filter(({ name }) => offlineScope.test(name))
    .map(({ name }) => `the scope ${name}`),
  ...Object.entries(authorizationParameters)
    .filter(([, value]) => isOfflineValue(value))
    .map(([name, value]) => `the parameter ${name}=${value}`),
]

type LatestLink = { state: string; at: Date } | undefined

/** Only a source or a link that received one shows that the app issues them. */
export function refreshTokenFinding(integration: Integration, latest: LatestLink): DoctorFinding {
  const { grant, refreshTokens, mcpUrl } = integration
  if (grant !== 'refresh') return ok('refresh_tokens', 'The profile needs none.')
  const asked = offlineRequests(integration)
  const lacking = offlineRequests(integration.shipped?.() ?? integration).filter((each) => !asked.includes(each))
  if (lacking.length > 0) return lackingFinding(lacking)
  if (latest?.state === 'linked') {
    return ok('refresh_tokens', `The latest link received one on ${latest.at.toISOString().slice(0, 10)}.`)
  }
  if (refreshTokens === 'app_setting')
    return inconclusive('refresh_tokens', 'The app issues them only if a setting of the OAuth app is on.')
  if (refreshTokens === 'approved')
    return inconclusive('refresh_tokens', 'The app issues them only to OAuth apps that it approved for that.')
  const isSourced = integration.about?.sources.some(confirmsMember('refreshTokens')) === true
  if (mcpUrl === undefined && isSourced) return ok('refresh_tokens', sourcedWords(refreshTokens, asked))
  return inconclusive(
    'refresh_tokens',
    `${unsourcedWords(refreshTokens, asked)} Link one account and examine it again.`,
  )
}

const lackingFinding = (lacking: readonly string[]): DoctorFinding =>
  wrong(
    'refresh_tokens',
    'no_refresh_token',
    `Nothing asks for them: the request lacks ${lacking.join(' and ')}.`,
    addToEntry(lacking),
  )

const addToEntry = (lacking: readonly string[]): Remedy => ({
  whoseMove: 'operator',
  advice: `The app issues refresh tokens only if they are requested. The operator has to add ${lacking.join(' and ')} to \`scopes\` or \`authorizationParameters\` in the entry of this integration in INTEGRATIONS_FILE, for both programs, and restart them. Users who tried before then have to start again.`,
})

const requestWords = (asked: readonly string[]): string =>
  asked.length > 0 ? asked.join(' and ') : 'the parameter access_type=offline'

const sourcedWords = (refreshTokens: Profile['refreshTokens'], asked: readonly string[]): string =>
  refreshTokens === 'always'
    ? 'The app always issues them, as its profile says with a source.'
    : `They are requested by ${requestWords(asked)}, as the app expects.`

function unsourcedWords(refreshTokens: Profile['refreshTokens'], asked: readonly string[]): string {
  if (refreshTokens === 'always') return 'No source confirms that the app always issues them.'
  const hint = asked.length > 0 ? '' : ' Many apps expect a scope such as offline_access instead.'
  return `They are requested by ${requestWords(asked)}.${hint} Whether the app issues them is not known.`
}
