import { Failure } from '../../../domain/failure.ts'
import type { RelayedRequest, RelayedResponse } from '../../../domain/ports/function-relay.ts'
import type { Ports } from '../../../domain/ports/ports.ts'
import { assertActive } from '../../../domain/tenant.ts'
import { isTestTenant } from '../../../domain/test-mode/test-mode.ts'
import { tenantOf } from '../../../tenants/flows/manage-tenants.ts'
import { type ConnectionInSight, liveConnection } from '../own-connection.ts'

type RelayToAccount = ConnectionInSight & Omit<RelayedRequest, 'functionUrl'> & { relay: string }

/** Sends a request of the tenant to the API of the linked account. `relay` is the address of this relay. */
export async function relayToAccount(
  ports: Pick<Ports, 'connections' | 'tenants' | 'audit' | 'functionRelay'>,
  { relay, path, method, headers, body, signal, ...sight }: RelayToAccount,
): Promise<RelayedResponse> {
  assertNoDots(path)
  const { tenant, functionUrl, ...connection } = await liveConnection(ports, sight)
  assertActive(await tenantOf(ports, tenant))
  if (isTestTenant(tenant)) return simulated({ method, path, ...connection })
  const answer = await ports.functionRelay.send({ functionUrl, path, method, headers, body, signal })
  const inner = `${functionUrl}/relay/`
  const moved = ['location', 'content-location'].flatMap((name) => {
    const { [name]: address } = answer.headers
    const isInner = typeof address === 'string' && address.startsWith(inner)
    return isInner ? [[name, `${relay}/${address.slice(inner.length)}`]] : []
  })
  return { ...answer, headers: { ...answer.headers, ...Object.fromEntries(moved) } }
}

const dots = /(^|[/\\]|%2f|%5c)(\.|%2e){1,2}([/\\;]|%2f|%5c|$)/i

/** A proxy before the platform may resolve them, and the request would reach another function. */
function assertNoDots(path: string): void {
  const [place = ''] = path.split('?', 1)
  if (dots.test(place)) throw new Failure('input_invalid', 'The path must not contain the segments . or ..')
}

type Simulated = {
  method: string
  path: string
  status: string
  integration: string
  account: { label: string } | undefined
}

/** In test mode every path returns the linked account. */
function simulated({ status, integration, account, method, path }: Simulated): RelayedResponse {
  if (status !== 'active') {
    throw new Failure('account_unusable', `Access to ${integration} has ended. Reconnect the account.`)
  }
  const answer = { testMode: true, integration, account: account?.label, request: { method, path } }
  return {
    status: 200,
    headers: { 'content-type': 'application/json; charset=utf-8' },
    body: chunks(Buffer.from(JSON.stringify(answer))),
  }
}

async function* chunks(...bytes: Uint8Array[]) {
  yield* bytes
}
