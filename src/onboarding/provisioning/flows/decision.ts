// The decision of a step. A step calls other servers but never moves the link: the driver (provision-link.ts) does.

import type { Snapshot } from '../../domain/audit/audit.ts'
import type { FactsOf } from '../../domain/audit/audit-entry.ts'
import type { Cause } from '../../domain/cause.ts'
import type { DependencyError } from '../../domain/dependency-error.ts'
import type { Integration } from '../../domain/integration.ts'
import type { Link, LinkState, ProvisioningState } from '../../domain/link.ts'
import type { Deps } from '../../domain/ports/ports.ts'
import type { Grant } from '../../domain/ports/provider.ts'
import type { LinkChanges } from '../../domain/ports/provisioning.ts'
import type { ReadyIntegration } from '../../tenants/flows/find-client.ts'

export type Decision = Move | Retry | Park | Fail

export type Move = { [State in LinkState]: MoveTo<State> }[LinkState] | AskForOtherAccount

type MoveTo<State extends LinkState> = Moving & { to: State; action?: undefined } & Stating<FactsOf<`link.${State}`>>

type AskForOtherAccount = Moving & {
  to: 'authorizing'
  action: 'relink.account_mismatch'
  facts: FactsOf<'relink.account_mismatch'>
}

type Moving = {
  kind: 'move'
  changes?: LinkChanges | undefined
  before?: Snapshot | undefined
  after?: Snapshot | undefined
  next?: Step | undefined
}

type Stating<Facts> = Record<never, never> extends Facts ? { facts?: Facts | undefined } : { facts: Facts }

export type Retry = { kind: 'retry'; inSeconds: number; cause: Cause }

export type Park = { kind: 'park'; resumeFrom: ProvisioningState } & Outcome<'link.needs_attention'>

export type Fail = { kind: 'fail'; revoke: boolean } & Outcome<'link.failed'>

export type Outcome<Action extends 'link.needs_attention' | 'link.failed'> = {
  cause: Cause
  changes?: LinkChanges | undefined
  facts?: Omit<FactsOf<Action>, 'cause'> | undefined
}

export type StepContext = Deps & { ready: ReadyIntegration }

export type Step = (context: StepContext, link: Link) => Promise<Decision>

export type Steps = Partial<Record<ProvisioningState, Step>>

export type AtStep = Link & { state: ProvisioningState }

export type KindOfLink = {
  steps: Steps
  begin(grant: Grant): Step
  onFailure(context: StepContext, link: AtStep, error: DependencyError): Promise<Decision | undefined>
  mayRotate(integration: Integration): boolean
  beforeRevocation(context: StepContext, link: AtStep, failed: Fail): Promise<Fail | Park>
  makesConnection: boolean
}
