// The format of the audit chain, as published in docs/reference/audit-chain.md. A change needs a new version.
import { hash } from 'node:crypto'
import { canonicalJson } from '../../../kit/crypto/canonical-json.ts'
import type { Snapshot } from './audit.ts'

/** A tenant, or the deployment itself, for entries without a tenant. */
export type ChainName = string

export const deploymentChain: ChainName = ''

/** A row as the ledger has it. `at` has microseconds. */
export type ChainedRow = {
  id: number
  at: string
  action: string
  subjectKind: string | undefined
  subjectId: string | undefined
  facts: Record<string, unknown>
  actorKind: string
  actorId: string | undefined
  actorName: string | undefined
  tenant: string | undefined
  link: string | undefined
  connection: string | undefined
  reason: string | undefined
  requestId: string | undefined
  address: string | undefined
  erasure: string | undefined
  before: Snapshot | undefined
  after: Snapshot | undefined
}

/** Digests of the parts that an erasure removed. */
export type Erased = { personal: Buffer | undefined; hidden: Buffer | undefined }

type OpenedPart = { salt: string } & Record<string, unknown>

export type EntryRecord = {
  /** Hashed. `personal` and `hidden` are digests of the parts, if there are such values. */
  body: Record<string, unknown>
  personal: OpenedPart | undefined
  hidden: OpenedPart | undefined
}

export const kindsOfBlock = ['entries', 'erasure', 'retention', 'break'] as const
type BlockKind = (typeof kindsOfBlock)[number]

/** `entries`: IDs of the entries, whose personal data the erasure removed. */
export type ErasureBody = { kind: 'erasure'; erasureId: string; entries: string[] }

/** Positions up to `through` were dropped; the chain continues from `hash`. */
export type RetentionBody = { kind: 'retention'; through: number; hash: string; throughId: string }

/** The head at this position was not signed by this deployment. */
type BreakBody = { kind: 'break'; at: number }

export type SpecialBody = ErasureBody | RetentionBody | BreakBody

/** `last` is the position of its last leaf. Blocks are signed as a whole. */
export type Block = {
  chain: ChainName
  first: number
  last: number
  kind: BlockKind
  ids: number[]
  leaves: Buffer
  salts: Buffer
  body: SpecialBody | undefined
  hash: Buffer
  sealedAt: Date
  kid: string
  signature: Buffer
}

export const leafBytes = 32
/** For an entry: half of it for each part. */
export const saltBytes = 32

const digest = (content: string | Buffer): Buffer => hash('sha256', content, 'buffer')
const base64url = (bytes: Buffer): string => bytes.toString('base64url')

export const startOf = (chain: ChainName): Buffer => digest(`causeway audit chain 1\n${chain}`)

export const leafOf = (body: object): Buffer => digest(canonicalJson(body))

export const nextHash = (previous: Buffer, leaf: Buffer): Buffer => digest(Buffer.concat([previous, leaf]))

export const leavesOf = ({ leaves }: Pick<Block, 'leaves'>): Buffer[] =>
  Array.from({ length: leaves.length / leafBytes }, (_, at) => leaves.subarray(at * leafBytes, (at + 1) * leafBytes))

export const hashAfter = (previous: Buffer, leaves: readonly Buffer[]): Buffer => leaves.reduce(nextHash, previous)

/** The tenant may know that there was an attempt, but not whose. */
const isOfStranger = ({ action }: ChainedRow) => action === 'authz.denied'

/** An erasure replaces these by null, so their values are in the personal part. */
export const personalMembers = ['account', 'alias'] as const

function withoutPersonal(snapshot: Snapshot | undefined) {
  const present = personalMembers.filter((member) => snapshot && member in snapshot)
  return snapshot && inOrder({ ...snapshot, ...Object.fromEntries(present.map((member) => [member, null])) })
}

/** In the order of canonical JSON. */
const personalValues = ({ before, after, reason }: ChainedRow) => ({
  accountAfter: after?.account ?? undefined,
  accountBefore: before?.account ?? undefined,
  aliasAfter: after?.alias ?? undefined,
  aliasBefore: before?.alias ?? undefined,
  reason,
})

const hasPersonal = (row: ChainedRow): boolean =>
  Object.values(personalValues(row)).some((value) => value !== undefined)

const personalOf = (row: ChainedRow, salt: Buffer): OpenedPart | undefined =>
  hasPersonal(row) ? { ...personalValues(row), salt: base64url(salt.subarray(0, saltBytes / 2)) } : undefined

function hiddenOf(row: ChainedRow, salt: Buffer): OpenedPart | undefined {
  const { address, actorId, actorName, facts, requestId } = row
  const ofStranger = isOfStranger(row) && { actorId, actorName, facts, requestId }
  if (address === undefined && !ofStranger) return undefined
  return { address, ...ofStranger, salt: base64url(salt.subarray(saltBytes / 2)) }
}

export const digestOf = (part: OpenedPart): Buffer => digest(canonicalJson(part))

const digestText = (part: OpenedPart | undefined, erased: Buffer | undefined): string | undefined =>
  erased ? base64url(erased) : part && hash('sha256', canonicalJson(part), 'base64url')

/** `erased`: an erasure in the chain removed values after the row was sealed. */
export function entryRecord(row: ChainedRow, salt: Buffer, erased: Erased | undefined): EntryRecord {
  const personal = personalOf(row, salt)
  const hidden = hiddenOf(row, salt)
  const stranger = isOfStranger(row)
  // In the order of canonical JSON.
  const body = {
    action: row.action,
    actor: stranger ? { kind: row.actorKind } : { id: row.actorId, kind: row.actorKind, name: row.actorName },
    after: withoutPersonal(row.after),
    before: withoutPersonal(row.before),
    connectionId: row.connection,
    erasureId: erased ? undefined : row.erasure,
    facts: stranger ? {} : inOrder(row.facts),
    hidden: digestText(hidden, erased?.hidden),
    id: String(row.id),
    kind: 'entry',
    linkId: row.link,
    occurredAt: row.at,
    personal: digestText(personal, erased?.personal),
    requestId: stranger ? undefined : row.requestId,
    subject: row.subjectKind === undefined ? undefined : { id: row.subjectId, kind: row.subjectKind },
    tenantId: row.tenant,
  }
  return { body, personal, hidden }
}

/** jsonb orders names by length. Names in order are hashed in a third of the time. */
function inOrder<T extends Record<string, unknown>>(members: T): T {
  const sorted: Record<string, unknown> = {}
  for (const name of Object.keys(members).sort()) sorted[name] = members[name]
  return sorted as T
}

/** Whether an erased row has nothing that the erasure had to remove. */
export const isCleared = (row: ChainedRow, { hidden }: Erased): boolean =>
  !hasPersonal(row) && (hidden === undefined || row.address === undefined)

export type Tail = Pick<Block, 'chain' | 'last' | 'hash' | 'sealedAt' | 'kid' | 'signature'>

/** The signing input of a JWS (RFC 7515, section 5.1). */
export function headText({ chain, last, hash, sealedAt, kid }: Omit<Tail, 'signature'>): string {
  const header = { alg: 'EdDSA', kid }
  const payload = {
    ...(chain !== deploymentChain && { tenantId: chain }),
    position: last,
    hash: base64url(hash),
    sealedAt: sealedAt.toISOString(),
  }
  return [header, payload].map((part) => base64url(Buffer.from(canonicalJson(part)))).join('.')
}

/** A compact JWS that any JOSE library verifies. */
export const headJws = (head: Tail): string => `${headText(head)}.${base64url(head.signature)}`
