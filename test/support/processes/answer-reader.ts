// Reads responses of other servers through the adapters of both programs, in a separate process, and reports its memory.
// Started by test/faults/bombs.slow.test.ts.

import { setTimeout as pause } from 'node:timers/promises'
import { brandedHeaders } from '../../../src/contract/headers.ts'
import { ProfileShape } from '../../../src/contract/integrations/profile-shape.ts'
import { Secret } from '../../../src/kit/crypto/secret.ts'
import { otlpLogs } from '../../../src/kit/export/otlp-logs.ts'
import { guardedFetch } from '../../../src/kit/fetch/guarded-fetch.ts'
import { libraryFetch, sendFor } from '../../../src/onboarding/provisioning/adapters/openid/library-fetch.ts'
import { discover } from '../../../src/onboarding/provisioning/adapters/openid/metadata.ts'
import { listTools, tryTool } from '../../../src/onboarding/provisioning/adapters/platform/mcp.ts'
import { platformHttp } from '../../../src/onboarding/provisioning/adapters/platform/platform-http.ts'
import { webhookSender } from '../../../src/onboarding/webhooks/adapters/webhook-sender.ts'
import { callbackSender } from '../../../src/platform/gateway/adapters/callbacks.ts'
import { upstreams } from '../../../src/platform/gateway/adapters/http-runtime.ts'
import { relayServer } from '../../../src/platform/gateway/adapters/relay-server.ts'
import { thirdParty } from '../../../src/platform/gateway/adapters/third-party.ts'
import { clientKeys, fetchClientKeys } from '../../../src/platform/identity/adapters/client-keys.ts'
import { metadataDocuments } from '../../../src/platform/identity/adapters/client-metadata.ts'

const host = process.argv[2] ?? ''
const headers = brandedHeaders('Service')
const forProviders = guardedFetch({ allow: [host] })
const forReceivers = guardedFetch({ allow: [host], maxBytes: 16 * 1024 })
const callbacks = callbackSender([host])
const workloads = upstreams({ silentForMs: 10_000 })
const relayed = relayServer({ silentForMs: 10_000 })
const third = thirdParty({ callMs: 10_000 })

const documents = metadataDocuments({ allow: [host] })
const keys = clientKeys(fetchClientKeys({ allow: [host] }), () => new Date())

const platformAt = (url: string) => ({ baseUrl: url, apiKey: new Secret('key'), brand: 'Service' })

const message = (url: string) => ({
  id: 'msg_1',
  at: new Date(),
  url,
  body: '{}',
  secrets: [new Secret('whsec_c2VjcmV0')],
})

const exported = { after: 0, through: 1, part: 0, records: [] }

/** Every reader of responses, by its name in docs/security-cases.md. */
const readers: Record<string, (url: string) => Promise<unknown>> = {
  metadata: (url) => discover(url, libraryFetch(forProviders)),
  // A provider's keys, userinfo and revocation are read in the same way.
  token: (url) => sendFor(forProviders, url, { method: 'POST', headers: {}, body: 'a=b' } as never),
  webhook: (url) => webhookSender(forReceivers).send(message(url) as never),
  export: (url) => otlpLogs(forProviders, { service: 's', scope: 's', endpoint: url, headers: {} }).send(exported),
  platform: (url) => platformHttp(platformAt(url)).send('GET', '/functions/x', 'acme'),
  readiness: (url) => platformHttp(platformAt(url)).look('/workspaces'),
  tools: (url) => listTools(url, { address: platformAt(url), headers }),
  tool: (url) => tryTool(url, { address: platformAt(url), headers }, { name: 'x', arguments: {} }),
  refresh: (url) =>
    third.refresh(ProfileShape.parse({ id: 'x', displayName: 'X', endpoints: { authorization: url, token: url } }), {
      name: 'c',
      secrets: new Secret({}),
    } as never),
  api: (url) =>
    third.call(
      {
        method: 'GET',
        url: new URL(url),
        body: undefined,
        api: { headers: {}, tokenHeader: 'authorization' },
      } as never,
      new Secret('t'),
      new AbortController().signal,
    ),
  callback: (url) => callbacks.send(url, {}, '{}'),
  document: (url) => documents.fetch(url),
  keys: (url) => keys.find(url, 'k'),
  workload: async (url) => {
    const signal = AbortSignal.timeout(10_000)
    const { body } = await workloads.at(url)({ method: 'GET', path: '', headers: {}, body: null, signal })
    await readSlowly(body, signal)
  },
  relay: async (url) => {
    const signal = AbortSignal.timeout(10_000)
    const secrets = ['an access token']
    const request = { method: 'GET', url: new URL(url), headers: {}, body: null, signal, secrets, displayName: 'X' }
    await readSlowly((await relayed.send(request)).body, signal)
  },
}

/** A caller that stops reading: unread data must not pile up here. */
async function readSlowly(body: AsyncIterable<unknown>, signal: AbortSignal) {
  for await (const _ of body) await pause(5_000, undefined, { signal })
}

process.on('message', async ({ id, reader, url }: { id: number; reader: string; url: string }) => {
  const startedAt = Date.now()
  const outcome = await readers[reader]?.(url).then(
    (answer) => `answered ${JSON.stringify(answer)?.slice(0, 60)}`,
    (error: Error) => `refused ${error.constructor.name}`,
  )
  globalThis.gc?.()
  process.send?.({ id, outcome, ms: Date.now() - startedAt, peakMb: process.resourceUsage().maxRSS / 1024 })
})
process.send?.({ ready: true, readers: Object.keys(readers) })
