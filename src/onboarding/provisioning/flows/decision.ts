// What a step of a link decided. A step makes its own call outside and says what should follow. No step writes where
// a link has got to: the driver (provision-link.ts) does, so every way out of a step is one of these.
import type { Snapshot } from '../../domain/audit/audit.ts'
import type { FactsOf } from '../../domain/audit/audit-entry.ts'
import type { Cause } from '../../domain/cause.ts'
import type { Link, LinkState, ProvisioningState } from '../../domain/link.ts'
import type { Connections, StoredGrants } from '../../domain/ports/connections.ts'
import type { Platform } from '../../domain/ports/platform.ts'
import type { Provider } from '../../domain/ports/provider.ts'
import type { LinkChanges, LinkSecrets, Links } from '../../domain/ports/provisioning.ts'
import type { Chance, Integrations, LinkTraces, Pause, Seal, Tokens } from '../../domain/ports/shared.ts'
import type { Tenants } from '../../domain/ports/tenants.ts'
import type { Settings } from '../../domain/settings.ts'
import type { ReadyIntegration } from '../../tenants/flows/find-client.ts'

export type Decision = Move | Retry | Park | Fail

/** With the facts that the audit states of a link that comes to that state. */
export type Move = { [State in LinkState]: MoveTo<State> }[LinkState] | AskForOtherAccount

type MoveTo<State extends LinkState> = Moving & { to: State; action?: undefined } & Stating<FactsOf<`link.${State}`>>

/** The audit says more of it than the state that the link comes to. */
type AskForOtherAccount = Moving & {
  to: 'authorizing'
  action: 'relink.account_mismatch'
  facts: FactsOf<'relink.account_mismatch'>
}

type Moving = {
  kind: 'move'
  changes?: LinkChanges | undefined
  /** What it changed, for the audit. */
  before?: Snapshot | undefined
  after?: Snapshot | undefined
  /** The step at the state it moves to, where this run has begun it already or knows more than the ledger does. */
  next?: Step | undefined
}

type Stating<Facts> = Record<never, never> extends Facts ? { facts?: Facts | undefined } : { facts: Facts }

/** The link stays where it is and is tried again. */
export type Retry = { kind: 'retry'; inSeconds: number; cause: Cause }

/** Somebody has to look at it. What was granted stays sealed, and the link can be resumed. */
export type Park = { kind: 'park'; resumeFrom: ProvisioningState } & Outcome<'link.needs_attention'>

/** The link fails. With `revoke`, what was granted is revoked first. */
export type Fail = { kind: 'fail'; revoke: boolean } & Outcome<'link.failed'>

export type Outcome<Action extends 'link.needs_attention' | 'link.failed'> = {
  cause: Cause
  changes?: LinkChanges | undefined
  /** What the audit states beside the cause. */
  facts?: Omit<FactsOf<Action>, 'cause'> | undefined
}

export type ProvisionNeeds = {
  links: Links
  secrets: LinkSecrets
  tenants: Tenants
  integrations: Integrations
  provider: Provider
  platform: Platform
  connections: Connections
  storedGrants: StoredGrants
  seal: Seal
  tokens: Tokens
  chance: Chance
  pause: Pause
  traces: LinkTraces
}

export type ProvisionSettings = Pick<Settings, 'verifyFunctions' | 'keepGrants' | 'connectionPut' | 'healthSeconds'>

export type StepContext = { needs: ProvisionNeeds; settings: ProvisionSettings; ready: ReadyIntegration }

export type Step = (context: StepContext, link: Link) => Promise<Decision>

export type Steps = Partial<Record<ProvisioningState, Step>>
