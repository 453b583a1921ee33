// An onboarding world with a connection that can be re-linked.

import { createHash, randomBytes } from 'node:crypto'
import { sweepLinks } from '../../../src/onboarding/provisioning/flows/sweep-links.ts'
import { grantRevoked } from '../doubles/control-plane.ts'
import { HttpBrowser, type Visit } from '../http/http-browser.ts'
import { type OnboardingWorld, returnUrl, startOnboarding, type WorldOptions } from './onboarding-world.ts'

export type RelinkWorld = Awaited<ReturnType<typeof startRelinking>>

export const ways = [
  { way: 'PUT on the same connection', put: true },
  { way: 'a second connection', put: false },
]

export async function startRelinking({ put = true, ...options }: WorldOptions & { put?: boolean } = {}) {
  const world = await startOnboarding({
    ...options,
    env: { PLATFORM_CONNECTION_PUT: String(put), ...options.env },
    integration: { health: { tool: 'list_files' }, ...options.integration },
  })
  world.platform.takesPut = put
  world.platform.tool = refusesDeadGrants(world.provider)
  return Object.assign(world, {
    async link(more: Record<string, unknown> = {}): Promise<string> {
      const minted = await world.mint(more)
      const body = await world.completeToTheEnd(minted, (await world.consent(minted)).query)
      if (body.status !== 'linked') throw new Error(`not linked: ${JSON.stringify(body)}`)
      return body.connection.id
    },
    async mintRelink(
      connection: string,
      more: Record<string, unknown> = {},
    ): Promise<{ id: string; url: string; locale?: string }> {
      const body = { reason: 'it stopped working', ...more }
      const answer = await world.api('POST', `/connections/${connection}/relink-sessions`, body)
      if (answer.status !== 201) throw new Error(`not minted: ${JSON.stringify(answer.body)}`)
      return answer.body
    },
    async relink(connection: string, more: Record<string, unknown> = {}, browser = new HttpBrowser()) {
      const session = await this.mintRelink(connection, more)
      const page = await browser.follow(await browser.post(session.url), 'https://acme.example')
      return { page, browser, link: await this.linkBy(session.id) }
    },
    /** A re-link that allows any account and must be completed. */
    async relinkToOther(connection: string) {
      const verifier = randomBytes(32).toString('base64url')
      const completionChallenge = createHash('sha256').update(verifier).digest('base64url')
      const more = { allowOtherAccount: true, returnUrl, completionChallenge }
      const minted = { ...(await this.mintRelink(connection, more)), verifier }
      return world.complete(minted, (await world.consent(minted)).query)
    },
    async linkBy(session: string) {
      const { body } = await world.api('GET', `/connect-sessions/${session}`)
      return body.linkId ? (await world.api('GET', `/links/${body.linkId}`)).body : undefined
    },
    connection: async (id: string) => (await world.api('GET', `/connections/${id}`)).body,
    async secretsOf(id: string): Promise<Record<string, string>> {
      const { body } = await world.api('GET', `/connections/${id}`)
      const used = world.platform.functions.get(`acme/${body.functionName}`)?.spec.integrationConnections as string[]
      return world.platform.connections.get(`acme/${used[0]}`)?.spec.secret as Record<string, string>
    },
    storedGrantsOf: async (id: string) =>
      (
        await world.sql.query(
          'select slot, sealed, trial_refresh, fingerprint, keep_until from stored_grants where connection_id = $1 order by slot',
          [id],
        )
      ).rows,
    /** Makes a link or task due now. */
    async passTime(rounds = 6) {
      for (let round = 0; round < rounds; round++) {
        await world.sql.query("update links set due_at = now() where due_at is not null and state <> 'authorizing'")
        await sweepLinks(world.ports, world.settings)
      }
    },
  })
}

const refusesDeadGrants =
  ({ issued }: OnboardingWorld['provider']) =>
  ({ REFRESH_TOKEN }: Record<string, string>) => {
    const known = issued.find(({ token }) => token === REFRESH_TOKEN)
    return known && !known.revoked && !known.spent ? undefined : grantRevoked
  }

export const titleOf = ({ text }: Visit) => /<h1>([^<]*)<\/h1>/.exec(text)?.[1]
