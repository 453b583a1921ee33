import type { ToolErrorCode } from '../../../contract/gateway/tool-result.ts'
import type { Caller, Recognized } from '../../shared/domain/caller.ts'
import { leadTo, type Rung } from './clients/declared.ts'
import type { InputRequests } from './clients/inputs.ts'
import type { Connection } from './connection.ts'

export const grantGapCodes = ['not_linked', 'grant_revoked', 'insufficient_scope'] as const satisfies ToolErrorCode[]
type GrantGapCode = (typeof grantGapCodes)[number]

/** What a call lacks until a person acts on a page. */
export type Gap = GrantGap

type Asked = {
  code: ToolErrorCode
  scope?: string | undefined
  /** The first words of the tool result. */
  need: string
  /** The message of an elicitation. */
  ask: string
}

/** Only the owner of the account can end it. */
type GrantGap = Asked & {
  kind: 'grant'
  code: GrantGapCode
  connection: Pick<Connection, 'id' | 'version' | 'name'> & { repairUrl: string }
}

/** How each kind of gap ends. */
export type Ways = { [Kind in Gap['kind']]: Way<Extract<Gap, { kind: Kind }>> }

export type Way<G extends Gap> = {
  /** The page that the person opens. */
  pageFor(gap: G, call: GapCall): Promise<string>
  isOver(gap: G, workspace: string): Promise<boolean>
}

type GapCall = { workspace: string; functionId: string; functionName: string; caller: Caller }

type Failed = { code?: ToolErrorCode; scope?: string }

/** Undefined if the connection has no page where its grant is renewed. */
export function grantGapIn(
  { code: failedWith, scope }: Failed,
  { id, version, name, repairUrl }: Connection,
  displayName: string,
): GrantGap | undefined {
  const code = grantGapCodes.find((known) => known === failedWith)
  if (code === undefined || repairUrl === undefined) return undefined
  const connection = { id, version, name, repairUrl }
  return { kind: 'grant', code, ...(scope && { scope }), connection, ...wordsFor[code](displayName) }
}

const signInAgain = (displayName: string) => `Sign in to ${displayName} again, so that this call can continue.`

const wordsFor: Record<GrantGapCode, (displayName: string) => Pick<Asked, 'need' | 'ask'>> = {
  not_linked: (displayName) => ({
    need: `${displayName} has no linked account yet`,
    ask: `Connect your ${displayName} account, so that this call can continue.`,
  }),
  grant_revoked: (displayName) => ({ need: `${displayName} needs re-linking`, ask: signInAgain(displayName) }),
  insufficient_scope: (displayName) => ({
    need: `${displayName} needs more permissions for this call`,
    ask: signInAgain(displayName),
  }),
}

export const repairSentence = ({ need }: Gap, url: string, rung: Rung = 'text'): string =>
  `${need}: ${leadTo('the user', url, rung)}, and repeat the call afterwards.`

/** For an input-required result. Without `requests` the client only repeats the call. */
export type RequiredInput = { state: string; requests?: InputRequests }

export const openPage = (params: { message: string; url: string }): InputRequests => ({
  repair: { method: 'elicitation/create', params: { mode: 'url', ...params } },
})

/** `legs`: how often the call was repeated and waited. */
export type WaitingCall = { id: string; workspace: string; gap: Gap; url: string; legs: number }

export type CallStates<Waiting = WaitingCall> = {
  /** `call` is authenticated, and not part of the state. */
  seal(waiting: Waiting, call: string): string
  /** Undefined if the state is for another call, was changed, or has expired. */
  open(state: string, call: string): Waiting | undefined
  /** True for the first claim in any process. */
  claim(id: string): Promise<boolean>
}

export type Elicitation = { id: string; session: string }

export type Elicitations = {
  /** Returns the same ID for the same session and secrets. */
  add(elicitation: Elicitation & { gap: Gap }): Promise<string>
  /** Those whose gap is over. Each is returned once. */
  takeComplete(sessions: readonly string[]): Promise<Elicitation[]>
}

export const urlRequired = -32_042

type RepairCaller = Pick<Caller, 'kind' | 'id'>

type NewRepair = {
  workspace: string
  functionId: string
  functionName: string
  gap: GrantGap
  caller: RepairCaller
}

export type Repair = {
  id: string
  workspace: string
  functionId: string
  functionName: string
  connectionId: string
  connection: string
  version: number
  caller: RepairCaller
  code: GrantGapCode
  scope: string | undefined
}

/** `isRemembered`: the person was known by a remembered browser. */
export type RedeemedTicket = Repair & { isRemembered: boolean }

export type Repairs = {
  /** Returns the same ID for the same caller, function, secrets and gap. */
  open(repair: NewRepair): Promise<string>
  find(id: string): Promise<Repair | undefined>
  issueTicket(id: string, ticket: { hash: Buffer; seconds: number; isRemembered: boolean }): Promise<void>
  /** Single use. */
  redeemTicket(at: { workspace: string; connection: string }, hash: Buffer): Promise<RedeemedTicket | undefined>
}

/** Tells whether the person in a browser is the caller. */
export type Recognize<Request, Response> = (callerId: string, req: Request, res: Response) => Promise<Recognized>
