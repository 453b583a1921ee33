import type { Integration, OAuthClient } from '../integration.ts'
import { type DoctorFinding, inconclusive, ok, wrong } from './finding.ts'
import { refreshTokenFinding } from './refresh-tokens.ts'
import type { LatestEvents } from './volunteer.ts'

export type DoctorSubject = {
  integration: Integration
  client: OAuthClient | undefined
  tenant: string | undefined
  redirectUri: string
}

type StaticFacts = {
  blockedHosts: readonly string[]
  sameApp: readonly string[]
  openInputs: readonly string[]
  latestLink: LatestEvents['link']
}

export const staticFindings = (subject: DoctorSubject, facts: StaticFacts): DoctorFinding[] => [
  clientFinding(subject),
  ...(subject.client ? [secretFinding(subject.integration, subject.client)] : []),
  redirectUriFinding(subject, facts),
  addressFinding(facts),
  refreshTokenFinding(subject.integration, facts.latestLink),
]

function clientFinding({ client, integration: { id, mcpUrl } }: DoctorSubject): DoctorFinding {
  if (!client && mcpUrl !== undefined) return ok('client', 'One is made when the first account is linked.')
  if (!client) return wrong('client', 'integration_removed', `No OAuth client is configured for ${id}.`)
  if (/\s/.test(client.id)) return wrong('client', 'client_rejected', 'The client ID contains white space.')
  return isPlaceholder(client.id)
    ? wrong('client', 'client_rejected', 'The client ID is the placeholder of an example.')
    : ok('client', 'A client is configured.')
}

function secretFinding({ clientAuthentication, mcpUrl }: Integration, { id, secret }: OAuthClient): DoctorFinding {
  const text = secret?.reveal()
  // The authentication method is discovered at the authorization server.
  if (mcpUrl !== undefined && text === undefined) return ok('client_secret', 'A public client.')
  if (clientAuthentication === 'none') {
    return text === undefined
      ? ok('client_secret', 'None is needed.')
      : inconclusive('client_secret', 'A secret is configured that the profile does not use.')
  }
  if (text === undefined) return wrong('client_secret', 'client_rejected', 'The profile needs a secret. There is none.')
  if (text === id) return wrong('client_secret', 'client_rejected', 'The secret is the client ID.')
  if (/^\s|\s$|[\r\n]/.test(text)) {
    return wrong('client_secret', 'client_rejected', 'The secret begins or ends with white space.')
  }
  return isPlaceholder(text)
    ? wrong('client_secret', 'client_rejected', 'The secret is the placeholder of an example.')
    : ok('client_secret', 'A secret is configured.')
}

const isPlaceholder = (text: string): boolean =>
  /^(?:…|\.{3}|x{3,}|<.*>|\{.*\}|change[-_]?me|secret|your[-_ ].*)$/i.test(text)

/** RFC 8252 §7.3 and most providers: https, except on localhost. Plus the rules of this provider. */
function redirectUriFinding({ redirectUri, integration }: DoctorSubject, { sameApp }: StaticFacts): DoctorFinding {
  const { protocol, hostname } = new URL(redirectUri)
  const { onePerApp, httpsOnly } = integration.about?.callbackRules ?? {}
  const isLoopback = ['localhost', '127.0.0.1', '[::1]'].includes(hostname)
  if (onePerApp && sameApp.length > 0) {
    const words = `The app takes one redirect URI, and ${sameApp.join(', ')} uses the same client with another one.`
    return wrong('redirect_uri', 'redirect_uri_rejected', `${words} Register an app for each.`)
  }
  if (isLoopback && !(httpsOnly && protocol === 'http:')) {
    return inconclusive('redirect_uri', `${redirectUri} works for browsers on this machine alone.`)
  }
  return protocol === 'https:'
    ? ok('redirect_uri', `Register ${redirectUri}, character for character${onePerApp ? ', and no other' : ''}.`)
    : wrong(
        'redirect_uri',
        'redirect_uri_rejected',
        `${redirectUri} has no https. ${httpsOnly ? 'The app refuses' : 'Most apps refuse'} it.`,
      )
}

function addressFinding({ blockedHosts, openInputs }: StaticFacts): DoctorFinding {
  if (blockedHosts.length > 0) {
    const words = `${blockedHosts.join(', ')}: a private address or without TLS, and not allowed.`
    return wrong('addresses', 'address_blocked', words)
  }
  return openInputs.length === 0
    ? ok('addresses', 'They may be called.')
    : inconclusive('addresses', `They depend on ${inputWords(openInputs)}, which a user or the tenant enters.`)
}

export const inputWords = (names: readonly string[]): string =>
  `the input${names.length === 1 ? '' : 's'} ${names.join(', ')}`
