import { Failure } from '../../../shared/domain/failure.ts'
import { spelledSecrets } from '../../../shared/domain/hidden-secrets.ts'
import { overLimit } from '../../../shared/domain/limit.ts'
import { type ConnectedFunction, type Connection, GrantRevoked, type Workloads } from '../../domain/connection.ts'
import { filledProfile, type Integration, type Integrations } from '../../domain/integration.ts'
import type { SendRelayed } from '../../domain/ports.ts'
import {
  accountAt,
  answeredHeaders,
  assertAllowed,
  type RelayAddress,
  relayHeaders,
  relayName,
  relayUrl,
  sentSecrets,
} from '../../domain/relay/relay.ts'
import { toolFailure } from '../../domain/tool-failure.ts'
import type { PolicyOf, ToolPolicy } from '../../domain/tool-policy.ts'
import { type Bytes, type Gone, type Headers, running, type WorkloadAnswer } from '../../domain/workload.ts'
import type { GetAccessToken } from '../access-token.ts'
import { withApproval } from '../approvals/relay-approval.ts'
import type { CallerReceipts } from '../approvals/with-receipt.ts'
import { secretsOf } from '../call-tool.ts'
import type { GrantNotes } from '../grant-notes.ts'

export type RelayAccount = { functionName: string; integration: Integration; connection: Connection }

export type RelayFunction = { id: string; name: string; memoryMb: number; accounts: readonly RelayAccount[] }

type Openers = {
  workloads: Pick<Workloads, 'findFunctionWithConnections'>
  integrations: Pick<Integrations, 'get' | 'current'>
}

export const openRelay = ({ workloads, integrations }: Openers) => {
  const known = new WeakMap<ConnectedFunction, { settings: object; opened: RelayFunction }>()
  return async (workspace: string, name: string): Promise<RelayFunction> => {
    const found = running(await workloads.findFunctionWithConnections(workspace, name), 'function')
    const { id, memoryMb, connections } = found
    const accounts = () =>
      connections.flatMap((connection) => {
        const profile = integrations.get(connection.integration)
        return profile
          ? [{ functionName: name, connection, integration: filledProfile(profile, connection.config) }]
          : []
      })
    const settings = integrations.current()
    const before = known.get(found)
    if (before?.settings === settings) return before.opened
    const opened = { id, name, memoryMb, accounts: accounts() }
    known.set(found, { settings, opened })
    return opened
  }
}

export type RelayPorts = {
  accessToken: GetAccessToken
  sendRelayed: SendRelayed
  grantNotes: Pick<GrantNotes, 'restored' | 'failed'>
  policyOf: PolicyOf
  takeCall(key: string, perMinute: number): number | undefined
  approvalPage(id: string): string
}

type RelayCall = {
  receipts: CallerReceipts
  method: string
  address: RelayAddress
  headers: Headers
  /** A stream can be sent once only. */
  body: Bytes | Uint8Array | null
  signal: Gone
  /** Before the host in the address of the relay. */
  relay: string
}

/** Replaces the token after the first 401, because tokens can be revoked early. */
export async function relayRequest(ports: RelayPorts, opened: RelayFunction, call: RelayCall): Promise<WorkloadAnswer> {
  const account = accountAt(opened.accounts, call.address.host)
  const { integration, connection } = account
  const url = relayUrl(call.method, call.address, integration)
  const policy = ports.policyOf(connection)
  assertPermitted(ports, opened, account, { method: call.method, url, policy })
  const allowed = await withApproval(ports, account, call, { url, policy })
  try {
    const answer = await sendWithToken(ports, account, allowed.call, url)
    await allowed.settle(answer.status === 401 ? 'refused' : 'answered')
    return answer
  } catch (error) {
    if (error instanceof GrantRevoked) await allowed.settle('refused')
    throw await describeFailure(ports, account, error)
  }
}

export async function describeFailure(
  { grantNotes }: Pick<RelayPorts, 'grantNotes'>,
  account: RelayAccount,
  error: unknown,
): Promise<unknown> {
  await grantNotes.failed(account, error)
  const failure = toolFailure(error, account)
  if (!failure) return error
  const isPassing = failure.code === 'third_party_unavailable' || failure.code === 'refresh_refused'
  return new Failure(isPassing ? 'third_party_unavailable' : 'connection_unusable', failure.message, { cause: error })
}

async function sendWithToken(
  ports: RelayPorts,
  account: RelayAccount,
  call: RelayCall,
  url: URL,
): Promise<WorkloadAnswer> {
  const { integration, connection } = account
  const token = await ports.accessToken(integration, connection)
  const answer = await send(ports, account, call, { url, token: token.reveal() })
  if (answer.status !== 401) return await noted(ports, account, answer)
  const fresh = await ports.accessToken(integration, connection, token)
  if (isStream(call.body)) return answer
  await answer.body[Symbol.asyncIterator]().return?.()
  return await noted(ports, account, await send(ports, account, call, { url, token: fresh.reveal() }))
}

const isStream = (body: RelayCall['body']): boolean => body !== null && !(body instanceof Uint8Array)

type Asked = { method: string; url: URL; policy: ToolPolicy }

function assertPermitted(
  { takeCall }: RelayPorts,
  { id }: RelayFunction,
  { connection, integration }: RelayAccount,
  { method, url, policy }: Asked,
): void {
  assertAllowed(policy, method, url, integration)
  const perMinute = policy.perMinute(relayName)
  const seconds = perMinute && takeCall(`${id}|${connection.id}|${relayName}`, perMinute)
  if (!seconds) return
  const words = overLimit(seconds, { count: perMinute, perSeconds: 60 }, 'relayed requests')
  throw new Failure('too_many_requests', words, { retryAfterSeconds: seconds })
}

async function send(
  { sendRelayed }: RelayPorts,
  { integration, connection }: RelayAccount,
  { method, headers, body, signal, relay }: RelayCall,
  { url, token }: { url: URL; token: string },
): Promise<WorkloadAnswer> {
  const secrets = spelledSecrets([...secretsOf(connection, token), ...sentSecrets(integration, token)])
  const { displayName } = integration
  const sent = { method, url, body, signal, secrets, displayName }
  const answer = await sendRelayed({ ...sent, headers: relayHeaders({ method, headers, url }, integration, token) })
  return { ...answer, headers: answeredHeaders({ headers: answer.headers, url, secrets, reach: integration, relay }) }
}

async function noted(ports: RelayPorts, account: RelayAccount, answer: WorkloadAnswer): Promise<WorkloadAnswer> {
  if (answer.status < 400) await ports.grantNotes.restored(account)
  return answer
}
