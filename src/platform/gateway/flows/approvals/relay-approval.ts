import { createHash } from 'node:crypto'
import { Failure } from '../../../shared/domain/failure.ts'
import type { ApprovalNeed, HeldReceipt } from '../../domain/approvals/approval.ts'
import type { Connection } from '../../domain/connection.ts'
import type { Integration } from '../../domain/integration.ts'
import { jsonDigest } from '../../domain/json-digest.ts'
import { isGitFetch } from '../../domain/relay/git-host.ts'
import { comparedHeaders, relayName } from '../../domain/relay/relay.ts'
import { httpTraits } from '../../domain/request-tool.ts'
import type { ToolPolicy } from '../../domain/tool-policy.ts'
import type { Bytes, Headers } from '../../domain/workload.ts'
import { approvalSentence, declinedSentence, tooMany } from './lead-to-approval.ts'
import type { CallerReceipts } from './with-receipt.ts'

type Account = { integration: Integration; connection: Connection }

type Request = { method: string; headers: Headers; body: Bytes | Uint8Array | null; receipts: CallerReceipts }

type Ports = { approvalPage(id: string): string }

const noReceipt: HeldReceipt = { settle: async () => {} }

/** Throws if a person has to allow the request first. Returns it with a body that was read as a whole, if necessary. */
export async function withApproval<Call extends Request>(
  ports: Ports,
  account: Account,
  call: Call,
  { url, policy }: { url: URL; policy: ToolPolicy },
): Promise<HeldReceipt & { call: Call }> {
  const known = httpTraits(relayName, call.method, url)
  const traits = isGitFetch(account.integration, call.method, url) ? { ...known, effect: 'reads' as const } : known
  const terms = policy.approval(traits)
  if (!terms) return { ...noReceipt, call }
  const body = call.body && (await wholeBody(call.body))
  const need = { ...needOf(account, { ...call, body, url }), covers: traits.covers, ...terms }
  const receipt = await call.receipts.use(need)
  if (!receipt) throw await refusal(ports, call.receipts, need)
  return { ...receipt, call: { ...call, body } }
}

type WholeRequest = { method: string; headers: Headers; body: Uint8Array | null; url: URL }

function needOf({ integration, connection }: Account, { method, headers, body, url }: WholeRequest) {
  const compared = { method, url: url.href, headers: comparedHeaders(headers) }
  const bytes = body ?? new Uint8Array()
  const hash = createHash('sha256').update(bytes).digest('hex')
  return {
    connection,
    app: integration.displayName,
    tool: `${relayName} ${method}`,
    digest: jsonDigest({ ...compared, hash }),
    shown: { description: undefined, arguments: { ...compared, body: bodyText(bytes) } },
  }
}

/** A body that is not text can't be shown, so its size and digest are. */
function bodyText(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    return `${bytes.length} bytes, SHA-256 ${createHash('sha256').update(bytes).digest('hex')}`
  }
}

async function refusal({ approvalPage }: Ports, receipts: CallerReceipts, need: ApprovalNeed): Promise<Failure> {
  const asked = await receipts.ask(need)
  if (!asked) return new Failure('too_many_requests', tooMany(need), { retryAfterSeconds: 60 })
  if (asked.state === 'declined') return new Failure('approval_required', declinedSentence(need))
  const startedAt = asked.startedAt?.toISOString()
  const isForOthers = need.approvers !== undefined
  const told = { app: need.app, isForOthers, url: approvalPage(asked.id), ...(startedAt && { startedAt }) }
  return new Failure('approval_required', approvalSentence(told))
}

/** All of a request is compared, so it has to be read before it is sent. */
const maxBodyBytes = 1024 * 1024

async function wholeBody(body: Bytes | Uint8Array): Promise<Uint8Array> {
  if (body instanceof Uint8Array) return body
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of body) {
    size += chunk.length
    if (size > maxBodyBytes) throw new Failure('body_too_large', 'A request that needs an approval may have 1 MB.')
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}
