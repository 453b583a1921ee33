// Both programs with a misbehaving provider between them and the user's data.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { firstClient, type Instance } from '../../../src/demo/misbehave/domain/instance.ts'
import { integrationEntry } from '../../../src/demo/misbehave/domain/integration-entry.ts'
import { startMisbehavingProvider } from '../../../src/demo/misbehave/server.ts'
import { freePort } from '../../../src/kit/embedded/free-port.ts'
import { listen } from '../../../src/kit/http/http-server.ts'
import { HttpBrowser } from '../../support/http/http-browser.ts'
import { waitFor } from '../../support/oracles/wait-for.ts'
import { temporaryFolder } from '../../support/processes/stores.ts'
import { startOnboarding } from '../../support/worlds/onboarding-world.ts'
import { platformWorld } from '../../support/worlds/platform-world.ts'

export type Quirk = {
  /** The provider's behavior, as switches in its address. */
  switches: string
  /** Members of the connect session request. */
  session?: object
  /** Refresh tokens are enabled or approved at the app's registration. */
  isSetOnApp?: boolean
  /** Members that the operator forgot in the profile. */
  unsaid?: readonly string[]
  /** The app accepts only our redirect URI. */
  isRegistered?: boolean
  /** Grants of this provider are not refreshed. */
  isNeverRefreshed?: boolean
  /** The provider has no revocation. */
  staysAlive?: boolean
}

export type QuirkWorld = Awaited<ReturnType<typeof startQuirkWorld>>

export async function startQuirkWorld(quirks: Readonly<Record<string, Quirk>>) {
  const provider = await startMisbehavingProvider({ host: '127.0.0.1', port: 0 })
  const named = Object.values(quirks).map((quirk, at) => ({
    id: `quirk-${at}`,
    quirk,
    path: `q${at};${quirk.switches}`,
  }))
  for (const { quirk, path } of named) if (quirk.isSetOnApp) provider.instance(path).appSetting = true
  const integrations = named.map(({ id, path, quirk }) => {
    const entry = Object.entries(integrationEntry(provider.instance(path), id))
    return Object.fromEntries(entry.filter(([member]) => !quirk.unsaid?.includes(member)))
  })
  const port = await freePort()
  const env = { PORT: String(port), PUBLIC_URL: `http://127.0.0.1:${port}` }
  const platform = await platformWorld({ env, integrations })
  const server = await listen(platform.app, { host: '127.0.0.1', port })
  const file = join(temporaryFolder(), 'integrations.json')
  writeFileSync(file, JSON.stringify({ integrations }))
  const onboarding = await startOnboarding({
    egressAllow: [`127.0.0.1:${provider.port}`],
    env: {
      PLATFORM_URL: `${env.PUBLIC_URL}/v0`,
      PLATFORM_API_KEY: platform.admin.key,
      INTEGRATIONS_FILE: file,
    },
  })
  for (const { id, quirk, path } of named) {
    if (quirk.isRegistered) registerAlone(provider.instance(path), `${onboarding.url}/oauth/callback/${id}`)
  }
  return {
    ...onboarding,
    /** The integration of a quirk, and its provider. */
    of(quirk: Quirk): { id: string; instance: Instance } {
      const found = named.find((each) => each.quirk === quirk)
      if (!found) throw new Error('not a quirk of this world')
      return { id: found.id, instance: provider.instance(found.path) }
    },
    async link(quirk: Quirk, session = quirk.session): Promise<string> {
      const minted = await onboarding.mint({ integrationId: this.of(quirk).id, ...session })
      const body = await onboarding.completeToTheEnd(minted, (await onboarding.consent(minted)).query)
      if (body.status !== 'linked') throw new Error(`not linked: ${JSON.stringify(body.cause ?? body)}`)
      return body.connection.id
    },
    async relink(connection: string): Promise<string> {
      const path = `/connections/${connection}/relink-sessions`
      const { body: session } = await onboarding.api('POST', path, { reason: 'for the test' })
      const browser = new HttpBrowser()
      await browser.follow(await browser.post(session.url), 'https://acme.example')
      return waitFor('the re-link has ended', async () => {
        const { body } = await onboarding.api('GET', `/connect-sessions/${session.id}`)
        const link = body.linkId && (await onboarding.api('GET', `/links/${body.linkId}`)).body
        return link && link.status !== 'pending' && (link.cause?.code ?? link.status)
      })
    },
    /** Calls a tool of the connection. */
    async check(connection: string): Promise<string> {
      const path = `/connections/${connection}/health-checks`
      const { body } = await onboarding.api('POST', path, { reason: 'for the test' })
      return body.cause?.code ?? body.outcome
    },
    async disconnect(connection: string): Promise<void> {
      const path = `/connections/${connection}/disconnect`
      await onboarding.api('POST', path, { reason: 'for the test' })
      await waitFor('it is disconnected', async () => {
        const { body } = await onboarding.api('GET', `/connections/${connection}`)
        return body.status === 'disconnected'
      })
    },
    async close() {
      await onboarding.close()
      await server.close(0)
      await platform.close()
      await provider.close()
    },
  }
}

function registerAlone({ clients }: Instance, redirectUri: string): void {
  clients.set(firstClient.id, { ...firstClient, redirectUris: [redirectUri] })
}
